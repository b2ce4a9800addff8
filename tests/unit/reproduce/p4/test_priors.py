from __future__ import annotations

from typing import Any

import pytest

from epsilens.posterior.two_levels.expected import ExpectedTwoLevel, expected_two_level
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import priors
from tests.support.claim_rows import CONFIRMED, FALSE, NOT_REPRODUCIBLE, OTHER_MODEL, counts, row_of


def test_uniform_priors_need_print_s_sampler_and_nothing_gives_those_of_a_wrong_point() -> None:
    assert counts(priors) == {OTHER_MODEL: 4, CONFIRMED: 6, NOT_REPRODUCIBLE: 2}
    assert row_of(priors, "Figure 10, at most 10").exact == pytest.approx(0.3897, abs=5e-5)
    assert row_of(priors, "Figure 11, certain of 25").exact == pytest.approx(0.7295, abs=5e-5)
    absent = row_of(priors, "section S4, certain of 25, not there")
    assert (absent.verdict, absent.departs) == (NOT_REPRODUCIBLE, "P4-8")
    assert absent.exact == pytest.approx(0.4313, abs=5e-5)
    assert "0.43 if an even chance counts as yes" in absent.why  # and .4252 is not printed as 42 %


def test_without_print_s_sampler_the_sentences_are_false(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(*arguments: Any, published: bool = False, **more: Any) -> ExpectedTwoLevel:
        return expected_two_level(*arguments, **more)

    monkeypatch.setattr(priors, "expected_two_level", exact)
    for place in ("Figure 10, uniform prior", "Figure 10, at most 10", "section S4, at most 10"):
        assert row_of(priors, place).verdict == FALSE, place


def test_figures_10_and_11() -> None:
    uniform, drawing = (figure.draw(Data()) for figure in priors.FIGURES)
    assert [panel.title.rpartition(", ")[0] for panel in uniform.panels[::4]] == [
        "uniform",
        "uniform, print's sampler",
        "at most 10",
        "at most 10, print's sampler",
    ]
    assert len(drawing.panels) == 8  # print's sampler says the same where the count above is known
    assert {uniform.columns, drawing.columns} == {4}
    certain = drawing.panels[1].series[0]  # certain of 1, x1* = 0
    by_column = {x: [z for column, z in zip(certain.x, certain.z, strict=True) if column == x] for x in set(certain.x)}
    assert len({tuple(column) for column in by_column.values()}) == 1
