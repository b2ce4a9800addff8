"""Releases fitted to one another, against a curator who publishes and an attacker who reads, outcome by outcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.attack import at_least_one_of_sequence, growth, sequence
from epsilens.homogeneity.repeated.attributes import at_least_one_attribute
from epsilens.homogeneity.repeated.fitted import Lineage
from epsilens.homogeneity.repeated.independent import IndependentLineage, Slab
from epsilens.homogeneity.repeated.nodes import Fitted, Level
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable
from tests.unit.homogeneity.publishing import FewValues, attacked, enumerated, merged, simulated, table_of

COIN = FewValues(((-1, 0.45), (1, 0.55)))
SKEW = FewValues(((-2, 0.3), (1, 0.7)))
THREE = FewValues(((-1, 0.25), (0, 0.4), (2, 0.35)))
FOUR = FewValues(((-2, 0.1), (-1, 0.3), (0, 0.35), (1, 0.25)))
ILLNESS = {"illness": ("flu", "none")}
INCOME = {"income": ("high", "low")}
SMOKER = {"smoker": ("no", "yes")}
ONE_CELL = {"age": ["old"]}
TWO_CELLS = {"age": ["old", "old"], "sex": ["f", "m"]}


def agree(releases: Sequence[AnyRelease], truth: FrequencyTable, union: bool = True) -> None:
    """The package and full enumeration say the same, for every cell, attribute and way to match."""
    weight, printed = enumerated(releases)
    assert weight.sum() == pytest.approx(1.0)
    for match in ("share", "any"):
        risk = sequence(releases, match).cohorts[0]
        each, some = attacked(printed, truth, match)
        for i, cell in enumerate(each):
            for attribute, given_away in zip(truth.sensitive, cell, strict=True):
                exact = risk.risks[i, risk.attributes.index(attribute)]
                assert exact == pytest.approx(float(weight @ given_away), abs=1e-12), (i, attribute, match)
        if union or match == "any":
            exact_union = at_least_one_of_sequence(releases, match)[""]
            assert exact_union == pytest.approx([float(weight @ given_away) for given_away in some], abs=1e-12)


CELLS = [(2, 1, 0, 0), (1, 0, 0, 1), (0, 3, 0, 0), (2, -1, 0, 0), (1, 1, -1, -1), (0, 0, 0, 0)]


@pytest.mark.parametrize("counts", CELLS, ids=str)
def test_a_chain_of_three_releases(counts: tuple[int, ...]) -> None:
    both = table_of([counts], {**ILLNESS, **INCOME}, ONE_CELL)
    sizes = SizeRelease(FOUR, name="sizes", table=both)
    first = Release(merged(both, ["illness"]), THREE, name="illness", parent="sizes")
    agree([sizes, first, Release(both, SKEW, name="both", parent="illness")], both)


@pytest.mark.parametrize("counts", [(1, 0, 0, 1, 0, 0, 0, 0), (3, 0, 0, 0, 0, 0, -1, -1)], ids=str)
def test_a_chain_of_attributes(counts: tuple[int, ...]) -> None:
    everything = table_of([counts], {**ILLNESS, **INCOME, **SMOKER}, ONE_CELL)
    illness = Release(merged(everything, ["illness"]), SKEW, name="1")
    both = Release(
        merged(everything, ["income", "illness"]), THREE, name="2", parent="1"
    )  # another order of attributes
    agree([illness, both, Release(everything, COIN, name="3", parent="2")], everything)


@pytest.mark.parametrize("counts", [(1, 0, 0, 1, 0, 0, 0, 0), (1, 1, 0, 0, -1, -1, -1, -1)], ids=str)
def test_two_releases_fitted_to_one(counts: tuple[int, ...]) -> None:
    everything = table_of([counts], {**ILLNESS, **INCOME, **SMOKER}, ONE_CELL)
    illness = Release(merged(everything, ["illness"]), THREE, name="illness")
    income = Release(merged(everything, ["illness", "income"]), THREE, name="income", parent="illness")
    smoker = Release(merged(everything, ["illness", "smoker"]), COIN, name="smoker", parent="illness")
    agree([illness, income, smoker], everything, union=False)
    sizes = SizeRelease(SKEW, name="sizes", table=illness.table)
    under = Release(illness.table, THREE, name="illness", parent="sizes")
    again = Release(merged(everything, ["smoker"]), SKEW, name="again", parent="sizes")
    agree([sizes, under, again, income], everything, union=False)


@pytest.mark.parametrize("counts", [[(1, 0), (0, 2)], [(3, 0), (1, -1)], [(0, 2), (0, 0)]], ids=str)
def test_finer_cells_fitted_to_coarser_ones(counts: list[tuple[int, ...]]) -> None:
    fine = table_of(counts, ILLNESS, TWO_CELLS)
    coarse = Release(fine.marginal(["age"]), THREE, name="coarse")
    agree([coarse, Release(fine, FOUR, name="fine", parent="coarse")], fine)
    sizes = SizeRelease(SKEW, name="sizes", table=fine.marginal(["age"]))
    agree([sizes, Release(fine, FOUR, name="fine", parent="sizes")], fine)
    under = Release(coarse.table, THREE, name="coarse", parent="sizes")
    agree([sizes, under, Release(fine, SKEW, name="fine", parent="coarse")], fine)


def test_finer_cells_and_more_attributes_at_once() -> None:
    fine = table_of([(1, 0, 0, 1), (0, 2, 0, -1)], {**ILLNESS, **INCOME}, TWO_CELLS)
    coarse = Release(merged(fine, ["illness"]).marginal(["age"]), THREE, name="coarse")
    agree([coarse, Release(fine, SKEW, name="fine", parent="coarse")], fine)
    split = Release(merged(fine, ["illness"]), COIN, name="split", parent="coarse")
    agree([coarse, split, Release(fine, SKEW, name="fine", parent="split")], fine)
    # an independent release, and one that nothing but its own noise protects
    agree([coarse, Release(fine, COIN, name="fine", parent="coarse"), Release(split.table, SKEW, name="free")], fine)


def test_coarse_cells_are_matched_by_name_and_other_cells_stay_apart() -> None:
    fine = table_of([(1, 0), (0, 2), (1, 1)], ILLNESS, {"age": ["young", "old", "young"], "sex": ["f", "f", "m"]})
    agree([Release(fine.marginal(["age"]), COIN, name="coarse"), Release(fine, SKEW, parent="coarse")], fine)


@pytest.mark.parametrize("noise", [LaplaceNoise(1.3), DiscreteGaussianNoise(1.1), GaussianNoise(0.8)], ids=str)
def test_simulation_agrees(noise: AnyNoise) -> None:
    fine = table_of([(3, 0, 1, 0), (0, 2, 0, 0)], {**ILLNESS, **INCOME}, TWO_CELLS)
    other = DiscreteLaplaceNoise(0.7)
    releases: list[AnyRelease] = [
        SizeRelease(other, name="sizes", table=fine.marginal(["age"])),
        Release(merged(fine, ["illness"]).marginal(["age"]), noise, name="coarse", parent="sizes"),
        Release(merged(fine, ["illness"]), other, name="split", parent="coarse"),
        Release(fine, noise, name="fine", parent="split"),
        Release(fine.marginal(["age"]), noise, name="second", parent="coarse"),
    ]
    number = 40_000
    _, printed = simulated(releases, number, seed=7)
    for match in ("share", "any"):
        risks = sequence(releases, match).cohorts[0].risks
        union = at_least_one_of_sequence(releases, match)[""]
        each, some = attacked(printed, fine, match)
        for i in range(2):
            for exact, drawn in [(risks[i, 0], each[i][0]), (risks[i, 1], each[i][1]), (union[i], some[i])]:
                assert abs(exact - drawn.mean()) <= 5 * drawn.std() / np.sqrt(number) + 1e-12


def test_a_single_part_is_its_parent() -> None:
    table = table_of([(2, 0), (1, 1)], ILLNESS, {"age": ["old", "young"]})
    same = table_of([(2, 0), (1, 1)], ILLNESS, {"age": ["old", "young"], "sex": ["f", "m"]})
    first = Release(table, LaplaceNoise(1.0), name="first")
    copied = sequence([first, Release(same, LaplaceNoise(30.0), name="same", parent="first")], "any").cohorts[0]
    assert copied.risks == pytest.approx(sequence([first], "any").cohorts[0].risks, abs=1e-12)
    assert (
        sequence([first, Release(same, LaplaceNoise(30.0))], "any").cohorts[0].risks[0, 0] > copied.risks[0, 0] + 0.01
    )


@pytest.mark.parametrize("scale", [0.02, 1e5])
def test_a_single_part_between_two_releases_changes_nothing(scale: float) -> None:
    fine = table_of([(2, 0, 1, 0), (1, 1, 0, 3)], {**ILLNESS, **INCOME}, {"age": ["old", "young"], "sex": ["f", "m"]})
    first = Release(merged(fine, ["illness"]).marginal(["age"]), LaplaceNoise(1.0), name="first")
    same = Release(merged(fine, ["illness"]), LaplaceNoise(scale), name="same", parent="first")
    for match in ("share", "any"):
        short = sequence([first, Release(fine, THREE, name="last", parent="first")], match).cohorts[0]
        long = sequence([first, same, Release(fine, THREE, name="last", parent="same")], match).cohorts[0]
        assert long.risks == pytest.approx(short.risks, abs=1e-12)


@pytest.mark.parametrize("scales", [(0.02, 1e6), (1e6, 0.02), (1e6, 1e6)], ids=str)
def test_noise_that_reaches_too_far_is_refused_at_once(scales: tuple[float, float]) -> None:
    table = FrequencyTable.from_counts([[6, 0, 2]])
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(scales[0]), name="s"),
        Release(table, LaplaceNoise(scales[1]), parent="s"),
    ]
    with pytest.raises(ParameterError, match="the sum constraint is computed exactly for noise that reaches less far"):
        sequence(releases)


def test_a_very_noisy_or_very_exact_parent() -> None:
    table = FrequencyTable.from_counts([[6, 0]])
    noise = DiscreteLaplaceNoise(0.5)
    # the parent is exact: the parts are 6 - h and h, h = half the difference of two noises, rounded
    exact = SizeRelease(DiscreteLaplaceNoise(0.02), name="s")
    steps = np.arange(-30, 31.0)
    difference = np.convolve(noise.pmf(steps), noise.pmf(steps))
    expected = difference[:61].sum()  # h < 1 where the difference is 0 or less
    assert sequence([exact, Release(table, noise, parent="s")]).average() == pytest.approx(expected, abs=1e-4)
    # the parent is drowned: every other time it is 0, and takes away 3 from either part; else both are shown
    drowned = SizeRelease(LaplaceNoise(60.0), name="s")
    assert sequence([drowned, Release(table, noise, parent="s")]).average() == pytest.approx(0.5, abs=0.03)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(
    counts=st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(any),
    scales=st.lists(st.floats(0.2, 4.0), min_size=3, max_size=3),
)
def test_fitted_risks_are_probabilities_and_grow(counts: list[int], scales: list[float]) -> None:
    both = table_of([counts], {**ILLNESS, **INCOME})
    laws = [LaplaceNoise(scale) for scale in scales]
    releases: list[AnyRelease] = [
        SizeRelease(laws[0], name="sizes"),
        Release(merged(both, ["illness"]), laws[1], name="illness", parent="sizes"),
        Release(both, laws[2], name="both", parent="illness"),
    ]
    share, some = (sequence(releases, match).cohorts[0] for match in ("share", "any"))
    assert ((share.risks >= 0) & (some.risks <= 1) & (share.risks <= some.risks + 1e-12)).all()
    steps = growth(releases)
    assert steps[0].cohorts[0].risks[0, 0] <= steps[1].cohorts[0].risks[0, 0] + 1e-12
    for match, risk in (("share", share), ("any", some)):
        union = at_least_one_of_sequence(releases, match)[""]
        assert (risk.overall("max") <= union + 1e-12).all()
        assert (union <= risk.overall("sum") + 1e-12).all()
        assert (union <= 1).all()
    swapped = table_of([[counts[k] for k in (3, 2, 1, 0)]], {**ILLNESS, **INCOME})
    mirrored: list[AnyRelease] = [
        releases[0],
        Release(merged(swapped, ["illness"]), laws[1], name="illness", parent="sizes"),
        Release(swapped, laws[2], name="both", parent="illness"),
    ]
    assert sequence(mirrored).cohorts[0].risks == pytest.approx(share.risks, abs=1e-12)


def test_at_least_one_of_a_single_release_is_that_of_its_table() -> None:
    table = table_of([(2, 1, 0, 0), (1, 0, 0, 1)], {**ILLNESS, **INCOME})
    for match in ("share", "any"):
        union = at_least_one_of_sequence([Release(table, LaplaceNoise(1.0))], match)[""]
        assert union == pytest.approx(at_least_one_attribute(table, LaplaceNoise(1.0), match), abs=1e-14)


def test_a_lineage_hides_what_its_parts_hide() -> None:
    root = Level(COIN, np.array([[1]]))
    parts = Level(SKEW, np.array([[1, 0]]), Fitted(0, np.array([0, 0]), np.array([[2]])))
    lineage = Lineage([root, parts])

    def hides(required: dict[int, set[int]]) -> float:
        question = {level: frozenset(labels) for level, labels in required.items()}
        return float(lineage.hidden([(question, np.array([0]))])[0][0])

    assert hides({}) == pytest.approx(1.0)
    assert hides({0: {0}}) == pytest.approx(0.45)
    # hidden parent: q = 0, D = -1 - e1 - e2; parts 1 + e1 + g and e2 + g with g = floor(D / 2 + 1/2)
    hidden = 0.0
    for e1, p1 in SKEW.masses:
        for e2, p2 in SKEW.masses:
            g = (-1 - e1 - e2 + 1) // 2
            hidden += p1 * p2 * (1 + e1 + g <= 0 and e2 + g <= 0)
    assert hides({0: {0}, 1: {0, 1}}) == pytest.approx(0.45 * hidden)
    source = IndependentLineage(("root", "parts"), (1, 2), lineage)
    shown_alone = [Slab(frozenset({0}), np.ones(1)), Slab(frozenset({0}), np.zeros(1)), Slab(frozenset(), np.ones(1))]
    assert source.escapes([{"parts": shown_alone}])[0] == pytest.approx([1.0 - hides({1: {1}}) + hides({1: {0, 1}})])
    assert source.escapes([{"another": shown_alone}])[0] == pytest.approx([1.0])


def test_wide_noise_in_pieces_is_the_same_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FrequencyTable.from_counts([[4, 0, 1]])
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(5.0), name="s"),
        Release(table, GaussianNoise(4.0), parent="s"),
    ]
    whole = sequence(releases).average()
    monkeypatch.setattr("epsilens.homogeneity.repeated.shared_gap._LARGEST_CHUNK", 1 << 12)
    assert sequence(releases).average() == pytest.approx(whole, abs=1e-13)


def test_fitted_risks_of_a_small_example() -> None:
    both = table_of([(5, 0, 0, 0), (3, 1, 0, 2)], {**ILLNESS, **INCOME})
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(2.0), name="sizes"),
        Release(merged(both, ["illness"]), LaplaceNoise(1.0), name="illness", parent="sizes"),
        Release(both, LaplaceNoise(1.0), name="both", parent="illness"),
    ]
    risk = sequence(releases).cohorts[0]
    # four million simulated publications lie within 1.7 standard errors of these
    assert risk.risks == pytest.approx(np.array([[0.567477105, 0.263697866], [0.090641544, 0.013590178]]), abs=1e-9)
    assert at_least_one_of_sequence(releases)[""] == pytest.approx([0.626813148, 0.098551083], abs=1e-9)
