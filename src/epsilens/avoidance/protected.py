"""The table that a system publishes: values of every column and a count per line, blank where it is withheld."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.notebook import one_line


@dataclass(frozen=True, eq=False)
class ProtectedTable:
    """Lines of a published table: ``codes`` into the ``levels`` of each of the ``columns``, and ``counts``.

    A count that is not a number is withheld, and ``blank`` says what that means. ``released`` are the counts on the
    grid of the original values, where the lines are its cells; it is None where classes are published instead.
    ``generalised`` are the levels to which whole columns were generalised, ``loss`` the information lost by that.
    """

    columns: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: IntArray
    counts: FloatArray
    released: FloatArray | None = None
    blank: str | None = None
    generalised: Mapping[str, int] = field(default_factory=dict)
    loss: float | None = None

    @staticmethod
    def of_grid(
        histogram: Histogram, released: FloatArray, withheld: FloatArray | None = None, blank: str | None = None
    ) -> ProtectedTable:
        """A line for every cell in which anybody can be, empty ones too; ``withheld`` is true where there is no count.

        If empty cells were left out, a blank would say that somebody is there.
        """
        shown = np.ones(histogram.n_cells, dtype=bool) if histogram.possible is None else histogram.possible.ravel()
        counts = as_floats(released).ravel()[shown].copy()
        if withheld is not None:
            counts[np.asarray(withheld, dtype=bool).ravel()[shown]] = np.nan
        return ProtectedTable(
            histogram.attributes, histogram.levels, histogram.codes[shown], counts, as_floats(released), blank
        )

    @staticmethod
    def of_rows(columns: Sequence[str], rows: Sequence[Mapping[str, str | int]]) -> ProtectedTable:
        """The classes of a generalised table, each combination of other attributes with its ``count``.

        Classes that are called alike are one to whoever reads them, and are added up.
        """
        known: list[dict[str, int]] = [{} for _ in columns]
        counts: dict[tuple[int, ...], int] = {}
        for row in rows:
            line = tuple(
                found.setdefault(str(row[name]), len(found)) for name, found in zip(columns, known, strict=True)
            )
            counts[line] = counts.get(line, 0) + int(row["count"])
        return ProtectedTable(
            tuple(columns),
            tuple(tuple(found) for found in known),
            np.array(list(counts), dtype=np.int64).reshape(len(counts), len(columns)),
            as_floats(list(counts.values())),
        )

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return one_line(self, f"{len(self)} lines", ", ".join(self.columns))

    @property
    def withheld(self) -> int:
        """Lines without a count."""
        return int(np.isnan(self.counts).sum())

    def shows(self, counts: npt.ArrayLike) -> bool:
        """Whether nothing is withheld and all released counts are the true ``counts``."""
        return self.released is not None and not self.withheld and np.array_equal(self.released, as_floats(counts))

    def lines(self) -> Iterator[tuple[str, ...]]:
        """The values of each line and its count as text."""
        for codes, count in zip(self.codes.tolist(), self.counts.tolist(), strict=True):
            texts = (found[code] for found, code in zip(self.levels, codes, strict=True))
            yield (*texts, _count_text(count))


def _count_text(count: float) -> str:
    if np.isnan(count):
        return ""
    return str(int(count)) if count == int(count) else repr(count)
