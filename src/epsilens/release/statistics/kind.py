"""Statistics as a kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.release.kind import Kind
from epsilens.release.statistics.card import STATISTICS_CARD_FORMAT
from epsilens.release.statistics.check import (
    recounted_moments,
    statistics_budget_problem,
    statistics_output_problem,
)
from epsilens.release.statistics.question import StatisticsQuestion
from epsilens.release.statistics.release import released, statistics_job
from epsilens.release.statistics.words import statistics_card_text


def subject(card: Mapping[str, Any]) -> dict[str, Any]:
    """The statistics that the card declares, as the ledger names them."""
    return {"statistics": [found["declared"] for found in card["mechanism"]["statistics"]]}


def currency(_card: Mapping[str, Any]) -> str:
    """Statistics have shares of epsilon."""
    return "epsilon"


def unreadable(_card: Mapping[str, Any]) -> str | None:
    """Nothing: what was summed can be summed again."""
    return None


STATISTICS = Kind(
    card_format=STATISTICS_CARD_FORMAT,
    schema_file="statistics/schema.json",
    question=StatisticsQuestion,
    answered=released,
    job=statistics_job,
    words=statistics_card_text,
    subject=subject,
    currency=currency,
    budget_problem=statistics_budget_problem,
    output_problem=statistics_output_problem,
    unreadable=unreadable,
    recounted=recounted_moments,
)
