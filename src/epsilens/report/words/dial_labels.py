"""What stands on the dial at every budget: titles, labels of controls, and the templates of what a user types."""

from __future__ import annotations

from epsilens.report.words.dial_sentences import PRIORS, Names, belief_text


def labels(names: Names) -> dict[str, object]:
    """All texts of the component that do not depend on the budget; ``{...}`` are filled in with what a user typed."""
    return {
        "title": "One dial",
        "dial": "Budget",
        "more_noise": "more noise",
        "less_noise": "less noise",
        "number": "value",
        "off_grid": "{typed} is not on the dial; the nearest budget is {nearest}.",
        "not_a_number": "{typed} is not a number above 0; the dial stays at {nearest}.",
        "pin": "Pin this budget",
        "unpin": "Remove the pin",
        "pinned": "Pinned: {pinned}",
        "compare": "Two budgets side by side",
        "now": "now",
        "copy": "Copy sentences",
        "copied": "Copied.",
        "not_copied": "Copying is not allowed here; the sentences are selected below.",
        "choose": {"mechanism": "Mechanism", "measure": "Measure", "attribute": "Attribute"},
        "guarantee": "What the noise guarantees",
        "prior": "What the attacker believed before",
        "prior_labels": [belief_text(prior) for prior in PRIORS],
        "prior_rows": [f"a belief of {belief_text(prior)} can become" for prior in PRIORS],
        "table": "What happens in this table",
        "internal": "INTERNAL",
        "shown_rightly": "shown rightly",
        "shown_wrongly": "shown wrongly",
        "neither": "neither",
        "bands": f"How the risk is spread over {names.people} (bars on a log scale)",
        "cost": "What it costs",
        "dots": "20 tables you might publish",
        "true_count": "the count",
        "interval_note": "The noise interval is about the noise alone: sampling error and mistakes in the data come "
        "on top of it.",
        "curve": "Risk and error at every budget",
        "curve_of_error": "Error at every budget",
        "error_title": "Average error of a count, log scale",
        "axis": "{parameter}, log scale",
        "safe": "safe set",
        "every_budget": "Every budget in numbers",
        "not_covered": "Not covered: what the published table teaches about everybody, and records of others that "
        "depend on this person's.",
    }
