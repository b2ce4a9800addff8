"""Take away: reports, card, table, project, command, program, and every answer as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from epsilens.app.parts.asking import missing_from, sentence, to_data
from epsilens.app.parts.blocks import plain
from epsilens.app.parts.downloads import Download, offer
from epsilens.app.parts.release_terms import with_terms
from epsilens.app.parts.releasing import Releases
from epsilens.app.parts.reports import answer_of, report_html
from epsilens.app.work import Work
from epsilens.cli.again import command_line
from epsilens.errors import EpsilensError
from epsilens.project import Project
from epsilens.release.tables.release import Released
from epsilens.report.words.addresses import has_password

ANSWERS = {
    "assess": "What is at risk in the table, today and at every budget",
    "choose": "Which budget to take, at what risk and at what price",
    "compare": "How ways to protect compare",
    "posterior release": "What the Bayesian adversary learns",
    "knowledge": "What attackers learn who know less",
}
"""Questions whose answers can be taken away, by their command."""
NAMES = {
    "assess": "today's risk",
    "choose": "the choice",
    "compare": "the comparison",
    "posterior release": "the Bayesian adversary",
    "knowledge": "attackers who know less",
}
"""What their buttons are called."""
ASKED_ON = {
    "choose": "Choose a budget",
    "posterior release": "The Bayesian adversary",
    "release": "Release",
}
"""The page on which a question is asked that a project does not ask by itself."""
PASSWORD = (
    "The address of the data has a password in it. Project file, command and program need it and tell it: pass none of "
    "them on. Reports leave it out."
)
JSON, TEXT, HTML, CSV = "application/json", "text/plain", "text/html", "text/csv"


def page(work: Work) -> None:
    """Everything that can be taken away, each with one sentence and whether it may be published."""
    st.title("Take away", anchor=False)
    st.write(
        "Files are made when you ask for them, and your browser saves them where it saves downloads; the workbench "
        "itself writes nothing here. What is marked INTERNAL tells of true data: keep it where the data are. What is "
        "marked PUBLISHABLE may be shown to anybody."
    )
    if (missing := missing_from(work)) is not None:
        st.info(missing)
        to_data()
        return
    unread = _unread(work)
    if unread is not None:
        st.error(plain(unread))
        to_data()
    st.subheader("To do it again", anchor=False)
    if has_password(str(work.project.section("data").get("source"))):
        st.warning(PASSWORD)
    offer(again(work))
    st.subheader("Reports", anchor=False)
    st.write("For whoever decides: the report of the choice, which begins with what to decide and what it costs.")
    offer(reports(work, unread))
    st.subheader("The release", anchor=False)
    releases: Releases = work.kept("releases", Releases)
    if releases.latest is None:
        st.write("Nothing was released yet: its table and its card will be here.")
    else:
        offer([*of_the_release(releases.latest), report_of_the_release(work, releases.latest)])
    st.subheader("Answers as JSON", anchor=False)
    offer(answers(work, unread))


def _unread(work: Work) -> str | None:
    """Why the table cannot be read, so that nothing can be answered; nothing where it can."""
    try:
        work.table()
    except EpsilensError as problem:
        return sentence(problem)
    return None


def again(work: Work) -> list[Download]:
    """The project file, and for every question its command and its program."""
    beside = f" Put {work.project.section('data')['source']} beside it: it was uploaded." if work.is_held else ""
    found = [
        Download(
            "project",
            "Project file",
            "epsilens.toml",
            "application/toml",
            f"All choices in one file, which the workbench, the command line and Python read.{beside}",
            True,
            lambda: work.project.to_toml().encode(),
        )
    ]
    command = st.selectbox(
        "Question to ask again",
        [*ANSWERS, "release"],
        format_func=lambda name: ANSWERS.get(name, "The release itself"),
        key="take-question",
        help="The command and the program below ask this question with all your choices, and print the same numbers.",
    )
    project = with_terms(work.project) if command == "release" else work.project
    missing = refusal(project, command)
    found += [
        Download(
            "command",
            "Command",
            f"{command.replace(' ', '-')}.sh",
            TEXT,
            "The command that asks the same, for a terminal; it prints the same numbers.",
            True,
            lambda: f"{command_line(project, command)}\n".encode(),
            missing,
        ),
        Download(
            "script",
            "Python program",
            f"{command.replace(' ', '_')}.py",
            "text/x-python",
            "A Python program that asks the same, and prints the same numbers to the digit.",
            True,
            lambda: project.script(command).encode(),
            missing,
        ),
    ]
    if missing is None:
        with st.expander("Read the command and the program here"):
            st.code(command_line(project, command), language="bash", wrap_lines=True)
            st.code(project.script(command), language="python")
    return found


def reports(work: Work, unread: str | None = None) -> list[Download]:
    """The whole report of every question, and what of it may be published."""
    found = []
    for command, words in ANSWERS.items():
        missing = refusal(work.project, command) or unread
        name = command.replace(" ", "-")
        for internal in (True, False):
            kind = "with all numbers of the true data" if internal else "without whatever is computed from true data"
            found.append(
                Download(
                    f"report-{name}-{'internal' if internal else 'publishable'}",
                    f"{'Report' if internal else 'To publish'}: {NAMES[command]}",
                    f"{name}{'' if internal else '-publishable'}.html",
                    HTML,
                    f"{words}: one page for any browser, {kind}.",
                    internal,
                    _report(work, command, publishable=not internal),
                    missing,
                )
            )
    return found


def _report(work: Work, command: str, publishable: bool) -> Callable[[], bytes]:
    return lambda: report_html(work, command, answer_of(work, command), publishable).encode()


def answers(work: Work, unread: str | None = None) -> list[Download]:
    """The JSON of every answer, as the command line prints it."""
    return [
        Download(
            f"json-{command.replace(' ', '-')}",
            f"JSON: {NAMES[command]}",
            f"{command.replace(' ', '-')}.json",
            JSON,
            f"{words}, for programs: every number with all its digits.",
            True,
            lambda command=command: json_of(work, command),  # type: ignore[misc]
            refusal(work.project, command) or unread,
        )
        for command, words in ANSWERS.items()
    ]


def of_the_release(made: Released) -> list[Download]:
    """The files of the last release, as they were written."""
    output = made.files["output"]
    told = {
        "output": (
            "Published table",
            CSV if output.suffix.lower() == ".csv" else "application/vnd.apache.parquet",
            "The released counts with their errors and noise intervals.",
            False,
        ),
        "card": ("Card (JSON)", JSON, "What was released, with which noise, at what price, for programs.", False),
        "card-text": ("Card (text)", "text/markdown", "The same card for people: it belongs beside the table.", False),
        "internal": ("Internal assessment", JSON, "What only the true data tell about this release.", True),
    }
    return [
        Download(role, label, made.files[role].name, mime, words, internal, _bytes_of(made.files[role]))
        for role, (label, mime, words, internal) in told.items()
        if role in made.files
    ]


def report_of_the_release(work: Work, made: Released) -> Download:
    """The page about the release."""
    return Download(
        "report-release",
        "Report: the release",
        "release.html",
        HTML,
        "What was released, as a page for any browser, without whatever is computed from true data.",
        False,
        lambda: report_html(work, "release", made, publishable=True).encode(),
    )


def _bytes_of(path: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            return path.read_bytes()
        except OSError as problem:
            raise EpsilensError(f"cannot read {path}: {problem.strerror or type(problem).__name__}") from None

    return read


def refusal(project: Project, command: str) -> str | None:
    """Why the project does not ask this yet; nothing where it does."""
    try:
        project.question(command)
    except EpsilensError as problem:
        return f"see the page {ASKED_ON[command]}. {sentence(problem)}" if command in ASKED_ON else sentence(problem)
    return None


def json_of(work: Work, command: str) -> bytes:
    """The answer as the command line prints it with ``--json``."""
    table = None if command == "posterior release" else work.table()
    told = work.project.worded(command, answer_of(work, command), table)
    return f"{json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False)}\n".encode()
