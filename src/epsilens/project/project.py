"""A project: where the data are, what their columns mean, what is asked of them and on which terms they are released.

A project is sections of plain values, as in its file. The sections that all commands share come first: ``data`` (where
the data are, roles of columns, bins, universe, harmful values), ``noise`` (mechanisms, budgets), ``risk`` (measures,
ceilings), ``ledger`` (what pays) and ``about`` (texts about the release). A section with the name of a command holds
what only that command is asked, and wins over the shared ones. Keys are the names of parameters in the library.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

SHARED = ("data", "noise", "risk", "ledger", "about")
"""Sections that hold for every command."""
ONE_OF = {"mechanism": "mechanisms", "measure": "measures", "delta": "deltas"}
"""Parameters that take one value in some commands and several in others: the first of several is the one."""


@dataclass(frozen=True)
class Project:
    """Sections of plain values. It never holds rows or counts of people."""

    sections: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        frozen = {name: MappingProxyType(dict(values)) for name, values in self.sections.items() if values}
        object.__setattr__(self, "sections", MappingProxyType(frozen))

    def section(self, name: str) -> Mapping[str, Any]:
        """The values of a section; none where there is no such section."""
        return self.sections.get(name, {})

    def with_values(self, section: str, **values: Any) -> Project:
        """The project with these values in a section; None takes one out."""
        merged = {**self.section(section), **values}
        kept = {name: value for name, value in merged.items() if value is not None}
        return Project({**self.sections, section: kept})

    def parameters(self, command: str, takes: Collection[str]) -> dict[str, Any]:
        """What ``command`` is asked, of the parameters that it ``takes``: its own section wins over the shared ones."""
        found: dict[str, Any] = {}
        for name in (*SHARED, command):
            found |= {key: value for key, value in self.section(name).items() if key in takes}
            for one, several in ONE_OF.items():
                if one in takes and several not in takes and self.section(name).get(several):
                    found[one] = _first(self.section(name)[several])
        return found


def _first(values: Any) -> Any:
    return values if isinstance(values, str) or not hasattr(values, "__getitem__") else values[0]
