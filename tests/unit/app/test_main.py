from __future__ import annotations

from importlib import import_module

import pytest

from epsilens.app.main import PAGES
from epsilens.report.words.common import INTERNAL
from tests.support.visits import told, visited


@pytest.mark.parametrize("name", PAGES)
def test_every_page_has_its_module(name: str) -> None:
    assert callable(import_module(f"epsilens.app.pages.{name}").page)


def test_every_page_says_that_it_is_internal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert INTERNAL in told(visited(monkeypatch))
