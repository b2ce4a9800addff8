"""What one person is working on: a project, what it was before, and what has been computed of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from epsilens.project import Project

MOST_STEPS = 100
"""Steps that can be undone."""


@dataclass
class Work:
    """Kept in the memory of the server, for one browser; nothing of it is written unless somebody asks."""

    project: Project = field(default_factory=Project)
    past: list[Project] = field(default_factory=list)
    future: list[Project] = field(default_factory=list)
    uploaded: Any = None
    """An upload that the project's data are, by its name; it stays in memory."""
    _found: dict[Any, Any] = field(default_factory=dict)

    def change(self, section: str, **values: Any) -> None:
        """Put values into a section of the project; a change that changes nothing is not a step."""
        changed = self.project.with_values(section, **values)
        if changed == self.project:
            return
        self.past = [*self.past, self.project][-MOST_STEPS:]
        self.future = []
        self.project = changed

    def undo(self) -> None:
        """Take the last step back."""
        if self.past:
            self.future.append(self.project)
            self.project = self.past.pop()

    def redo(self) -> None:
        """Take the step again that was taken back."""
        if self.future:
            self.past.append(self.project)
            self.project = self.future.pop()

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        """What ``find`` finds, found once for each ``key``, which must say all that it depends on."""
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]
