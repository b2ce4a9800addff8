"""Controls of a release: which columns and tables, which values may occur, which noise and budget, who is protected.

Every control shows what the project says and changes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from epsilens.app.parts.blocks import plain
from epsilens.app.parts.controls import following, listed, mechanism_name
from epsilens.app.parts.fields import typed_field
from epsilens.app.parts.release_terms import RELEASED, columns_of, released_columns
from epsilens.app.parts.typed import as_typed, typed_number, typed_numbers
from epsilens.app.work import Work
from epsilens.project import Project
from epsilens.report.words.release_plan import SHARES
from epsilens.table.domain import MISSING

WHOLE, SEVERAL = "one table of all these columns", "several smaller tables"
ROW, COLUMN = "each row is another person", "a column names the person"
MOST_TABLES = 12
MOST_VALUES = 2_000
"""Values of a column that the page offers to fill in."""
TOGETHER = "epsilon and delta"


def what_is_published(work: Work, asked: Project) -> None:
    """Columns and tables."""
    release = asked.section("release")
    columns = released_columns(asked)
    st.multiselect(
        "Columns to publish together",
        list(dict.fromkeys([*columns_of(work.project), *columns])),
        help="The published table counts people by these columns; fewer columns mean larger counts and less noise "
        "beside them.",
        **following("release-columns", list(columns), lambda names: _put_columns(work, names)),
    )
    tables = _tables(release)
    st.radio(
        "Publish",
        [WHOLE, SEVERAL],
        horizontal=True,
        help="Several smaller tables share one budget; each of them is shorter, and easier to read.",
        **following(
            "release-tables",
            WHOLE if tables is None else SEVERAL,
            lambda how: _put_tables(work, None if how == WHOLE else [list(columns[:1]), list(columns[1:])]),
        ),
    )
    if tables is not None:
        _several(work, columns, tables)


def _put_columns(work: Work, names: list[str]) -> None:
    same = tuple(names) == columns_of(work.project)
    work.change("release", columns=None if same or not names else names, marginal=None, shares=None)


def _tables(release: Mapping[str, Any]) -> list[list[str]] | None:
    """The tables that were asked for one by one; nothing where the whole is."""
    given = release.get("marginal")
    if not given:
        return None
    texts = [given] if isinstance(given, str) else list(given)
    return [[] if text.strip() == "total" else [part.strip() for part in text.split(",")] for text in texts]


def _put_tables(work: Work, tables: list[list[str]] | None) -> None:
    texts = None if tables is None else [",".join(names) or "total" for names in tables]
    work.change("release", marginal=texts, shares=None, consistent=None if texts is None else True)


def _several(work: Work, columns: tuple[str, ...], tables: list[list[str]]) -> None:
    for place, names in enumerate(tables):

        def put(chosen: list[str], place: int = place) -> None:
            _put_tables(work, [chosen if i == place else old for i, old in enumerate(tables)])

        st.multiselect(
            f"Table {place + 1}",
            list(dict.fromkeys([*columns, *names])),
            placeholder="everybody, as one number",
            help="Columns of this table; without any it is the number of people.",
            **following(f"release-table-{place}", names, put),
        )
    with st.container(horizontal=True):
        if len(tables) < MOST_TABLES:
            st.button("Add a table", key="release-add", on_click=_put_tables, args=(work, [*tables, []]))
        if len(tables) > 1:
            st.button("Remove the last", key="release-remove", on_click=_put_tables, args=(work, tables[:-1]))
    if len(tables) < 2:
        return
    shares = work.project.section("release").get("shares")
    typed_field(
        "Shares of the budget, in the order of the tables",
        "release-shares",
        ", ".join(as_typed(share) for share in listed(shares)),
        lambda text: work.change("release", shares=typed_numbers("shares", text)),
        help="Numbers in proportion, such as 3, 1; equal shares where the field is empty.",
    )
    st.write(SHARES)
    st.checkbox(
        "Make the tables agree",
        help="Adjusts the noisy counts so that the tables add up to each other; it costs no budget.",
        **following(
            "release-consistent",
            bool(work.project.section("release").get("consistent")),
            lambda yes: work.change("release", consistent=True if yes else None),
        ),
    )


def noise_and_budget(work: Work, asked: Project) -> None:
    """The noise, and the budget as it is typed."""
    release, noise = asked.section("release"), asked.section("noise")
    mechanism = str(release.get("mechanism"))
    st.selectbox(
        "Noise",
        list(dict.fromkeys([*RELEASED, mechanism])),
        format_func=mechanism_name,
        help="Discrete Laplace noise has a guarantee without exceptions; discrete Gaussian noise has fewer far-off "
        "counts, and a delta.",
        **following("release-mechanism", mechanism, lambda name: _put_mechanism(work, name)),
    )
    rho = release.get("rho") is not None
    gaussian = mechanism == RELEASED[1]
    if gaussian:
        st.radio(
            "Budget in",
            ["rho", TOGETHER],
            horizontal=True,
            help="rho is the Gaussian's own measure and adds up exactly; epsilon and delta are translated into it.",
            **following(
                "release-kind",
                "rho" if rho else TOGETHER,
                lambda kind: work.change("release", **_kind(kind, release)),
            ),
        )
    names = ("rho",) if gaussian and rho else ("epsilon", "delta") if gaussian else ("epsilon",)
    for name in names:
        typed_field(
            f"Budget of this release: {name}",
            f"release-{name}",
            as_typed(release.get(name)),
            partial(_put_number, work, name),
            help={
                "epsilon": "Smaller means more noise and a stronger guarantee; what you type is kept to the digit.",
                "delta": "How often the guarantee may fail; far below 1 in the number of people.",
                "rho": "Smaller means more noise and a stronger guarantee; what you type is kept to the digit.",
            }[name],
        )
    st.selectbox(
        "The noise hides",
        ["add-remove", "substitute"],
        format_func={
            "add-remove": "whether a person is in the table at all",
            "substitute": "what is recorded about a person who is known to be in it",
        }.__getitem__,
        help="The same budget needs twice the noise to hide what is recorded as to hide whether somebody is there; an "
        "account counts one of both.",
        **following(
            "release-neighbours",
            release.get("neighbours") or noise.get("neighbours", "add-remove"),
            lambda name: work.change("noise", neighbours=None if name == "add-remove" else name),
        ),
    )


def _put_number(work: Work, name: str, text: str) -> None:
    work.change("release", **{name: typed_number(name, text)})


def _put_mechanism(work: Work, name: str) -> None:
    pure = name == RELEASED[0]
    release = work.project.section("release")
    work.change(
        "release",
        mechanism=name,
        delta=None if pure else release.get("delta"),
        rho=None if pure else release.get("rho"),
    )


def _kind(kind: str, release: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "rho":
        return {"rho": 0.1, "epsilon": None, "delta": None}
    return {"rho": None, "epsilon": release.get("epsilon") or 1.0, "delta": release.get("delta") or 1e-6}


def who_is_protected(work: Work, asked: Project, columns: list[str]) -> None:
    """One row per person by declaration, or a column that names people."""
    data, release = asked.section("data"), asked.section("release")
    unit = data.get("unit") or release.get("unit")
    declared = bool(release.get("one_row_per_person"))
    st.radio(
        "Who is a person?",
        [ROW, COLUMN],
        index=None,
        help="The guarantee is about a person: it must be known which rows are the same one's.",
        **following(
            "release-who", COLUMN if unit else ROW if declared else None, lambda who: _put_who(work, who, columns)
        ),
    )
    if not unit:
        return
    st.selectbox(
        "Column that names the person",
        list(dict.fromkeys([*columns, unit])),
        help="Rows with the same value are the same person's; the column itself is not published.",
        **following("release-unit", unit, lambda name: work.change("data", unit=name)),
    )
    st.number_input(
        "Rows counted of each person, at most",
        min_value=1,
        step=1,
        help="More rows of a person need more noise; of a person with more, so many are drawn at random.",
        **following(
            "release-rows",
            int(data.get("max_rows_per_unit") or 1),
            lambda rows: work.change("data", max_rows_per_unit=None if rows == 1 else int(rows)),
        ),
    )


def _put_who(work: Work, who: str | None, columns: list[str]) -> None:
    project = work.project
    if who == COLUMN:
        used = columns_of(project)
        named = next((name for name in columns if name not in used), None)
        project = project.with_values("data", unit=named).with_values("release", one_row_per_person=None)
    else:
        project = project.with_values("data", unit=None, max_rows_per_unit=None)
        project = project.with_values("release", one_row_per_person=True if who else None)
    work.become(project)


def values_that_may_occur(work: Work, asked: Project) -> None:
    """The declared values of every column that needs some: which values occur would otherwise tell of people."""
    universe = asked.section("data").get("universe")
    if isinstance(universe, str):
        st.write(plain(f"The values that could occur are declared in {universe}."))
        return
    declared: dict[str, Any] = dict(universe or {})
    binned = _binned(asked)
    st.write(
        "Every combination of these values is published, also where nobody is: which ones occur would itself tell of "
        "people. So they must be known to everybody beforehand, as the counties of a state or the codes of a "
        f"classification are. {MISSING} is a value too: people whose value is missing count only where it is listed."
    )
    texts = [name for name in without_values(asked) if name not in binned]
    if texts:
        st.write(
            "To fill them in from the data is to declare that everybody may know them: a rare diagnosis on the list "
            "tells that somebody has it."
        )
    if texts and st.button(
        f"Fill in the values found in the data ({len(texts)} {'column' if len(texts) == 1 else 'columns'})",
        key="release-fill",
        help="Only where everybody may know these values: by pressing it you declare that they are public.",
    ):
        _fill(work, declared, texts)
        st.rerun()
    for name in released_columns(asked):
        if name in binned:
            _range(work, name, declared)
        else:
            _list(work, name, declared)


def without_values(asked: Project) -> list[str]:
    """Columns of the release of which nobody has said yet which values may occur."""
    universe = asked.section("data").get("universe")
    if isinstance(universe, str):
        return []
    declared, binned = dict(universe or {}), _binned(asked)
    return [
        name
        for name in released_columns(asked)
        if not _has_edges(binned.get(name)) and not _is_complete(declared.get(name))
    ]


def _binned(asked: Project) -> dict[str, Any]:
    """The bins by column."""
    bins = asked.section("data").get("bins")
    if isinstance(bins, Mapping):
        return dict(bins)
    return dict(text.partition("=")[::2] for text in listed(bins))


def _is_complete(declared: Any) -> bool:
    return set(declared) == {"from", "to"} if isinstance(declared, Mapping) else bool(declared)


def _has_edges(rule: Any) -> bool:
    """Whether bins say by themselves which ones there are."""
    return isinstance(rule, list | tuple) or (isinstance(rule, str) and "|" in rule)


def _fill(work: Work, declared: dict[str, Any], names: list[str]) -> None:
    from epsilens.table.structure import levels_of, structure_of

    table = work.project.section("data").get("table")
    gaps = {column.name for column in structure_of(work.source, table).columns if column.missing}
    found = {
        name: [*levels_of(work.source, name, table, MOST_VALUES), *([MISSING] if name in gaps else [])]
        for name in names
    }
    work.change("data", universe={**declared, **found})


def _list(work: Work, name: str, declared: dict[str, Any]) -> None:
    values = declared.get(name)
    if isinstance(values, Mapping):
        _range(work, name, declared)
        return

    def put() -> None:
        lines = [line.strip() for line in st.session_state[f"release-values-{name}"].splitlines()]
        _put_values(work, name, declared, [line for line in dict.fromkeys(lines) if line] or None)

    st.session_state[f"release-values-{name}"] = "\n".join(str(value) for value in values or ())
    st.text_area(
        f"Values of {plain(name)}, one in a line",
        key=f"release-values-{name}",
        on_change=put,
        height=100,
        help="All values that may be published; rows with any other are not counted.",
    )


def _range(work: Work, name: str, declared: dict[str, Any]) -> None:
    """From and to, of a column with bins."""
    given = declared.get(name)
    ends = dict(given) if isinstance(given, Mapping) else {}
    left, right = st.columns(2)
    for place, side in ((left, "from"), (right, "to")):
        with place:
            typed_field(
                f"{plain(name)}: {side}",
                f"release-range-{name}-{side}",
                as_typed(ends.get(side)),
                partial(_put_end, work, name, declared, side),
                help="Bins that cover this range are published; rows outside it are not counted.",
            )


def _put_end(work: Work, name: str, declared: dict[str, Any], side: str, text: str) -> None:
    """One end of a range; whole numbers stay whole."""
    value = typed_number(side, text)
    number = int(value) if value is not None and value == int(value) else value
    given = declared.get(name)
    moved = {**(given if isinstance(given, Mapping) else {}), side: number}
    _put_values(work, name, declared, {end: at for end, at in moved.items() if at is not None} or None)


def _put_values(work: Work, name: str, declared: dict[str, Any], values: Any) -> None:
    others = {column: found for column, found in declared.items() if column != name}
    work.change("data", universe={**others, **({} if values is None else {name: values})} or None)
