"""From parameters to questions: what each command asks of the library, for the command line and for projects alike.

``given`` are values as the library takes them, by the names of parameters; ``typed`` are the names that somebody chose,
where the others are defaults.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epsilens.errors import ParameterError, speaking_of
from epsilens.project.values import taken

if TYPE_CHECKING:
    from epsilens.avoidance import GeneralisationHierarchy
    from epsilens.choice.questions import assess as of_assess
    from epsilens.choice.questions import choose as of_choose
    from epsilens.choice.questions import choose_delta as of_choose_delta
    from epsilens.choice.questions import compare as of_compare
    from epsilens.choice.questions import knowledge as of_knowledge
    from epsilens.choice.questions.posterior import release as of_release
    from epsilens.table.engine import Engine
    from epsilens.table.to_read import HierarchyToRead, TableToRead

OF_TABLES = (
    "quasi_identifiers",
    "sensitive",
    "harmful",
    "universe",
    "structural_zeros",
    "publish",
    "budget_of",
    "max_wrong",
    "export",
)
OF_HIERARCHIES = ("by", "codes")
OF_THE_PLANE = ("epsilon_range", "delta_range")
NOT_WITH_EPSILON = (
    *OF_THE_PLANE,
    "delta",
    "rho",
    "max_gain",
    "size_fit",
    "publish",
    "budget_of",
    "max_error",
    "max_wrong",
    "profile",
    "against",
    "levers",
    "chart",
    "export",
    "script",
    "round_down",
)
"""Parameters that say nothing where epsilon is fixed and delta is looked for."""


def table_of(given: Mapping[str, Any]) -> TableToRead:
    """The table that the parameters describe, not read yet."""
    from epsilens.table.to_read import TableToRead

    if not given.get("source"):
        raise ParameterError("is missing: say where the data are", parameter="source")
    roles: dict[str, Any] = {name: given.get(name) or () for name in ("quasi_identifiers", "sensitive")}
    values = {name: value for name, value in taken(given, TableToRead.of).items() if name not in roles}
    return TableToRead.of(**roles, **values | {"engine": engine_of(given)})


def engine_of(given: Mapping[str, Any]) -> Engine | None:
    """The engine that the parameters describe; None where they say nothing of one."""
    from epsilens.table.engine import engine_from

    return engine_from(dict(given))


def assess(given: Mapping[str, Any], typed: Collection[str], riskiest: int = 0) -> of_assess.Question:
    """What is at risk; ``riskiest`` cells are listed."""
    from epsilens.choice.questions.assess import Question

    if given.get("unweighted") and given.get("weightings"):
        raise ParameterError("says how to average already; leave out `unweighted`", parameter="weighting")
    if "seed" in typed and not given.get("repeats"):
        raise ParameterError("is that of a simulation: say how often in `simulate`", parameter="seed")
    with speaking_of(riskiest="cells"):
        return Question(weighted=not given.get("unweighted"), riskiest=riskiest, **taken(given, Question))


def choose(given: Mapping[str, Any], typed: Collection[str]) -> of_choose.Question:
    """Which budget keeps a ceiling."""
    from epsilens.choice.questions.choose import Question

    _check_ceiling(given)
    return Question(data=table_or_hierarchy(given, typed), **taken(given, Question))


def choose_delta(given: Mapping[str, Any], typed: Collection[str]) -> of_choose_delta.Question:
    """Which delta keeps a ceiling, where epsilon is fixed."""
    from epsilens.choice.questions.choose_delta import Question

    for name in NOT_WITH_EPSILON:
        if name in typed:
            raise ParameterError("says nothing where `epsilon` is fixed and delta is chosen", parameter=name)
    _check_ceiling(given)
    return Question(epsilon=given["fixed_epsilon"], data=table_or_hierarchy(given, typed), **taken(given, Question))


def _check_ceiling(given: Mapping[str, Any]) -> None:
    if given.get("max_risk") is None and given.get("max_gain") is None:
        raise ParameterError("is missing: say which risk is tolerable, such as `max_risk=0.3`", parameter="max_risk")


def table_or_hierarchy(given: Mapping[str, Any], typed: Collection[str]) -> TableToRead | HierarchyToRead:
    """A table has quasi-identifiers and a sensitive attribute, a hierarchy levels and characteristics."""
    if not given.get("levels"):
        for name in OF_HIERARCHIES:
            if given.get(name):
                raise ParameterError(
                    "belongs to a hierarchy: name the columns of its groups with `levels`", parameter=name
                )
        return table_of(given)
    for name in OF_TABLES:
        if name in typed:
            raise ParameterError(
                "belongs to a table, and `levels` says that SOURCE is a hierarchy; leave it out", parameter=name
            )
    return hierarchy_of(given)


def hierarchy_of(given: Mapping[str, Any]) -> HierarchyToRead:
    """The hierarchy that the parameters describe, not read yet."""
    from epsilens.table.to_read import HierarchyToRead

    values = {name: value for name, value in taken(given, HierarchyToRead).items() if name != "by"}
    return HierarchyToRead(by=given.get("by") or (), **values | {"engine": engine_of(given)})


def knowledge(given: Mapping[str, Any]) -> of_knowledge.Question:
    """What attackers learn who know only some attributes."""
    from epsilens.choice.questions.knowledge import Question

    return Question(data=table_of(given), **taken(given, Question))


def compare(given: Mapping[str, Any], typed: Collection[str]) -> of_compare.Question:
    """Which systems, at which budgets or at which risk."""
    from epsilens.choice.questions.compare import READ_AS, Question

    asked = taken(given, Question)
    if "epsilons" in typed:
        asked["epsilons"] = given["epsilons"]
    asked["given"] = tuple(name for name in READ_AS if ("hierarchy" if name == "hierarchies" else name) in typed)
    question = Question(
        classify=False if given.get("no_classify") else None,
        hierarchies=hierarchies_from(given.get("hierarchy") or ()),
        **asked,
        data=table_of(given),
    )
    if "base" in question.ignored:
        raise ParameterError("plays no part in any of the systems chosen; leave it out", parameter="base")
    return question


def hierarchies_from(texts: Sequence[str]) -> dict[str, GeneralisationHierarchy]:
    """The trees of ``COL=FILE.json``, by column."""
    return dict(_hierarchy(text) for text in texts)


def _hierarchy(text: str) -> tuple[str, GeneralisationHierarchy]:
    from epsilens.choice.questions.compare import read_hierarchy

    column, separator, path = (part.strip() for part in text.partition("="))
    if not separator or not column or not path:
        raise ParameterError(f"must be COL=FILE.json; got {text!r}", parameter="hierarchy")
    return column, read_hierarchy(column, path)


def posterior_release(given: Mapping[str, Any]) -> of_release.Question:
    """Everybody who is unique or rare in a hierarchical release."""
    from epsilens.choice.questions.posterior.release import Question

    roles: dict[str, Any] = {name: given.get(name) or () for name in ("levels", "by")}
    return Question(**roles, **{name: value for name, value in taken(given, Question).items() if name not in roles})
