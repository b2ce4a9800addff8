"""The registry of mechanisms: what follows from it, and what it refuses."""

from __future__ import annotations

import pytest

from epsilens.avoidance import SYSTEMS
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, DiscreteGaussianNoise, LaplaceNoise, calibrate
from epsilens.noise.mechanisms import check_mechanisms, law_named, laws, refuse_needless_delta


def test_laws_are_those_that_mechanisms_make() -> None:
    assert list(laws()) == ["laplace", "discrete-laplace", "gaussian", "discrete-gaussian"]
    assert law_named("laplace").of_size(3.0) == LaplaceNoise(3.0)
    with pytest.raises(ParameterError, match=r"law must be one of .*; did you mean 'gaussian'"):
        law_named("gausian")
    assert MECHANISMS["gaussian-analytic"].law.name == "gaussian"
    assert isinstance(MECHANISMS["discrete-gaussian"].law, DiscreteGaussianNoise)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=lambda mechanism: mechanism.name)
def test_what_a_mechanism_takes_is_said_in_parameters_and_not_in_classes(mechanism) -> None:  # type: ignore[no-untyped-def]
    assert "DP" not in mechanism.takes.replace("probabilistic DP", "")
    assert ("`rho`" in mechanism.takes) == mechanism.has_rho
    assert ("`delta`" in mechanism.takes) == mechanism.has_delta


def test_a_delta_that_no_mechanism_has_is_refused_in_one_wording() -> None:
    refuse_needless_delta(["laplace", "gaussian"])
    with pytest.raises(ParameterError) as one:
        refuse_needless_delta(["laplace"])
    assert str(one.value) == "mechanism 'laplace' has no delta: epsilon alone is the budget; leave delta out"
    with pytest.raises(ParameterError, match="mechanisms 'laplace' and 'discrete-laplace' have no delta"):
        refuse_needless_delta(["laplace", "discrete-laplace"])


def test_noisy_counts_of_every_mechanism_that_epsilon_alone_determines_are_systems() -> None:
    assert list(SYSTEMS)[:5] == ["laplace", "discrete-laplace", "gaussian", "discrete-gaussian", "dp-suppression"]
    assert len(SYSTEMS) == len(list(SYSTEMS))
    assert "gaussian-analytic" not in SYSTEMS


def test_noise_as_in_print() -> None:
    for name in ("laplace", "discrete-laplace"):
        assert MECHANISMS[name].as_in_print(0.5).size == 4.0
    for name in ("gaussian", "discrete-gaussian"):
        assert MECHANISMS[name].as_in_print(0.5).variance == pytest.approx(40.0)
    with pytest.raises(ParameterError, match="epsilon must be > 0, got 0"):
        MECHANISMS["gaussian"].as_in_print(0.0)


def test_a_bare_number_is_not_a_budget() -> None:
    with pytest.raises(ParameterError, match="mechanism='laplace' takes epsilon, got a float"):
        calibrate("laplace", 1.0)  # type: ignore[arg-type]


def test_names_and_deltas_are_checked_before_any_budget() -> None:
    check_mechanisms(["laplace", "gaussian"], [0.1])
    for mechanisms, deltas, says in (
        ([], [], "name at least one mechanism"),
        (["laplacee"], [], "did you mean 'laplace'"),
        (["gaussian"], [1.5], "delta"),
        (["laplace"], [0.1], "has no delta"),
    ):
        with pytest.raises(ParameterError, match=says):
            check_mechanisms(mechanisms, deltas)
