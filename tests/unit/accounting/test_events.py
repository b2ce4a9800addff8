from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest

from epsilens.accounting.cost import Cost, cost_of, cost_of_noise
from epsilens.accounting.events import (
    ApproximateEvent,
    ConcentratedEvent,
    DeltaEvent,
    Event,
    NoiseEvent,
    PureEvent,
    event_from,
    noise_event,
)
from epsilens.budget import ZCDP, ApproxDP, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.release.tables.plan import make_plan

# What ledgers of the first version hold, word for word: their entries are hashed, and none may be written otherwise.
IN_LEDGERS: list[tuple[str, dict[str, Any]]] = [
    (
        '{"delta":"0","epsilon":"0.1","events":[{"cells":1,"law":"discrete-laplace",'
        '"parameter":"10.000000000000002"}],"rho":"0.005"}',
        {"budget": PureDP(0.1)},
    ),
    (
        '{"delta":"0","epsilon":"0.3","events":[{"cells":2,"law":"discrete-laplace","parameter":"13.333333333333334"},'
        '{"cells":2,"law":"discrete-laplace","parameter":"13.333333333333334"}],"rho":"0.045"}',
        {"budget": PureDP(0.3), "neighbours": "substitute", "marginals": [["a"], []]},
    ),
    (
        '{"delta":"0","epsilon":null,"events":[{"cells":1,"law":"discrete-gaussian","parameter":"2.23606797749979"}],'
        '"rho":"0.1"}',
        {"mechanism": "discrete-gaussian", "budget": ZCDP(0.1)},
    ),
    (
        '{"delta":"0","epsilon":"0.7","events":[{"cells":1,"law":"laplace","parameter":"1.4285714285714288"}],'
        '"rho":"0.245"}',
        {"mechanism": "laplace", "budget": PureDP(0.7), "allow_continuous": True},
    ),
    (
        '{"delta":"0.000001","epsilon":"0.5","events":[{"cells":1,"law":"gaussian","parameter":"36.811826789624504",'
        '"sensitivity":4.242640687119286}],"rho":"0.006641524356653815"}',
        {
            "mechanism": "gaussian",
            "budget": ApproxDP(0.5, 1e-6),
            "allow_continuous": True,
            "neighbours": "substitute",
            "max_rows_per_unit": 3,
        },
    ),
    (
        '{"delta":"0","epsilon":null,"events":[{"cells":1,"law":"gaussian","parameter":"3.1622776601683795",'
        '"sensitivity":1.0}],"rho":"0.05"}',
        {"mechanism": "gaussian", "budget": ZCDP(0.05), "allow_continuous": True},
    ),
    (
        '{"delta":"1E-7","epsilon":"0.5","events":[{"cells":1,"law":"discrete-laplace","parameter":"2"},'
        '{"delta":"1E-7","law":"delta"}],"rho":null}',
        {"budget": PureDP(0.5), "threshold_at": 1e-7},
    ),
    (
        '{"delta":"0","epsilon":"0.5","events":[{"cells":1,"law":"pure","parameter":"0.5"}],"rho":"0.125"}',
        {"budget": PureDP(0.5), "max_rows_per_unit": 3},
    ),
    (
        '{"delta":"0","epsilon":null,"events":[],"rho":"0.1"}',
        {"mechanism": "discrete-gaussian", "budget": ZCDP(0.1), "max_rows_per_unit": 2},
    ),
]


@pytest.mark.parametrize(("text", "plan"), IN_LEDGERS)
def test_costs_are_written_as_ever_and_read_again(text: str, plan: dict[str, Any]) -> None:
    cost = make_plan(["a"], **plan).cost
    assert json.dumps(cost.to_dict(), sort_keys=True, separators=(",", ":")) == text
    assert Cost.from_dict(json.loads(text)) == cost


@pytest.mark.parametrize(
    "event",
    [
        NoiseEvent(LaplaceNoise(0.1), 2),
        NoiseEvent(GaussianNoise(3.0), 1, math.sqrt(2.0)),
        NoiseEvent(DiscreteGaussianNoise(1e-7)),
        PureEvent(Decimal("0.1"), 3),
        ApproximateEvent(Decimal("0.1"), Decimal("1E-9")),
        ConcentratedEvent(Decimal("0.125")),
        DeltaEvent(Decimal("1E-12")),
    ],
    ids=repr,
)
def test_events_survive_being_written_down(event: Event) -> None:
    assert event_from(json.loads(json.dumps(event.to_dict()))) == event


def test_a_parameter_is_never_charged_as_epsilon() -> None:
    with pytest.raises(ParameterError, match="law must be one of"):
        event_from({"law": "laplase", "parameter": "0.1", "cells": 1})
    with pytest.raises(KeyError):
        event_from({"parameter": "0.1", "cells": 1})
    with pytest.raises(ParameterError, match="rho of an event must be a number >= 0, got -1"):
        ConcentratedEvent(Decimal(-1))
    with pytest.raises(ParameterError, match="cells must be >= 1, got 0"):
        PureEvent(Decimal(1), 0)
    with pytest.raises(ParameterError, match="sensitivity must be > 0"):
        NoiseEvent(LaplaceNoise(1.0), 1, 0.0)


def test_what_a_table_does_to_one_person() -> None:
    laplace, gaussian = DiscreteLaplaceNoise(2.0), GaussianNoise(2.0)
    assert noise_event(laplace, "add-remove") == NoiseEvent(laplace, 1)
    assert noise_event(laplace, "substitute") == NoiseEvent(laplace, 2)
    assert noise_event(laplace, "add-remove", 2) is None
    assert noise_event(gaussian, "substitute", 3) == NoiseEvent(gaussian, 1, math.sqrt(2.0) * 3)


def test_budgets_and_laws_have_their_prices() -> None:
    assert cost_of(PureDP(0.4)) == Cost(Decimal("0.4"), Decimal(0), Decimal("0.08"), (PureEvent(Decimal("0.4")),))
    assert cost_of(ProbabilisticDP(0.4, 1e-6)) == cost_of(ApproxDP(0.4, 1e-6))
    assert cost_of(ApproxDP(0.4, 1e-6)).rho is None
    assert cost_of(ZCDP(0.4)).epsilon is None
    laplace = cost_of_noise(LaplaceNoise(4.0), "substitute")
    assert (laplace.epsilon, laplace.rho) == (Decimal("0.5"), Decimal("0.125"))
    gaussian = cost_of_noise(GaussianNoise(2.0), "substitute")
    assert gaussian.epsilon is None
    assert float(gaussian.rho or 0) == pytest.approx(0.25)
    several = cost_of_noise(LaplaceNoise(4.0), "add-remove", 3)
    assert several.events == (PureEvent(Decimal("0.75")),)
    stated = cost_of_noise(GaussianNoise(2.0), "add-remove", budget=ProbabilisticDP(1.5, 1e-3))
    assert (stated.epsilon, stated.delta, stated.rho) == (Decimal("1.5"), Decimal("0.001"), Decimal("0.125"))
    assert stated.events == (NoiseEvent(GaussianNoise(2.0)),)
