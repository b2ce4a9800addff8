"""Release: what will be published, the ledger beside it, a dry run, one question, and one button."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from epsilens.app.parts import release_form
from epsilens.app.parts.asking import in_one_sentence, missing_from, sentence, to_data
from epsilens.app.parts.blocks import plain, show
from epsilens.app.parts.check import understood
from epsilens.app.parts.controls import following
from epsilens.app.parts.ledger_beside import Standing, ledger_beside
from epsilens.app.parts.release_terms import known_by, with_terms
from epsilens.app.parts.releasing import Attempt, Releases
from epsilens.app.work import Work
from epsilens.errors import EpsilensError
from epsilens.project import Project
from epsilens.release.tables.question import TablesQuestion
from epsilens.release.tables.release import Released, released
from epsilens.release.tables.sizes import counts_of_tables
from epsilens.release.terms import Understood, Watch
from epsilens.report.words.common import INTERNAL, Grid, Text, joined
from epsilens.report.words.preflight import preflight_blocks
from epsilens.report.words.release import released_tables_lines
from epsilens.report.words.release_plan import plan_blocks, protected_sentence

PATIENCE = 2.0
"""Seconds that a click waits for a release before the page says that it is under way."""
MOST_ROWS = 20
"""Published rows that the page shows; the file has all."""
FOR_A_LOOK = {"ledger": "ledger.db", "account": "account", "out": "released.csv"}
"""What a release has where nobody has said it yet, so that it can be looked at."""


def page(work: Work) -> None:
    """From what was chosen to published files, paid once."""
    st.title("Release", anchor=False)
    st.write(
        "Publish counts with secure noise. A ledger keeps account of what has been spent on these people, so that "
        "several releases together never cost more than was allowed. Nothing is published before you press Release."
    )
    if (missing := missing_from(work)) is not None:
        st.info(missing)
        to_data()
        return
    asked = with_terms(work.project)
    releases: Releases = work.kept("releases", Releases)
    attempt = releases.of(known_by(asked, work.source_key))
    if attempt is not None and attempt.under_way:
        _under_way(attempt)
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        _form(work, asked)
        question = _planned(asked)
    done = attempt is not None and attempt.made is not None
    with right:
        standing = Standing()
        with in_one_sentence():
            standing = ledger_beside(work, None if done else question)
    st.divider()
    if attempt is not None and attempt.made is not None:
        _released(attempt.made)
        st.info("This release is made. To make another one, change something above, such as the name of its file.")
        st.button("Release", key="release-made", type="primary", disabled=True)
        return
    if question is None:
        st.info("Once columns, values, budget and person are said, a dry run shows what the release would find.")
        return
    _dry_run(work, asked)
    _pay(work, asked, releases, standing, attempt)
    if releases.latest is not None:
        with st.expander("What was released last"):
            _released(releases.latest)


def _form(work: Work, asked: Project) -> None:
    st.subheader("What is published", anchor=False)
    release_form.what_is_published(work, asked)
    unsaid = release_form.without_values(asked)
    with st.expander("Values that could occur", expanded=bool(unsaid)), in_one_sentence():
        release_form.values_that_may_occur(work, asked)
    st.subheader("Noise and budget", anchor=False)
    release_form.noise_and_budget(work, asked)
    st.subheader("Who is protected", anchor=False)
    release_form.who_is_protected(work, asked, _columns(work))
    st.subheader("Where it goes", anchor=False)
    st.text_input(
        "File to write",
        placeholder="released.csv",
        help="A new .csv or .parquet file; its card and the internal assessment are written beside it. Nothing is "
        "replaced.",
        **following(
            "release-out",
            str(work.project.section("release").get("out") or ""),
            lambda text: work.change("release", out=text.strip() or None),
        ),
    )


def _columns(work: Work) -> list[str]:
    """The names of all columns of the data."""
    from epsilens.table.structure import structure_of

    table = work.project.section("data").get("table")
    found = work.latest("structure", work.source_key, lambda: structure_of(work.source, table))
    return [column.name for column in found.columns]


def _planned(asked: Project) -> TablesQuestion | None:
    """What would be published, in words, before ledger and file are named; nothing where it cannot be yet."""
    if unsaid := _unsaid(asked):
        st.info(plain(f"Still to be said: {'; '.join(unsaid)}."))
        return None
    try:
        question = _question(_for_a_look(asked))
        counts = counts_of_tables(question)
    except EpsilensError as problem:
        st.warning(plain(sentence(problem)))
        return None
    st.subheader("What would be published", anchor=False)
    show(plan_blocks(question, counts))
    st.write(plain(protected_sentence(question.person)))
    return question


def _unsaid(asked: Project) -> list[str]:
    """What a release needs and nobody has said yet, in the order of the page."""
    release, data = asked.section("release"), asked.section("data")
    without = release_form.without_values(asked)
    found = [f"which values of {joined(without)} could occur"] if without else []
    if release.get("epsilon") is None and release.get("rho") is None:
        found.append("the budget: type one, or take one on the page Choose a budget or The dial")
    if not (data.get("unit") or release.get("unit") or release.get("one_row_per_person")):
        found.append("who is a person")
    return found


def _for_a_look(asked: Project) -> Project:
    for section, name in (("ledger", "ledger"), ("ledger", "account"), ("release", "out")):
        if not asked.section(section).get(name):
            asked = asked.with_values(section, **{name: FOR_A_LOOK[name]})
    return asked


def _question(asked: Project) -> TablesQuestion:
    question: TablesQuestion = asked.question("release")
    return question


def _dry_run(work: Work, asked: Project) -> None:
    """What the release would find, for whoever may see the data; nothing is published, nothing is spent."""
    st.subheader("Dry run", anchor=False)
    key = known_by(asked, work.source_key)
    pressed = st.button(
        "Dry run",
        key="release-dry-run",
        help="Reads the data and the ledger as the release would, publishes nothing and spends nothing.",
    )
    if pressed:
        st.session_state["release-dry-run-of"] = key
    if st.session_state.get("release-dry-run-of") != key:
        return
    with in_one_sentence(), st.spinner("Looking at the data ..."):
        from epsilens.release.rehearsal import preflight

        found = preflight(_question(asked), work.source)
        st.markdown(f"**{INTERNAL}**")
        show(preflight_blocks(found, sentence))


def _pay(work: Work, asked: Project, releases: Releases, standing: Standing, attempt: Attempt | None) -> None:
    """The check question and the button, or what is still missing."""
    seen = len(releases.attempts)
    st.subheader("Publish", anchor=False)
    if attempt is not None and attempt.problem is not None:
        st.error(plain(f"The last try ended. {attempt.problem}"))
    question, missing = None, _missing(work, standing)
    if missing is None:
        try:
            question = _question(asked)
        except EpsilensError as problem:
            missing = sentence(problem)
    if question is None:
        st.info(plain(missing or ""))
        st.button("Release", key=f"release-{seen}", type="primary", disabled=True)
        return
    told = understood(work, question, sum(one.made is not None for one in releases.attempts))
    agreed = not standing.creates or st.checkbox(
        plain(f"Create the ledger {Path(question.payment.ledger).absolute()} with this release"),
        key="release-create",
        help="The ledger is a file that does not exist yet; it is written only with your consent.",
    )
    files = {role: str(path.absolute()) for role, path in question.output.files.items()}
    kept = files.pop("internal", None)
    st.write(plain(f"It writes, to be published: {', '.join(files.values())}."))
    if kept is not None:
        st.write(plain(f"It also writes {kept}, which is INTERNAL: it has exact risks of the true data."))
    st.write(plain(f"The ledger, {Path(question.payment.ledger).absolute()}, is not for publication either."))
    pressed = st.button(
        "Release",
        key=f"release-{seen}",
        type="primary",
        disabled=told is None or not agreed,
        help="Spends the budget, draws the noise and writes the files. This cannot be undone.",
    )
    if pressed and told is not None and agreed:
        _begin(work, asked, question, told, releases, seen)


def _missing(work: Work, standing: Standing) -> str | None:
    """What is still missing before anything can be paid."""
    if not work.project.section("ledger").get("ledger") or not work.project.section("ledger").get("account"):
        return "Name the ledger and the account that pay."
    if not work.project.section("release").get("out"):
        return "Name the file to write."
    if not standing.can_pay:
        return (
            "The account cannot pay for this release, as the ledger shows. Ask for a smaller budget, or publish fewer "
            "things; everything else here stays as it is."
        )
    return None


def _begin(
    work: Work, asked: Project, question: TablesQuestion, told: Understood, releases: Releases, seen: int
) -> None:
    """Make it, once, in a thread that no click and no reload stops."""
    paid = replace(question, payment=replace(question.payment, understood=told))
    source: Any = work.source

    def make(watch: Watch) -> Released:
        return released(paid, source, watch)

    work.become(asked)  # what was released stands in the project, whatever was left to its default before
    attempt = releases.begin(known_by(asked, work.source_key), make, seen)
    if attempt is not None:
        with st.spinner("Releasing ..."):
            attempt.wait(PATIENCE)
    st.rerun()


@st.fragment(run_every=1.0)
def _under_way(attempt: Attempt) -> None:
    """Until it is made: how far it is. To leave the page or to load it again changes nothing."""
    if not attempt.under_way:
        st.rerun()
    share = min(1.0, attempt.drawn / attempt.cells) if attempt.cells else 0.0
    st.progress(share, text="The release is being made. You may leave this page: it goes on, and is made once.")


def _released(made: Released) -> None:
    """What was published, where it is, and the card."""
    st.success("Released.")
    show([Text(line) for line in released_tables_lines(made)])
    table, card = st.tabs(["Published table", "Card"])
    with table:
        show([published_grid(made)])
    with card, suppress(OSError):
        st.markdown(made.files["card-text"].read_text(encoding="utf-8"))


def published_grid(made: Released) -> Grid:
    """The first rows of what was published, as in the file."""
    rows = made.to_arrow()
    first = rows.slice(0, MOST_ROWS).to_pylist()
    names = rows.column_names
    words = sum(1 for name in names if name in made.columns or name == "table")
    more = f" (the first {MOST_ROWS} of {rows.num_rows:,} rows)" if rows.num_rows > MOST_ROWS else ""
    return Grid(f"Published{more}", tuple(names), [tuple(_shown(row[name]) for name in names) for row in first], words)


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
