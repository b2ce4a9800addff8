"""Whether a table bears out what is claimed of its noise."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.claims import Claim, NoiseVerdict, noise_verdict
from epsilens.table import FrequencyTable, Schema
from epsilens.table.published import PublishedCounts, SideBySide, side_by_side

LEVELS = {"a": [f"a{i}" for i in range(20)], "b": [f"b{i}" for i in range(10)], "y": ["no", "yes"]}
CELLS = list(itertools.product(LEVELS["a"], LEVELS["b"]))
COUNTS = np.random.default_rng(3).poisson(1.5, (200, 2))
TABLE = replace(
    FrequencyTable.from_counts(COUNTS, LEVELS["y"], {"a": [a for a, _ in CELLS], "b": [b for _, b in CELLS]}),
    sensitive=("y",),
)
SCHEMA = Schema(["a", "b"], "y", universe=LEVELS)


def noisy(noise: Any, done: Callable[[Any], Any] = lambda values: values, seed: int = 1) -> Any:
    return done(COUNTS + noise.sample(COUNTS.shape, np.random.default_rng(seed)))


def side(published: Any, declared: bool = False, listed: Any = None) -> SideBySide:
    """``published`` beside the truth; only counts for which ``listed`` holds are in it."""
    counts = PublishedCounts.of(published, TABLE)
    if listed is not None:
        counts = replace(counts, codes=counts.codes[listed.ravel()], values=counts.values[listed.ravel()])
    return side_by_side(replace(TABLE, schema=SCHEMA) if declared else TABLE, counts)


def verdict(published: Any, claim: Claim | None, declared: bool = False, listed: Any = None) -> NoiseVerdict:
    assert claim is not None
    return noise_verdict(side(published, declared, listed), claim)


LAPLACE, DISCRETE = Claim.of("laplace", 1.0), Claim.of("discrete-laplace", 1.0)


@pytest.mark.parametrize(
    ("law", "claim", "done", "found"),
    [
        (el.LaplaceNoise(1.0), LAPLACE, lambda v: v, (False, False, None)),
        (el.LaplaceNoise(1.0), LAPLACE, lambda v: np.floor(v + 0.5), (True, False, None)),
        (el.LaplaceNoise(1.0), LAPLACE, lambda v: np.maximum(v, 0.0), (False, True, None)),
        (el.LaplaceNoise(1.0), LAPLACE, lambda v: np.maximum(np.floor(v + 0.5), 0.0), (True, True, None)),
        (el.DiscreteLaplaceNoise(1.0), DISCRETE, lambda v: np.maximum(v, 0), (False, True, None)),
    ],
)
def test_post_processing_is_seen(law: Any, claim: Claim, done: Any, found: tuple[Any, ...]) -> None:
    answer = verdict(noisy(law, done), claim)
    assert answer.law is not None
    assert (answer.law.rounded, answer.law.clipped, answer.law.shown_from) == found
    assert answer.rejected is False
    assert answer.least_budget is not None
    assert answer.most_budget is not None
    assert answer.least_budget < 1.0 < answer.most_budget
    half = verdict(noisy(law.of_size(0.5), done), claim)
    assert half.rejected
    assert half.least_budget is not None
    assert half.least_budget > 1.2


def test_counts_that_are_not_listed() -> None:
    published = noisy(el.DiscreteLaplaceNoise(1.0), seed=5)
    positive = published > 0
    without = verdict(published, DISCRETE, listed=positive)
    assert without.law is not None
    assert without.law.shown_from == 1.0
    assert without.rejected is False
    assert without.test is not None
    assert without.test.counts == positive.sum()
    assert any("declare the universe" in note for note in without.notes)
    declared = verdict(published, DISCRETE, declared=True, listed=positive)
    assert declared.law is not None
    assert declared.law.clipped
    assert declared.test is not None
    assert (declared.test.counts, declared.rejected) == (COUNTS.size, False)
    assert "were published as 0" in declared.notes[0]
    third = np.arange(COUNTS.size).reshape(COUNTS.shape) % 3 > 0
    some = verdict(published, DISCRETE, declared=True, listed=third)
    assert some.rejected is False
    assert "not tested: negative counts are listed" in some.notes[0]


def test_absent_zeros_are_clipped_whatever_is_said_of_the_others() -> None:
    published = noisy(el.DiscreteLaplaceNoise(1.0), seed=5)
    answer = verdict(published, Claim.of("discrete-laplace", 1.0, clipped=False), declared=True, listed=published > 0)
    assert answer.law is not None
    assert answer.law.clipped


def test_of_a_threshold_the_counts_of_cells_with_people_are_tested() -> None:
    published = noisy(el.DiscreteLaplaceNoise(1.0), seed=5)
    shown = (published >= 2) & (COUNTS > 0)
    there = np.where((COUNTS == 0) & (np.arange(COUNTS.size).reshape(COUNTS.shape) % 9 == 0), True, shown)
    answer = verdict(published, Claim("discrete-laplace", el.PureDP(1.0), threshold=2), listed=there)
    assert answer.test is not None
    assert answer.test.counts == shown.sum() < there.sum()
    assert answer.sizes is not None
    assert answer.sizes.confidence == 0.95


def test_what_the_claimed_noise_never_gives() -> None:
    answer = verdict(noisy(el.LaplaceNoise(1.0)), DISCRETE)
    assert answer.test is not None
    assert (answer.test.p_value, answer.test.impossible, answer.rejected) == (0.0, COUNTS.size, True)
    assert "no law of noise is left" in answer.notes[-1]
    negative = verdict(noisy(el.LaplaceNoise(1.0)), Claim.of("laplace", 1.0, clipped=True))
    assert negative.rejected
    assert negative.sizes is None


def test_one_level_with_too_little_noise_is_found() -> None:
    published = noisy(el.DiscreteLaplaceNoise(2.0), seed=6)
    own = np.array([a == "a3" for a, _ in CELLS])
    published = np.where(own[:, None], COUNTS, published)
    answer = verdict(published, Claim.of("discrete-laplace", 0.5))
    assert {(level.column, level.level) for level in answer.levels if level.adjusted < 0.05} == {("a", "a3")}
    assert len(answer.levels) == 32
    assert sum(bar.found for bar in answer.bars) <= COUNTS.size
    assert sum(bar.expected for bar in answer.bars) == pytest.approx(COUNTS.size, rel=0.01)


def test_nothing_left_to_test() -> None:
    answer = noise_verdict(side(noisy(el.LaplaceNoise(1.0))), Claim("laplace", el.PureDP(1.0), untestable="added up"))
    assert (answer.rejected, answer.reason, answer.to_dict()["p_value"]) == (None, "added up", None)
    blank = np.full(COUNTS.shape, np.nan)
    blank[0, 0] = 1.5
    test = verdict(blank, LAPLACE).test
    assert test is not None
    assert test.counts == 1
    none = verdict(COUNTS, LAPLACE, listed=np.zeros(COUNTS.shape, dtype=bool))
    assert none.reason == "the two tables have no count in common"


def test_plain_values() -> None:
    plain = verdict(noisy(el.DiscreteLaplaceNoise(1.0)), DISCRETE).to_dict()
    assert plain["law"] == "discrete-laplace"
    assert plain["budgets_not_rejected"]["amount"] == "epsilon"
    assert plain["sizes_not_rejected"]["low"] < 1.0 < plain["sizes_not_rejected"]["high"]
    assert plain["tests"]["p_value"] == plain["p_value"]
