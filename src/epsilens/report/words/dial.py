"""The dial as plain values for JSON: every number and every sentence of every budget, made once, here.

The component only shows what it is given: it adds up nothing and words nothing. What several dials have in common (the
guarantee and the cost do not depend on the measure) is told once, and dials point to it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.choice.choose.at_budget import AtBudget
from epsilens.choice.questions.dial import DialAnswer, Line, PublicLine, Shown
from epsilens.choice.questions.dial_cost import Cost
from epsilens.choice.questions.dial_guarantee import Guarantee
from epsilens.errors import ParameterError
from epsilens.notebook import INTERNAL
from epsilens.report.words import dial_sentences as say
from epsilens.report.words.common import NO_GUARANTEE, counted, joined, number, out_of, singular
from epsilens.report.words.dial_labels import labels
from epsilens.report.words.dial_sentences import EVEN, OF, PRIORS
from epsilens.report.words.dial_sentences import Names as Names
from epsilens.report.words.explained import MEASURES as EXPLAINED
from epsilens.report.words.spread import band_text
from epsilens.table.hierarchy import Situations

VERSION = 1
POOLS = ("guarantees", "costs")
"""What dials share, by the names that they have in a payload."""


def told(answer: DialAnswer, names: Names | None = None, publishable: bool = False) -> dict[str, Any]:
    """The payload of one answer. ``publishable`` leaves out whatever is computed from true data.

    An answer about several attributes makes one dial for each, which differ in who is shown as what.
    """
    who = Names() if names is None else names
    lines: Sequence[PublicLine] = answer.public_lines if publishable else answer.lines
    guarantees = _guarantees(answer, lines, who)
    costs = [_cost_line(line.cost, answer.question.example_count) for line in lines]
    attributes: list[str | None] = [] if publishable else [shown.attribute for shown in answer.shown_without_noise]
    dials = [_dial(answer, lines, who, publishable, i, name) for i, name in enumerate(attributes or [None])]
    return _keyed(
        {
            "version": VERSION,
            "internal": not publishable,
            "label": "" if publishable else INTERNAL,
            "words": labels(who),
            "priors": list(PRIORS),
            "prior_start": PRIORS.index(EVEN),
            "guarantees": [guarantees],
            "costs": [costs],
            "dials": dials,
        }
    )


def merged(payloads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Several payloads as one to choose from: what is said twice is kept once."""
    if not payloads:
        raise ParameterError("there is no dial to merge")
    first = payloads[0]
    if any(other["words"] != first["words"] or other["internal"] != first["internal"] for other in payloads):
        raise ParameterError("dials of one page name the same people, and all of them are internal or none is")
    pools: dict[str, list[Any]] = {name: [] for name in POOLS}
    dials = list[dict[str, Any]]()
    for payload in payloads:
        place = {name: [_placed(pools[name], pool) for pool in payload[name]] for name in POOLS}
        for dial in payload["dials"]:  # without their tables dials of two measures are the same
            pools_of = {"guarantee": place["guarantees"][dial["guarantee"]], "cost": place["costs"][dial["cost"]]}
            _placed(dials, {**dial, **pools_of})
    return _keyed({**first, **pools, "dials": dials})


def _placed(pool: list[Any], entry: Any) -> int:
    if entry not in pool:
        pool.append(entry)
    return pool.index(entry)


def _keyed(payload: dict[str, Any]) -> dict[str, Any]:
    """With a key that changes whenever anything else does, so that a page knows whether to draw anew."""
    plain = {name: value for name, value in payload.items() if name != "key"}
    digest = hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
    return plain | {"key": digest[:16]}


def _guarantees(answer: DialAnswer, lines: Sequence[PublicLine], names: Names) -> dict[str, Any]:
    place = "the data" if isinstance(answer.dial.data, Situations) else "the table"
    both = say.worlds(answer.dial.neighbours, names, place)
    return {
        "setting": both.setting,
        "if_not_title": both.if_not,
        "if_so_title": both.if_so,
        "basis": say.basis_sentence(lines[0].guarantee, answer.parameter),
        "lines": [_guarantee_line(line.guarantee, both) for line in lines],
        "spoken": [say.spoken(answer.parameter, line.budget, line.guarantee) for line in lines],
    }


def _guarantee_line(found: Guarantee, both: say.Worlds) -> dict[str, Any]:
    beliefs = [found.belief(prior) for prior in PRIORS]
    weak, right, wrong = say.is_weak(found), say.uncertain(found.right), say.uncertain(found.wrong)
    return {
        "if_so": found.right,
        "if_not": found.wrong,
        "if_so_icons": say.icons(right),
        "if_not_icons": say.icons(wrong),
        "if_so_text": say.convinced(found.right, both.if_so, both.claim),
        "if_not_text": say.convinced(found.wrong, both.if_not, both.claim),
        "beliefs": beliefs,
        "belief_texts": [say.belief_sentence(found, prior) for prior in PRIORS],
        "belief_shown": [say.belief_text(belief) for belief in beliefs],
        "chance": found.chance,
        "weak": weak,
        "weak_text": "Weak guarantee: a belief of 50 % can become 90 % or more." if weak else "",
        "rows": [f"{out_of(wrong, OF)} of {OF}", f"{out_of(right, OF)} of {OF}"],
    }


def _cost_line(found: Cost, count: int) -> dict[str, Any]:
    low, high = count - found.half_width, count + found.half_width
    return {
        "error": found.error,
        "half_width": found.half_width,
        "coverage": found.coverage,
        "count": count,
        "interval": [low, high],
        "dots": [count + dot for dot in found.dots],
        "interval_text": say.interval_sentence(found, count),
        "error_text": say.error_sentence(found),
        "dots_text": say.dots_sentence(found, count),
        "rows": [number(low) if low == high else f"{number(low)} to {number(high)}", say.error_text(found.error)],
    }


def _dial(
    answer: DialAnswer, lines: Sequence[PublicLine], names: Names, publishable: bool, which: int, attribute: str | None
) -> dict[str, Any]:
    dial = answer.dial
    budgets = [line.budget for line in lines]
    noise = f"{dial.mechanism} noise, {dial.neighbours} neighbours"
    if dial.delta is not None:
        noise += f", delta = {dial.delta:g}"
    plain = {
        "mechanism": dial.mechanism,
        "parameter": answer.parameter,
        "delta": dial.delta,
        "neighbours": dial.neighbours,
        "choice": {
            "mechanism": _mechanism(answer),
            "measure": None if publishable else _measure(answer),
            "attribute": attribute,
        },
        "noise": f"{noise[0].upper()}{noise[1:]}.",
        "start": answer.public_start if publishable else answer.start,
        "budgets": budgets,
        "budget_texts": [f"{budget:g}" for budget in budgets],
        "ticks": [i for i, budget in enumerate(budgets) if f"{budget:e}"[:8] in ("1.000000", "2.000000", "5.000000")],
        "guarantee": 0,
        "cost": 0,
        "error_ticks": _error_ticks([line.cost.error for line in lines]),
        "rows": [
            f"{names.person} not there: releases that convince",
            f"{names.person} there: releases that convince",
            f"a count of {number(answer.question.example_count)}, noise interval",
            "a count is off by, on average",
        ],
        "measure": None,
        "attribute": None,
        "table": None,
    }
    if publishable:
        return plain
    return plain | {
        "measure": dial.measure,
        "attribute": attribute,
        "table": _table(answer, names, which),
    }


def _mechanism(answer: DialAnswer) -> str:
    """What a mechanism is called among others to choose from."""
    dial = answer.dial
    parts = [dial.mechanism] + ["by rho"] * (answer.parameter == "rho")
    parts += [] if dial.delta is None else [f"delta {dial.delta:g}"]
    return ", ".join([*parts, *([] if dial.neighbours == "add-remove" else [dial.neighbours])])


def _measure(answer: DialAnswer) -> str:
    """What a measure is called among others to choose from."""
    by = answer.dial.aggregate.name
    return answer.dial.measure if by == "mean" else f"{answer.dial.measure}, {by}"


def _table(answer: DialAnswer, names: Names, which: int) -> dict[str, Any]:
    """What happens in this table at every budget, and what holds at all of them."""
    dial, bare = answer.dial, answer.without_noise
    ceiling = answer.question.max_risk
    what = f"{dial.aggregate.words} ({dial.measure})"
    risks = [line.at.risk for line in answer.lines]
    top = max([*risks, bare.risk, ceiling or 0.0])
    levels = isinstance(dial.data, Situations)
    columns = "" if levels else f"{joined(dial.table.quasi_identifiers)} by {joined(dial.table.sensitive)}: "
    return {
        "subject": f"{columns}{counted(dial.n_people, singular(names.people), names.people)} in "
        f"{counted(dial.n_cells, 'cell')}.",
        "explained": f"{dial.measure}: {EXPLAINED.get(dial.measure, 'a risk')}.",
        "aggregate": dial.aggregate.name,
        "people": dial.n_people,
        "ceiling": ceiling,
        "ceiling_text": "" if ceiling is None else f"ceiling {say.ceiling_text(bare, ceiling)}",
        "floor": answer.floor,
        "floor_text": f"least {say.risk_text(bare, answer.floor)}",
        "without_noise": bare.risk,
        "without_noise_text": f"without noise {say.risk_text(bare, bare.risk)}",
        "without_noise_sentence": _without_noise(answer, names),
        "safe": [[safe.low, None if math.isinf(safe.high) else safe.high] for safe in answer.safe_set],
        "safe_text": _safe(answer),
        "curve_text": _curve(answer),
        "of_ratios": bare.of_ratios,
        "risk_ticks": _risk_ticks(top, bare),
        "risk_title": f"Risk: {what}",
        "bands": [] if bare.spread is None or bare.of_ratios else [band_text(band) for band in bare.spread.bands],
        "rows": _row_names(answer),
        "chosen": answer.chosen,
        "chosen_text": ""
        if answer.chosen is None
        else f"Go to {answer.parameter} {answer.chosen:g}, the round budget for the ceiling",
        "lines": [_table_line(answer, line, names, which) for line in answer.lines],
    }


def _row_names(answer: DialAnswer) -> list[str]:
    names = ["risk"]
    if answer.without_noise.spread is not None:
        names += ["risk of the worst-off"] + ["above 50 %"] * (not answer.without_noise.of_ratios)
        names += ["above the ceiling"] * (answer.question.max_risk is not None)
    if answer.shown_without_noise:
        names += ["shown rightly, of 100", "shown wrongly, of 100"]
    return names


def _table_line(answer: DialAnswer, line: Line, names: Names, which: int) -> dict[str, Any]:
    at, ceiling = line.at, answer.question.max_risk
    what = f"{answer.dial.aggregate.words} ({answer.dial.measure})"
    shown = line.shown[which] if line.shown else None
    rows, limits = [say.risk_text(at, at.risk)], () if ceiling is None else (ceiling,)
    if at.spread is not None:
        rows += [say.risk_text(at, at.spread.worst, *limits)] + [number(at.spread.above_half)] * (not at.of_ratios)
        rows += [] if at.spread.above_ceiling is None else [number(at.spread.above_ceiling)]
    texts = [say.risk_sentence(at, what, ceiling)]
    texts += [sentence] if (sentence := say.worst_sentence(at, names.people)) else []
    if line.keeps is not None and (answer.several_ceilings or ceiling is None):
        texts.append(say.keeps_sentence(line.keeps))
    plain: dict[str, Any] = {
        "risk": at.risk,
        "keeps": line.keeps,
        "texts": texts,
        "worst": None if at.spread is None else at.spread.worst,
        "at_worst": None if at.spread is None else at.spread.at_worst,
        "above_half": None if at.spread is None or at.of_ratios else at.spread.above_half,
        "above_ceiling": None if at.spread is None else at.spread.above_ceiling,
        "bands": [] if at.spread is None or at.of_ratios else [band.people for band in at.spread.bands],
    }
    if shown is not None:
        rows += [out_of(shown.right, OF), out_of(shown.wrong, OF)]
        plain |= _shown(shown, names, answer)
    return plain | {"rows": rows}


def _shown(shown: Shown, names: Names, answer: DialAnswer) -> dict[str, Any]:
    harmful = bool(answer.dial.table.harm.weights)
    return {
        "right": shown.right,
        "wrong": shown.wrong,
        "right_icons": say.icons(shown.right),
        "wrong_icons": say.icons(shown.wrong),
        "believing": shown.believing,
        "guessing": shown.guessing,
        "shown_text": say.shown_sentence(shown, names.people, harmful),
        "believing_text": say.believing_sentence(shown, harmful),
    }


def _without_noise(answer: DialAnswer, names: Names) -> str:
    """What is true of the table as it is, and that this is not a guarantee."""
    bare, ceiling = answer.without_noise, answer.question.max_risk
    said = f"Without noise: {say.risk_text(bare, bare.risk)}."
    worst = say.worst_sentence(bare, names.people)
    keeps = ceiling is not None and bare.risk <= ceiling and not (bare.spread and bare.spread.above_ceiling)
    needs = "This attack needs no noise; " if keeps else ""
    rule = f"{needs}{NO_GUARANTEE}."
    return " ".join(filter(None, (said, worst, f"{rule[0].upper()}{rule[1:]}")))


def _safe(answer: DialAnswer) -> str:
    """The safe set in words."""
    ceiling, name = answer.question.max_risk, answer.parameter
    if ceiling is None:
        return ""
    text = say.ceiling_text(answer.without_noise, ceiling)
    goal = f"the risk at or below {text}"
    if (most := answer.question.max_people) is not None:
        goal = f"at most {counted(most, 'person')} above {text}" if most else f"nobody above {text}"
    if not answer.safe_set:
        return f"No {name} keeps {goal}: the least possible is {say.risk_text(answer.without_noise, answer.floor)}."
    parts = []
    for safe in answer.safe_set:
        if math.isinf(safe.high):
            parts.append("of any size" if safe.low == 0 else f"{safe.low:.3g} and more")
        else:
            parts.append(f"up to {safe.high:.3g}" if safe.low == 0 else f"{safe.low:.3g} to {safe.high:.3g}")
    smaller = " Smaller is not safer here." if answer.safe_set[0].low > 0 else ""
    return f"Safe set, {goal}: {name} {joined(parts)}.{smaller}"


def _curve(answer: DialAnswer) -> str:
    """The curve read aloud."""
    first, last, bare = answer.lines[0], answer.lines[-1], answer.without_noise
    name = answer.parameter
    ends = [f"{say.risk_text(line.at, line.at.risk)} at {name} {line.budget:g}" for line in (first, last)]
    errors = [say.error_text(line.cost.error) for line in (first, last)]
    return (
        f"The risk is {ends[0]} and {ends[1]}; the least over all budgets is {say.risk_text(bare, answer.floor)}, "
        f"without noise it is {say.risk_text(bare, bare.risk)}. The error of a count falls from {errors[0]} to "
        f"{errors[1]}."
    )


def _risk_ticks(top: float, at: AtBudget) -> list[list[Any]]:
    """Round values from 0 (ratios: from 1) to beyond the largest one."""
    base = 1.0 if at.of_ratios else 0.0
    span = max(top - base, 1e-9)
    power = 10.0 ** math.floor(math.log10(span / 4.0))
    step = next(power * digit for digit in (1.0, 2.0, 5.0, 10.0) if span / (power * digit) <= 5.0)
    many = math.ceil(span / step - 1e-9)
    values = [base + i * step for i in range(many + 1)]
    return [[value, f"{value:.10g}" if at.of_ratios else f"{float(f'{100 * value:.10g}'):g} %"] for value in values]


def _error_ticks(errors: Sequence[float]) -> list[list[Any]]:
    """Powers of ten around the errors; one below a thousandth is drawn as a thousandth."""
    low, high = (max(value, 1e-3) for value in (min(errors), max(errors)))
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [[10.0**power, f"{10.0**power:,g}"] for power in powers]
