"""The handbook is built without a network and without a warning, and its pages ask for nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY, missing_component
from tests.support.browser import FLAGS, lonely

pytestmark = pytest.mark.integration
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "embed": "src", "object": "data"}
"""What a browser fetches by itself; a link is followed by a reader only."""
OUTSIDE = re.compile(r"^(?:[a-z]+:)?//", re.IGNORECASE)
IN_STYLES = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handbook, built where there is no way out."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed (make test-integration installs it)")
    if subprocess.run([*lonely("/bin/true")], capture_output=True).returncode:
        missing_component("network namespaces cannot be made here (unshare --net)")
    target = tmp_path_factory.mktemp("handbook")
    words = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(target / "site")]
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY / "src")}
    done = subprocess.run(
        lonely(*words, "-d", str(target / "doctrees")), cwd=REPOSITORY, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return target / "site"


class Loaded(HTMLParser):
    """What a page makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.formulas = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.formulas += tag == "math"
        if tag == "link" and given.get("rel") not in ("index", "search", "next", "prev", "canonical"):
            self.addresses.append(given.get("href") or "")
        if tag in LOADED:
            self.addresses.append(given.get(LOADED[tag]) or "")


def pages(site: Path) -> Iterator[tuple[Path, Loaded]]:
    for path in sorted(site.rglob("*.html")):
        loaded = Loaded()
        loaded.feed(path.read_text())
        yield path, loaded


def test_no_page_names_anything_outside(site: Path) -> None:
    formulas = 0
    for path, loaded in pages(site):
        assert [address for address in loaded.addresses if OUTSIDE.match(address)] == [], path
        formulas += loaded.formulas
    assert formulas > 100
    for path in site.rglob("*.css"):
        found = [one or other for one, other in IN_STYLES.findall(path.read_text())]
        assert [address for address in found if OUTSIDE.match(address)] == [], path


def test_every_page_is_in_the_contents(site: Path) -> None:
    sources = {path.relative_to(REPOSITORY / "docs").with_suffix("") for path in (REPOSITORY / "docs").rglob("*.md")}
    built = {path.relative_to(site).with_suffix("") for path, _ in pages(site)}
    assert sources <= built
    index = (site / "index.html").read_text()
    for source in sources:
        if source.name != "index" and "reference" not in source.parts:
            assert f'href="{source.as_posix()}.html"' in index, source


def test_a_browser_is_sent_nowhere(site: Path, playwright: Any, chromium: str) -> None:
    running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    context = running.new_context(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    complaints: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for path, _ in pages(site):
        page.goto(path.as_uri())
    assert complaints == []
    for word, first in {"epsilon": "Glossary", "quasi-identifier": "Glossary", "choose_budget": "epsilens"}.items():
        page.goto(f"{(site / 'search.html').as_uri()}?q={word}")
        page.wait_for_selector("#search-results li")
        assert page.inner_text("#search-results li > a").startswith(first), word
    running.close()  # before or after the excerpts of what was found, which a browser does not fetch from files
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []


CUT_OFF = """() => {
    const edge = document.documentElement.clientWidth + 1;
    const own = (box) => /auto|scroll/.test(getComputedStyle(box).overflowX);
    const scrolls = (box) => box.tagName !== "ARTICLE" && (own(box) || scrolls(box.parentElement));
    const parts = [...document.querySelectorAll("article *")];
    return parts.some((part) => part.getBoundingClientRect().right > edge && !scrolls(part))
        || document.documentElement.scrollWidth > edge;
}"""
"""Whether anything stands beyond the right edge that nobody can scroll to: Furo cuts off what is too wide."""


def test_no_page_is_wider_than_a_telephone(site: Path, playwright: Any, chromium: str) -> None:
    running = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
    page = running.new_context(viewport={"width": 400, "height": 900}).new_page()
    wide = []
    for path, _ in pages(site):
        page.goto(path.as_uri())
        if page.evaluate(CUT_OFF):
            wide.append(path.name)
    running.close()
    assert wide == []


def test_what_there_is_no_mathml_for_is_not_shown_as_it_is_written() -> None:
    pytest.importorskip("latex2mathml")
    from sphinx.errors import ExtensionError
    from tools.handbook.mathml import mathml

    assert "<mfrac>" in mathml(r"\frac{1}{2}", "inline")
    for latex in (r"\nosuchcommand{1}", r"x \left\nosuchbracket y \right)", r"a &= b"):
        with pytest.raises(ExtensionError, match="there is no MathML"):
            mathml(latex, "inline")


def test_formulas_are_what_browsers_draw() -> None:
    pytest.importorskip("latex2mathml")
    from tools.handbook.mathml import mathml, parts

    table = mathml(r"\begin{align*} a &= b \\ &\le c \end{align*}", "block")
    assert "columnalign" not in table
    assert table.count("text-align: left") == 2
    assert "<munder><mo>max</mo>" in mathml(r"\max_k a_k", "block")
    assert "<msub><mo>max</mo>" in mathml(r"\max_k a_k", "inline")
    assert mathml("P(X > -x)", "inline").count('form="prefix"') == 1
    assert mathml("(a) - b", "inline").count('form="prefix"') == 0
    assert mathml(r"n \log x", "inline").count("mspace") == 2
    assert mathml(r"\log(x)", "inline").count("mspace") == 0
    assert mathml(r"\bigl(a\bigr)^2", "inline") == mathml(r"\left(a\right)^2", "inline")
    for latex, drawn in (
        ("D'", '<mrow><mrow><mi>D</mi><mo lspace="0" rspace="0">\u2032</mo></mrow></mrow>'),
        ("P'_k", '<msub><mrow><mi>P</mi><mo lspace="0" rspace="0">\u2032</mo></mrow><mi>k</mi></msub>'),
        ("s'^2", "\u2032</mo></mrow><mrow><mn>2</mn></mrow></msup>"),
    ):
        assert drawn in mathml(latex, "inline")
    assert mathml(r"S \setminus B", "inline").count("\u2216") == 1
    assert parts(r"a = b, \qquad c = \text{d \qquad e}") == ["a = b, ", r" c = \text{d \qquad e}"]
    assert len(parts(r"\begin{align*} a \qquad b \end{align*}")) == 1


def test_names_on_pages_of_the_theory_lead_to_the_reference(site: Path) -> None:
    references = 0
    for path in sorted((site / "theory").glob("*.html")):
        text = path.read_text()
        found = re.findall(r'(<a class="reference internal"[^>]*>)?<code class="xref py', text)
        assert all(found), path
        references += len(found)
    assert references > 100


def test_docstrings_keep_the_marks_that_are_meant() -> None:
    pytest.importorskip("sphinx")
    from tools.handbook.api import rendered

    lines = [
        "With n_k and |Y|, see :func:`x.y` and ``a*b``:",
        "",
        "    a   b_",
        "",
        "Departs from print (P0-1): there.",
    ]
    assert rendered(lines) == [
        "With n_k and \\|Y\\|, see :func:`x.y` and ``a*b``::",
        "",
        "    a   b_",
        "",
        "",
        "**Departs from print** (`P0-1 <../../departures.html#p0-1>`__): there.",
    ]
