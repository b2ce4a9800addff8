"""The workbench and the browser on a machine that has no network at all."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing_component
from tests.integration.test_workbench import asked_to_release, checked
from tests.support.browser import FLAGS, Served, beside, lonely, serving, settled, watched
from tests.support.desk import Desk

pytestmark = pytest.mark.integration
PAGES = ["Today's risk", "The dial", "Compare", "The Bayesian adversary", "Attackers who know less", "Release"]


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if shutil.which("unshare") is None or subprocess.run([*lonely("/bin/true")], capture_output=True).returncode:
        missing_component("network namespaces cannot be made here (unshare --net)")
    with serving(tmp_path_factory.mktemp("offline"), before=lonely()) as served:
        yield served


@pytest.fixture
def desk(workbench: Served, playwright: Any, chromium: str, tmp_path: Path) -> Iterator[Desk]:
    """A browser in the namespace of the workbench."""
    running = playwright.chromium.launch(executable_path=beside(workbench.process.pid, chromium, tmp_path), args=FLAGS)
    context = running.new_context(viewport={"width": 1280, "height": 900})
    seen = watched(context)
    page = context.new_page()
    page.goto(workbench.address)
    settled(page)
    yield Desk(page, seen)
    running.close()
    assert seen.outside(workbench.base) == []
    assert seen.complaints == []


def test_there_is_no_way_out(tmp_path: Path) -> None:
    asking = "import socket; socket.create_connection(('192.0.2.1', 80), 5)"
    done = subprocess.run([*lonely(sys.executable, "-c", asking)], capture_output=True, text=True)
    assert "Network is unreachable" in done.stderr


def test_from_people_to_a_release_without_a_network(workbench: Served, desk: Desk) -> None:
    desk.tab("The demo population")
    desk.write("How many people", "500")
    desk.press("Open the demo population")
    for title in PAGES:
        desk.go(title)
        assert desk.main.get_by_role("heading").count() > 0
    asked_to_release(desk, "released.csv")
    checked(desk)
    desk.mark(re.compile("^Create the ledger"))
    desk.press("Release")
    assert "Released." in desk.says()
    assert (workbench.folder / "released.csv").exists()
