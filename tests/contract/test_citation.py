"""What is cited is what is there."""

from __future__ import annotations

import re

from epsilens.version import __version__
from tests.conftest import REPOSITORY


def test_the_version_that_is_cited_is_this_one() -> None:
    text = (REPOSITORY / "CITATION.cff").read_text()
    assert re.findall(r"^version: (.+)$", text, re.M) == [__version__]
    assert re.findall(r"^license: (.+)$", text, re.M) == ["Apache-2.0"]
