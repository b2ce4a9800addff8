"""What the two-level adversary concludes, in sentences, or in a table where there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.words.common import Block, Grid, Note, counted, number
from epsilens.report.words.posterior_numbers import chance, if_absent, of_whom, plain, prior_text, shared_note

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior import two_level
    from epsilens.posterior.two_levels.posterior import TwoLevelPosterior

_NEGLIGIBLE_SHARE = 5e-5
_MOST_PARENTS = 12
_MOST_SENTENCES = 5


def two_level_sentences(answer: two_level.Answer) -> list[str]:
    """The posterior beside that of the group alone, or one sentence for each parent count and budget."""
    if (found := answer.found) is None:
        family = answer.question.family
        return [*shared_note(family), *(_average_sentence(average, family) for average in answer.averages)]
    return [
        *shared_note(answer.question.family),
        f"Posterior {chance(found.posterior)} ({found.law}), against {chance(found.alone.posterior)} from the "
        f"group's own count alone and a prior of {prior_text(answer.question.prior)}.",
    ]


def _parents(found: TwoLevelPosterior) -> str:
    """What the adversary believes about the parent's count."""
    likely = sorted((share, count) for count, share in found.parent_pmf.items() if share >= _NEGLIGIBLE_SHARE)
    shown = sorted((count, share) for share, count in likely[-_MOST_PARENTS:])
    parents = ", ".join(f"{number(count)}: {chance(share)}" for count, share in shown)
    more = f", and {number(len(likely) - len(shown))} others" if len(likely) > len(shown) else ""
    return f"Posterior of the parent's count: {parents}{more}."


def two_level_blocks(answer: two_level.Answer) -> list[str | Block]:
    """Sentences; many averages in a table."""
    if answer.found is not None:
        return [*two_level_sentences(answer), _parents(answer.found)]
    if len(answer.averages) <= _MOST_SENTENCES:
        return [*two_level_sentences(answer)]
    rows = [
        (
            number(average.parent),
            plain(average.parent_rho),
            *(
                chance(getattr(average.risk, name))
                for name in (
                    "posterior",
                    "correct_decision",
                    "correct_decision_alone",
                    "right_changes",
                    "wrong_changes",
                )
            ),
        )
        for average in answer.averages
    ]
    headings = (
        "true\nparent",
        "its\nrho",
        "expected\nposterior",
        "right\ndecision",
        "without\nthe parent",
        "changed for\nthe better",
        "changed for\nthe worse",
    )
    first = answer.averages[0].risk
    family = answer.question.family
    title = f"A group and its parent, on average over the noise{if_absent(first.present, family)}"
    notes = Note(f"These are of the {first.law}."), of_whom(first.present, family)
    return [Grid(title, headings, rows, keys=2), *notes]


def two_level_subtitle(answer: two_level.Answer) -> str:
    """What a chart of the averages says of them: the prior, and which law they are of where it is not the model's."""
    asked = answer.question
    said = [f"prior {prior_text(asked.prior)}", f"{number(asked.siblings)} siblings"]
    if asked.parent_prior != "uniform":
        said.append(f"parent's prior {asked.parent_prior}")
    if asked.family > 1:
        said.append(f"a family of {number(asked.family)}")
    if asked.known:
        said.append(f"{counted(asked.known, 'other')} known")
    if asked.published:
        said.append(f"PUBLISHED values: {answer.averages[0].risk.law}")
    return ", ".join(said)


def _average_sentence(average: two_level.Average, family: int) -> str:
    risk = average.risk
    return (
        f"Parent {number(average.parent)}, rho {plain(average.parent_rho)} ({risk.law}): expected posterior "
        f"{chance(risk.posterior)}{if_absent(risk.present, family)}; a right decision with probability "
        f"{chance(risk.correct_decision)}, against "
        f"{chance(risk.correct_decision_alone)} without the parent; changed for the better "
        f"{chance(risk.right_changes)}, for the worse {chance(risk.wrong_changes)}."
    )
