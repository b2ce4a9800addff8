"""What every adversary on a hierarchy must do, for each one in the registry."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, IntArray
from epsilens.choice.questions.posterior import release
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, Noise
from epsilens.posterior import release_risk
from epsilens.posterior.attacks import ATTACKS, Attack, attack_named
from epsilens.posterior.attacks.single import SingleCount
from epsilens.table.hierarchy import Situations
from tests.unit.cli.conftest import Run, run

__all__ = ["run"]

LAWS = (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.8), DiscreteGaussianNoise(2.0))
COUNTS = np.array([[1, 1, 1], [1, 1, 4], [1, 3, 9], [2, 2, 9], [2, 5, 5]])
SIBLINGS = np.array([3, 3, 2, 0, 1])


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
class TestEveryAttack:
    def test_it_is_known_by_its_name(self, attack: Attack) -> None:
        assert attack_named(attack.name) is attack
        assert 1 <= attack.levels_needed <= len(LAWS)

    def test_keys_are_pairs_of_whole_numbers(self, attack: Attack) -> None:
        keys = attack.keys(COUNTS, SIBLINGS, LAWS)
        assert keys.shape == (len(COUNTS), 2)
        assert keys.dtype.kind == "i"
        assert (keys >= 0).all()

    @pytest.mark.parametrize("prior", [0.1, 0.5])
    def test_risks_are_probabilities_and_decisions_come_on_request(self, attack: Attack, prior: float) -> None:
        keys = np.unique(attack.keys(COUNTS, SIBLINGS, LAWS), axis=0)
        posterior, correct = attack.risks(keys, LAWS, prior, True)
        assert posterior.shape == correct.shape == (len(keys),)
        assert ((posterior > 0) & (posterior < 1)).all()
        assert ((correct >= 0) & (correct <= 1)).all()
        same, left_out = attack.risks(keys, LAWS, prior, False)
        assert same == pytest.approx(posterior)
        assert np.isnan(left_out).all()

    def test_exceedance_falls_from_certain_to_impossible(self, attack: Attack) -> None:
        for key in attack.keys(COUNTS, SIBLINGS, LAWS).tolist():
            chances = [attack.exceedance(key, LAWS, 0.5, bar) for bar in (1e-9, 0.8, 1.0, 1.2, 2 - 1e-9)]
            assert chances == sorted(chances, reverse=True)
            assert chances[0] == pytest.approx(1.0)
            assert chances[-1] < 0.01

    @pytest.mark.parametrize("decisions", [False, True])
    def test_only_wide_noise_is_too_wide(self, attack: Attack, decisions: bool) -> None:
        wide = (DiscreteGaussianNoise(1e4),) * 3
        assert not attack.too_wide(LAWS, decisions, 1.0)
        assert attack.too_wide(wide, decisions, 1.0)
        assert not attack.too_wide(wide, decisions, 1e6)


def test_only_the_two_level_adversary_leans_and_only_at_even_odds() -> None:
    assert {(name, prior) for name in ATTACKS for prior in (0.3, 0.5) if ATTACKS[name].leans(prior)} == {
        ("two-level", 0.5)
    }


def test_unknown_attacks_are_refused() -> None:
    with pytest.raises(ParameterError, match="attack must be one of single, two-level, unique-levels"):
        attack_named("singel")


class Insider(SingleCount):
    """Sees every level's count and knows that all of them count the target's group alone."""

    name = "insider"

    def keys(self, counts: IntArray, siblings: IntArray, laws: Sequence[Noise]) -> IntArray:
        return np.zeros((len(counts), 2), dtype=np.int64)

    def risks(
        self, keys: IntArray, laws: Sequence[Noise], prior: float, decisions: bool
    ) -> tuple[FloatArray, FloatArray]:
        best = min(laws, key=lambda law: law.variance)
        return super().risks(keys, [best], prior, decisions)


def test_a_new_adversary_is_a_class_and_a_line_of_the_registry(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setitem(ATTACKS, "insider", Insider())
    situations = Situations.of(COUNTS.tolist(), SIBLINGS.tolist())
    found = release_risk(situations, None, 0.5, "insider", noise=LAWS)
    assert found.risk_ratio == pytest.approx(2 * el.posterior.expected_single_level(noise=LAWS[1]).posterior)
    question = release.Question(("a", "b", "c"), ("d",), rho=(0.1, 0.2, 0.3), attack="insider")
    assert release.answer(question, situations).to_dict()["attack"] == "insider"
    choice = el.choose_budget(
        situations, "discrete-gaussian", max_risk=1.3, measure="posterior-ratio", parameter="rho", attack="insider"
    )
    assert choice.risk == pytest.approx(1.3, abs=1e-3)
