"""The privacy audit: what delta a system really has, and whether the published claim holds.

The exact output law of a system is written down for every small table, and the hockey-stick divergence is taken over
all pairs of neighbours among them. One pair above the claim refutes it; a closed form over all tables, where there is
one, tells how loose a valid claim is.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS, AuditNeighbours, Counts, neighbouring_pairs
from epsilens.avoidance.system import System
from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.notebook import brief, facts_html

_ROUNDING = 1e-9  # two computations of the same delta may differ by this much


@dataclass(frozen=True)
class Audit:
    """The verdict on one system at one epsilon.

    ``claimed`` is the printed delta, ``exact`` the least one that holds for all tables (with counts up to ``bound``,
    where that matters), ``enumerated`` the largest found among ``pairs`` of small neighbours, at the pair ``witness``.
    """

    system: str
    epsilon: float
    neighbours: AuditNeighbours
    claimed: float | None
    exact: float | None
    enumerated: float
    witness: tuple[Counts, Counts]
    pairs: int
    bound: int | None = None

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def verdict(self) -> str:
        """``no claim``, ``false``, ``valid`` or, where no law over all tables is known, ``not refuted``."""
        if self.claimed is None:
            return "no claim"
        if max(self.enumerated, self.exact or 0.0) > self.claimed + _ROUNDING:
            return "false"
        return "valid" if self.exact is not None else "not refuted"

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        truth = self.exact if self.exact is not None else self.enumerated
        before, after = _pair_texts(*self.witness)
        if self.verdict == "no claim":
            return f"makes no claim; delta is {truth:.4g}, as between the counts {before} and {after}"
        if self.verdict == "false":
            found = f"the counts {before} and {after}, which are neighbours, have {self.enumerated:.4g}"
            return f"claims delta = {self.claimed:.4g}, but delta is {truth:.4g}: {found}"
        if self.claimed == truth:
            return f"claims delta = {self.claimed:.4g}, which is exact"
        if self.claimed is not None and self.claimed - truth <= 0.05 * truth + _ROUNDING:
            return f"claims delta = {self.claimed:.4g}, true and nearly tight: delta is {truth:.4g}"
        return f"claims delta = {self.claimed:.4g}, true but more than needed: delta is {truth:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            **{name: value for name, value in vars(self).items() if name != "witness"},
            "witness": [[list(row) for row in table] for table in self.witness],
            "verdict": self.verdict,
            "sentence": self.sentence,
        }


def audit(
    system: System, neighbours: AuditNeighbours = "substitute", epsilon: float | None = None, bound: int | None = None
) -> Audit:
    """The exact delta of ``system`` at ``epsilon`` (its own, unless given) against what is claimed.

    ``bound`` is the largest possible count, for the systems whose claim depends on it; small tables go up to it.
    """
    one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
    level = epsilon if epsilon is not None else system.epsilon
    if level is None:
        raise ParameterError(f"{system.name} has no epsilon of its own", remedy="say at which `epsilon` to audit it")
    level = positive("epsilon", level)
    small = system.enumeration(bound)
    if small is None:
        raise ParameterError(f"the output law of {system.name} is not enumerated; its delta is {system.delta()}")
    exact = system.delta(neighbours, small.bound, level)
    worst, witness, pairs = -1.0, None, 0
    for before, after in neighbouring_pairs(small.tables, neighbours):
        pairs += 1
        delta = small.delta(before, after, level)
        if delta > worst + _ROUNDING:
            worst, witness = delta, (before, after)
    if witness is None:
        raise ParameterError(f"there are no {neighbours} neighbours among the small tables of {system.name}")
    claimed = system.published_delta(small.bound) if level == system.epsilon else None
    return Audit(system.name, level, neighbours, claimed, exact, worst, witness, pairs, small.bound)


@dataclass(frozen=True)
class Witness:
    """Why a system is not differentially private with delta = 0 at any epsilon: two neighbours and an output.

    The ``output`` has probability ``with_probability`` for the table ``before`` and none for its neighbour ``after``.
    """

    system: str
    neighbours: AuditNeighbours
    before: Counts
    after: Counts
    output: Hashable
    with_probability: float

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def sentence(self) -> str:
        """The argument in words."""
        before, after = _pair_texts(self.before, self.after)
        pair = f"the counts {before} and {after} are neighbours"
        if self.with_probability >= 1.0 - _ROUNDING:
            return f"{pair}; what is surely published of the first is never published of the second: no epsilon holds"
        return (
            f"{pair}; an output of probability {self.with_probability:.4g} for the first is impossible for the second: "
            "no epsilon holds with a smaller delta"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "system": self.system,
            "neighbours": self.neighbours,
            "before": [list(row) for row in self.before],
            "after": [list(row) for row in self.after],
            "output": _plain(self.output),
            "probability_before": self.with_probability,
            "probability_after": 0.0,
            "sentence": self.sentence,
        }


def witness(system: System, neighbours: AuditNeighbours = "substitute", bound: int | None = None) -> Witness | None:
    """Two small neighbours and an output that the second can never have; None where there are none.

    Of all such outputs one that is likeliest for the first table. Its probability bounds delta from below at every
    epsilon, so one that is certain means that there is no differential privacy at all.

    Source: P2 appendix B.1 and section 5.2.
    """
    one_of("neighbours", neighbours, AUDIT_NEIGHBOURS)
    small = system.enumeration(bound)
    if small is None or small.law is None:
        return None
    laws = {table: small.law(table) for table in small.tables}
    found: Witness | None = None
    for before, after in neighbouring_pairs(small.tables, neighbours):
        impossible = {output: p for output, p in laws[before].items() if p > 0 and laws[after].get(output, 0.0) == 0.0}
        if not impossible:
            continue
        output = max(impossible, key=impossible.__getitem__)
        if found is None or impossible[output] > found.with_probability + _ROUNDING:
            found = Witness(system.name, neighbours, before, after, output, float(impossible[output]))
    return found


def _plain(output: Hashable) -> Any:
    """Nested tuples as lists."""
    return [_plain(part) for part in output] if isinstance(output, tuple) else output


def _pair_texts(before: Counts, after: Counts) -> tuple[str, str]:
    """Both tables without the rows and columns that are empty in both: ``1 | 0`` has two rows, ``1 0`` two columns."""
    rows = [pair for pair in zip(before, after, strict=True) if any(pair[0]) or any(pair[1])]
    columns = [j for j in range(len(before[0])) if any(row[j] for pair in rows for row in pair)]
    texts = [" | ".join(" ".join(str(row[j]) for j in columns) for row in side) for side in zip(*rows, strict=True)]
    return texts[0], texts[1]
