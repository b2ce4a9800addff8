"""The workbench without a browser: Streamlit's AppTest with the secret in its address."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from epsilens.app.access import WORK, WORKS
from epsilens.app.server import SCRIPT, TOKEN
from epsilens.app.work import Work

SECRET = "a secret of these tests"
SECONDS = 60


def visited(monkeypatch: pytest.MonkeyPatch, token: str = SECRET, **query: str) -> Any:
    """A first visit to the workbench."""
    from streamlit.testing.v1 import AppTest

    monkeypatch.setenv(TOKEN, SECRET)
    page = AppTest.from_file(str(SCRIPT), default_timeout=SECONDS)
    page.query_params["token"] = token
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


def work_of(page: Any) -> Work:
    """The work behind a page."""
    found = WORKS.find(page.session_state[WORK])
    assert found is not None
    return found


def button(page: Any, label: str) -> Any:
    """The button whose label begins so."""
    return next(one for one in page.button if one.label.startswith(label))


def labelled(page: Any, kind: str, label: str) -> Any:
    """The control of a kind whose label begins so."""
    return next(one for one in getattr(page, kind) if one.label.startswith(label))


def upload(page: Any, name: str, content: bytes, label: str = "A CSV") -> Any:
    """Hand a file over and open it."""
    labelled(page, "file_uploader", label).set_value((name, content, "application/octet-stream"))
    page.run()
    return button(page, "Open this").click().run()


def told(page: Any) -> str:
    """All that a page shows, as text."""
    return "\n".join(str(getattr(one, "value", "")) for one in page.main)


def errors(page: Any) -> list[str]:
    """What went wrong, as the page says it."""
    assert not page.exception
    return [one.value.replace("\\", "") for one in page.error]


def open_path(page: Any, path: Path | str, table: str = "") -> Any:
    """Open data by their path or address."""
    labelled(page, "text_input", "Path, pattern").set_value(str(path))
    labelled(page, "text_input", "Table").set_value(table)
    return next(one for one in page.button if one.label == "Open").click().run()
