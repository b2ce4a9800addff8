"""The page of a run: one table of ratios, how each was measured, how times grow, which targets are missed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.outcome import Comparison, Found, Growth, Missing, Outcome

REDUCED = (
    "> **Small sizes, or a part of the benchmarks: this page shows its own form. Its numbers mean nothing; `make "
    "bench` on an idle machine writes the real ones.**"
)
RULES = """
Both sides of a row do the same work on the same number of threads, in the same run, by turns; a time is the median of
the runs that its row states. Before every run what Epsilens remembers of earlier runs is forgotten, and imports of
both sides are done, unless a row is a whole command: then both sides start from nothing. Data are made on the fly and
read from the machine's file cache on both sides. Memory is the peak of a process of its own. *Times as fast* is the
peer's time over ours: above 1 Epsilens is faster, 0.5 says that it takes twice as long. Answers are compared in every
run; a row whose answers differ by more than its tolerance is wrong, however fast. What is quoted from an earlier
version, or scaled up from fewer runs, says so.
""".strip()


def rendered(run: dict[str, Any]) -> str:
    """The page in Markdown, of a run as :mod:`benchmarks.__main__` keeps it."""
    found: Sequence[Found] = run["benchmarks"]
    outcomes = [outcome for one in found for outcome in one.outcomes]
    parts = ["# Benchmarks", "Written by `make bench`; not edited by hand."]
    if run["quick"] or not run["all"]:
        parts.append(REDUCED)
    parts += [_verdict(outcomes), RULES, "## Ratios", _ratios(found), "## Growth", _growth(found)]
    parts += ["## How each was measured", _measured(found)]
    if lines := [f"- {one.name}: {_safe(one.why)}" for one in outcomes if isinstance(one, Missing)]:
        parts += ["## Not measured", "\n".join(lines)]
    parts += ["## The machine", _machine(run)]
    return "\n\n".join(part for part in parts if part) + "\n"


def missed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Targets that are not met."""
    return [one for one in outcomes if not isinstance(one, Missing) and not one.met]


def failed(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """What failed, or whose answers disagree."""
    return [
        one
        for one in outcomes
        if (isinstance(one, Missing) and one.failed) or (isinstance(one, Comparison) and not one.agrees)
    ]


def summary(outcomes: Sequence[Outcome]) -> str:
    """One line at the end of a run."""
    aimed = [one for one in outcomes if not isinstance(one, Missing) and _has_target(one)]
    wrong, short = failed(outcomes), missed(aimed)
    return f"{len(aimed) - len(short)} of {len(aimed)} targets met, {len(wrong)} failed or disagreeing"


def line(outcome: Outcome) -> str:
    """What was found, on a terminal."""
    if isinstance(outcome, Missing):
        return f"{'FAIL' if outcome.failed else 'skip'} {outcome.name}: {outcome.why}"
    mark = "ok  " if outcome.met else "MISS"
    if isinstance(outcome, Growth):
        points = zip(outcome.sizes, outcome.ours_seconds, strict=True)
        told = ", ".join(f"{size:g}: {_time(seconds)}" for size, seconds in points)
        slopes = f"slope {outcome.slope:.2f}, at last {outcome.last_slope:.2f}"
        return f"{mark} {outcome.name} by {outcome.along}: {told}; {slopes}"
    if not outcome.agrees:
        mark = "DIFF"
    return (
        f"{mark} {outcome.name}: {_time(outcome.ours_seconds)} against {_time(outcome.peer_seconds)} of "
        f"{outcome.peer}: "
        f"{_number(outcome.ratio)} times as fast{_aim(outcome)}; difference {outcome.difference:.2g} "
        f"(tolerance {outcome.tolerance:g})"
    )


def _verdict(outcomes: Sequence[Outcome]) -> str:
    aimed = [one for one in outcomes if not isinstance(one, Missing) and _has_target(one)]
    short = missed(outcomes)
    told = f"**{len([one for one in aimed if one.met])} of {len(aimed)} targets are met.**"
    if not short:
        return told
    lines = []
    for one in short:
        if isinstance(one, Growth):
            why = f"grows with {one.along} at a slope of {one.last_slope:.2f} at last, target {one.target:g}"
        elif isinstance(one, Comparison):
            why = f"{_number(one.ratio)} times as fast, {_aim(one).strip(' ()')}" if one.agrees else "answers disagree"
            if one.agrees and (one.target is None or one.ratio >= one.target):
                why = f"{one.ours_mib or math.nan:,.0f} MiB, limit {one.limit_mib:,.0f}"
        else:
            continue
        lines.append(f"- {one.name}{f' (against {one.peer})' if one.peer else ''}: {why}")
    return told + " Missed:\n\n" + "\n".join(lines)


def _has_target(one: Comparison | Growth) -> bool:
    return one.target is not None or (isinstance(one, Comparison) and one.limit_mib is not None)


def _aim(one: Comparison) -> str:
    if one.target is None:
        return ""
    at_most = f": at most {1 / one.target:.3g} times as long" if one.target < 1 else ""
    return f" (target {one.target:.3g}{at_most})"


def _ratios(found: Sequence[Found]) -> str:
    rows = []
    for one, outcome in _of_kind(found, Comparison):
        mark = "**no**" if not outcome.met else "yes" if _has_target(outcome) else ""
        rows.append(
            [
                *(one.benchmark, outcome.name, _time(outcome.ours_seconds), outcome.peer),
                *(_time(outcome.peer_seconds), _number(outcome.ratio)),
                *("" if outcome.target is None else f"{outcome.target:.3g}", mark),
            ]
        )
    return _table(["benchmark", "what", "ours", "peer", "peer's", "times as fast", "target", "met"], rows)


def _measured(found: Sequence[Found]) -> str:
    rows = []
    for one, outcome in _of_kind(found, Comparison):
        memory = ["" if value is None else f"{value:,.0f} MiB" for value in (outcome.ours_mib, outcome.peer_mib)]
        agreement = f"{outcome.difference:.2g} ({outcome.tolerance:g})"
        rows.append(
            [one.benchmark, outcome.name, str(outcome.runs), str(outcome.threads), *memory, agreement, outcome.note]
        )
    heads = ["benchmark", "what", "runs", "threads", "our memory", "peer's memory", "difference (tolerance)", "note"]
    return _table(heads, rows)


def _growth(found: Sequence[Found]) -> str:
    parts = []
    for _, outcome in _of_kind(found, Growth):
        rows = [["ours", *(_time(value) for value in outcome.ours_seconds)]]
        if outcome.peer_seconds:
            rows.append([outcome.peer, *(_time(value) for value in outcome.peer_seconds)])
        if outcome.ours_mib:
            rows.append(["our memory, MiB", *(f"{value:,.0f}" for value in outcome.ours_mib)])
        if outcome.peer_mib:
            rows.append(["peer's memory, MiB", *(f"{value:,.0f}" for value in outcome.peer_mib)])
        told = f"log-log slope {outcome.slope:.2f}, last step {outcome.last_slope:.2f}"
        told += (
            f" (target at most {outcome.target:g}: {'met' if outcome.met else '**missed**'})" if outcome.target else ""
        )
        told += f"; {outcome.peer} {outcome.peer_slope:.2f}" if outcome.peer_seconds else ""
        told += f". {outcome.note[:1].upper()}{outcome.note[1:]}." if outcome.note else "."
        table = _table([outcome.along, *(f"{size:,.0f}" for size in outcome.sizes)], rows)
        parts.append(f"**{outcome.name}**: {told}\n\n{table}")
    return "\n\n".join(parts)


def _of_kind(found: Sequence[Found], kind: Any) -> list[tuple[Found, Any]]:
    return [(one, outcome) for one in found for outcome in one.outcomes if isinstance(outcome, kind)]


def _machine(run: dict[str, Any]) -> str:
    rows = [[name, value] for name, value in run["machine"].items()]
    rows += [["load before", f"{run['load_before']:.2f}"], ["date", run["date"]]]
    rows += [["the whole run", f"{run['seconds'] / 60:.1f} minutes"]]
    commands = f"```text\n{run['command']}\n```\n\n"
    commands += "`make bench` is the same; `python -m benchmarks NAME..` runs some, `--quick` all at small sizes, and "
    commands += "`--json FILE` keeps the numbers."
    return _table(["", ""], rows) + "\n\n" + commands


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(_safe(cell) for cell in cells) + " |" for cells in lines)


def _safe(text: str) -> str:
    """A text that does not end a cell of a table; paths, which errors may hold, are left out."""
    words = ["..." if word.startswith("/") and word.count("/") > 1 else word for word in text.split(" ")]
    return " ".join(words).replace("|", "\\|").replace("\n", " ")


def _time(seconds: float) -> str:
    if seconds < 0.01:
        return f"{seconds * 1000:.2g} ms"
    return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.1f} s" if seconds < 100 else f"{seconds:,.0f} s"


def _number(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:,.0f}"
