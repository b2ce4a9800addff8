"""The project that a work begins with: that of the file which was named when the workbench was started, or none."""

from __future__ import annotations

import os

from epsilens.app.server import PROJECT
from epsilens.app.work import Work
from epsilens.errors import EpsilensError
from epsilens.project import Project


def first_work() -> Work:
    """A work on the named project; if its file cannot be read any more, an empty one that says so."""
    path = os.environ.get(PROJECT)
    if not path:
        return Work()
    try:
        return Work(Project.load(path), saved_as=path)
    except EpsilensError as problem:
        return Work(told=[f"The project file could not be opened: {problem}"])
