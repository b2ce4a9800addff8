"""A workbench and a browser for a whole file of tests, and a new browser context for each of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import missing_component
from tests.support.browser import FLAGS, Seen, Served, reachable, serving, settled, watched
from tests.support.desk import Desk
from tests.support.engines import Cluster, postgres_cluster, spark_session


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return path
    missing_component("no Chromium on this machine (Debian: apt-get install chromium)")
    return ""


@pytest.fixture(scope="session")
def playwright() -> Iterator[Any]:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing_component("Playwright is not installed (make test-integration installs it)")
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Any, chromium: str) -> Iterator[Any]:
    """One browser for all tests; whoever visits gets a context of their own."""
    running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    yield running
    running.close()


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One workbench for a file of tests."""
    with serving(tmp_path_factory.mktemp("workbench")) as served:
        yield reachable(served)


Visit = Callable[..., Desk]


@pytest.fixture
def seen() -> list[Seen]:
    """What each browser of this test has asked for."""
    return []


@pytest.fixture
def visit(browser: Any, workbench: Served, seen: list[Seen]) -> Iterator[Visit]:
    """Open a page of the workbench as somebody new; nothing that they do may leave this machine."""
    contexts = []

    def visitor(name: str = "", address: str | None = None, **options: Any) -> Desk:
        context = browser.new_context(
            viewport={"width": 1280, "height": 900}, accept_downloads=True, reduced_motion="reduce", **options
        )
        contexts.append(context)
        seen.append(watched(context))
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.goto(address or workbench.page(name))
        settled(page)
        return Desk(page, seen[-1])

    yield visitor
    for context in contexts:
        context.close()
    assert [one.outside(workbench.base) for one in seen] == [[]] * len(seen)


@pytest.fixture
def no_complaints(seen: list[Seen]) -> Iterator[None]:
    """The console of every browser stays empty."""
    yield
    assert [one.complaints for one in seen] == [[]] * len(seen)


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file of demo people."""
    import subprocess
    import sys

    path = tmp_path_factory.mktemp("people") / "people.csv"
    subprocess.run([sys.executable, "-m", "epsilens", "demo", "--write", str(path), "--rows", "2000"], check=True)
    return path


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One Spark for all tests of a process."""
    with spark_session() as session:
        yield session


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One PostgreSQL server for all tests of a process."""
    with postgres_cluster(tmp_path_factory.mktemp("postgres")) as cluster:
        yield cluster
