"""The card of released tables for people: the same facts in Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.errors import counted
from epsilens.release.cards.words import cell_words, framed, output_lines, person_words, stated_budget


def card_text(card: Mapping[str, Any]) -> str:
    """The card in Markdown. Publishable, like the card."""
    sections = [_released, _mechanism, _protects, _universe, _tree, _post_processing, _disclosure]
    return framed(card, [text for section in sections if (text := section(card))])


def _released(card: Mapping[str, Any]) -> str:
    lines = output_lines(card)
    lines += [f"- {table['name']}: {table['rows']:,} counts" for table in card["release"]["tables"]]
    confidence = 100 * card["intervals"]["confidence"]
    shown = "" if card["universe"]["declared"] else ", given that it is shown"
    lines += [
        "",
        f"Every count has its standard error and a {confidence:g} % interval, for that cell alone (not simultaneous)"
        f"{shown}.",
    ]
    return "\n".join(lines)


def _mechanism(card: Mapping[str, Any]) -> str:
    mechanism, cost = card["mechanism"], card["budget"]["cost"]
    before = " before consistency" if any(s["step"] == "consistency" for s in card["post_processing"]) else ""
    price = ", ".join(f"{name} = {value}" for name, value in cost.items() if value not in (None, "0"))
    lines = [
        "## Noise and budget",
        "",
        f"{mechanism['name']} noise from the secure sampler of {mechanism['sampler']}; this release costs {price}.",
        "",
        f"| table | share | budget | noise | standard error{before} | interval{before} |",
        "|---|---|---|---|---|---|",
    ]
    for table in mechanism["tables"]:
        law = ", ".join(f"{name} {value:.6g}" for name, value in table["law"].items() if name != "name")
        lines.append(
            f"| {cell_words(table['name'])} | {float(table['share']):.4g} | {stated_budget(table['budget'])} | {law} "
            f"| {table['standard_error']:.4g} | ± {table['half_width']:.4g} |"
        )
    return "\n".join([*lines, *(f"\n**Caveat.** {caveat}" for caveat in mechanism["caveats"])])


def _protects(card: Mapping[str, Any]) -> str:
    sensitivity = card["mechanism"]["sensitivity"]
    return f"{person_words(card)} {sensitivity['norm']} sensitivity of each table: {sensitivity['value']:.6g}."


def _universe(card: Mapping[str, Any]) -> str:
    universe = card["universe"]
    if not universe["declared"]:
        table = card["mechanism"]["tables"][0]
        return (
            "## Which cells are published\n\nThe universe was not declared. Only cells whose noisy count is at least "
            f"{table['threshold']} are shown; this adds delta = {table['threshold_delta']:.3g}. A missing cell is "
            "not an empty one."
        )
    sizes = ", ".join(f"{name} ({len(levels)})" for name, levels in universe["levels"].items())
    zeros = len(universe["structural_zeros"])
    every = "The only cell" if universe["cells"] == 1 else f"All {universe['cells']:,} cells"
    return (
        f"## Which cells are published\n\n{every} of the universe that was declared before the "
        f"data were counted, empty ones included: {sizes}."
        + (f" Structural zeros: {counted(zeros, 'rule')}." if zeros else "")
    )


def _tree(card: Mapping[str, Any]) -> str:
    """The tree and the public total, where there are any."""
    lines = []
    if (tree := card.get("tree")) is not None:
        parts = ", ".join(map(str, tree["parts"]))
        lines.append(
            f"Counts of ranges of `{tree['column']}`, whose levels are ordered: each range is split into up to "
            f"{tree['branching']} parts, which gives {parts} parts of the whole. A person is counted once in each of "
            "these tables. To count any other range add up the fewest of them."
        )
    if (total := card.get("public_total")) is not None:
        lines.append(
            f"The number of people, {total:,}, is public: it is the same for all neighbours under substitution. It has "
            "no noise, and every table adds up to it."
        )
    return "\n".join(["## Which counts add up", "", " ".join(lines)]) if lines else ""


def _post_processing(card: Mapping[str, Any]) -> str:
    steps = card["post_processing"]
    if not steps:
        return "## Post-processing\n\nNone: counts are unbiased and may be negative; add up before you clip."
    return "\n".join(
        ["## Post-processing", "", *(f"- **{s['step']}**: {s['effect']}. Bias: {s['bias']}." for s in steps)]
    )


def _disclosure(card: Mapping[str, Any]) -> str:
    lines = [
        "## What it can disclose",
        "",
        "An adversary who knows everybody else in a cell, and gives a person who is in it an even chance to be there:",
        "",
    ]
    for table in card["disclosure"]["tables"]:
        said = []
        if table["expected_posterior"] is not None:
            said.append(
                f"will on average believe that with {100 * table['expected_posterior']:.1f} % after the release and "
                f"decide rightly with {100 * table['right_decision']:.1f} %"
            )
        if table["worst_posterior"] is not None:
            said.append(f"can never be surer than {100 * table['worst_posterior']:.1f} %")
        lines.append(f"- {table['table']}: {'; '.join(said) or 'not computed for several rows per person'}.")
    if (together := card["disclosure"]["expected_posterior_from_all_tables"]) is not None:
        lines.append(f"- all tables together: {100 * together:.1f} % on average{_at_worst(card)}.")
    return "\n".join([*lines, "", "Risks that depend on the true data are internal and not on this card."])


def _at_worst(card: Mapping[str, Any]) -> str:
    worst = card["disclosure"]["worst_posterior_from_all_tables"]
    return "" if worst is None else f", never surer than {100 * worst:.1f} %"
