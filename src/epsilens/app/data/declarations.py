"""What is declared about the data: values that harm, rows that are read, missing values, and what could occur."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from epsilens.app.data.roles import mark
from epsilens.app.parts.blocks import plain
from epsilens.app.work import Work
from epsilens.errors import ParameterError, SourceError
from epsilens.project.values import texts_of
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable
from epsilens.table.gaps import RULES, parse_missing

MOST_LEVELS = 1_000
"""Values of a column that are listed; of more, those that are meant are typed."""
GAPS = {
    "level": "count them as a value of their own",
    "refuse": "refuse the data",
    "drop": "leave those rows out",
}
"""What may become of missing values."""
SHOWN = "values-shown"


def declarations(work: Work, table: FrequencyTable) -> None:
    """Each kind of declaration behind a line that says what it is for."""
    with st.expander("Values that harm"):
        _harmful(work, table)
    with st.expander("Which values could occur"):
        _universe(work, table)


def rows_read(work: Work) -> None:
    """Which rows are read, and what becomes of missing values."""
    section = work.project.section("data")
    at = mark(work)
    with st.expander("Which rows are read, and missing values"), st.form(f"rows-{at}", border=False):
        where = st.text_area(
            "Only rows for which all of this holds, one condition per line",
            "\n".join(texts_of(section["where"]) if "where" in section else ()),
            key=f"where-{at}",
            placeholder="age>=18\ncountry=Chile|Peru",
            help="A column, one of = != < <= > >=, and a value; several values with | between them.",
        )
        rule = section.get("missing", "level")
        missing = st.selectbox(
            "What becomes of missing values",
            [*RULES, *(() if rule in RULES else ("as declared",))],
            [*RULES].index(rule) if rule in RULES else len(RULES),
            format_func=lambda one: GAPS.get(one, "as the project declares by column"),
            key=f"missing-{at}",
            help="Missing values may be a value like others, a reason to refuse, or a reason to leave rows out.",
        )
        absent = st.text_input(
            "Texts that mean missing",
            ", ".join(texts_of(section["missing_values"]) if "missing_values" in section else ()),
            key=f"absent-{at}",
            placeholder="?, unknown",
            help="Texts that stand for a missing value in these data, with commas between them.",
        )
        if st.form_submit_button("Read these rows"):
            work.change(
                "data",
                where=[line.strip() for line in where.splitlines() if line.strip()] or None,
                missing=rule if missing == "as declared" else None if missing == "level" else parse_missing(missing),
                missing_values=[part.strip() for part in absent.split(",") if part.strip()] or None,
            )
            st.rerun()


def _harmful(work: Work, table: FrequencyTable) -> None:
    st.write(
        "Without a declaration, every value but a missing one harms whoever is shown to have it. Name values if only "
        "some do: being shown as healthy may be no harm."
    )
    shown = _asked_for_values("harmful", table.sensitive)
    declared = work.project.section("data").get("harmful")
    at = mark(work)
    with st.form(f"harmful-{at}", border=False):
        chosen = {}
        for place, column in enumerate(table.sensitive):
            now = _declared_values(declared, column)
            about = f"Values of {column} that harm"
            if shown:
                values = _values(table, place)
                chosen[column] = st.multiselect(
                    plain(about),
                    values,
                    [value for value in now if value in values],
                    key=f"harm-{column}-{at}",
                    help="None chosen: every value but a missing one harms.",
                )
            else:
                typed = st.text_area(
                    plain(f"{about}, one per line"),
                    "\n".join(now),
                    key=f"harm-{column}-{at}",
                    help="Type the values as they stand in the data; none: every value but a missing one harms.",
                )
                chosen[column] = [line.strip() for line in typed.splitlines() if line.strip()]
        if st.form_submit_button("These values harm"):
            found: dict[str, Any] = {column: values for column, values in chosen.items() if values}
            table.with_harm(found)  # refuses values that do not occur
            work.change("data", harmful=found or None)
            st.rerun()


def _universe(work: Work, table: FrequencyTable) -> None:
    st.write(
        "A release publishes every combination of the values that could occur, also where nobody is: which ones do "
        "occur would itself tell of people. Whoever declares what could occur without looking at the data says "
        "nothing about anybody. Sentences call it the universe; assessments take it into account."
    )
    declared = work.project.section("data").get("universe")
    at = mark(work)
    with st.form(f"universe-{at}", border=False):
        typed = st.text_area(
            "Values by column, as JSON",
            _universe_text(declared),
            key=f"universe-{at}",
            placeholder='{"sex": ["female", "male"], "age": {"from": 0, "to": 110}}',
            help="A list of values for each column, or a range from and to; the name of a JSON file does as well.",
        )
        if st.form_submit_button("Declare these values"):
            declare_universe(work, typed)
            st.rerun()
    file = st.file_uploader("Or a JSON file of the same form", type=["json"], key="universe-file", max_upload_size=5)
    if file is not None and st.button("Declare what this file says", key="universe-from-file"):
        declare_universe(work, _decoded(file.getvalue()))
        st.rerun()
    st.write(
        "Or take the values that occur in the data. That reads the data, so the list is not private: it tells which "
        "values somebody has. Good for an assessment; for a release, declare what could occur."
    )
    if st.button("Read the values from the data", key="universe-from-data"):
        work.change("data", universe=_occurring(table))
        st.rerun()


def declare_universe(work: Work, text: str) -> None:
    """Put a universe into the project: JSON, the name of a file with it, or nothing; what cannot be is refused."""
    given = text.strip()
    found: Any = None
    if given.startswith("{"):
        try:
            found = json.loads(given)
        except (ValueError, RecursionError):
            raise SourceError("this is not JSON", remedy='write it as {"column": ["value", ...]}') from None
        if not isinstance(found, dict):
            raise SourceError("this is not a JSON object", remedy='write it as {"column": ["value", ...]}')
    elif given:
        found = given
    changed = work.project.with_values("data", universe=found)
    changed.data()  # refuses what does not fit the columns
    work.become(changed)


def _occurring(table: FrequencyTable) -> dict[str, list[str]]:
    """The levels of every column that occur in the table, sorted."""
    cells = table.cells()
    known = {name: sorted(set(cells[name])) for name in table.quasi_identifiers}
    found = known | {name: _values(table, place, missing=True) for place, name in enumerate(table.sensitive)}
    for name, values in found.items():
        if len(values) > MOST_LEVELS:
            raise ParameterError(
                f"column {name!r} has more than {MOST_LEVELS:,} values", remedy="declare them in a file"
            )
    return found


def _values(table: FrequencyTable, place: int, missing: bool = False) -> list[str]:
    found = {values[place] for values in table.label_values}
    return sorted(found if missing else found - {MISSING})


def _asked_for_values(what: str, columns: Sequence[str]) -> bool:
    """Whether somebody asked to see the values; asking says what they are."""
    key = f"{SHOWN}-{what}"
    if not st.session_state.get(key):
        st.write("The values that occur are people's data: which diseases there are tells that somebody has them.")
        if st.button(
            plain(f"I may see people's data: list the values of {' and '.join(columns)}"), key=f"{key}-button"
        ):
            st.session_state[key] = True
            st.rerun()
    return bool(st.session_state.get(key))


def _declared_values(declared: Any, column: str) -> list[str]:
    if declared is None:
        return []
    if isinstance(declared, Mapping):
        value = declared.get(column, [])
        return [str(value)] if isinstance(value, str | int | float) else [str(one) for one in value]
    pairs = (text.partition("=") for text in _texts(declared))
    return [value.strip() for name, _, value in pairs if name.strip() == column]


def _texts(given: str | Sequence[str]) -> list[str]:
    """One text or several, as a list."""
    return [given] if isinstance(given, str) else list(given)


def _universe_text(declared: Any) -> str:
    if declared is None:
        return ""
    return declared if isinstance(declared, str) else json.dumps(_plain(declared), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return value if isinstance(value, str) or not isinstance(value, Sequence) else [_plain(one) for one in value]


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise SourceError("the file is not UTF-8 text", remedy="save it as UTF-8") from None
