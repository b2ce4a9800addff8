"""What the Bayesian adversary concludes, in sentences: one function per command of ``epsilens posterior``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from epsilens.report.words.common import BLANK, INTERNAL, Block, Grid, Note, Text, counted, number, number_beside, verb
from epsilens.report.words.posterior_numbers import (
    FAMILIES,
    chance_in_table,
    if_absent,
    if_there,
    of_whom,
    shared_note,
    who,
)
from epsilens.report.words.posterior_numbers import chance as chance
from epsilens.report.words.posterior_numbers import plain as plain
from epsilens.report.words.posterior_numbers import prior_text as prior_text
from epsilens.report.words.posterior_numbers import ratio as ratio
from epsilens.report.words.posterior_spread import posterior_spread_sentences
from epsilens.report.words.posterior_two_level import two_level_blocks as two_level_blocks
from epsilens.report.words.posterior_two_level import two_level_sentences as two_level_sentences
from epsilens.report.words.posterior_two_level import two_level_subtitle as two_level_subtitle

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
    )
    from epsilens.posterior.single import Fall

_CURVE_LINES = 10
_MOST_CATEGORIES = 10
_UNSEEN = 1e-5


def single_sentences(answer: single.Answer) -> list[str]:
    """The question, the prior, what the noisy count tells, and the average over the noise."""
    asked, expected = answer.question, answer.expected
    _, family = asked.adversaries[0]
    lines = [answer.scenario.question, answer.scenario.in_words(asked.priors[0]), *shared_note(family)]
    if (found := answer.found) is not None:
        verdict = "there" if found.decides_present else "not there"
        lines.append(
            f"A noisy count of {number(int(asked.noisy_given[0]))} with {counted(asked.known, 'other')} known moves it "
            f"to {chance(found.posterior, bars=(0.5,))} ({ratio(found.risk_ratio, 3)} times the prior), and is "
            f"published with probability {chance(answer.readings[0].probability)} "
            f"{if_there(expected.present, family)}; the best guess is that the "
            f"{'person' if family == 1 else 'family'} is {verdict}."
        )
    lines.append(
        f"On average over the noise, of {who(expected.present, family)}: posterior {chance(expected.posterior)} "
        f"({ratio(expected.risk_ratio, 3)} times the prior), right decision with probability "
        f"{chance(expected.correct_decision)}."
    )
    return lines


def single_blocks(answer: single.Answer) -> list[str | Block]:
    """One adversary and one noisy count in sentences; several of either in tables."""
    if answer.is_one:
        return [*single_sentences(answer)]
    asked, present = answer.question, answer.expected.present
    blocks: list[str | Block] = [answer.scenario.question]
    if len(asked.priors) == 1:
        blocks.append(answer.scenario.in_words(asked.priors[0]))
    else:
        blocks.append(f"The prior is the attacker's probability that {answer.scenario.prior_means}.")
    if answer.readings:
        blocks += [BLANK, *_readings(answer)]
    several = len(asked.families) > 1
    rows = [
        (
            number(family) if several else prior_text(risk.prior),
            chance(risk.posterior),
            ratio(risk.risk_ratio),
            chance_in_table(risk.correct_decision),
        )
        for risk, (_, family) in zip(answer.averages, asked.adversaries, strict=True)
    ]
    headings = ("people" if several else "prior", "expected\nposterior", "posterior\n/ prior", "right\ndecision")
    if several:
        title = f"On average over the noise, of people who are {'' if present else 'not '}there together"
        return [*blocks, BLANK, Grid(title, headings, rows), FAMILIES, of_whom(present)]
    family = asked.families[0]
    title = f"On average over the noise, of {who(present, family)}"
    return [*blocks, *shared_note(family), BLANK, Grid(title, headings, rows), of_whom(present, family)]


def _readings(answer: single.Answer) -> list[Block]:
    """A row for each noisy count: how often it is published, and posterior and ratio for every prior."""
    asked = answer.question
    several = len(asked.families) > 1
    whose = [f"of {number(m)}" if several else f"prior {prior_text(p)}" for p, m in asked.adversaries]
    step = len(whose)
    rows = []
    for i in range(0, len(answer.readings), step):
        some = answer.readings[i : i + step]
        rows.append(
            (
                number(int(some[0].noisy)),
                *(chance_in_table(reading.probability) for reading in some[: step if several else 1]),
                *(chance(reading.found.posterior) for reading in some),
                *(ratio(reading.found.risk_ratio) for reading in some),
            )
        )
    headings = (
        "noisy\ncount",
        *([f"how often,\n{name}" for name in whose] if several else ["how\noften"]),
        *(f"posterior,\n{name}" for name in whose),
        *(f"ratio,\n{name}" for name in whose),
    )
    family = 2 if several else asked.families[0]
    return [
        Grid(
            f"What a noisy count tells, {counted(asked.known, 'other')} known",
            headings,
            rows,
            keys=1 if several else 2,
        ),
        Note(f"how often: the probability that it is published {if_there(not asked.absent, family)}."),
        Note("ratio: posterior / prior."),
    ]


def curve_blocks(answer: curve.Answer) -> list[Block]:
    """About ten rows for each prior, and where the ratio falls although rho grows."""
    points, families = answer.question.points, answer.question.family
    several, present = len(families) > 1, answer.curve.present
    step = max(1, points // _CURVE_LINES)
    rows = [
        (
            number(int(row.get("family", 1))) if several else prior_text(row["prior"]),
            f"{row['rho']:.4g}",
            chance(row["posterior"]),
            ratio(row["risk_ratio"]),
            chance_in_table(row["correct_decision"]),
        )
        for k, row in enumerate(answer.rows)
        if (k % points) % step == 0
    ]
    first = "people" if several else "prior"
    headings = (first, "rho", "expected\nposterior", "posterior\n/ prior", "right\ndecision")
    title = "One noisy count, on average over the noise"
    if several:
        title += f", prior {prior_text(answer.question.priors[0])}{if_absent(present)}"
        return [Grid(title, headings, rows, keys=2), FAMILIES, of_whom(present)]
    title += if_absent(present, families[0])
    return [Grid(title, headings, rows, keys=2), of_whom(present, families[0]), *map(_fall, answer.falls)]


def _fall(fall: Fall) -> Text:
    return Text(
        f"More budget is not always more risk: at prior {prior_text(fall.prior)} posterior / prior falls from "
        f"{number_beside(fall.from_ratio, fall.to_ratio)} at rho {fall.from_rho:.4g} to "
        f"{number_beside(fall.to_ratio, fall.from_ratio)} at rho {fall.to_rho:.4g}."
    )


def levels_blocks(answer: levels.Answer) -> list[Block]:
    """A row for each prior and number of levels."""
    families = answer.question.family
    several = len(families) > 1
    rows = [
        (
            number(int(row.get("family", 1))) if several else prior_text(row["prior"]),
            str(int(row["levels"])),
            chance(row["posterior"], 6),
            ratio(row["risk_ratio"]),
            chance_in_table(row["correct_decision"]),
        )
        for row in answer.rows
    ]
    first = "people" if several else "prior"
    headings = (first, "unique at\nlevels", "expected\nposterior", "posterior\n/ prior", "right\ndecision")
    present = not answer.question.absent
    title = (
        "Somebody who is unique at the lowest levels" if present else "Somebody who would be unique, and is not there"
    )
    if several:
        title = f"Families who {'are' if present else 'would be'} unique at the lowest levels"
        title += f"{'' if present else ', and are not there'}, prior {prior_text(answer.question.priors[0])}"
        return [Grid(title, headings, rows, keys=2), FAMILIES, of_whom(present)]
    if families[0] > 1:
        title = title.replace("Somebody who is", f"A family of {number(families[0])} who are")
        title = title.replace("Somebody who would", f"A family of {number(families[0])} who would")
        title = title.replace("and is not", "and are not")
    return [Grid(title, headings, rows, keys=2), of_whom(present, families[0])]


def sequence_sentences(answer: sequence.Answer) -> list[str]:
    """The posterior after each release, and the average over the noise after all of them."""
    lines, expected = [], answer.expected
    if (found := answer.found) is not None:
        steps = ", ".join(chance(value) for value in found.posteriors)
        lines.append(f"Posterior after each release: {steps}; together {ratio(found.risk_ratio)} times the prior.")
    lines.append(
        f"On average over the noise, of {who(expected.present, answer.question.family)}: posterior "
        f"{chance(expected.posterior, 6)} "
        f"({ratio(expected.risk_ratio)} times the prior), right decision with probability "
        f"{_within(expected.correct_decision, expected.error)}, after {counted(len(answer.question.rho), 'release')}."
    )
    return lines


def _within(probability: float, error: float) -> str:
    """A probability, with its error where that can be seen."""
    if math.isnan(probability):
        return "unknown (noise this wide has too many cases to be listed)"
    return chance(probability) if error < _UNSEEN else f"{chance(probability, 6)} (to within {error:.1g})"


def category_sentences(answer: category.Answer) -> list[str]:
    """The likeliest categories, or how often the true one is ranked first."""
    if (found := answer.found) is not None:
        return [f"category {c}: posterior {chance(found.posterior[c])}" for c in found.ranking[:_MOST_CATEGORIES]]
    if (expected := answer.expected) is None:
        return []
    asked = answer.question
    most = asked.categories or len(asked.prior)
    within = ", ".join(
        f"{number(first)}: {chance(probability)}"
        for k, (first, probability) in enumerate(expected.within_first.items())
        if first < most or k == 0  # of all categories the true one is always one
    )
    return [
        f"Expected posterior of the true category {chance(expected.posterior)}, {ratio(expected.risk_ratio, 3)} times "
        "its prior.",
        f"Ranked first with probability {chance(expected.ranked_first)}; within the first {within}.",
    ]


def postprocess_blocks(answer: postprocess.Answer) -> list[Block]:
    """A row for each step, budget and shown count, and the verdict."""
    rows = []
    for row, rho in zip(answer.check.rows, answer.check.rhos, strict=True):
        shown = chance(row.posterior, 5, (row.raw_posterior, row.raw_posterior_child))
        digits = max(5, len(shown.partition(".")[2])) if "e" not in shown else 5
        raw, alone = chance(row.raw_posterior, digits), chance(row.raw_posterior_child, digits)
        rows.append((row.step, plain(rho), number(row.shown_parent), shown, raw, alone))
    headings = (
        "step",
        "rho",
        "parent\nshown",
        "from what\nis shown",
        "from all\nraw counts",
        "from the\ngroup's alone",
    )
    return [
        Grid("Expected posterior of a person who is there", headings, rows, words=1, keys=3),
        Note("simplified: the gap to the parent is spread evenly, then each count is clipped and rounded alone."),
        Note("constrained: the nearest counts that are not negative and add up to the parent."),
        BLANK,
        Text(answer.check.verdict),
    ]


def tree_sentences(answer: tree.Answer) -> list[str]:
    """The posterior from the whole tree beside that from the group's own count, and the prior of the other leaves."""
    found = answer.found
    law = dict(answer.to_dict()["leaf_prior"])
    name, _ = law.pop("law"), law.pop("fitted")
    parts = ", ".join(f"{key} {value:.4g}" for key, value in law.items() if value is not None)
    how = "fitted to their noisy counts" if answer.is_fitted else "as given"
    family = answer.question.family
    return [
        *shared_note(family),
        f"Posterior {chance(found.posterior, 6)} ({ratio(found.risk_ratio)} times the prior); from the group's own "
        f"count alone {chance(found.alone.posterior, 6)}. Prior of the other lowest groups, {how}: {name}"
        f"{f' ({parts})' if parts else ''}.",
    ]


def example_written(path: str) -> str:
    """Where the small tree is, and how to go on."""
    return f"A small tree is in {path}: change it, then run  epsilens posterior tree {path}"


def release_sentences(answer: release.Answer) -> list[str]:
    """Who is assessed, how their risks are distributed, and how many lie above each threshold. Internal."""
    asked, risk = answer.question, answer.risk
    bars = [line.threshold for line in answer.above]
    quantiles = ", ".join(f"{100 * share:g} %: {ratio(found, bars=bars)}" for share, found in risk.quantiles().items())
    situations = "1 situation" if len(risk.people) == 1 else f"{number(len(risk.people))} different situations"
    size = f"at most {counted(asked.most, 'person')}"
    if asked.family > 1:
        size = (
            f"{number(asked.family)} people"
            if asked.family == asked.most
            else f"{number(asked.family)} to {number(asked.most)} people"
        )
    return [
        f"Epsilens  {INTERNAL}",
        "",
        *shared_note(asked.family),
        f"{counted(risk.n_people, 'person')} {verb(risk.n_people)} in cells of {size} "
        f"at level {asked.levels[0]!r} ({situations}).",
        f"Their expected posterior is on average {ratio(risk.mean_ratio)} times the prior of {prior_text(asked.prior)} "
        f"({asked.attack} attack).",
        f"Quantiles over people: {quantiles}",
        *posterior_spread_sentences(answer.spread, answer.mean_posterior),
        *(_above_sentence(line) for line in answer.above),
    ]


def _above_sentence(line: release.Above) -> str:
    return (
        f"Above {plain(line.threshold)}: {counted(line.people_expected_ratio, 'person')} by the expected ratio; in a "
        f"single release the ratio of {line.expected_people:,.1f} people will exceed it on average."
    )


def census_2020_blocks(answer: census_2020.Answer) -> list[Block]:
    """A table of the levels, lowest first, and the total."""
    total = answer.total
    rows = [
        (
            row.level,
            f"{row.level_rho:.6f}",
            f"{row.histogram_rho:.6f}",
            f"{row.epsilon:.4f}",
            f"{row.published_epsilon:.4f}",
        )
        for row in answer.levels
    ]
    headings = ("level", "rho", "of it the\nhistogram", "epsilon", "epsilon by the\nsimple theorem")
    return [
        Grid(f"The 2020 Census, at delta {plain(total.delta)}", headings, rows, words=1),
        Note("histogram: the most detailed table of each level; the rest went to its marginals."),
        Note("simple theorem: epsilon = rho + 2 sqrt(rho log(1 / delta))."),
        BLANK,
        Text(
            f"Total rho {plain(total.rho)} at delta {plain(total.delta)}: epsilon {total.epsilon:.3f} by the best "
            f"conversion, {total.published_epsilon:.3f} by the simple theorem."
        ),
    ]
