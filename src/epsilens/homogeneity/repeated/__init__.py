"""The same people in several releases: what all of them together show."""

from epsilens.homogeneity.repeated.attack import (
    CohortRisk,
    PublishedStep,
    SequenceRisk,
    at_least_one_of_sequence,
    growth,
    pooled,
    published_sequence,
    sequence,
    total_cost,
)

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
