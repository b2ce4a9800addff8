from __future__ import annotations

import re
import tomllib

import epsilens as el
from epsilens.version import __version__
from tests.conftest import REPOSITORY


def test_there_is_one_version() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/epsilens/version.py"
    assert el.__version__ == __version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
