"""What the Bayesian adversary concludes, in sentences: one function per command of ``epsilens posterior``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from epsilens.report.words.common import INTERNAL, counted, number, verb

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
_MOST_DIGITS = 16


def chance(probability: float, digits: int = 4, bars: Sequence[float] = ()) -> str:
    """A probability with four decimals, or as many figures where it would read as 0.

    It never reads as 1, nor as one of ``bars``, unless it is: a sentence that decides by a bar must not show it.
    """
    if 0 < probability < 10.0 ** (1 - digits):
        return f"{probability:.{digits - 1}g}"
    return _apart(probability, digits, (1.0, *bars))


def ratio(value: float, digits: int = 4, bars: Sequence[float] = ()) -> str:
    """How many times the prior: decimals, or figures where there would be too many or too few; none of ``bars``."""
    if value and not 0.01 <= value < 1e6:
        return f"{value:.{digits}g}"
    return _apart(value, digits, bars)


def _apart(value: float, digits: int, bars: Sequence[float]) -> str:
    """``value`` with as many decimals as it takes to read differently from all bars that it is not."""
    others = [bar for bar in bars if bar != value]
    while digits < _MOST_DIGITS and any(f"{value:.{digits}f}" == f"{bar:.{digits}f}" for bar in others):
        digits += 1
    return f"{value:.{digits}f}"


def plain(value: float) -> str:
    """A number as it was given: 1000003 and not 1e+06, 0.99999999 and not 1."""
    if math.isfinite(value) and value == math.floor(value) and abs(value) < 1e15:
        return f"{value:.0f}"
    text = f"{value:.6g}"
    return text if float(text) != math.floor(float(text)) or abs(value) >= 1e15 else f"{value:.16g}"


def single_sentences(answer: single.Answer) -> list[str]:
    """The question, the prior, what the noisy count tells, and the average over the noise."""
    asked, expected = answer.question, answer.expected
    lines = [answer.scenario.question, answer.scenario.in_words(asked.prior)]
    if (found := answer.found) is not None:
        verdict = "there" if found.decides_present else "not there"
        lines.append(
            f"A noisy count of {number(int(asked.noisy or 0))} with {counted(asked.known, 'other')} known moves it to "
            f"{chance(found.posterior, bars=(0.5,))} ({ratio(found.risk_ratio, 3)} times the prior); the best guess is "
            f"that the person is {verdict}."
        )
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior)} "
        f"({ratio(expected.risk_ratio, 3)} times the prior), right decision with probability "
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
            f"{_short(row['prior']):>8}  {row['rho']:10.4g}  {chance(row['posterior']):>10}  "
            f"{ratio(row['risk_ratio']):>16}  {chance(row['correct_decision']):>15}"
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
        f"group's own count alone and a prior of {plain(answer.question.prior)}."
    ]


def _average_sentence(average: two_level.Average) -> str:
    risk = average.risk
    return (
        f"Parent {number(average.parent)}, rho {plain(average.parent_rho)} ({risk.law}): expected posterior "
        f"{chance(risk.posterior)}; a right decision with probability {chance(risk.correct_decision)}, against "
        f"{chance(risk.correct_decision_alone)} without the parent; changed for the better "
        f"{chance(risk.right_changes)}, for the worse {chance(risk.wrong_changes)}."
    )


def levels_sentences(answer: levels.Answer) -> list[str]:
    """One line for each prior and number of levels."""
    return [
        f"prior {_short(row['prior'])}, unique at {counted(int(row['levels']), 'level')}: expected posterior "
        f"{chance(row['posterior'], 6)} ({ratio(row['risk_ratio'])} times the prior), "
        f"right decision {chance(row['correct_decision'])}"
        for row in answer.rows
    ]


def sequence_sentences(answer: sequence.Answer) -> list[str]:
    """The posterior after each release, and the average over the noise after all of them."""
    lines, expected = [], answer.expected
    if (found := answer.found) is not None:
        steps = ", ".join(chance(value) for value in found.posteriors)
        lines.append(f"Posterior after each release: {steps}; together {ratio(found.risk_ratio)} times the prior.")
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior, 6)} "
        f"({ratio(expected.risk_ratio)} times the prior) after {counted(len(answer.question.rho), 'release')}."
    )
    return lines


def category_sentences(answer: category.Answer) -> list[str]:
    """The likeliest categories, or how often the true one is ranked first."""
    if (found := answer.found) is not None:
        return [f"category {c}: posterior {chance(found.posterior[c])}" for c in found.ranking[:_MOST_CATEGORIES]]
    if (expected := answer.expected) is None:
        return []
    within = ", ".join(
        f"{number(first)}: {chance(probability)}" for first, probability in expected.within_first.items()
    )
    return [
        f"Expected posterior of the true category {chance(expected.posterior)}, {ratio(expected.risk_ratio, 3)} times "
        "its prior.",
        f"Ranked first with probability {chance(expected.ranked_first)}; within the first {within}.",
    ]


def postprocess_sentences(answer: postprocess.Answer) -> list[str]:
    """One line for each step, budget and shown count, and the verdict."""
    lines = []
    for row, rho in zip(answer.check.rows, answer.check.rhos, strict=True):
        shown = chance(row.posterior, 5, (row.raw_posterior, row.raw_posterior_child))
        digits = max(5, len(shown.partition(".")[2])) if "e" not in shown else 5
        lines.append(
            f"{row.step:>11}, rho {plain(rho)}, parent shown {number(row.shown_parent)}: posterior {shown}, from raw "
            f"counts {chance(row.raw_posterior, digits)}, from the group's alone "
            f"{chance(row.raw_posterior_child, digits)}"
        )
    return [*lines, "", answer.check.verdict]


def tree_sentences(answer: tree.Answer) -> list[str]:
    """The posterior from the whole tree beside that from the group's own count."""
    found = answer.found
    return [
        f"Posterior {chance(found.posterior, 6)} ({ratio(found.risk_ratio)} times the prior); from the group's own "
        f"count alone {chance(found.alone.posterior, 6)}."
    ]


def release_sentences(answer: release.Answer) -> list[str]:
    """Who is assessed, how their risks are distributed, and how many lie above each threshold. Internal."""
    asked, risk = answer.question, answer.risk
    bars = [line.threshold for line in answer.above]
    quantiles = ", ".join(f"{100 * share:g} %: {ratio(found, bars=bars)}" for share, found in risk.quantiles().items())
    situations = "1 situation" if len(risk.people) == 1 else f"{number(len(risk.people))} different situations"
    return [
        f"Epsilens  {INTERNAL}",
        "",
        f"{counted(risk.n_people, 'person')} {verb(risk.n_people)} in cells of at most {number(asked.rare)} at "
        f"level {asked.levels[0]!r} ({situations}).",
        f"Their expected posterior is on average {ratio(risk.mean_ratio)} times the prior of {plain(asked.prior)} "
        f"({asked.attack} attack).",
        f"Quantiles over people: {quantiles}",
        *(_above_sentence(line) for line in answer.above),
    ]


def _above_sentence(line: release.Above) -> str:
    return (
        f"Above {plain(line.threshold)}: {counted(line.people_expected_ratio, 'person')} by the expected ratio; in a "
        f"single release the ratio of {line.expected_people:,.1f} people will exceed it on average."
    )


def _short(prior: float) -> str:
    """A prior with four figures, unless that reads as 0 or 1."""
    text = f"{prior:.4g}"
    return plain(prior) if float(text) in (0.0, 1.0) else text


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
        f"Total rho {plain(total.rho)} at delta {plain(total.delta)}: epsilon {total.epsilon:.3f} by the best "
        f"conversion, {total.published_epsilon:.3f} by the simple theorem.",
    ]
