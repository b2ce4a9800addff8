"""Every report in a real browser: no request, nothing on the console, and nothing in the way of any reader."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.support.page_reader import check_order_of, read_page

pytestmark = pytest.mark.integration
ROLES = ["--qid", "block_group,age,sex,race", "--bins", "age=10", "--sensitive", "disease"]
ADULT = "age,relationship,education,race,sex,hours-per-week"
RELEASE = [
    "--columns",
    "county,sex,disease",
    "--universe",
    "u.json",
    "--epsilon",
    "0.5",
    "--one-row-per-person",
    "--ledger",
    "b.db",
    "--account",
    "survey",
    "--total-epsilon",
    "2",
    "--out",
    "released.csv",
]
UNIVERSE = (
    '{"county": ["C001", "C002"], "sex": ["female", "male"], '
    '"disease": ["none", "asthma", "cancer", "diabetes", "heart disease"]}'
)
REPORTS = {
    "demo": ["demo", "--rows", "2000"],
    "assess": ["assess", "people.csv", *ROLES, "--mechanism", "laplace,discrete-gaussian", "--delta", "1e-6"],
    "choose": ["choose", "people.csv", *ROLES, "--max-risk", "0.05"],
    "compare": ["compare", "people.csv", "--qid", "age,sex", "--sensitive", "income", "--bins", "age=10"],
    "knowledge": ["knowledge", "people.csv", *ROLES],
    "posterior": [
        "posterior",
        "release",
        "people.csv",
        "--by",
        "age,sex",
        "--levels",
        "block,tract",
        "--rho",
        "0.1,0.1",
    ],
    "release": ["release", "people.csv", *RELEASE],
    "publishable": ["assess", "people.csv", *ROLES, "--publishable"],
}
"""The seven reports, and one that is publishable."""
MARKS_OF_BAD = ("serious", "critical")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All reports, on people of the demo."""
    folder = tmp_path_factory.mktemp("reports")
    _run(folder, "demo", "--write", "people.csv", "--rows", "2000")
    (folder / "u.json").write_text(UNIVERSE)
    for name, words in REPORTS.items():
        quicker = ["--repetitions", "3", "--no-classify"] if name == "compare" else []
        _run(folder, *words, *quicker, "--report", f"{name}.html")
    return {name: folder / f"{name}.html" for name in REPORTS}


def _run(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "epsilens", *words], cwd=folder, check=True, capture_output=True)


def _opened(browser: Any, path: Path, **looks: Any) -> tuple[Any, list[str], list[str]]:
    """The page with all charts drawn, the requests that it made, and what it complained of."""
    tab = browser.new_context(**looks).new_page()
    asked: list[str] = []
    said: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda problem: said.append(str(problem)))
    tab.goto(path.as_uri())
    if "data-chart" in path.read_text(encoding="utf-8"):
        tab.wait_for_selector("html[data-drawn]", timeout=60_000)
    return tab, asked, said


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", REPORTS)
def test_everybody_can_read_a_report_and_it_asks_for_nothing(
    browser: Any, reports: dict[str, Path], name: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    tab, asked, said = _opened(browser, reports[name], color_scheme=scheme, viewport={"width": 1280, "height": 900})
    assert asked == [reports[name].as_uri()]
    assert said == []
    drawn, wanted = tab.locator(".drawing svg").count(), tab.locator(".drawing").count()
    assert drawn == wanted
    bad = [found for found in axe.run(tab).response["violations"] if found["impact"] in MARKS_OF_BAD]
    assert [(found["id"], found["nodes"][0]["html"][:120]) for found in bad] == []
    tab.context.close()


@pytest.mark.parametrize("name", REPORTS)
def test_nothing_is_cut_off_in_a_narrow_window_or_at_200_percent(
    browser: Any, reports: dict[str, Path], name: str
) -> None:
    for width in (400, 640):  # a telephone; half of a usual screen is what 200 % leave
        tab, _, _ = _opened(browser, reports[name], viewport={"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        tab.context.close()


def test_the_policy_is_enforced_by_the_browser(browser: Any, reports: dict[str, Path]) -> None:
    """Whatever a script of the page would try, no request arrives and no text becomes code."""
    arrived: list[str] = []

    class Listening(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            arrived.append(self.path)

    with HTTPServer(("127.0.0.1", 0), Listening) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{server.server_port}"
        tab, _, said = _opened(browser, reports["assess"])
        tab.evaluate(f"fetch('{place}/fetched').catch(() => null)")
        tab.evaluate(f"new Image().src = '{place}/picture.png'")
        tab.evaluate(f"document.head.append(Object.assign(document.createElement('script'), {{src: '{place}/s.js'}}))")
        tab.evaluate("document.body.append(Object.assign(document.createElement('script'), {text: 'window.ran = 1'}))")
        tab.wait_for_timeout(300)
        assert tab.evaluate("window.ran") is None
        server.shutdown()
    assert arrived == []
    assert sum("Content Security Policy" in text for text in said) >= 4
    tab.context.close()


def test_words_and_tables_are_there_without_scripts_and_in_print(browser: Any, reports: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(reports["assess"].as_uri())
    assert "What the noise guarantees" in tab.inner_text("main")
    tab.emulate_media(media="print")
    assert tab.locator(".running").is_visible()
    assert tab.locator(".running").inner_text().startswith("INTERNAL")
    assert tab.locator("details.folded .table").first.is_visible()
    context.close()


def test_the_report_of_adult_is_below_3_megabytes(tmp_path: Path, data_dir: Path) -> None:
    _run(
        tmp_path, "assess", str(data_dir / "adultcount.csv"), "--count", "income_1", "--sensitive", "income", "--qid",
        ADULT, "--mechanism", "laplace,discrete-laplace,discrete-gaussian", "--delta", "1e-6", "--report", "r.html",
    )  # fmt: skip
    assert (tmp_path / "r.html").stat().st_size < 3_000_000
    page = read_page((tmp_path / "r.html").read_text(encoding="utf-8"))
    check_order_of(page.headings)
    assert all(figure["described"] == 1 and figure["tables"] >= 1 for figure in page.figures)
