"""The small cells, laws of noise, shares and sizes at which equations of print are compared with enumerations."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.reproduce.p0.enumeration import Cell, Family, Law, Sizes

HOMOGENEOUS: tuple[Cell, ...] = ((1, 0), (0, 4), (9, 0), (1, 0, 0), (0, 3, 0), (2, 0, 0, 0), (5, 0, 0, 0, 0))
ONE_APART: tuple[Cell, ...] = ((1, 1), (2, 1), (1, 5), (12, 1), (1, 1, 0), (3, 0, 1), (6, 1, 0, 0), (2, 1, 0, 0, 0))
"""Cells (n - 1, 1, 0, ...), as which print prices every heterogeneous cell."""
TWO_LABELS: tuple[Cell, ...] = (*ONE_APART, (2, 2), (3, 2), (4, 7), (2, 2, 0), (5, 0, 4), (3, 3, 0, 0))
MORE_LABELS: tuple[Cell, ...] = (
    (1, 1, 1),
    (2, 1, 1),
    (3, 2, 1),
    (1, 1, 1, 0),
    (1, 1, 1, 1),
    (4, 3, 2),
    (2, 1, 1, 1, 1),
)
SMALL: tuple[Cell, ...] = (
    (1, 0),
    (1, 1),
    (0, 2),
    (2, 1),
    (3, 0),
    (1, 1, 0),
    (2, 0, 0),
    (2, 0, 1),
    (0, 3, 0),
    (1, 1, 0, 0),
)
"""At most three people with at most two labels: whatever such a cell may be drawn as is homogeneous or (n - 1, 1)."""

EPSILONS = (0.001, 0.2, 1.0, 3.0, 12.0)
SIGMAS = (0.15, 0.5, 1.2, 5.0, 1000.0)

TWO_ALPHAS = ((1.0, 1.0), (0.4, 2.5), (6.0, 0.3))
MORE_ALPHAS = ((1.0, 1.0, 1.0), (0.3, 1.4, 2.0), (0.5, 0.5, 0.5, 0.5))
SIZES = (Sizes(0.6), Sizes(1.7), Sizes(0.9, 0.8), Sizes(1.2, 3.0))


@dataclass(frozen=True)
class Case:
    """A cell, a law of noise, and whatever else an equation needs."""

    law: Law
    cell: Cell = ()
    size: int = 0
    alpha: tuple[float, ...] = ()
    sizes: Sizes | None = None

    def __str__(self) -> str:
        parts = []
        if self.cell:
            parts.append(f"counts {listed(self.cell)}")
        if self.size:
            parts.append(f"n = {self.size}")
        if self.alpha:
            parts.append(f"alpha = {listed(self.alpha)}")
        if self.sizes is not None:
            parts.append(str(self.sizes))
        return ", ".join([*parts, str(self.law)])

    @property
    def labels(self) -> int:
        """K."""
        return len(self.alpha or self.cell)

    @property
    def shares(self) -> tuple[float, ...]:
        """The sample proportions of the cell."""
        size = sum(self.cell)
        return tuple(n / size for n in self.cell)


def listed(values: Iterable[float]) -> str:
    """``(2, 1, 0)``."""
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"


def laws(family: Family) -> tuple[Law, ...]:
    """Much noise and little."""
    return tuple(Law(family, value) for value in (EPSILONS if family == "laplace" else SIGMAS))


def cells_with_noise(family: Family, *groups: Iterable[Cell]) -> list[Case]:
    """Every cell of the groups under every law."""
    cells = dict.fromkeys(itertools.chain(*groups))
    return [Case(law, cell) for cell in cells for law in laws(family)]


def sizes_with_shares(family: Family, sizes: Iterable[int], alphas: Iterable[tuple[float, ...]]) -> list[Case]:
    """Every size with every alpha under every law."""
    return [
        Case(law, size=size, alpha=alpha) for size, alpha in itertools.product(sizes, alphas) for law in laws(family)
    ]


def generic_cells(family: Family, alphas: Iterable[tuple[float, ...]]) -> list[Case]:
    """Every law of sizes with every alpha, under noise that is large, middling and small."""
    some = laws(family)[::2]
    return [Case(law, alpha=alpha, sizes=sizes) for sizes, alpha in itertools.product(SIZES, alphas) for law in some]


def one_cell(prepared: Callable[[IntArray], Callable[[Any], FloatArray]], case: Case) -> float:
    """What a measure, prepared for count vectors, says of the one cell of a case."""
    return float(prepared(np.array([case.cell]))(case.law.noise)[0])


def one_size(prepared: Callable[[IntArray, FloatArray], Callable[[Any], FloatArray]], case: Case) -> float:
    """What a measure that knows the size and alpha says of a case."""
    vector = np.zeros((1, len(case.alpha)), dtype=np.int64)
    vector[0, 0] = case.size
    return float(prepared(vector, as_floats(case.alpha))(case.law.noise)[0])
