"""What the sections that all commands share say to one command.

A value goes to the commands that have its parameter, where it means the same there: the levels of a hierarchy are not
the levels of a release, and of several mechanisms one command takes the first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from epsilens.project.asking import OF_TABLES
from epsilens.project.keys import KEYS, SHARED
from epsilens.project.values import listed, texts_of

ONE_OF = {"mechanism": "mechanisms", "measure": "measures", "delta": "deltas"}
"""Parameters that take one value in some commands and several in others: the first of several is the one."""
OF_A_HIERARCHY = ("levels", "by", "codes")
ASK_HIERARCHIES = ("choose", "posterior release")
"""Commands that read hierarchies."""
RELEASES = ("release", "release-statistics")

Sections = Mapping[str, Mapping[str, Any]]


def shared_values(sections: Sections, command: str, takes: Collection[str], own: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the shared sections for ``command``, whose own values are ``own``."""
    found: dict[str, Any] = {}
    for name in SHARED:
        section = _for(command, name, sections.get(name, {}))
        found |= {key: value for key, value in section.items() if key in takes}
        for one, several in ONE_OF.items():
            if one in takes and several not in takes and section.get(several):
                found[one] = _first(section[several])
    found = {key: value for key, value in found.items() if key not in own}
    _leave_out_needless_deltas(found, own, command)
    _leave_out_the_other_kind_of_data(found, own, command)
    if command == "compare" and "equal_risk" in own:
        found.pop("epsilons", None)  # each system has its own epsilon then
    if command == "utility":
        found.pop("harmful", None)  # what a table is good for does not depend on it, and it is refused there
    if command == "release":
        _release_of_the_table(found, own, sections.get("data", {}))
    columns = _columns(found, own, command)
    for key in ("bins", "missing") if columns is not None else ():
        if key in found:
            found[key] = [text for text in texts_of(found[key]) if _concerns(text, columns or ())]
    return {key: value for key, value in found.items() if value not in ((), [], {})}


def _for(command: str, name: str, section: Mapping[str, Any]) -> Mapping[str, Any]:
    """``data`` says nothing to commands that read none; of two tables it does not say which one has the counts."""
    if name != "data" or "source" in KEYS[command]:
        return section
    told = [key for key in section if command == "evaluate" and key not in ("count", "table", "where", "unit")]
    return {key: section[key] for key in told}


def _first(values: Any) -> Any:
    if isinstance(values, str):
        return values.split(",")[0].strip()
    return values[0] if hasattr(values, "__getitem__") else values


def _leave_out_needless_deltas(found: dict[str, Any], own: Mapping[str, Any], command: str) -> None:
    """A delta goes only where a mechanism takes one; a release is told its own."""
    if command in RELEASES:
        found.pop("delta", None)
        return
    if not {"delta", "deltas"} & found.keys():
        return
    from epsilens.noise.mechanisms import MECHANISMS

    every = {**found, **own}
    named = every.get("mechanisms", every.get("mechanism", "laplace"))
    if not any(name in MECHANISMS and MECHANISMS[name].has_delta for name in listed(named)) or "fixed_epsilon" in own:
        for key in ("delta", "deltas"):
            found.pop(key, None)


def _leave_out_the_other_kind_of_data(found: dict[str, Any], own: Mapping[str, Any], command: str) -> None:
    """A command that reads tables and hierarchies is asked about the one that it names, or about the table."""
    has_table = command == "choose" and "quasi_identifiers" in {**found, **own}
    if "levels" not in own and (has_table or command not in ASK_HIERARCHIES):
        for key in OF_A_HIERARCHY:
            found.pop(key, None)
    elif command == "choose" and "levels" in {**found, **own}:
        for key in OF_TABLES:
            found.pop(key, None)


def _release_of_the_table(found: dict[str, Any], own: Mapping[str, Any], data: Mapping[str, Any]) -> None:
    """Without columns of its own a release publishes the table that is assessed."""
    if "columns" in own:
        columns = list(listed(own["columns"]))
        told = [name for name in listed(found.get("sensitive")) if name in columns]
        found["sensitive"] = [] if told == columns[-1:] else told  # which is what a release takes anyway
    elif data.get("quasi_identifiers"):
        found["columns"] = list(dict.fromkeys([*listed(data["quasi_identifiers"]), *listed(data.get("sensitive"))]))


def _columns(found: Mapping[str, Any], own: Mapping[str, Any], command: str) -> list[str] | None:
    """The columns that the command is about, where they may be fewer than those of ``data``."""
    every = {**found, **own}
    if command == "release":
        return list(listed(every.get("columns")))
    if command in ASK_HIERARCHIES and "levels" in every:
        return [*listed(every.get("levels")), *listed(every.get("by"))]
    return None


def _concerns(text: str, columns: Collection[str]) -> bool:
    column, equals, _ = text.rpartition("=") if "=" in text else ("", "", "")
    return not equals or column.strip() in columns
