"""What the Bayesian adversary concludes, in sentences: one function per command of ``epsilens posterior``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epsilens.report.words.common import INTERNAL, number

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior import (
        category,
        census_2020,
        curve,
        levels,
        postprocess,
        release,
        sequence,
        single,
        tree,
        two_level,
    )

_CURVE_LINES = 10
_MOST_CATEGORIES = 10


def chance(probability: float, digits: int = 4) -> str:
    """A probability with four decimals, or as many figures where it would read as 0."""
    small = 0 < probability < 10.0 ** (1 - digits)
    return f"{probability:.{digits - 1}g}" if small else f"{probability:.{digits}f}"


def single_sentences(answer: single.Answer) -> list[str]:
    """The question, the prior, what the noisy count tells, and the average over the noise."""
    asked, expected = answer.question, answer.expected
    lines = [answer.scenario.question, answer.scenario.in_words(asked.prior)]
    if (found := answer.found) is not None:
        verdict = "there" if found.decides_present else "not there"
        lines.append(
            f"A noisy count of {asked.noisy:g} with {asked.known} others known moves it to {chance(found.posterior)} "
            f"({found.risk_ratio:.3f} times the prior); the best guess is that the person is {verdict}."
        )
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior)} "
        f"({expected.risk_ratio:.3f} times the prior), right decision with probability "
        f"{chance(expected.correct_decision)}."
    )
    return lines


def curve_lines(answer: curve.Answer) -> list[str]:
    """About ten lines for each prior."""
    points = answer.question.points
    step = max(1, points // _CURVE_LINES)
    return [
        "   prior         rho   posterior   posterior/prior   right decision",
        *(
            f"{row['prior']:8.4g}  {row['rho']:10.4g}  {row['posterior']:10.4f}  {row['risk_ratio']:16.4f}  "
            f"{row['correct_decision']:15.4f}"
            for k, row in enumerate(answer.rows)
            if (k % points) % step == 0
        ),
    ]


def two_level_sentences(answer: two_level.Answer) -> list[str]:
    """The posterior beside that of the group alone, or one sentence for each parent count and budget."""
    if (found := answer.found) is None:
        return [_average_sentence(average) for average in answer.averages]
    return [
        f"Posterior {chance(found.posterior)} ({found.law}), against {chance(found.alone.posterior)} from the "
        f"group's own count alone and a prior of {answer.question.prior:g}."
    ]


def _average_sentence(average: two_level.Average) -> str:
    risk = average.risk
    return (
        f"Parent {average.parent}, rho {average.parent_rho:g} ({risk.law}): expected posterior "
        f"{chance(risk.posterior)}; a right decision with probability {chance(risk.correct_decision)}, against "
        f"{chance(risk.correct_decision_alone)} without the parent; changed for the better "
        f"{chance(risk.right_changes)}, for the worse {chance(risk.wrong_changes)}."
    )


def levels_sentences(answer: levels.Answer) -> list[str]:
    """One line for each prior and number of levels."""
    return [
        f"prior {row['prior']:.4g}, unique at {row['levels']} level(s): expected posterior "
        f"{chance(row['posterior'], 6)} ({row['risk_ratio']:.4f} times the prior), "
        f"right decision {row['correct_decision']:.4f}"
        for row in answer.rows
    ]


def sequence_sentences(answer: sequence.Answer) -> list[str]:
    """The posterior after each release, and the average over the noise after all of them."""
    lines, expected = [], answer.expected
    if (found := answer.found) is not None:
        steps = ", ".join(chance(value) for value in found.posteriors)
        lines.append(f"Posterior after each release: {steps}; together {found.risk_ratio:.4f} times the prior.")
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior, 6)} "
        f"({expected.risk_ratio:.4f} times the prior) after {len(answer.question.rho)} releases."
    )
    return lines


def category_sentences(answer: category.Answer) -> list[str]:
    """The likeliest categories, or how often the true one is ranked first."""
    if (found := answer.found) is not None:
        return [f"category {c}: posterior {chance(found.posterior[c])}" for c in found.ranking[:_MOST_CATEGORIES]]
    if (expected := answer.expected) is None:
        return []
    within = ", ".join(f"{first}: {probability:.4f}" for first, probability in expected.within_first.items())
    return [
        f"Expected posterior of the true category {chance(expected.posterior)}, {expected.risk_ratio:.3f} times its "
        "prior.",
        f"Ranked first with probability {expected.ranked_first:.4f}; within the first {within}.",
    ]


def postprocess_sentences(answer: postprocess.Answer) -> list[str]:
    """One line for each step, budget and shown count, and the verdict."""
    lines = [
        f"{row.step:>11}, rho {rho:g}, parent shown {row.shown_parent}: posterior {row.posterior:.5f}, "
        f"from raw counts {row.raw_posterior:.5f}, from the group's alone {row.raw_posterior_child:.5f}"
        for row, rho in zip(answer.check.rows, answer.check.rhos, strict=True)
    ]
    return [*lines, "", answer.check.verdict]


def tree_sentences(answer: tree.Answer) -> list[str]:
    """The posterior from the whole tree beside that from the group's own count."""
    found = answer.found
    return [
        f"Posterior {chance(found.posterior, 6)} ({found.risk_ratio:.4f} times the prior); from the group's own count "
        f"alone {chance(found.alone.posterior, 6)}."
    ]


def release_sentences(answer: release.Answer) -> list[str]:
    """Who is assessed, how their risks are distributed, and how many lie above each threshold. Internal."""
    asked, risk = answer.question, answer.risk
    quantiles = ", ".join(f"{100 * share:g} %: {ratio:.4f}" for share, ratio in risk.quantiles().items())
    situations = "1 situation" if len(risk.people) == 1 else f"{number(len(risk.people))} different situations"
    return [
        f"Epsilens  {INTERNAL}",
        "",
        f"{_people(risk.n_people)} {'is' if risk.n_people == 1 else 'are'} in cells of at most {asked.rare} at level "
        f"{asked.levels[0]!r} ({situations}).",
        f"Their expected posterior is on average {risk.mean_ratio:.4f} times the prior of {asked.prior:g} "
        f"({asked.attack} attack).",
        f"Quantiles over people: {quantiles}",
        *(_above_sentence(line) for line in answer.above),
    ]


def _above_sentence(line: release.Above) -> str:
    return (
        f"Above {line.threshold:g}: {_people(line.people_expected_ratio)} by the expected ratio; in a single release "
        f"the ratio of {line.expected_people:,.1f} people will exceed it on average."
    )


def _people(count: int) -> str:
    return "1 person" if count == 1 else f"{number(count)} people"


def census_2020_lines(answer: census_2020.Answer) -> list[str]:
    """A table of the levels, lowest first, and the total."""
    total = answer.total
    return [
        "level            rho    of it histogram   epsilon   epsilon by the simple theorem",
        *(
            f"{row.level:<12}{row.level_rho:9.6f}{row.histogram_rho:15.6f}{row.epsilon:13.4f}"
            f"{row.published_epsilon:12.4f}"
            for row in answer.levels
        ),
        f"Total rho {total.rho:g} at delta {total.delta:g}: epsilon {total.epsilon:.3f} by the best conversion, "
        f"{total.published_epsilon:.3f} by the simple theorem.",
    ]
