from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.homogeneity.samples.values import check_measure, prepare_values
from epsilens.homogeneity.thresholding import hard, soft
from epsilens.noise import LaplaceNoise
from epsilens.table.frequency import FrequencyTable

TABLE = FrequencyTable.from_counts([[0, 0, 5], [0, 1, 1], [1, 2, 0], [3, 0, 1]])  # in the order of signatures
NOISE = LaplaceNoise(1.0)


def test_local_values_are_those_by_value() -> None:
    found, known = prepare_values("local", TABLE), prepare_by_value(TABLE)
    np.testing.assert_allclose(found.right(NOISE), known.right(NOISE))
    np.testing.assert_allclose(found.wrong(NOISE), known.wrong(NOISE))


def test_guesses_add_up_to_their_risks() -> None:
    np.testing.assert_allclose(prepare_values("hard", TABLE).right(NOISE).sum(axis=1), hard(TABLE, NOISE), rtol=1e-12)
    np.testing.assert_allclose(prepare_values("soft", TABLE).right(NOISE).sum(axis=1), soft(TABLE, NOISE), rtol=1e-12)


def test_printed_formulas_say_nothing_of_others() -> None:
    assert check_measure("expected") == "expected"
    with pytest.raises(ParameterError, match="printed formula"):
        check_measure("published-p1-local")
