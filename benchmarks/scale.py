"""What a national census costs, from the times that a run measured: the computed part of ``docs/scale.md``.

A cost is what was measured at the largest size, carried on at the slope of the last step. Reading people and keeping
cells are added: the first was measured with a million cells, the second is what many cells took beyond that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.outcome import Comparison, Growth, Outcome, slope

PEOPLE = 330_000_000
BLOCKS = 8_000_000
CELLS_OF_A_BLOCK = 2_016
CELLS = BLOCKS * CELLS_OF_A_BLOCK
SHARING = (3.0, 1.0)
"""People in a cell that somebody is in: some, and the worst, in which nobody shares one."""
CLUSTERS = (64, 256)
SPARK_CORES = 2
BEGIN, END = "<!-- computed: begin -->", "<!-- computed: end -->"


@dataclass(frozen=True)
class Reading:
    """Reading people into cells and cells into signatures, on one machine."""

    rows: Growth
    """Rows of about a million cells."""
    cells: Growth
    """Cells of as many rows each."""
    cells_rows: float
    """How many rows those are."""

    def seconds(self, people: float, cells: float) -> float:
        """People at the slope of rows; cells beyond a million at that of cells, linear at least."""
        growth = math.pow(cells / self.cells.sizes[-1], self.cells_slope)
        return carried_on(self.rows, people) + self.beyond * growth

    def mib(self, cells: float) -> float:
        """Memory: that of the most cells measured, in proportion; people cost none."""
        return max(self.rows.ours_mib[-1], self.cells.ours_mib[-1] * cells / self.cells.sizes[-1])

    @property
    def beyond(self) -> float:
        """Seconds that the most cells measured took beyond what their people take."""
        return self._beyond(-1)

    @property
    def cells_slope(self) -> float:
        """How that grows between the last two that were measured; linear at least."""
        found = slope(self.cells.sizes[-2:], (self._beyond(-2), self._beyond(-1)))
        return 1.0 if math.isnan(found) else max(1.0, found)

    def _beyond(self, place: int) -> float:
        return max(0.0, self.cells.ours_seconds[place] - carried_on(self.rows, self.cells_rows))


def carried_on(growth: Growth, size: float) -> float:
    """The time at a size, by the line through the logarithms of the last two that were measured."""
    return growth.ours_seconds[-1] * math.pow(size / growth.sizes[-1], growth.last_slope)


def rendered(outcomes: Sequence[Outcome], machine: Mapping[str, str]) -> str:
    """The computed part: costs on one machine, on a cluster and of the noise, each with its arithmetic."""
    cores, memory, processor = (machine.get(name, "?") for name in ("cores", "memory", "processor"))
    parts = [f"From a run on {cores} cores and {memory} ({processor})."]
    parts += [_one_machine(outcomes), _cluster(outcomes), _noise(outcomes)]
    return "\n\n".join(parts)


def _one_machine(outcomes: Sequence[Outcome]) -> str:
    rows = _growth(outcomes, "rows", "assess command")
    cells = _growth(outcomes, "cells", "assess 100,000,000 rows")
    if rows is None or cells is None or min(len(rows.sizes), len(cells.sizes)) < 2:
        return "**One machine**: the last run has not measured 100 million rows and more with up to 50 million cells."
    reading = Reading(rows, cells, 1e8)
    last, most = rows.ours_seconds[-1], cells.sizes[-1]
    lines = [
        f"**One machine.** People: {last:.0f} s for {rows.sizes[-1]:,.0f}, slope {rows.last_slope:.2f}, so "
        f"{last:.0f} s x ({PEOPLE / 1e6:.0f} / {rows.sizes[-1] / 1e6:.0f})^{rows.last_slope:.2f} = "
        f"{carried_on(rows, PEOPLE):.0f} s with a million cells. Cells: {cells.ours_seconds[-1]:.0f} s for "
        f"{most:,.0f} of 100 million people, {reading.beyond:.0f} s of it beyond what the people take (slope "
        f"{reading.cells_slope:.2f}). Together, where C cells have people in them, {carried_on(rows, PEOPLE):.0f} s "
        f"+ {reading.beyond:.0f} s x (C / {most / 1e6:.0f} million)^{reading.cells_slope:.2f}, extrapolated up to "
        f"{PEOPLE / most:.1f} times:",
        "",
        "| people in a cell that has any | cells with people | time of `assess` | memory, or disk where it spills |",
        "| --- | --- | --- | --- |",
    ]
    for sharing in SHARING:
        number = PEOPLE / sharing
        seconds, mib = reading.seconds(PEOPLE, number), reading.mib(number)
        lines.append(f"| {sharing:g} | {number:,.0f} | {told(seconds)} | {mib / 1024:.1f} GiB |")
    return "\n".join(lines)


def _cluster(outcomes: Sequence[Outcome]) -> str:
    timed = sorted((one.size or 0.0, one.ours_seconds) for one in _comparisons(outcomes, "Spark (local[2]"))
    if len(timed) < 2:
        return "**A Spark cluster**: the last run has not measured Spark at two sizes."
    (few, small), (many, large) = timed[-2:]
    each = max(large - small, 0.0) / (many - few) * SPARK_CORES
    lines = [
        f"**A Spark cluster.** On {SPARK_CORES} cores {large:.0f} s for {many:,.0f} people and {small:.0f} s for "
        f"{few:,.0f}: {each * 1e6:.2f} core-seconds for each further million, their cells included. "
        f"{PEOPLE / 1e6:.0f} million people are {each * PEOPLE:,.0f} core-seconds. Extrapolated {PEOPLE / many:.0f} "
        "times, as if the cores shared the work evenly:",
        "",
        "| cores | time of `assess --engine spark` |",
        "| --- | --- |",
    ]
    lines += [f"| {cores} | {told(small + each * PEOPLE / cores)} |" for cores in CLUSTERS]
    return "\n".join(lines)


def _noise(outcomes: Sequence[Outcome]) -> str:
    found = [one for one in _comparisons(outcomes, "release of ") if one.size]
    if not found:
        return "**The noise**: the last run has not measured a release."
    one, counts = found[-1], found[-1].size or 1.0
    each = one.ours_seconds / counts
    return (
        "**The noise.** A release draws noise for every cell that could be, with people or without: "
        f"{BLOCKS / 1e6:.0f} million blocks x {CELLS_OF_A_BLOCK:,} = {CELLS / 1e9:.1f} billion counts. {counts:,.0f} "
        f"took {one.ours_seconds:.0f} s on {one.threads} threads, {each * 1e6:.1f} microseconds each, so "
        f"{told(each * CELLS)} on this machine (extrapolated {CELLS / counts:,.0f} times), and "
        f"{CELLS * 8 / 2**30:,.0f} GiB to hold as whole numbers of 8 bytes."
    )


def update(path: Path, outcomes: Sequence[Outcome], machine: Mapping[str, str]) -> None:
    """Write the computed part between its marks; the rest of the page is not touched."""
    text = path.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{path.name} must hold {BEGIN} and {END} once each, in this order")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    path.write_text(f"{before}{BEGIN}\n\n{rendered(outcomes, machine)}\n\n{END}{after}")


def told(seconds: float) -> str:
    """A time in words."""
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def _growth(outcomes: Sequence[Outcome], along: str, name: str) -> Growth | None:
    found = [one for one in outcomes if isinstance(one, Growth) and one.along == along and one.name.startswith(name)]
    return found[-1] if found else None


def _comparisons(outcomes: Sequence[Outcome], name: str) -> list[Comparison]:
    return [one for one in outcomes if isinstance(one, Comparison) and one.name.startswith(name)]
