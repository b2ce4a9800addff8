"""The card of released statistics for people: the same facts in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.release.cards.words import cell_words, framed, output_lines, person_words, stated_budget


def statistics_card_text(card: Mapping[str, Any]) -> str:
    """The card in Markdown. Publishable, like the card."""
    sections = [_released, _mechanism, person_words, _records, _post_processing, _disclosure]
    return framed(card, [section(card) for section in sections])


def _released(card: Mapping[str, Any]) -> str:
    lines = output_lines(card)
    confidence = f"{100 * card['intervals']['confidence']:g} % interval"
    lines += [f"| statistic | value | standard error | {confidence} |", "|---|---|---|---|"]
    for row in card["released"]:
        entry = f" [{row['entry']}]" if row["entry"] else ""
        lines.append(
            f"| {cell_words(row['statistic'] + entry)} | {row['value']:.6g} | {row['standard_error']:.4g} "
            f"| {row['lower']:.6g} to {row['upper']:.6g} |"
        )
    lines += ["", f"Intervals hold one by one, not all at once, and are about {card['intervals']['about']}."]
    return "\n".join(lines)


def _mechanism(card: Mapping[str, Any]) -> str:
    mechanism, cost = card["mechanism"], card["budget"]["cost"]
    lines = [
        "## Noise and budget",
        "",
        f"{mechanism['name']} noise on a fine public grid, from the secure sampler of {mechanism['sampler']}; this "
        f"release costs epsilon = {cost['epsilon']}.",
        "",
        "| statistic | share | budget | scale of the noise | bounding |",
        "|---|---|---|---|---|",
    ]
    for statistic in mechanism["statistics"]:
        scales = sorted({f"{entry['scale']:.6g}" for entry in statistic["entries"]})
        lines.append(
            f"| {cell_words(statistic['name'])} | {float(statistic['share']):.4g} "
            f"| {stated_budget(statistic['budget'])} | {', '.join(scales)} | {statistic['bounding']} |"
        )
    return "\n".join(lines)


def _records(card: Mapping[str, Any]) -> str:
    records, said = card["mechanism"]["records"], _missing(card["missing"]["rule"])
    binned = "".join(
        f" Numbers in `{name}` were put into declared bins ({text}, a width or edges)."
        for name, text in card.get("bins", {}).items()
    )
    return (
        f"## Records\n\nn = {records['n']:,}: {records['meaning']}. Missing values were {said}. "
        f"{card['mechanism']['clamping']}{binned}"
    )


def _missing(rule: str | Mapping[str, Any]) -> str:
    """What became of missing values: the same in all columns, or by column."""
    rules = {
        "refuse": "refused",
        "exclude": "left out with their records",
        "middle": "put in the middle of the bounds, or counted as none of the levels",
    }
    if isinstance(rule, str):
        return rules[rule]
    replaced = ", ".join(f"`{name}` by {value}" for name, value in rule.items() if value not in rules)
    parts = [f"replaced by public values: {replaced}"] if replaced else []
    for word, said in rules.items():
        if columns := ", ".join(f"`{name}`" for name, value in rule.items() if value == word):
            parts.append(f"{said} in {columns}")
    return "; ".join(parts) or rules["refuse"]


def _post_processing(card: Mapping[str, Any]) -> str:
    lines = []
    for statistic in card["mechanism"]["statistics"]:
        for step in statistic["post_processing"]:
            largest = f" (at most {abs(step['largest_bias']):.4g})" if "largest_bias" in step else ""
            lines.append(f"- {statistic['name']}: **{step['step']}**: {step['effect']}. Bias: {step['bias']}{largest}.")
    if not lines:
        return "## Post-processing\n\nNone: the numbers are unbiased and may lie outside their ranges."
    return "\n".join(["## Post-processing", "", *lines])


def _disclosure(card: Mapping[str, Any]) -> str:
    return (
        "## What it can disclose\n\nAn adversary who knows everybody else, and gives a person an even chance to be in "
        f"the data, can never be surer than {100 * card['disclosure']['worst_posterior']:.1f} % after the release."
    )
