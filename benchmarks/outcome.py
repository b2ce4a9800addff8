"""What a benchmark finds: two times for the same work, how a time grows, or why there is nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """Epsilens and a peer on the same work: medians of interleaved runs, and how far their answers are apart."""

    name: str
    ours_seconds: float
    peer: str
    """What the peer is; the page says ``ours against <peer>``."""
    peer_seconds: float
    target: float | None
    """How many times as fast as the peer it ought to be; below 1: how much slower it may be. None: only reported."""
    difference: float
    """How far the two answers are apart, in whatever unit ``tolerance`` has."""
    tolerance: float
    runs: int = 1
    """Interleaved runs of each side, of which these are the medians."""
    threads: int = 1
    ours_mib: float | None = None
    """Peak resident memory, where either side ran in a process of its own."""
    peer_mib: float | None = None
    limit_mib: float | None = None
    """How much memory ours may take at most."""
    note: str = ""
    size: float | None = None
    """Rows, cells or counts, where somebody computes with them."""

    @property
    def ratio(self) -> float:
        """How many times as fast as the peer."""
        return float(self.peer_seconds / self.ours_seconds) if self.ours_seconds > 0 else math.inf

    @property
    def agrees(self) -> bool:
        """Whether both sides computed the same; a difference that is not a number never agrees."""
        return bool(self.difference <= self.tolerance)

    @property
    def met(self) -> bool:
        """Whether the target is met, and by the same answer."""
        small = self.limit_mib is None or (self.ours_mib is not None and self.ours_mib <= self.limit_mib)
        return self.agrees and small and (self.target is None or self.ratio >= self.target)


@dataclass(frozen=True)
class Growth:
    """How a time grows with the size of the question."""

    name: str
    along: str
    """What grows: rows, cells, labels, ..."""
    sizes: tuple[float, ...]
    ours_seconds: tuple[float, ...]
    peer: str = ""
    peer_seconds: tuple[float, ...] = ()
    ours_mib: tuple[float, ...] = ()
    peer_mib: tuple[float, ...] = ()
    target: float | None = None
    """The largest slope of the last step that is good enough: 1 is linear growth."""
    note: str = ""

    def __post_init__(self) -> None:
        for values in (self.ours_seconds, self.peer_seconds, self.ours_mib, self.peer_mib):
            if values and len(values) != len(self.sizes):
                raise ValueError(f"{self.name}: {len(values)} values of {len(self.sizes)} sizes")

    @property
    def slope(self) -> float:
        """The log-log slope over all sizes."""
        return slope(self.sizes, self.ours_seconds)

    @property
    def last_slope(self) -> float:
        """That of the last step, where what is the same at every size weighs least."""
        return slope(self.sizes[-2:], self.ours_seconds[-2:])

    @property
    def peer_slope(self) -> float:
        return slope(self.sizes, self.peer_seconds)

    @property
    def met(self) -> bool:
        return self.target is None or self.last_slope <= self.target


@dataclass(frozen=True)
class Missing:
    """A benchmark, or a part of one, that found nothing: what it needs is not here, or it failed."""

    name: str
    why: str
    failed: bool = False


Outcome = Comparison | Growth | Missing
_KINDS: dict[str, type[Any]] = {"comparison": Comparison, "growth": Growth, "missing": Missing}


@dataclass(frozen=True)
class Found:
    """The outcomes of one benchmark, and how long it took in all."""

    benchmark: str
    title: str
    seconds: float
    outcomes: tuple[Outcome, ...] = field(default=())


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The slope of the least-squares line through the logarithms; not a number where there are not two sizes."""
    points = [(math.log(x), math.log(y)) for x, y in zip(sizes, seconds, strict=False) if x > 0 and y > 0]
    if len({x for x, _ in points}) < 2:
        return math.nan
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return float(rise / sum((x - mean_x) ** 2 for x, _ in points))


def to_plain(outcome: Outcome) -> dict[str, Any]:
    """Plain values for JSON; what follows from others (ratio, slope, met) is there for whoever reads the file."""
    kind = next(name for name, known in _KINDS.items() if isinstance(outcome, known))
    found = {"kind": kind, **asdict(outcome)}
    if isinstance(outcome, Comparison):
        found |= {"ratio": outcome.ratio, "agrees": outcome.agrees, "met": outcome.met}
    if isinstance(outcome, Growth):
        found |= {"slope": outcome.slope, "last_slope": outcome.last_slope, "met": outcome.met}
    return {name: _plain(value) for name, value in found.items()}


def _plain(value: Any) -> Any:
    """A number of Python's own; None for what is not a number, since JSON has no such thing."""
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value


def from_plain(found: dict[str, Any]) -> Outcome:
    """The outcome that :func:`to_plain` wrote."""
    kind = _KINDS[found["kind"]]
    given = {name: found[name] for name in kind.__dataclass_fields__ if name in found}
    if kind is Comparison and given["difference"] is None:
        given["difference"] = math.nan
    made: Outcome = kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})
    return made
