from __future__ import annotations

import pytest

from epsilens.errors import ParameterError, speaking_of


def test_speaking_of_renames_a_parameter_wherever_it_is_named() -> None:
    with pytest.raises(ParameterError) as caught, speaking_of(epsilon="total_epsilon"):
        raise ParameterError(
            "must be given with `epsilon=1`, not epsilon", parameter="epsilon", got=2.0, remedy="`delta` or `epsilon`"
        )
    assert str(caught.value) == (
        "total_epsilon must be given with total_epsilon='1', not epsilon, got 2; delta or total_epsilon"
    )
    spelt = caught.value.spelt(lambda name, _value: f"--{name.replace('_', '-')}")
    assert spelt.startswith("--total-epsilon must be given with --total-epsilon, not epsilon")
