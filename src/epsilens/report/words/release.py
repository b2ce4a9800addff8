"""What a release says when it is done: what was published, what it cost, what is left, what may be published."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from epsilens.report.words.common import counted, percent, verb

if TYPE_CHECKING:
    from epsilens.release.statistics.release import ReleasedStatistics
    from epsilens.release.tables.release import Released


def released_tables_lines(released: Released) -> list[str]:
    """What was published and what is left, in a few lines."""
    card, files = released.card, released.files
    fitted = " before consistency" if any(step["step"] == "consistency" for step in card["post_processing"]) else ""
    return [
        f"{counted(card['output']['rows'], 'count')} written to {files['output']}",
        *(
            f"  {table['name']}: standard error {table['standard_error']:.4g}, "
            f"{_interval(card)} ± {table['half_width']:.4g}{fitted}"
            for table in card["mechanism"]["tables"]
        ),
        _cost_line(card),
        f"Card: {files['card']} and {files['card-text']} (publishable)",
        f"Internal assessment: {files['internal']} (INTERNAL: not for publication)",
    ]


def released_sentences(card: Mapping[str, Any]) -> list[str]:
    """A release in short, consequences first. Everything is on the card."""
    tables = card["disclosure"]["tables"]
    known = [table for table in tables if table["right_decision"] is not None]
    told = []
    if known:
        worst = max(known, key=lambda table: float(table["right_decision"]))
        right = float(worst["right_decision"])
        told.append(
            "Somebody who knows everybody else may ask whether one person was counted. If the person was, "
            f"{percent(right)} of the tables that might have been published would make them believe it; if not, "
            f"{percent(1.0 - right)} would."
        )
    if (worst_posterior := card["disclosure"]["worst_posterior_from_all_tables"]) is not None:
        told.append(f"A belief of 50 % can become {percent(float(worst_posterior))} at most, whatever else is known.")
    widest = max(card["mechanism"]["tables"], key=lambda table: float(table["half_width"]))
    counts = sum(table["rows"] for table in card["release"]["tables"])
    told.append(
        f"{counted(counts, 'count')} {verb(counts, 'was', 'were')} published with "
        f"noise. The noise takes a count at most {widest['half_width']:.4g} from the truth "
        f"{100 * card['intervals']['confidence']:g} times in 100 (noise interval; it leaves out sampling error)."
    )
    return told


def label_terms(card: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The label that experts ask for: unit, parameters, model, composition. Everything is on the card."""
    unit, composition = card["unit"], card["composition"]
    rows = unit["max_rows_per_person"]
    cost = ", ".join(f"{name} = {value}" for name, value in card["budget"]["cost"].items() if value not in (None, "0"))
    left = ", ".join(f"{name} {value}" for name, value in composition["left"].items())
    total = ", ".join(f"{name} {value}" for name, value in composition["total"].items())
    return [
        ("Unit of protection", f"{unit['protects']}, with at most {counted(rows, 'row')}"),
        ("Neighbours", card["mechanism"]["neighbours"]),
        ("Parameters", cost),
        ("Mechanism", f"{card['mechanism']['name']}, drawn by the secure sampler of {card['mechanism']['sampler']}"),
        ("Model", "central: the curator holds the data and adds the noise; not interactive"),
        (
            "Composition",
            f"{counted(composition['releases'], 'release')} from account {composition['account']} by the rule "
            f"{composition['composition']}; total {total}, left {left}",
        ),
        (
            "Universe",
            "declared beforehand" if card["universe"]["declared"] else "not declared: a threshold hides cells",
        ),
        ("Checked by", f"ledger {card['ledger']['id']}, entry {card['ledger']['entry']}"),
    ]


def statistics_headings(released: ReleasedStatistics) -> tuple[str, ...]:
    """What the columns of :func:`statistics_rows` are."""
    return ("statistic", "value", "standard error", _interval(released.card))


def statistics_rows(released: ReleasedStatistics) -> list[tuple[str, ...]]:
    """Each released number with its error and interval."""
    return [
        (
            f"{row['statistic']} [{row['entry']}]" if row["entry"] else row["statistic"],
            f"{row['value']:.6g}",
            f"{row['standard_error']:.4g}",
            f"{row['lower']:.6g} to {row['upper']:.6g}",
        )
        for row in released.rows()
    ]


def released_statistics_lines(released: ReleasedStatistics) -> list[str]:
    """What post-processing moved, and what is left."""
    card, files = released.card, released.files
    return [
        *(
            f"{statistic['name']}: {step['step']}, moved by {step['distance']:.4g} (post-processing)."
            for statistic in card["mechanism"]["statistics"]
            for step in statistic["post_processing"]
            if "distance" in step
        ),
        f"{counted(card['output']['rows'], 'number')} written to {files['output']}",
        _cost_line(card, "epsilon"),
        f"Card: {files['card']} and {files['card-text']} (publishable)",
        f"Values clamped to the bounds are counted in {files['internal']} (INTERNAL: not for publication)",
    ]


def _interval(card: Mapping[str, Any]) -> str:
    return f"{100 * card['intervals']['confidence']:g} % interval"


def _cost_line(card: Mapping[str, Any], *currencies: str) -> str:
    """What it cost, in these currencies or in all that it has a price in, and what the account has left."""
    composition = card["composition"]
    left = ", ".join(f"{name} {value}" for name, value in composition["left"].items())
    if "plan" in composition:
        places = sum(row["releases"] for row in composition["plan"])
        left = f"{places - composition['releases']} of {counted(places, 'planned release')}"
    cost = {name: value for name, value in card["budget"]["cost"].items() if not currencies or name in currencies}
    spent = ", ".join(f"{name} {value}" for name, value in cost.items() if value not in (None, "0"))
    return f"Cost {spent}; account {composition['account']!r} has {left} left ({composition['composition']})."
