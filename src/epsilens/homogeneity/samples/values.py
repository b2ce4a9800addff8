"""What an attacker reads off cells, label by label, for measures that say something of people outside the sample."""

from __future__ import annotations

from typing import Any

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import PreparedValues, prepare_by_value
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.measures import MEASURES, check_options
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.homogeneity.thresholding import guesses_of
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable

AS_COUNTED = ("local", "hard", "soft")
"""Measures of the table as it is: their cells have the counts that were found."""


def check_measure(measure: str, match: str | None = None) -> str:
    """A measure that says something of people outside the sample; printed formulas do not.

    Whether anybody of a cell has a label (``match="any"``) is asked of cells that have the counts that were found.
    """
    one_of("measure", measure, MEASURES)
    if measure.startswith("published-"):
        raise ParameterError(
            f"measure {measure!r} is a printed formula about the people of a table, and says nothing of others",
            remedy="take an exact one, such as `measure=local`, or leave `sampling_fraction` and `weight` out",
        )
    if match == "any" and measure not in AS_COUNTED:
        raise ParameterError(
            f"`match=any` asks whether anybody of a cell has a label, and measure {measure!r} draws its cells anew",
            remedy="leave `match` out: what is at risk is a person of the population",
        )
    return measure


def read_off(measure: str, vectors: IntArray, noise: AnyNoise) -> FloatArray:
    """P(label k is what the attacker reads off a cell), for count vectors (cells, labels) taken as they are."""
    if measure == "local":
        return shown_alone(*shown_and_hidden(vectors, noise))
    return guesses_of(vectors, noise, measure, "all")


def prepare_values(measure: str, table: FrequencyTable, **options: Any) -> PreparedValues:
    """Right and wrong by label on ordered signatures, whatever the measure.

    Here an empty cell is read as well: nobody of the sample is in it, but somebody of the population may be.
    """
    check_measure(measure)
    if measure not in AS_COUNTED:
        return prepare_by_value(table, measure, **options)
    check_options(measure, options)
    vectors, multiplicities = table.signatures(ordered=True)
    share = match_weights(vectors, "share")

    def right_and_wrong(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        shown = read_off(measure, vectors, noise)
        return as_floats(share * shown), as_floats((1.0 - share) * shown)

    return PreparedValues(table.labels, table.label_weights, vectors, multiplicities, right_and_wrong)
