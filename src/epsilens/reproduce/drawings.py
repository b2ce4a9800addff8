"""Figures as numbers: panels of series. The room of charts draws them all in one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from epsilens.reproduce.data import Data

Mark: TypeAlias = Literal["line", "step", "point", "bar", "box", "map"]


@dataclass(frozen=True)
class Series:
    """Points of one name. Boxes have several ``y`` at one ``x``; a map has a ``z``, its colour."""

    name: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float] | Sequence[str]
    z: Sequence[float] | Sequence[str] = ()
    low: Sequence[float] = ()
    """A band about ``y``, such as one standard deviation to either side."""
    high: Sequence[float] = ()


@dataclass(frozen=True)
class Panel:
    """One picture of a figure."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    mark: Mark = "line"
    log_x: bool = False
    log_y: bool = False
    legend: str | None = None
    """What tells the series apart; of a map, what its colour is."""
    verticals: Sequence[tuple[str, float]] = ()
    """Lines at some places of the x axis, with what they are."""
    horizontals: Sequence[tuple[str, float]] = ()


@dataclass(frozen=True)
class Drawing:
    """A figure of a paper, drawn from our own numbers."""

    paper: str
    place: str
    """``Figure 3``."""
    title: str
    panels: Sequence[Panel]
    says: str
    """One sentence, made of its numbers, that reads it aloud."""
    columns: int = 2


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn."""

    paper: str
    place: str
    draw: Callable[[Data], Drawing]
