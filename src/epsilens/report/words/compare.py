"""The words of a comparison: privacy and bias, usefulness and risk, groups, audits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from epsilens.avoidance.audit import Audit
from epsilens.choice.choose.equal_risk import SCANNED
from epsilens.choice.comparison import Comparison
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, Verdict, counted, joined, percent
from epsilens.report.words.compare_values import (
    about_worst_off,
    better_for_the_worst_off,
    left_without_noise,
    shown_values,
    without_protection,
)
from epsilens.report.words.explained import CRITERIA
from epsilens.report.words.harmful_values import harm_sentence
from epsilens.report.words.theorems import theorems

PRIVACY_AND_BIAS = {
    "epsilon": ("epsilon", "{:.3g}"),
    "published_delta": ("delta,\nprinted", "{:.2g}"),
    "delta": ("delta,\nexact", "{:.2g}"),
    "delta_qid": ("delta,\nqid", "{:.3g}"),
    "bias_l1": ("bias,\nl1", "{:.1f}"),
    "l1_error": ("error,\nl1", "{:.1f}"),
    "fairness": ("alpha", "{:.2f}"),
    "group_fairness": ("groups", "{:.2f}"),
    "rmse": ("RMSE", "{:.2f}"),
}
USEFULNESS_AND_RISK = {
    "epsilon": ("epsilon", "{:.3g}"),
    "tvd_1": ("TVD,\n1-way", "{:.3f}"),
    "tvd_2": ("TVD,\n2-way", "{:.3f}"),
    "tvd_3": ("TVD,\n3-way", "{:.3f}"),
    "accuracy": ("accuracy", "{:.3f}"),
    "homogeneity_risk": ("homog.\nrisk", "{:.3f}"),
    "worst_risk": ("worst\noff", "{:.3f}"),
    "people_above_half": ("above\n50 %", "{:,}"),
    "posterior_risk": ("post.\nrisk", "{:.3f}"),
    "worst_posterior": ("post.\nworst", "{:.3f}"),
}
"""Columns of the two tables: heading and number format."""

IDLE = ("does nothing", "changed no count", "swaps all quasi-identifiers together")
"""How remarks begin that are warnings: a setting does less than it seems to."""

_SHARE = "{:.3f}"


def summary(comparison: Comparison) -> list[Block]:
    """The whole comparison for readers."""
    base, settings = comparison.baseline, comparison.settings
    grid_text = " x ".join(f"{name} ({levels})" for name, levels in settings["attributes"].items())
    classifier = "" if base["accuracy"] is None else f"; a classifier is right for {percent(base['accuracy'])}"
    blocks: list[Block] = [
        Text(f"{counted(base['people'], 'person')} in a universe of {counted(base['cells'], 'cell')}: {grid_text}."),
        Text(
            f"Without protection {percent(base['shown_right'])} of people are in cells with a single label"
            f"{without_protection(comparison)}{classifier}."
        ),
        Text(harm_sentence(base["by_value"])),
        *(
            Verdict("warning", "bad", f"{name.replace('_', ' ')} is ignored: no chosen system depends on it.")
            for name in settings.get("ignored", ())
        ),
        BLANK,
    ]
    if comparison.rows:
        blocks += _rows(comparison)
    if any(row["epsilon"] == SCANNED[1] for row in comparison.rows) and settings["basis"] != "equal epsilon":
        blocks += [
            Note(f"Epsilons are looked for up to {SCANNED[1]:g}; a system shown there may be safe beyond."),
            BLANK,
        ]
    blocks += left_without_noise(comparison)
    if base["left_out"]:
        blocks += [Text(f"No epsilon keeps {settings['basis']} for: {', '.join(base['left_out'])}."), BLANK]
    if comparison.groups:
        blocks += [_groups(comparison), BLANK]
    blocks += [_audited(verdict) for verdict in comparison.audits]
    blocks += _without_guarantee(comparison)
    if comparison.witnesses or any(verdict.verdict in ("false", "no claim") for verdict in comparison.audits):
        blocks.append(Note("Counts are those of the smallest tables that show it: label by label, | between cells."))
    if comparison.theorems:
        blocks += [*([BLANK] if comparison.audits or comparison.witnesses else []), *theorems(comparison.theorems)]
    if len(comparison.rows) > 1:
        blocks += [*([BLANK] if blocks[-1] != BLANK else []), *better_for_the_worst_off(comparison)]
        blocks.append(Text(dominance(comparison)))
    return blocks


def _without_guarantee(comparison: Comparison) -> list[Block]:
    """Why systems without an epsilon are not differentially private, where an audit was asked for."""
    if not comparison.settings["audited"]:
        return []
    shown = [Text(f"Without epsilon: {found.system}; {found.sentence}.") for found in comparison.witnesses]
    told = {found.system for found in comparison.witnesses}
    others = [row for row in comparison.rows if row["epsilon"] is None and row["title"] not in told]
    names = list(dict.fromkeys(row["title"] for row in others if row["delta"] == 1.0))
    if names:
        shown.append(
            Text(f"Without epsilon as well, with delta = 1, though small tables do not show it: {', '.join(names)}.")
        )
    return [*shown]


def dominance(comparison: Comparison) -> str:
    """Which systems are dominated, by which, and what that means."""
    if not comparison.dominated:
        return (
            "No system is dominated: each is more private or more useful than every other by some number above, "
            "so that it depends on what counts."
        )
    budgets: dict[str, list[float | None]] = {}
    for row in comparison.rows:
        budgets.setdefault(row["label"], []).append(row["epsilon"])
    named = []
    for label in dict.fromkeys(row["label"] for row in comparison.dominated):
        mine = [row for row in comparison.dominated if row["label"] == label]
        by = [dict.fromkeys(other["label"] for other in row["by"] if other["label"] != label) for row in mine]
        shared = [other for other in by[0] if all(other in found for found in by)]
        few = [f"{row['epsilon']:.3g}" for row in mine] if len(mine) < len(budgets[label]) else []
        at = f" at epsilon {joined(few)}" if few else ""
        named.append(f"{label}{at} (by {joined(shared or list(by[0]) or ['itself at another epsilon'], most=2)})")
    return (
        f"Dominated: {joined(named)}. Another system is then at least as private by epsilon, delta and both average "
        "risks, at least as useful by every criterion and better by some: whoever takes the dominated one gives up "
        "usefulness and gains no privacy."
    )


def criteria_sentence(comparison: Comparison, criterion: str, name: str) -> str:
    """A chart of one criterion read aloud: which system has least of it, and which most."""
    rows = [row for row in comparison.rows if row.get(criterion) is not None]
    if not rows:
        return ""
    least, most = (pick(rows, key=lambda row: float(row[criterion])) for pick in (min, max))
    said = f"{name[0].upper()}{name[1:]}: least {_with_epsilon(least)} ({least[criterion]:.3g})"
    return f"{said}, most {_with_epsilon(most)} ({most[criterion]:.3g})."


def _with_epsilon(row: dict[str, Any]) -> str:
    return str(row["label"]) if row["epsilon"] is None else f"{row['label']} at epsilon = {row['epsilon']:.3g}"


def _audited(found: Audit) -> Verdict:
    up_to = "" if found.bound is None else f", counts up to {found.bound}"
    said = f"{found.system}, epsilon = {found.epsilon:g}{up_to}, {found.neighbours} neighbours: {found.sentence}."
    if found.verdict == "false":
        return Verdict("FALSE", "bad", said)
    return Verdict(found.verdict, "good" if found.verdict == "valid" else "", said)


def charts_written(paths: list[Any]) -> str:
    """Where the charts are."""
    return f"{counted(len(paths), 'chart')} written: {', '.join(map(str, paths))} (internal)."


def _rows(comparison: Comparison) -> list[Block]:
    shares = [name for name in USEFULNESS_AND_RISK if name != "people_above_half"]
    errors = [row[f"{name}_se"] for row in comparison.rows for name in shares if f"{name}_se" in row]
    simulated = f"Usefulness and risk, {counted(comparison.settings['repetitions'], 'release')} each"
    return [
        _grid(comparison, "Privacy and bias", PRIVACY_AND_BIAS),
        *_explained(comparison, PRIVACY_AND_BIAS),
        Note(f"Deltas hold for substitution neighbours. Bias, alpha and RMSE are exact{_but_simulated(comparison)}."),
        *_about_errors(comparison),
        *_about_bound(comparison),
        *_remarks(comparison),
        BLANK,
        _grid(comparison, simulated, USEFULNESS_AND_RISK),
        *_explained(comparison, USEFULNESS_AND_RISK, but=("epsilon",)),
        Note(f"Standard errors are at most {max(errors, default=0.0):.2g}; the JSON has them all."),
        *about_worst_off(comparison),
        BLANK,
        *shown_values(comparison),
        BLANK,
    ]


def _about_errors(comparison: Comparison) -> list[Block]:
    """Of which systems the l1 error is simulated, and how well it is known."""
    names = list(dict.fromkeys(row["system"] for row in comparison.rows if not row["exact_l1_error"]))
    if not names:
        return []
    error = max(row["l1_error_se"] for row in comparison.rows)
    size = f"{error:,.0f}" if error >= 10.0 else f"{error:.2g}"
    return [Note(f"The l1 error is simulated for {', '.join(names)}; its standard error is at most {size}.")]


def _about_bound(comparison: Comparison) -> list[Block]:
    """Which B the deltas of suppression and k-anonymity are for, where there are such systems."""
    if not comparison.theorems and all(row["bound"] is None for row in comparison.rows):
        return []
    declared = comparison.settings["bound"]
    if declared is not None:
        return [Note(f"Deltas that depend on the largest possible count B are for B = {declared:,}, as declared.")]
    return [
        Note(
            "Deltas that depend on the largest possible count B are for the largest true count, "
            f"{comparison.baseline['largest_count']:,} (or k + 1, where that is more); a public bound may be declared."
        )
    ]


def _remarks(comparison: Comparison) -> list[Block]:
    """What systems say of their settings: warnings where one does nothing, and notes."""
    said: dict[str, dict[str, None]] = {}
    for row in comparison.rows:
        for remark in row["remarks"]:
            said.setdefault(remark, {})[row["label"]] = None
    blocks: list[Block] = []
    for remark, labels in said.items():
        text = f"{', '.join(labels)}: {remark}."
        idle = remark.startswith(IDLE)
        blocks.append(Verdict("warning", "bad", text) if idle else Note(text))
    return sorted(blocks, key=lambda block: isinstance(block, Note))


def _but_simulated(comparison: Comparison) -> str:
    names = list(dict.fromkeys(row["system"] for row in comparison.rows if not row["exact_bias"]))
    return f", but simulated for {', '.join(names)}" if names else ""


def _grid(comparison: Comparison, title: str, columns: dict[str, tuple[str, str]]) -> Grid:
    """A table of the columns for which there are values; what a system does not have is a dash."""
    shown = {name: columns[name] for name in _present(comparison, columns)}
    rows = [
        (
            row["label"],
            *("-" if row.get(name) is None else cell_text(row[name], form) for name, (_, form) in shown.items()),
        )
        for row in comparison.rows
    ]
    headings = ("system", *(heading for heading, _ in shown.values()))
    return Grid(f"{title}, at {comparison.settings['basis']}", headings, rows, words=1, tight=True, keys=2)


def cell_text(value: float, form: str) -> str:
    """The number; one that is not 0 does not read so, nor does one that is not 1 read as 1."""
    text = form.format(value)
    if form != _SHARE:
        return text
    return "<.001" if value > 0.0 == float(text) else ">.999" if value < 1.0 == float(text) else text


def _present(comparison: Comparison, columns: Iterable[str]) -> list[str]:
    present = [name for name in columns if any(row.get(name) is not None for row in comparison.rows)]
    alike = all(row.get("delta_qid") == row.get("delta") for row in comparison.rows)
    return [name for name in present if name != "delta_qid" or not alike]


def _explained(comparison: Comparison, columns: Iterable[str], but: Sequence[str] = ()) -> list[Block]:
    """What the columns are, one line each."""
    return [
        Note(f"{CRITERIA[name]}.") for name in _present(comparison, columns) if name in CRITERIA and name not in but
    ]


def _groups(comparison: Comparison) -> Grid:
    levels = list(dict.fromkeys(line["group"] for line in comparison.groups))
    rows = []
    for system, epsilon in dict.fromkeys((line["label"], line["epsilon"]) for line in comparison.groups):
        mine = [x for x in comparison.groups if (x["label"], x["epsilon"]) == (system, epsilon)]
        rows.append(
            (system, "-" if epsilon is None else f"{epsilon:.3g}", *(f"{x['bias_per_cell']:+.2f}" for x in mine))
        )
    return Grid(
        f"Bias per cell, by {comparison.settings['group']}", ("system", "epsilon", *levels), rows, words=1, keys=2
    )
