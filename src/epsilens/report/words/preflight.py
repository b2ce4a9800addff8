"""What a release would find in its data and in its ledger, told to whoever may see the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epsilens.errors import EpsilensError
from epsilens.report.words.common import BLANK, Block, Grid, Heading, Text, Verdict, counted, number, percent, verb

if TYPE_CHECKING:
    from epsilens.release.rehearsal import Preflight


def preflight_blocks(found: Preflight, spelt: Callable[[EpsilensError], str] = str) -> list[Block]:
    """Whether it would be released, which rows would be left out, what the data show, what it would cost.

    ``spelt`` says how the reader of a problem types parameters.
    """
    return [
        Verdict("no", "bad", "would be refused")
        if found.problems
        else Verdict("ok", "good", "would be released; nothing was published, nothing was spent"),
        *(Text(spelt(problem), 4) for problem in found.problems),
        BLANK,
        *_rows(found.findings),
        BLANK,
        *_data(found.findings),
        *_account(found),
    ]


def _rows(findings: Mapping[str, Any]) -> list[Block]:
    left_out = findings["left_out"]
    used = findings["people_rows"] if "people_rows" in findings else findings["records"]
    beyond = findings.get("dropped_rows", findings.get("rows_beyond_the_bound_per_person", 0))
    blocks: list[Block] = [
        Heading("Rows"),
        Text(f"{counted(left_out['rows_read'], 'row')} read, {number(used)} would be counted.", 2),
    ]
    if others := left_out.get("rows_not_selected"):
        blocks.append(Text(f"{counted(others, 'row')} would not be read, by the conditions on rows.", 2))
    misfits = left_out["rows_left_out"]
    why = verb(misfits, "it does", "they do")
    blocks.append(Text(f"{counted(misfits, 'row')} would be left out because {why} not fit.", 2))
    if people := left_out["people_with_too_many_rows"]:
        who = f"{counted(people, 'person')} {verb(people, 'has', 'have')}"
        blocks.append(Text(f"{who} too many rows: {counted(beyond, 'row')} would not be counted.", 2))
    if left_out["by_rule"]:
        rows = [(rule["column"] or "", rule["why"], number(rule["rows"])) for rule in left_out["by_rule"]]
        blocks.append(Grid("", ("column", "value", "rows"), rows, words=2))
    return blocks


def _data(findings: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = []
    if findings.get("fewer_records_than_declared"):
        said = "There are fewer records than the declared n, so statistics would be pulled to the middle."
        blocks.append(Text(said, 2))
    if (total := findings.get("public_total")) is not None and total != findings["people_rows"]:
        said = f"Counts would be made to add up to the declared public total of {number(total)}, and the data have "
        blocks.append(Text(f"{said}{number(findings['people_rows'])} that are counted.", 2))
    for clamped in findings.get("values_clamped", ()):
        if clamped["values"]:
            said = f"{counted(clamped['values'], 'value')} of {clamped['column']!r} would be moved to a bound."
            blocks.append(Text(said, 2))
    for column, sizes in findings.get("group_sizes", {}).items():
        if small := sum(size < 2 for size in sizes.values()):
            blocks.append(Text(f"{counted(small, 'group')} of {column!r} with fewer than two records.", 2))
    if "disclosure" in findings:
        blocks += _homogeneity(findings["disclosure"], findings["disclosure_not_computed"])
    return [*blocks, BLANK] if blocks else []


def _homogeneity(found: Sequence[Mapping[str, Any]], why_not: str | None) -> list[Block]:
    """People whose label a cell gives away, before and after."""
    if why_not is not None:
        return [Heading("Homogeneity"), Text(f"Not computed: {why_not}.", 2)]
    rows = [
        (
            f"{risk['table']}: {risk['sensitive']}",
            percent(risk["before"]["right"]),
            percent(risk["after"]["right"]),
            percent(risk["after"]["wrong"]),
        )
        for risk in found
    ]
    if not rows:
        return []
    headings = ("table", "without noise", "shown right", "shown wrong")
    return [Heading("Homogeneity: people whose cell shows a single value"), Grid("", headings, rows, words=1)]


def _account(found: Preflight) -> list[Block]:
    price = ", ".join(f"{name} {value}" for name, value in found.cost.items() if value not in (None, "0"))
    blocks: list[Block] = [Heading("Budget"), Text(f"It would cost {price}.", 2)]
    for when, account in (("now", found.before), ("afterwards", found.after)):
        if account is not None:
            left = ", ".join(f"{name} {value}" for name, value in account["left"].items())
            said = f"Account {account['account']!r} {when}: {counted(account['releases'], 'release')}, {left} left."
            blocks.append(Text(said, 2))
    if found.before is None and found.after is not None:
        blocks.append(Text("The account would be opened by this release.", 2))
    return blocks
