"""``cell``: the exact risk of one cell, without data: what its size, its labels and the noise do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from epsilens.arrays import IntArray
from epsilens.budget import Budget, OfBudget, log_grid
from epsilens.checks import one_of, probability, whole
from epsilens.choice.questions.axes import CURVE_DELTAS, CURVE_EPSILONS, DEFAULT_EPSILONS, checked_range
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import local_risks, match_weights
from epsilens.homogeneity.shown import number_shown, shown_alone, shown_and_hidden
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.mechanisms import check_mechanisms
from epsilens.notebook import brief, rows_html

AXES = ("epsilon", "people", "labels", "delta")
DEFAULT_PEOPLE = (1, 2, 5)
DEFAULT_LABELS = (2, 3, 5)
MOST_PEOPLE = 10**9
MOST_LABELS = 1000
_STEPS = 81
_MOST_STEPS = 60  # along whole numbers


@dataclass(frozen=True)
class OneCell:
    """The true counts of a cell, one per label."""

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        counts = tuple(whole("counts", count, 0) for count in self.counts)
        if len(counts) < 2:
            raise ParameterError("needs a count for each of two labels at least, 0 included", parameter="counts")
        if not any(counts):
            raise ParameterError("must hold somebody: an empty cell has no risk", parameter="counts")
        if max(counts) > MOST_PEOPLE or len(counts) > MOST_LABELS:
            raise ParameterError(
                f"must be at most {MOST_PEOPLE:,}, of {MOST_LABELS:,} labels at most", parameter="counts"
            )
        object.__setattr__(self, "counts", counts)

    @staticmethod
    def alike(people: int, labels: int) -> OneCell:
        """So many people who all have the same one of so many labels: a homogeneous cell."""
        n = whole("people", people, 1)
        if n > MOST_PEOPLE:
            raise ParameterError(f"must be at most {MOST_PEOPLE:,}", parameter="people", got=n)
        k = whole("labels", labels, 2)
        if k > MOST_LABELS:
            raise ParameterError(f"must be at most {MOST_LABELS:,}", parameter="labels", got=k)
        return OneCell((n, *(0,) * (k - 1)))

    @property
    def people(self) -> int:
        """Everybody in the cell."""
        return sum(self.counts)

    @property
    def labels(self) -> int:
        """How many labels there are, whether or not somebody has them."""
        return len(self.counts)

    @property
    def present(self) -> int:
        """How many of the labels somebody has."""
        return sum(count > 0 for count in self.counts)

    @property
    def vector(self) -> IntArray:
        """The counts as the kernels take them."""
        return np.array([self.counts], dtype=np.int64)

    def floor(self, match: str = "any") -> float:
        """The limit of the risk under ever more noise, in which every label is shown half of the time.

        |Y| 2^-K with |Y| the labels that somebody has and K all of them; of a ``share`` 2^-K.

        Source: P0 Corollary 2.
        Departs from print (P0-9): 2^-K holds for homogeneous cells.
        """
        return float(self.present if match == "any" else 1) * 2.0**-self.labels


@dataclass(frozen=True, eq=False)
class CellRisk(OfBudget):
    """One cell under one noise."""

    cell: OneCell
    mechanism: str
    budget: Budget
    noise: Noise
    risk: float
    """P(the cell shows a single label, and it is right)."""
    own_shown: float
    """P(the label that most people have is shown): 1 - e^((1/2 - n) epsilon) / 2 under Laplace noise."""
    zero_hidden: float
    """P(a label that nobody has stays hidden): 1 - e^(-epsilon / 2) / 2 under Laplace noise."""
    wrong: float
    """P(the cell shows a single label, and nobody has it)."""
    several: float
    nobody: float
    floor: float
    most: float
    """The limit of the risk as the cell grows without end, its labels and the noise being the same."""
    alone: tuple[float, ...] = ()
    """P(the cell shows this label and no other), for every label."""

    __repr__ = brief

    @property
    def by_value(self) -> list[dict[str, float]]:
        """For every label how many people are shown with it, in shares of the cell: who has it, and who has not."""
        n = self.cell.people
        return [
            {"label": k + 1, "count": count, "shown_right": chance * count / n, "shown_wrong": chance * (n - count) / n}
            for k, (count, chance) in enumerate(zip(self.cell.counts, self.alone, strict=True))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        numbers = ("risk", "own_shown", "zero_hidden", "wrong", "several", "nobody", "floor", "most")
        return {
            "counts": list(self.cell.counts),
            "people": self.cell.people,
            "labels": self.cell.labels,
            "mechanism": self.mechanism,
            **vars(self.budget),
            "noise": {"law": self.noise.name, **asdict(self.noise)},  # type: ignore[call-overload]
            **{name: getattr(self, name) for name in numbers},
            "by_value": self.by_value,
        }


def cell_risk(
    cell: OneCell, mechanism: str, budget: Budget, neighbours: str = "add-remove", match: str = "any"
) -> CellRisk:
    """The exact risk of one cell, and what it is made of.

    For n people who all have one of K labels it is a_n (1 - a_0)^(K - 1) with a_m = P(noise >= 1/2 - m): their own
    label is shown, and each of the K - 1 others stays hidden. Under Laplace noise that is
    (1 - e^((1/2 - n) epsilon) / 2) (1 - e^(-epsilon / 2) / 2)^(K - 1), which tends to 2^-K as epsilon tends to 0.

    Source: P0 Eq. (18). Corollary 4 has the same for Gaussian noise.
    """
    noise = calibrate(mechanism, budget, neighbours)
    shown, hidden = shown_and_hidden(cell.vector, noise)
    alone = shown_alone(shown, hidden)
    none, _, several = number_shown(shown, hidden)
    zero = float(noise.cdf(np.array([0.5]))[0])
    present = cell.present
    return CellRisk(
        cell,
        mechanism,
        budget,
        noise,
        risk=float(local_risks(cell.vector, noise, match)[0]),
        own_shown=float(shown[0, int(np.argmax(cell.counts))]),
        zero_hidden=zero,
        wrong=float(np.where(cell.vector > 0, 0.0, alone).sum()),
        several=float(several[0]),
        nobody=float(none[0]),
        floor=cell.floor(match),
        most=zero ** (cell.labels - 1) if present == 1 else 0.0,
        alone=tuple(alone[0].tolist()),
    )


@dataclass(frozen=True)
class Question:
    """Which cells, under which noises; ``axis`` is what curves run along.

    Cells are homogeneous ones of every size in ``people`` with every number of ``labels``, or those of ``counts``.
    """

    people: tuple[int, ...] = ()
    labels: tuple[int, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    neighbours: str = "add-remove"
    match: str = "any"
    axis: str = "epsilon"
    epsilon_range: tuple[float, float] | None = None
    delta_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        one_of("axis", self.axis, AXES)
        match_weights(np.zeros((1, 2), dtype=np.int64), self.match)
        if self.counts:
            for name in ("people", "labels"):
                if getattr(self, name):
                    raise ParameterError("says of which cell already; leave out `counts`", parameter=name)
            if self.axis in ("people", "labels"):
                raise ParameterError(f"`axis={self.axis}` is that of cells of equal people; leave out `counts`")
        check_mechanisms(self.mechanisms, self.deltas)
        self._check_ranges()
        _ = self.cells
        for mechanism in self.mechanisms:
            for budget in self._budgets(mechanism, self.epsilons or DEFAULT_EPSILONS[:1]):
                calibrate(mechanism, budget, self.neighbours)

    def _check_ranges(self) -> None:
        for name, axis in (("epsilon_range", "epsilon"), ("delta_range", "delta")):
            if getattr(self, name) is None:
                continue
            if self.axis != axis:
                raise ParameterError(f"belongs to `axis={axis}`", parameter=name)
            ends = checked_range(name, getattr(self, name))
            if axis == "delta":
                for end in ends:
                    probability(name, end)
                continue
            for mechanism in self.mechanisms:
                if ends[0] >= (limit := MECHANISMS[mechanism].below):
                    raise ParameterError(
                        f"must begin below {limit:g} for mechanism {mechanism!r}", parameter=name, got=ends[0]
                    )
        if self.axis == "delta":
            for mechanism in self.mechanisms:
                if not MECHANISMS[mechanism].has_delta:
                    raise ParameterError(f"`axis=delta` needs a delta, and mechanism {mechanism!r} has none")

    @property
    def cells(self) -> tuple[OneCell, ...]:
        """The cells, by labels and then by people."""
        if self.counts:
            return tuple(dict.fromkeys(OneCell(counts) for counts in self.counts))
        people, labels = self.people or DEFAULT_PEOPLE, self.labels or DEFAULT_LABELS
        return tuple(dict.fromkeys(OneCell.alike(n, k) for k in labels for n in people))

    def deltas_of(self, mechanism: str) -> tuple[float | None, ...]:
        """The deltas that go with a mechanism; along delta any one will do."""
        if not MECHANISMS[mechanism].has_delta:
            return (None,)
        return tuple(dict.fromkeys(self.deltas)) or ((1e-6,) if self.axis == "delta" else (None,))

    def _budgets(self, mechanism: str, epsilons: Sequence[float]) -> list[Budget]:
        """The budgets of those epsilons; a mechanism that ends below some of the usual ones leaves them out."""
        kind = MECHANISMS[mechanism]
        return [
            kind.budget(epsilon, delta)
            for delta in self.deltas_of(mechanism)
            for epsilon in epsilons
            if self.epsilons or epsilon < kind.below
        ]

    def rows(self) -> Iterator[tuple[OneCell, str, Budget]]:
        """Every cell under every noise."""
        for mechanism in self.mechanisms:
            for budget in self._budgets(mechanism, self.epsilons or DEFAULT_EPSILONS):
                for cell in self.cells:
                    yield cell, mechanism, budget


@dataclass(frozen=True, eq=False)
class Answer:
    """The risk of every cell under every noise. It follows from what was typed alone: no data were read."""

    question: Question
    rows: tuple[CellRisk, ...]

    __repr__ = brief

    def _repr_html_(self) -> str:
        return rows_html("Risk of a cell", [row.to_dict() for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        question = self.question
        return {
            "neighbours": question.neighbours,
            "match": question.match,
            "axis": question.axis,
            "rows": [row.to_dict() for row in self.rows],
        }


def answer(question: Question) -> Answer:
    """The risks that were asked for."""
    rows = tuple(cell_risk(*row, question.neighbours, question.match) for row in question.rows())
    return Answer(question, rows)


def curves(question: Question) -> Answer:
    """The same, finely, along the axis of the question: what a chart draws."""
    if question.axis == "epsilon":
        ends = question.epsilon_range or CURVE_EPSILONS[:2]
        epsilons = tuple(log_grid(*ends, _STEPS))
        parts = [
            replace(
                question,
                mechanisms=(mechanism,),
                deltas=question.deltas if MECHANISMS[mechanism].has_delta else (),
                epsilons=tuple(epsilon for epsilon in epsilons if epsilon < MECHANISMS[mechanism].below),
            )
            for mechanism in question.mechanisms
        ]
        return Answer(question, tuple(row for part in parts for row in answer(part).rows))
    if question.axis == "delta":
        ends = question.delta_range or CURVE_DELTAS[:2]
        return Answer(question, answer(replace(question, deltas=tuple(log_grid(*ends, _STEPS)))).rows)
    asked = question.people or DEFAULT_PEOPLE if question.axis == "people" else question.labels or DEFAULT_LABELS
    along = _whole_steps(1 if question.axis == "people" else 2, max(asked))
    finer = replace(question, people=along) if question.axis == "people" else replace(question, labels=along)
    return Answer(question, answer(finer).rows)


def _whole_steps(low: int, high: int) -> tuple[int, ...]:
    """All whole numbers of a range, or of a long one as many as a chart shows, log-spaced."""
    if high - low < _MOST_STEPS:
        return tuple(range(low, max(high, low + 1) + 1))
    return tuple(sorted({round(value) for value in np.geomspace(low, high, _MOST_STEPS)}))
