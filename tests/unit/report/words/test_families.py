"""Differential privacy protects persons, not families."""

from __future__ import annotations

import epsilens as el
from epsilens.choice.questions.posterior import families
from epsilens.report.words.common import Grid, Text
from epsilens.report.words.families import family_blocks, family_sentence


def test_the_sentence_has_its_number() -> None:
    said = family_sentence(el.PureDP(1.0), el.LaplaceNoise(1.0))
    assert said == (
        "Differential privacy protects persons, not families. At epsilon = 1 an attacker's even chance can become "
        "73.1 % about one person, and 98.2 % about 4 people who share what is to be learnt: for them the guarantee is "
        "an epsilon of 4."
    )
    budget = el.ApproxDP(1.0, 1e-6)
    noise = el.calibrate("gaussian-analytic", budget)
    assert "a delta of 1e-06 aside" in family_sentence(budget, noise, 2)
    assert "epsilon of 2.123" in family_sentence(budget, noise, 2)


def test_a_table_and_the_sentence() -> None:
    grid, *rest = family_blocks(families.answer(families.Question(epsilon=1.0)))
    assert isinstance(grid, Grid)
    assert grid.rows[2] == ("4", "4", "54.6", "35.5 %", "85.8 %", "98.2 %", "0.9323", "0.25")
    assert isinstance(rest[-1], Text)
    assert "not families" in rest[-1].text
    rho = family_blocks(families.answer(families.Question(rho=0.1, members=(1, 3), prior=(1 / 864,))))
    assert isinstance(rho[0], Grid)
    assert "rho" in rho[0].headings
    assert "0.1157 % can\nbecome" in rho[0].headings


def test_one_person_is_no_family() -> None:
    blocks = family_blocks(families.answer(families.Question(epsilon=1.0, members=(1,))))
    assert not any(isinstance(block, Text) and "families" in block.text for block in blocks)
    large = family_blocks(families.answer(families.Question(epsilon=10.0, members=(1000,))))
    assert isinstance(large[0], Grid)
    assert large[0].rows[0][2] == "> 1e308"
