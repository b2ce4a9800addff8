from __future__ import annotations

from epsilens.homogeneity.measures import MEASURES
from epsilens.noise import MECHANISMS
from epsilens.posterior.attacks import ATTACKS
from epsilens.report.words import methods
from epsilens.report.words.explained import MEASURES as EXPLAINED


def test_everything_that_has_a_name_has_its_formula() -> None:
    assert set(methods.MEASURES) == set(EXPLAINED) >= set(MEASURES)
    assert set(methods.MECHANISMS) == set(MECHANISMS)
    assert set(methods.ATTACKS) == set(ATTACKS)


def test_formulas_are_told_once_and_papers_that_they_name_are_named() -> None:
    told = methods.formulas(["local", "hard", "local", "nothing"], methods.MEASURES)
    assert [name for name, _ in told] == ["local", "hard"]
    assert [key for key, _ in methods.papers_in([text for _, text in told])] == ["P0"]
    assert methods.papers_in([methods.MECHANISMS["laplace"]]) == []
