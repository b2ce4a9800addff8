"""What the columns mean: what others may know, what they want to learn, what counts, weighs or names people."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from epsilens.app.data.opening import columns_of, named
from epsilens.app.parts.blocks import plain
from epsilens.app.parts.controls import number_of
from epsilens.app.work import Work
from epsilens.checks import did_you_mean
from epsilens.project.values import texts_of
from epsilens.table.bins import parse_bins, rule_text
from epsilens.table.column_facts import Structure
from epsilens.table.suggested_roles import Suggestion

NONE = "(none)"


def mark(work: Work) -> str:
    """Changes whenever what the project says of its data does: a form with it in its key then begins anew."""
    text = json.dumps(dict(work.project.section("data")), sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def roles(work: Work, found: Structure, suggestions: tuple[Suggestion, ...]) -> None:
    """A form that begins with the project's roles, or else with those that are suggested."""
    section = work.project.section("data")
    names = [column.name for column in found.columns]
    _say_missing(columns_of(section), names)
    shown = section if columns_of(section) else _of(suggestions)
    if shown is not section:
        st.write("These are suggestions. Change what is wrong, then confirm.")
    at = mark(work)
    with st.form(f"roles-{at}"):
        known = st.multiselect(
            "What others may know about a person",
            names,
            [name for name in named(shown.get("quasi_identifiers")) if name in names],
            key=f"known-{at}",
            help="Columns by which somebody could find a person in the table: a neighbour, an employer, a register. "
            "Sentences call them quasi-identifiers.",
        )
        secret = st.multiselect(
            "What they want to learn",
            names,
            [name for name in named(shown.get("sensitive")) if name in names],
            key=f"secret-{at}",
            help="The column that is nobody's business; with several, all of them at once. Sentences call it "
            "sensitive, and the people who are alike in all that others may know a cell.",
        )
        bins = st.text_input(
            "Bins of numbers",
            ", ".join(_bin_texts(shown.get("bins"), names)),
            key=f"bins-{at}",
            placeholder="age=10, hours=0|20|40, income=q4",
            help="Numbers with many values are counted in bins: age=10 by width, hours=0|20|40 between edges, "
            "income=q4 in four groups of about equally many people.",
        )
        left, middle, right = st.columns(3)
        count = _one_column(left, "Column of counts", names, shown.get("count"), f"count-{at}", COUNT_HELP)
        unit = _one_column(middle, "Column that names the person", names, shown.get("unit"), f"unit-{at}", UNIT_HELP)
        weight = _one_column(right, "Survey weight", names, shown.get("weight"), f"weight-{at}", WEIGHT_HELP)
        rows = st.number_input(
            "Rows per person at most",
            1,
            1_000_000,
            min(max(int(number_of(shown.get("max_rows_per_unit"), 1)), 1), 1_000_000),
            key=f"max-rows-{at}",
            help="Where a column names the person: further rows of the same person are left out.",
        )
        if st.form_submit_button("Use these roles", type="primary"):
            rules = parse_bins(bins)
            work.change(
                "data",
                quasi_identifiers=known or None,
                sensitive=secret or None,
                bins={name: rule_text(rule) for name, rule in rules.items()} or None,
                count=count,
                unit=unit,
                weight=weight,
                max_rows_per_unit=int(rows) if unit is not None and rows != 1 else None,
                harmful=_still(section.get("harmful"), secret),
                universe=_still(section.get("universe"), [*known, *secret]),
            )
            st.rerun()


COUNT_HELP = "Only where a row is a cell and not a person: the column that says how many people it counts."
UNIT_HELP = "Only where people have several rows: the column that tells whose a row is."
WEIGHT_HELP = "Only where the people are a sample: for how many people each of them stands."


def _one_column(place: Any, label: str, names: Sequence[str], chosen: Any, key: str, about: str) -> str | None:
    options = [NONE, *names]
    found: str = place.selectbox(label, options, options.index(chosen) if chosen in names else 0, key=key, help=about)
    return None if found == NONE else found


def _say_missing(wanted: set[str], names: Sequence[str]) -> None:
    """A project may name columns that its data do not have, or not any more."""
    for name in sorted(wanted - set(names)):
        st.warning(
            plain(f"The project gives a role to column {name!r}, which the data do not have{_near(name, names)}.")
        )


def _near(name: str, names: Sequence[str]) -> str:
    return did_you_mean(name, names).rstrip("?") if did_you_mean(name, names) else ""


def _of(suggestions: tuple[Suggestion, ...]) -> Mapping[str, Any]:
    """The data section that the suggestions make."""
    by_role = {
        role: [one.column for one in suggestions if one.role == role]
        for role in ("known", "sensitive", "count", "weight", "unit")
    }
    return {
        "quasi_identifiers": by_role["known"],
        "sensitive": by_role["sensitive"],
        "bins": [f"{one.column}={one.bins}" for one in suggestions if one.bins and one.role in ("known", "sensitive")],
        **{role: by_role[role][0] for role in ("count", "weight", "unit") if by_role[role]},
    }


def _bin_texts(given: Any, names: Sequence[str]) -> list[str]:
    texts = [] if given is None else texts_of(given)
    return [text for text in texts if text.rpartition("=")[0].strip() in names]


def _still(given: Any, columns: Sequence[str]) -> Any:
    """What was declared about columns, without those that have no role any more."""
    if not isinstance(given, Mapping):
        return given if columns else None
    return {name: value for name, value in given.items() if set(name.split(",")) <= set(columns)} or None
