"""What every disclosure avoidance system keeps, whatever it is: run for all of the catalogue, so that none is left out.

Exact laws are held against simulation (five standard errors) and, on small tables, against the list of all outputs.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.arrays import FloatArray
from epsilens.avoidance.answers import UsualAnswers
from epsilens.avoidance.catalogue import OTHERS, SystemKind
from epsilens.avoidance.enumeration import AUDIT_NEIGHBOURS, AuditNeighbours
from epsilens.avoidance.system import counts_of, rebuilt, released_counts
from epsilens.choice.comparison import compare
from epsilens.choice.system_risks import posterior_risk
from epsilens.noise.published import tail_reach
from tests.support.avoidance import SETTINGS, random_histogram

EVERY = list(av.SYSTEMS)
REPETITIONS = 400
ROUNDS = 3000
PRIORS = (0.1, 0.5)


def built(name: str, histogram: av.Histogram, epsilon: float = 1.0, k: int = SETTINGS.k) -> av.System:
    settings = av.Settings(k=k, swap=SETTINGS.swap, share=SETTINGS.share)
    return av.build(name, epsilon, settings.for_histogram(histogram))


@pytest.mark.parametrize("name", EVERY)
def test_a_release_has_the_shape_of_its_source_and_depends_on_the_generator_only(name: str) -> None:
    histogram = random_histogram(1)
    system = built(name, histogram)
    first, again = (system.release(histogram, np.random.default_rng(7)) for _ in range(2))
    assert isinstance(first, av.Histogram)
    assert first.domain == histogram.domain
    assert first.counts.shape == histogram.counts.shape
    assert (np.asarray(first.counts) >= 0).all()
    np.testing.assert_array_equal(first.counts, again.counts)


@pytest.mark.parametrize("name", EVERY)
def test_nobody_is_put_where_nobody_can_be(name: str) -> None:
    table = el.FrequencyTable.from_counts(
        [[5, 0], [2, 3]], ["a", "b"], {"q": ["x", "y"]}, structural_zeros=[[False, True], [False, False]]
    )
    system = av.build(name, 0.1, av.Settings(k=2).for_histogram(av.Histogram.of(table)))
    assert released_counts(system.release(table, np.random.default_rng(1)))[0, 1] == 0
    exact = system.moments(table)
    if exact is not None:
        assert (exact.bias[0, 1], exact.variance[0, 1]) == (0.0, 0.0)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("seed", [1, 2])
def test_simulated_bias_is_within_five_standard_errors_of_the_exact_law(name: str, seed: int) -> None:
    histogram = random_histogram(seed, ordered=("race",) if seed == 2 else ())
    system = built(name, histogram)
    exact = system.moments(histogram)
    repetitions = REPETITIONS if exact is not None else 5
    simulated = av.simulated_moments(system, histogram, np.random.default_rng(seed), repetitions)
    assert simulated.standard_error is not None
    assert simulated.bias.shape == simulated.variance.shape == histogram.counts.shape
    if exact is None:
        by_seed = system.bias(histogram, np.random.default_rng(seed), repetitions)  # type: ignore[call-arg]
        np.testing.assert_array_equal(by_seed, simulated.bias)
        return
    assert exact.exact
    error = np.sqrt(exact.variance / repetitions)
    assert (np.abs(simulated.bias - exact.bias) <= 5.0 * error + 1e-9).all()
    # the variance of each cell: its own standard error is about sqrt(kurtosis / repetitions)
    assert simulated.variance.sum() == pytest.approx(exact.variance.sum(), rel=0.25, abs=1e-9)
    np.testing.assert_array_equal(system.bias(histogram), exact.bias)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("k", [3, 5])
def test_shown_probabilities_are_the_frequencies_of_visible_cells(name: str, k: int) -> None:
    histogram = random_histogram(4)
    system, truth = built(name, histogram, k=k), np.asarray(histogram.counts, dtype=np.float64)
    expected, rng = system.shown_probabilities(histogram), np.random.default_rng(6)
    rounds = ROUNDS if expected is not None else 3
    seen = np.zeros(truth.shape)
    for _ in range(rounds):
        visible = system.visible(truth, released_counts(system.release(histogram, rng)))
        assert (visible.dtype, visible.shape) == (np.dtype(bool), truth.shape)
        seen += visible
    if expected is not None:
        assert ((expected >= 0) & (expected <= 1)).all()
        error = np.sqrt(expected * (1 - expected) / rounds)
        assert (np.abs(seen / rounds - expected) <= 5 * error + 1e-12).all()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("prior", PRIORS)
def test_an_adversary_never_believes_less_on_average(name: str, prior: float) -> None:
    histogram = random_histogram(5)
    for epsilon in (0.2, 1.0, 5.0):
        system = built(name, histogram, epsilon)
        assert prior - 1e-12 <= posterior_risk(system, histogram, prior) <= 1.0
        belief = system.expected_posterior(np.arange(1, 30), prior)
        assert (belief is None) == (system.added_noise is not None)  # one of the two says it
        if belief is not None:
            assert belief.shape == (29,)
            assert ((belief >= prior - 1e-12) & (belief <= 1.0 + 1e-12)).all()


def belief_by_hand(p: dict[Hashable, float], q: dict[Hashable, float], prior: float) -> float:
    return sum(m * prior * m / (prior * m + (1 - prior) * q.get(o, 0.0)) for o, m in p.items() if m > 0)


def output_law(system: av.System, counts: tuple[int, ...]) -> dict[Hashable, float] | None:
    """All that can be published of one row of counts, or for noisy counts of the first; None where it has no list."""
    if system.added_noise is not None:
        law = system.added_noise.law
        outputs = np.arange(-tail_reach(law), tail_reach(law) + 1) + counts[0]
        return dict(zip(outputs.tolist(), law.pmf(outputs - counts[0]).tolist(), strict=True))
    small = system.enumeration()
    return None if small is None or small.law is None else dict(small.law((counts,)))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("prior", "k"), [(0.1, 3), (0.5, 4)])
def test_belief_is_that_of_all_outputs_of_small_tables(name: str, prior: float, k: int) -> None:
    """Exact, or, where only classes of a sample are published, not below what the classes teach."""
    system = built(name, random_histogram(5), k=k)
    for x in range(1, 6):
        with_person, without = output_law(system, (x, 0, 0, 0)), output_law(system, (x - 1, 0, 0, 0))
        if with_person is None or without is None:
            assert system.expected_posterior([x], prior) == 1.0
            continue
        by_hand = belief_by_hand(with_person, without, prior)
        one_cell = av.Histogram(np.array([[x, 0]]), ("q", "y"), (("a",), ("0", "1")), ("q",))
        found = posterior_risk(system, one_cell, prior)
        assert found >= by_hand - 1e-9
        if "hierarchies" not in av.SYSTEMS[name].reads:
            assert found == pytest.approx(by_hand, abs=1e-9)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("neighbours", AUDIT_NEIGHBOURS)
def test_delta_is_a_probability_that_no_small_table_refutes(name: str, neighbours: AuditNeighbours) -> None:
    histogram = random_histogram(2)
    system = av.build(name, 0.7, av.Settings(k=2, swap=("puma",)).for_histogram(histogram))
    bound = max(4, system.least_bound)
    claimed, delta = system.published_delta(bound), system.delta(neighbours, bound, system.epsilon or 0.7)
    assert claimed is None or 0.0 <= claimed <= 1.0
    assert delta is not None
    assert 0.0 <= delta <= 1.0
    assert (system.epsilon is not None) == av.SYSTEMS[name].budgeted
    small = system.enumeration(bound)
    if small is None:
        assert delta == 1.0
        return
    assert "substitute" in small.neighbours
    found = av.audit(system, neighbours, epsilon=0.7, bound=bound)
    assert -1e-12 <= found.enumerated <= delta + 1e-9
    assert (found.exact, found.claimed) == (delta, claimed)


@pytest.mark.parametrize("name", EVERY)
def test_what_is_printed_of_a_system_is_short(name: str) -> None:
    system = built(name, random_histogram(1))
    assert len(repr(system)) < 160
    assert "\n" not in repr(system)
    assert 0 < len(system.name) < 60


@pytest.mark.parametrize("name", EVERY)
def test_remarks_are_short_sentences_without_a_full_stop(name: str) -> None:
    for seed in (1, 2):
        histogram = random_histogram(seed)
        for remark in built(name, histogram).remarks(histogram):
            assert 0 < len(remark) < 200
            assert remark[-1] not in ".;"
            assert "\n" not in remark
            assert "`" not in remark


@pytest.mark.parametrize("name", EVERY)
def test_a_system_depends_on_what_the_catalogue_says(name: str) -> None:
    kind = av.SYSTEMS[name]
    tree = av.GeneralisationHierarchy.from_parents({"a": "*", "b": "*"}, "q")
    plain = {"k": 3, "swap": ("q",), "share": 0.3, "levels": 4, "hierarchies": {}, "base": 5}
    other: dict[str, Any] = {"k": 4, "swap": ("r",), "share": 0.4, "levels": 5, "hierarchies": {"q": tree}}
    other["base"] = 3
    system = kind.build(1.0, av.Settings(**plain))  # type: ignore[arg-type]
    assert (kind.build(2.0, av.Settings(**plain)) != system) == kind.budgeted  # type: ignore[arg-type]
    for setting, value in other.items():
        changed = kind.build(1.0, av.Settings(**(plain | {setting: value})))  # type: ignore[arg-type]
        assert (changed != system) == (setting in kind.reads), setting


@dataclass(frozen=True)
class RoundedToTens(UsualAnswers):
    """A toy: every count is published to the nearest ``base``."""

    base: int = 10
    name = "rounded to tens"
    epsilon = None

    def release(self, source: Any, rng: np.random.Generator) -> Any:
        """The rounded counts."""
        counts, histogram = counts_of(source)
        return rebuilt(np.floor(counts / self.base + 0.5) * self.base, histogram)


def test_a_new_system_is_a_class_and_a_line_in_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OTHERS, "rounded", SystemKind(lambda _, settings: RoundedToTens(settings.k), False, ("k",)))
    assert "rounded" in av.chosen_systems("all")
    table = el.FrequencyTable.from_counts([[12, 3], [0, 27]], ["no", "yes"], {"q": ["x", "y"]})
    for options in ({}, {"equal_risk": ("homogeneity", 0.999)}):
        result = compare(table, ["rounded", "laplace"], [1.0], 4, k=10, with_audit=True, **options)  # type: ignore[arg-type]
        row = result.rows[0]
        assert (row["system"], row["title"], row["epsilon"]) == ("rounded", "rounded to tens", None)
        assert (row["bias_l1"], row["bias_l1_se"], row["exact_bias"]) == (pytest.approx(8.0), 0.0, False)
        assert (row["delta"], row["published_delta"], row["posterior_risk"]) == (None, None, 1.0)
        assert row["homogeneity_risk"] == pytest.approx((12 + 27) / 42)
        assert {verdict.system for verdict in result.audits} == {"Laplace counts, rounded and clipped"}
    own: FloatArray = RoundedToTens().bias([12, 3], np.random.default_rng(1), 2)
    assert own.tolist() == [-2.0, -3.0]
