"""Who is shown as what by each system of a comparison, and what stands beside the average risks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.choice.choose.equal_risk import SCANNED
from epsilens.choice.comparison import Comparison
from epsilens.errors import counted
from epsilens.report.words.common import NO_GUARANTEE, Block, Grid, Note, Text, percent, verb
from epsilens.report.words.explained import CRITERIA

MOST_VALUES = 4
LONGEST = 16
"""Characters of a value that a heading shows."""


def shown_values(comparison: Comparison) -> list[Block]:
    """A table of people shown rightly and wrongly, in all and value by value, the most harmful ones first."""
    values = drawn_values(comparison)
    left_out = len(comparison.baseline["by_value"]) - len(values)
    totals = {"shown_right": "right", "shown_wrong": "wrong"}
    harmful = [entry for entry in comparison.baseline["by_value"] if entry["weight"] > 0]
    if 1 < len(harmful) < len(comparison.baseline["by_value"]):
        totals |= {"harmful_right": "right,\nharmful", "harmful_wrong": "wrong,\nharmful"}
    rows = []
    for row in comparison.rows:
        shown = {entry["value"]: entry for entry in row["by_value"]}
        shares = [row[name] for name in totals]
        shares += [shown[value][side] for value in values for side in ("shown_right", "shown_wrong")]
        epsilon = "-" if row["epsilon"] is None else f"{row['epsilon']:.3g}"
        rows.append((row["label"], epsilon, *map(share_text, shares)))
    headings = [f"{short(value)},\n{side}" for value in values for side in ("right", "wrong")]
    grid = Grid(
        f"Who is shown as what, shares of people, at {comparison.settings['basis']}",
        ("system", "epsilon", *totals.values(), *headings),
        rows,
        words=1,
        tight=True,
        keys=2,
    )
    notes = [Note(f"{CRITERIA[name]}.") for name in totals]
    if left_out > 0:
        notes.append(Note(f"{counted(left_out, 'further value')} {verb(left_out)} in the JSON."))
    return [grid, *notes]


def without_protection(comparison: Comparison) -> str:
    """As what people are shown without protection: `` (0.3 % as ill, 7.1 % as well)``; nothing where nobody is."""
    shown = [entry for entry in comparison.baseline["by_value"] if entry["shown_right"] > 0]
    if not shown:
        return ""
    first = sorted(shown, key=lambda entry: (-entry["weight"], -entry["shown_right"]))[:MOST_VALUES]
    listed = [f"{percent(entry['shown_right'])} as {short(entry['value'])}" for entry in first]
    more = [f"others as {counted(len(shown) - len(first), 'further value')}"] if len(shown) > len(first) else []
    return f" ({', '.join([*listed, *more])})"


def drawn_values(comparison: Comparison) -> list[str]:
    """The values that are shown one by one: the most harmful ones, and of those the ones that show most people."""
    most = {str(entry["value"]): 0.0 for entry in comparison.baseline["by_value"]}
    for row in comparison.rows:
        for entry in row["by_value"]:
            most[entry["value"]] = max(most[entry["value"]], entry["shown_right"] + entry["shown_wrong"])
    weights = {str(entry["value"]): float(entry["weight"]) for entry in comparison.baseline["by_value"]}
    chosen = sorted(most, key=lambda value: (-weights[value], -most[value]))[:MOST_VALUES]
    return sorted(chosen, key=lambda value: (-weights[value], list(most).index(value)))


def share_text(share: float) -> str:
    """Three decimals; a share that is not 0 does not read so, nor does one that is not 1 read as 1."""
    text = f"{share:.3f}"
    return "<.001" if share > 0.0 == float(text) else ">.999" if share < 1.0 == float(text) else text


def short(value: str) -> str:
    """A value as a heading."""
    text = value.strip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def about_worst_off(comparison: Comparison) -> list[Block]:
    """Of which systems the risk is not left to chance, and of which it is known from releases only."""
    notes: list[Block] = []
    realised = _names(row for row in comparison.rows if row["realised_risk"])
    if realised:
        notes.append(
            Note(
                f"{', '.join(realised)}: nothing is left to chance here, so everybody is shown for certain or not at "
                "all; the average is the share of people who are."
            )
        )
    simulated = _names(row for row in comparison.rows if not row["exact_risk"] and not row["realised_risk"])
    if simulated:
        error = max(row["people_above_half_se"] for row in comparison.rows)
        unsure = f"; the standard error of the people above 50 % is at most {error:,.0f}" if error >= 0.5 else ""
        notes.append(
            Note(
                f"{', '.join(simulated)}: a person's risk is the share of {comparison.settings['repetitions']} "
                f"releases that show them, and the worst of many such shares is rather too high{unsure}."
            )
        )
    return notes


def better_for_the_worst_off(comparison: Comparison) -> list[Block]:
    """Of which dominated systems the worst-off person is at less risk nevertheless: dominance goes by averages."""
    names = _names(row for row in comparison.dominated if row["worst_off_better"])
    if not names:
        return []
    return [
        Text(
            f"By averages {', '.join(names)} {verb(len(names))} dominated, as said next; the worst-off person is "
            "nevertheless at less homogeneity risk there than under what dominates."
        )
    ]


def left_without_noise(comparison: Comparison) -> list[Block]:
    """Which systems keep the risk that is held equal without any epsilon, and why that is not a guarantee."""
    if comparison.settings["basis"] == "equal epsilon":
        return []
    without = _names(row for row in comparison.rows if row["epsilon"] is None)
    loose = _names(row for row in comparison.rows if row["epsilon"] == SCANNED[1])
    notes: list[Block] = []
    if without:
        notes.append(
            Note(f"Without an epsilon, {', '.join(without)} {verb(len(without), 'keeps', 'keep')} it: {ALONE}.")
        )
    if loose:
        notes.append(Note(f"Of {', '.join(loose)} hardly any noise is asked: {ALONE}."))
    return notes


ALONE = f"this attack needs no noise; {NO_GUARANTEE}"


def _names(rows: Any) -> Sequence[str]:
    found: Mapping[str, None] = dict.fromkeys(row["label"] for row in rows)
    return list(found)
