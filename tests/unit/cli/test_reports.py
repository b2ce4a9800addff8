from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.report.page import render as rendering
from tests.support.page_reader import check_order_of, read_page
from tests.unit.cli.conftest import Run

PEOPLE = "age,sex,ill,block,tract\n" + "".join(
    f"{20 + i % 7},{'fm'[i % 2]},{('yes', 'no', 'no')[i % 3]},b{i % 5},t{i % 5 // 3}\n" for i in range(60)
)
ROLES = ("--qid", "age,sex", "--sensitive", "ill")
ASKED = {
    "assess": ("assess", "people.csv", *ROLES, "--epsilon", "1"),
    "choose": ("choose", "people.csv", *ROLES, "--max-risk", "0.2"),
    "delta": (
        *("choose", "people.csv", *ROLES, "--max-risk", "0.3", "--mechanism", "gaussian-analytic"),
        *("--epsilon", "1"),
    ),
    "compare": (
        *("compare", "people.csv", *ROLES, "--systems", "laplace,suppression", "--epsilon", "1"),
        *("--repetitions", "3", "--no-classify"),
    ),
    "knowledge": ("knowledge", "people.csv", *ROLES, "--epsilon", "1"),
    "posterior release": (
        *("posterior", "release", "people.csv", "--by", "age", "--levels", "block"),
        *("--rho", "0.1"),
    ),
}
"""Every command that reports what is internal, with what it is asked."""


@pytest.fixture(autouse=True)
def _small_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_bundle", lambda: "window.vegaEmbed = null;")


@pytest.mark.parametrize("name", ASKED)
def test_a_report_and_where_it_went(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    outcome = run(*ASKED[name], "--report", "r.html", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["report"] == "r.html"
    page = read_page((tmp_path / "r.html").read_text(encoding="utf-8"))
    check_order_of(page.headings)
    assert page.text.count("INTERNAL: computed from true data") >= 3
    command = name if name != "delta" else "choose"
    assert f"epsilens {command} people.csv" in page.text
    assert "import epsilens as el" in page.text
    assert "--report" not in page.text.partition("How to make this again")[2]


@pytest.mark.parametrize("name", ASKED)
def test_a_publishable_report_is_the_same_whatever_the_data_are(run: Run, tmp_path: Path, name: str) -> None:
    """Nothing of it comes from data: with other people, other values and planted tokens, not a byte differs."""
    planted = PEOPLE + "".join("77,planted-sex,planted-disease,planted-block,planted-tract\n" for _ in range(41))
    pages = []
    for text in (PEOPLE, planted):
        (tmp_path / "people.csv").write_text(text)
        outcome = run(*ASKED[name], "--report", "r.html", "--publishable")
        assert outcome.code in (0, 3), outcome.err
        assert "Report written to r.html (publishable)." in outcome.out
        pages.append((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert pages[0] == pages[1]
    assert "planted" not in pages[1]
    assert "INTERNAL" not in read_page(pages[1]).text.partition("How to make this again")[0]


def test_an_answer_is_the_same_with_a_report_and_without(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    asked = (*ASKED["choose"], "--json")
    assert run(*asked, "--report", "r.html").json == run(*asked).json | {"report": "r.html"}


def test_the_demo_reports_too(run: Run, tmp_path: Path) -> None:
    outcome = run("demo", "--rows", "300", "--epsilon", "1", "--report", "r.html")
    assert "Report written to r.html (internal)." in outcome.out
    assert "epsilens demo --rows 300 --epsilon 1" in read_page((tmp_path / "r.html").read_text()).text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--report", "r.pdf"), "a report is written as .html; got 'r.pdf'"),
        (("--report", "nowhere/r.html"), "folder 'nowhere' does not exist"),
        (("--publishable",), "--publishable says what a report may hold: add --report FILE"),
        (("--report", "r.html", "--plot", "./r.html"), "--report would replace the chart of --plot"),
    ],
)
def test_what_cannot_be_written_is_refused_before_data_are_read(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    for command in ("assess", "choose", "knowledge", "compare"):
        more = ("--max-risk", "0.2") if command == "choose" else ()
        outcome = run(command, "not-there.csv", *ROLES, *more, *arguments)
        assert (outcome.code, outcome.out) == (2, "")
        assert said in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_a_password_is_in_no_report(run: Run, tmp_path: Path) -> None:
    import click

    from epsilens.cli.main import cli
    from epsilens.cli.reports import again
    from epsilens.cli.saving import WORDS

    words = ("postgresql://ana:s3cr3t@server/db", "--qid", "age", "--sensitive", "ill")
    with click.Context(cli) as context:
        context.meta[WORDS] = words
        made = again("assess")
    assert "postgresql://ana:***@server/db" in made.command
    assert "s3cr3t" not in made.command + made.python


RELEASE = (
    *("release", "people.csv", "--columns", "sex,ill", "--universe", "u.json", "--epsilon", "0.5"),
    *("--one-row-per-person", "--ledger", "b.db", "--account", "survey", "--total-epsilon", "2", "--out", "o.csv"),
)


def test_the_report_of_a_release_is_publishable(run: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "u.json").write_text('{"sex": ["f", "m"], "ill": ["yes", "no"]}')
    outcome = run(*RELEASE, "--report", "r.html", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["report"] == "r.html"
    page = read_page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "PUBLISHABLE" in page.text
    published = (tmp_path / "o.csv").read_text().splitlines()[1:]
    assert [row for row in page.rows if row[:2] == ["f", "yes"]] == [published[0].split(",")]
    refused = run(*RELEASE, "--check", "--report", "r2.html")
    assert refused.code == 2
    assert "--report is of a release, and --check makes none" in refused.err
