from __future__ import annotations

from typing import Any

import pytest

from epsilens.posterior.two_levels.expected import (
    DecisionMap,
    ExpectedTwoLevel,
    decision_map,
    expected_two_level,
)
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import figure4
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, NOT_REPRODUCIBLE, OTHER_MODEL, counts, row_of


def test_what_follows_from_print_s_sampler_alone() -> None:
    assert counts(figure4) == {OTHER_MODEL: 7, CONFIRMED: 3, MISPRINT: 1, NOT_REPRODUCIBLE: 1}
    right, wrong = (
        row_of(figure4, f"Figure 4, decisions turned {name}", "probability of such tiles")
        for name in ("right", "wrong")
    )
    assert right.exact == pytest.approx(0.0020, abs=5e-5)
    assert wrong.exact == pytest.approx(0.2698, abs=5e-5)
    assert right.as_published == pytest.approx(0.0228, abs=5e-5)
    assert wrong.as_published == pytest.approx(0.0172, abs=5e-5)
    gain = row_of(figure4, "Figure 4, gain")
    assert (gain.as_published, gain.exact) == ("from 58.89 % to 59.46 %", "from 58.89 % to 31.82 %")


def test_the_net_gain_is_less_than_chance_allows_to_tell() -> None:
    row = row_of(figure4, "Figure 4, net gain")
    assert row.verdict == NOT_REPRODUCIBLE
    assert "-0.267852 here, 0.0055951 under the law of print's sampler" in row.why
    net = figure4._net_simulated(Data(), asks=False)
    assert net.standard_error == pytest.approx(0.0010, abs=5e-5)
    assert abs(net.value - 0.0065) < net.standard_error
    assert 4.0 * net.standard_error > 0.5 * net.value


def test_the_box_holds_less_than_print_says() -> None:
    row = row_of(figure4, "Figure 4, box")
    assert (row.verdict, row.departs, row.exact) == (OTHER_MODEL, "P4-11", "it holds 98.98 %")


def test_without_print_s_sampler_the_sentences_are_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(*arguments: Any, published: bool = False, **more: Any) -> DecisionMap:
        return decision_map(*arguments, **more)

    def average(*arguments: Any, published: bool = False) -> ExpectedTwoLevel:
        return expected_two_level(*arguments)

    monkeypatch.setattr(figure4, "decision_map", exact)
    monkeypatch.setattr(figure4, "expected_two_level", average)
    for place in ("Figure 4, beyond 0 and 1", "Figure 4, x1* = 0", "Figure 4, gain", "section 3.2, improvement"):
        assert row_of(figure4, place).verdict == FALSE, place


def test_the_drawing_has_both_laws() -> None:
    drawing = figure4.FIGURES[0].draw(Data())
    assert len(drawing.panels) == 8
    assert {panel.mark for panel in drawing.panels} == {"map"}
    shown = [set(panel.series[0].z) for panel in drawing.panels]
    assert shown[0] == {"not there"}  # x1* = -1
    assert shown[3] == {"there", "not there"}  # x1* = 2, by the posterior
    assert shown[7] == {"there"}  # and by print's sampler
    assert len(drawing.panels[0].series[0].x) == 9 * 61
