from __future__ import annotations

import pytest

from epsilens.errors import ParameterError, counted, speaking_of, verb


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


def test_one_is_not_several() -> None:
    assert [counted(n, "cell") for n in (0, 1, 2, 12345)] == ["0 cells", "1 cell", "2 cells", "12,345 cells"]
    assert [counted(n, "person") for n in (1, 2)] == ["1 person", "2 people"]
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]
    assert (verb(1), verb(0), verb(1, "shows", "show"), verb(2, "shows", "show")) == ("is", "are", "shows", "show")
