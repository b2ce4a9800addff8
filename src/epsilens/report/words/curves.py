"""The words of risk curves: risks with delta on the axis, and where a risk starts to rise faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from epsilens.budget import Budget
from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assessment import Assessment, BudgetLine
from epsilens.choice.questions.axes import CURVE_EPSILONS, KneeLine
from epsilens.noise import MECHANISMS
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, budget_text, counted, percent

KNEE = (
    "Starts to rise faster: the risk's slope against log(epsilon) first reaches a quarter of its greatest; below that "
    "epsilon it nowhere rises faster than that."
)


MOST_CURVES = 6
"""Of more curves, those that are read aloud."""


def curve_sentences(curves: Sequence[tuple[str, RiskCurve]]) -> list[str]:
    """Curves read aloud: where each begins and ends, and where it is least."""
    told = [_curve_sentence(name, curve) for name, curve in curves[:MOST_CURVES] if curve.budgets]
    others = len(curves) - MOST_CURVES
    return [*told, f"{counted(others, 'more curve')}: in the table."] if others > 0 else told


def _curve_sentence(name: str, curve: RiskCurve) -> str:
    least = int(curve.risks.argmin())
    ends = f"{_at(curve, 0)} and {_at(curve, -1)}"
    bottom = "" if least in (0, len(curve.risks) - 1) else f", least {_at(curve, least)}"
    whom = "people" if curve.weighted else "cells"
    beyond = "" if curve.unprotected is None else f"; {percent(curve.unprotected)} without noise"
    return (
        f"{curve.measure.capitalize()} risk of {name}, average over {whom}, with {curve.mechanism} noise: "
        f"{ends}{bottom}{beyond}."
    )


def _at(curve: RiskCurve, i: int) -> str:
    return f"{percent(float(curve.risks[i]))} at {_budget(curve.budgets[i])}"


def _budget(budget: Budget) -> str:
    return budget_text(type(budget)(**{name: float(f"{value:.3g}") for name, value in vars(budget).items()}))


def delta_grids(assessment: Assessment, lines: Sequence[BudgetLine], shown: Callable[[float], str]) -> Iterator[Block]:
    """Risk against delta: a row for each delta, a column for each epsilon, a table for each measure and average."""
    epsilons = list(dict.fromkeys(line.epsilon for line in lines))
    deltas = sorted({line.delta for line in lines if line.delta is not None})
    at = {(line.delta, line.epsilon): line for line in lines}
    for average in assessment.question.weightings:
        whom = assessment.whom if average == "people" else "cells"
        for measure in assessment.question.measures:
            rows = [
                [f"{delta:g}", *(shown(at[delta, epsilon].averages[average][measure]) for epsilon in epsilons)]
                for delta in deltas
            ]
            headings = ["delta", *(f"epsilon\n= {epsilon:g}" for epsilon in epsilons)]
            yield BLANK
            yield Grid(f"{measure} risk against delta, average over {whom}", headings, rows)


def knee_blocks(assessment: Assessment, sensitive: str, mechanism: str) -> Iterator[Block]:
    """Where the risks of one mechanism start to rise faster, a sentence each, and what that means."""
    mine = [knee for knee in assessment.knees if (knee.sensitive, knee.mechanism) == (sensitive, mechanism)]
    if not mine:
        return
    yield BLANK
    for line in mine:
        yield Text(knee_sentence(line, assessment))
    if mine[0] is assessment.knees[0]:
        yield Note(KNEE)


def knee_sentence(line: KneeLine, assessment: Assessment) -> str:
    """``The local risk (over people, delta = 0.01) starts to rise faster at epsilon = 0.38, where it is 24.9 %``."""
    question = assessment.question
    facts = []
    if len(question.weightings) > 1:
        facts.append(f"over {assessment.whom if line.average == 'people' else 'cells'}")
    if line.delta is not None:
        facts.append(f"delta = {line.delta:g}")
    within = f" ({', '.join(facts)})" if facts else ""
    what = f"The {line.measure} risk{within}"
    low, high = question.epsilon_range or CURVE_EPSILONS[:2]
    knee = line.knee
    if knee.why == "flat":
        return f"{what} does not rise between epsilon = {low:g} and {high:g}."
    if knee.why == "end":
        last = min(high, MECHANISMS[line.mechanism].below)
        return f"{what} rises ever faster up to epsilon = {last:g}, where the range ends: it has no knee there."
    fastest = f"it rises fastest at epsilon = {knee.fastest_at:.3g}"
    if knee.why == "start":
        return f"{what} rises at such a rate from epsilon = {low:g} on; {fastest}."
    assert knee.risk is not None
    over = "" if knee.until is None else f", and the rise is over at {knee.until:.3g}"
    return (
        f"{what} starts to rise faster at epsilon = {knee.epsilon:.3g}, where it is {percent(knee.risk)}; "
        f"{fastest}{over}."
    )
