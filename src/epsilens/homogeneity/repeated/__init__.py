"""The same people in several releases: what all of them together show."""

from epsilens.homogeneity.repeated.attack import (
    CohortRisk,
    SequenceRisk,
    at_least_one_of_sequence,
    growth,
    pooled,
    sequence,
    total_cost,
)
from epsilens.homogeneity.repeated.published import PublishedStep
from epsilens.homogeneity.repeated.published import sequence as published_sequence

__all__ = [
    "CohortRisk",
    "PublishedStep",
    "SequenceRisk",
    "at_least_one_of_sequence",
    "growth",
    "pooled",
    "published_sequence",
    "sequence",
    "total_cost",
]
