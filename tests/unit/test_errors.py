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


@pytest.mark.parametrize(
    ("got", "text"), [(1000003.0, "1000003"), (-1.0, "-1"), (0.1, "0.1"), (1e17, "1e+17"), (1e-300, "1e-300")]
)
def test_a_count_reads_as_a_count(got: float, text: str) -> None:
    assert str(ParameterError("must be smaller", parameter="count", got=got)) == f"count must be smaller, got {text}"
