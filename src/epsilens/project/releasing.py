"""From parameters to a release: what is counted, what pays, what is written. Nothing here looks at the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epsilens.errors import ParameterError, speaking_of

if TYPE_CHECKING:
    from epsilens.release.tables.question import TablesQuestion
    from epsilens.release.tables.tree import OrderedTree
    from epsilens.release.terms import Output, Payment
    from epsilens.table import Schema
    from epsilens.table.gaps import Gaps

EVERYBODY = "total"
"""The marginal of no column."""
DEFAULTS: Mapping[str, Any] = {
    "mechanism": "discrete-laplace",
    "neighbours": "add-remove",
    "max_rows_per_unit": 1,
    "confidence": 0.95,
    "wait": 30.0,
}
"""What holds where nothing is said; the options of the command line show the same."""


def release(asked: Mapping[str, Any]) -> TablesQuestion:
    """The question that the parameters ask; everything that can be refused without the data is refused here."""
    from epsilens.budget import budget_from
    from epsilens.release.tables.postprocessing import Choices
    from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted

    given = {**DEFAULTS, **asked}
    refuse_gaps(given, "columns")
    payment, output = payment_from(given), output_from(given)
    schema, paths = schema_and_paths(given)
    budget = budget_from(given.get("epsilon"), given.get("delta"), given.get("rho"))
    if budget is None:
        raise ParameterError(
            "is missing: the budget of this release (or `rho` with discrete-gaussian)", parameter="epsilon"
        )
    counting = Counting(
        schema=schema,
        paths=paths,
        threshold_delta=given.get("threshold_delta"),
        count=given.get("count"),
        table=given.get("table"),
    )
    tree = given.get("tree")
    return TablesQuestion(
        counting=counting,
        spending=Spending(given["mechanism"], budget, bool(given.get("allow_continuous"))),
        person=counting.person(bool(given.get("one_row_per_person")), given["neighbours"]),
        payment=payment,
        wanted=Wanted(
            marginals=_marginals(given.get("marginal") or ()),
            levels=given.get("levels") or None,
            hierarchy=given.get("hierarchy") or None,
            shares=given.get("shares") or None,
            tree=_tree(tree, given.get("branching")),
        ),
        choices=Choices(
            bool(given.get("rounded")),
            bool(given.get("non_negative")),
            bool(given.get("consistent")) or tree is not None,
            given["confidence"],
            given.get("public_total"),
        ),
        output=output,
    )


def schema_and_paths(given: Mapping[str, Any]) -> tuple[Schema, dict[tuple[str, ...], list[list[object]]]]:
    """The schema that the parameters describe, and the paths of columns that nest."""
    from epsilens.release.tables.declarations import refuse_mistyped, roles_of_columns
    from epsilens.table import Schema, parse_bins
    from epsilens.table.declared import UniverseFile, read_universe
    from epsilens.table.to_read import declared_zeros, parsed_copies

    columns = given["columns"]
    known, sensitive = roles_of_columns(columns, given.get("sensitive") or ())
    declared = read_universe(path) if (path := given.get("universe")) else UniverseFile()
    if given.get("threshold_delta") is None:
        refuse_mistyped(columns, declared.columns)
    universe = declared.concerning(columns)
    schema = Schema(
        quasi_identifiers=known,
        sensitive=sensitive,
        bins=parse_bins(*(given.get("bins") or ())),
        universe=universe.levels or None,
        structural_zeros=declared_zeros(given.get("structural_zeros") or None),
        unit=given.get("unit"),
        max_rows_per_unit=given["max_rows_per_unit"],
        missing=_missing(given.get("missing") or ()),
        missing_values=given.get("missing_values") or (),
        where=given.get("where") or (),
        copies=parsed_copies(given.get("copies") or ()),
    )
    return schema, universe.paths


def _missing(texts: Sequence[str]) -> Gaps:
    """What becomes of missing values; a release cannot refuse them."""
    from epsilens.table.gaps import REFUSE, parse_missing

    found = parse_missing(*texts)
    if REFUSE in ([found] if isinstance(found, str) else found.values()):
        raise ParameterError(
            "must be level, drop or a value: to refuse would tell that somebody's value is missing",
            parameter="missing",
            remedy="look for missing values beforehand with `check`, which publishes nothing",
        )
    return found


def _tree(column: str | None, branching: int | None) -> OrderedTree | None:
    from epsilens.release.tables.tree import OrderedTree

    if column is None:
        if branching is not None:
            raise ParameterError("is about a `tree`, and none is asked for", parameter="branching")
        return None
    return OrderedTree(column) if branching is None else OrderedTree(column, branching)


def _marginals(texts: Sequence[str]) -> list[tuple[str, ...]] | None:
    if not texts:
        return None
    found = [tuple(part.strip() for part in text.split(",") if part.strip()) for text in texts]
    if () in found:
        raise ParameterError(f"names no column; for everybody say {EVERYBODY!r}", parameter="marginals")
    return [() if names == (EVERYBODY,) else names for names in found]


def refuse_gaps(given: Mapping[str, Any], *names: str) -> None:
    """Refuse a call that leaves out what has no default."""
    for name in names:
        if not given.get(name):
            raise ParameterError("is missing", parameter=name)


def payment_from(given: Mapping[str, Any]) -> Payment:
    """What pays; the total opens the account."""
    from epsilens.budget import budget_from
    from epsilens.release.planned import planned_releases
    from epsilens.release.terms import Payment

    refuse_gaps(given, "ledger", "account")
    plan = planned_releases(given.get("plan") or None) or None
    with speaking_of(epsilon="total_epsilon", delta="total_delta", rho="total_rho"):
        total = budget_from(given.get("total_epsilon"), given.get("total_delta"), given.get("total_rho"))
        return Payment(given["ledger"], given["account"], total, given.get("composition"), given["wait"], plan)


def output_from(given: Mapping[str, Any]) -> Output:
    """Where it goes."""
    from epsilens.release.terms import Output

    refuse_gaps(given, "out")
    return Output(given["out"], bool(given.get("force")))
