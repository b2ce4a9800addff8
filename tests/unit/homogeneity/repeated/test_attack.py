"""Repeated publication against full enumeration of whole-number noise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.attack import growth, pooled, sequence
from epsilens.homogeneity.repeated.attributes import overall
from epsilens.homogeneity.repeated.pooling import pooled_noise
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.homogeneity.thresholding import hard
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.table.frequency import FrequencyTable, MemoryStore
from tests.unit.homogeneity.repeated.small_tables import JOINT, NOISE, OTHER, VALUES, joint, outcomes, shown


@pytest.mark.parametrize("match", ["any", "share"])
def test_two_releases_of_one_table_are_those_of_full_enumeration(match: str) -> None:
    table = FrequencyTable.from_counts([[2, 1], [3, 0], [0, 0]])
    risk = sequence([Release(table, NOISE), Release(table, OTHER)], match).cohorts[0].risks[:, 0]
    weight, draws = outcomes([NOISE, NOISE, OTHER, OTHER])
    for i, cell in enumerate(table.counts):
        visible = [shown(int(cell[k % 2]), draws[k]) for k in range(4)]
        first = [visible[k] & ~visible[1 - k] for k in range(2)]
        second = [visible[2 + k] & ~visible[3 - k] for k in range(2)]
        own = [first[k] | second[k] for k in range(2)]
        if match == "share":
            expected = sum(cell[k] / max(cell.sum(), 1) * float(weight @ own[k]) for k in range(2))
        else:
            expected = float(weight @ np.logical_or.reduce([own[k] for k in range(2) if cell[k] > 0] or [weight < 0]))
        assert risk[i] == pytest.approx(expected, abs=1e-10)


def test_pooled_risk_is_local_risk_under_the_pooled_law() -> None:
    table = FrequencyTable.from_counts([[3, 0, 1], [0, 2, 0]])
    releases = [Release(table, NOISE), Release(table, OTHER)]
    law = pooled_noise([NOISE, OTHER])
    for match in ("any", "share"):
        assert pooled(releases, match=match) == pytest.approx(local(table, law, match), abs=1e-14)
    assert 0 < float(hard(table, law)[0]) <= 1  # a pooled law serves every measure
    single = pooled([Release(table, NOISE)], match="any")
    assert single == pytest.approx(local(table, NOISE), abs=1e-13)
    harmed = table.with_harm("label=1", "label=2*3")
    weighed = pooled([Release(harmed, NOISE), Release(harmed, OTHER)], match="any")
    assert weighed == pytest.approx(local(harmed, law), abs=1e-14)


def test_averaging_many_releases_reveals_a_homogeneous_cell() -> None:
    table = FrequencyTable.from_counts([[4, 0]])
    noise = DiscreteGaussianNoise(3.0)
    risks = [float(local(table, noise)[0])] + [
        float(pooled([Release(table, noise, name=str(i)) for i in range(m)], match="any")[0]) for m in (10, 400)
    ]
    assert risks[0] < 0.6 < risks[1] < risks[2]
    assert risks[2] > 0.999


def test_pooling_a_joint_table_sums_its_combinations() -> None:
    single = FrequencyTable.from_counts([[3, 0], [3, 0], [1, 1], [0, 0]], labels=VALUES["illness"])
    single = FrequencyTable(single.labels, single.store, (), ("illness",))
    risk = pooled([Release(single, NOISE), Release(JOINT, NOISE)], "illness", match="any")
    law = pooled_noise([NOISE, NOISE], [1, 2])
    assert risk == pytest.approx(local(single, law), abs=1e-13)
    weight, draws = outcomes([NOISE] * 3)
    mean = np.floor((2 * draws[0] + draws[1] + draws[2]) / 3 + 0.5)  # precisions 1 and 1/2
    assert law.pmf(0) == pytest.approx(float(weight @ (mean == 0)), abs=1e-10)


def enumerate_block(children: Sequence[int], noise: Noise, parent: Noise) -> list[tuple[float, bool, tuple[bool, ...]]]:
    """(probability, parent shown, children shown) of every outcome of a parent and its fitted children."""
    weight, draws = outcomes([parent, *([noise] * len(children))])
    published = np.maximum(sum(children) + draws[0], 0)
    gap = published - sum(c + e for c, e in zip(children, draws[1:], strict=True))
    code = np.zeros(len(weight), dtype=np.int64)
    for c, e in zip(children, draws[1:], strict=True):
        fitted = np.floor(c + e + gap / len(children) + 0.5 + 1e-9)  # thirds must not fall below a half
        code = 2 * code + (fitted >= 1)
    code = 2 * code + (published >= 1)
    mass = np.bincount(code, weights=weight, minlength=2 ** (len(children) + 1))
    patterns = itertools.product(*([(False, True)] * (len(children) + 1)))
    return [(float(m), p[-1], p[:-1]) for m, p in zip(mass, patterns, strict=True)]


def test_a_release_fitted_to_cell_sizes() -> None:
    table = FrequencyTable.from_counts([[2, 0], [1, 1]])
    sizes = SizeRelease(OTHER, name="sizes")
    fitted = sequence([sizes, Release(table, NOISE, parent="sizes")], "any").cohorts[0].risks[:, 0]
    for i, children in enumerate(table.counts.tolist()):
        expected = sum(
            mass
            for mass, _, below in enumerate_block(children, NOISE, OTHER)
            if sum(below) == 1 and children[below.index(True)] > 0
        )
        assert fitted[i] == pytest.approx(expected, abs=1e-10)
    free = sequence([sizes, Release(table, NOISE)], "any").cohorts[0].risks[:, 0]
    assert free == pytest.approx(local(table, NOISE), abs=1e-13)
    assert np.abs(fitted - free).max() > 0.01


@pytest.mark.parametrize("match", ["any", "share"])
def test_a_release_fitted_to_the_release_before(match: str) -> None:
    counts = [[2, 1, 0, 0], [1, 0, 0, 1], [0, 3, 0, 0]]
    child = joint(counts, ["illness", "income"])
    parent = FrequencyTable(
        VALUES["illness"], MemoryStore(np.array([[c[0] + c[1], c[2] + c[3]] for c in counts]), {}), (), ("illness",)
    )
    risk = sequence([Release(parent, OTHER, name="first"), Release(child, NOISE, parent="first")], match).cohorts[0]
    assert risk.attributes == ("illness", "income")
    for i, cell in enumerate(counts):
        first, second = (enumerate_block(cell[2 * b : 2 * b + 2], NOISE, OTHER) for b in (0, 1))
        expected = np.zeros(2)
        for (p, above0, below0), (q, above1, below1) in itertools.product(first, second):
            alone = {
                "parent": [above0 and not above1, above1 and not above0],
                "child": [any(below0) and not any(below1), any(below1) and not any(below0)],
            }
            either = [a or b for a, b in zip(alone["parent"], alone["child"], strict=True)]
            has = [below0[k] or below1[k] for k in (0, 1)]
            income = [has[0] and not has[1], has[1] and not has[0]]
            for j, (events, held) in enumerate(
                (
                    (either, [cell[0] + cell[1], cell[2] + cell[3]]),
                    (income, [cell[0] + cell[2], cell[1] + cell[3]]),
                )
            ):
                if match == "any":
                    hit = float(any(e and h > 0 for e, h in zip(events, held, strict=True)))
                else:
                    hit = sum(h / sum(cell) * e for e, h in zip(events, held, strict=True))
                expected[j] += p * q * hit
        assert risk.risks[i] == pytest.approx(expected, abs=1e-10)


def test_new_quasi_identifiers_make_finer_cells() -> None:
    fine = FrequencyTable.from_counts(
        [[2, 0], [1, 1], [0, 3]], cells={"age": ["old", "young", "old"], "sex": ["f", "f", "m"]}
    )
    coarse = fine.marginal(["age"])
    risk = sequence([Release(coarse, NOISE), Release(fine, OTHER)], "any").cohorts[0]
    assert risk.table is fine
    old = local(coarse, NOISE)[coarse.cells()["age"].index("old")]
    # in (old, f) nobody has the second label, so only the first counts as held there
    alone_first = (1 - float(NOISE.cdf(0.5 - 2))) * float(NOISE.cdf(0.5 - 3))
    expected = 1 - (1 - alone_first) * (1 - local(fine, OTHER)[0])
    assert risk.risks[0, 0] == pytest.approx(expected, abs=1e-12)
    assert old > alone_first
    steps = growth([SizeRelease(NOISE), Release(coarse, NOISE), Release(fine, OTHER)])
    assert len(steps) == 2
    assert steps[0].average() <= steps[1].average()


def test_cohorts_are_kept_apart_and_cost_in_parallel() -> None:
    first, second = FrequencyTable.from_counts([[3, 0]]), FrequencyTable.from_counts([[1, 1], [5, 0]])
    releases = [
        Release(first, NOISE, PureDP(1.0), name="a", cohort="2025"),
        Release(second, OTHER, PureDP(0.5), name="b", cohort="2026"),
        Release(first, NOISE, PureDP(1.0), name="c", cohort="2025"),
    ]
    risk = sequence(releases, "any")
    assert risk["2025"].risks[0, 0] == pytest.approx(1 - (1 - local(first, NOISE)[0]) ** 2)
    assert risk["2026"].overall("sum") == pytest.approx(local(second, OTHER))
    assert risk.spent()["basic"].epsilon == 2.0
    assert risk["2026"].spent()["basic"].epsilon == 0.5
    people = np.array([3, 7])
    assert risk.average() == pytest.approx(people @ [c.average() for c in risk.cohorts] / 10)


@settings(max_examples=30, deadline=None)
@given(
    counts=st.lists(st.integers(0, 8), min_size=2, max_size=4).filter(any),
    scales=st.lists(st.floats(0.1, 30), min_size=1, max_size=4),
    seed=st.integers(0, 9),
)
def test_risks_grow_with_releases_and_ignore_the_order_of_labels(
    counts: list[int], scales: list[float], seed: int
) -> None:
    table = FrequencyTable.from_counts([counts])
    releases = [Release(table, LaplaceNoise(scale)) for scale in scales]
    history = [step.average() for step in growth(releases)]
    assert all(0 <= risk <= 1 for risk in history)
    assert all(later >= earlier - 1e-13 for earlier, later in itertools.pairwise(history))
    shuffled = FrequencyTable.from_counts([np.random.default_rng(seed).permutation(counts)])
    again = [Release(shuffled, LaplaceNoise(scale)) for scale in scales]
    assert sequence(again).average() == pytest.approx(history[-1], abs=1e-12)
    assert pooled(again) == pytest.approx(pooled(releases), abs=1e-11)


def test_bad_sequences_are_refused() -> None:
    table, other = FrequencyTable.from_counts([[1, 2]]), FrequencyTable.from_counts([[1, 2], [3, 4]])
    with pytest.raises(ParameterError, match="at least one release, got an empty list"):
        sequence([])
    with pytest.raises(ParameterError, match="cell sizes alone"):
        sequence([SizeRelease(NOISE)])
    with pytest.raises(ParameterError, match="same people in the same cells"):
        sequence([Release(table, NOISE), Release(other, NOISE)])
    with pytest.raises(ParameterError, match="different names"):
        sequence([Release(table, NOISE, name="a"), Release(table, NOISE, name="a")])
    with pytest.raises(ParameterError, match="not an earlier release; did you mean 'sizes'"):
        sequence([SizeRelease(NOISE, name="sizes"), Release(table, NOISE, parent="size")])
    with pytest.raises(ParameterError, match="every sensitive attribute of its parent"):
        sequence([Release(table, NOISE, name="a"), Release(table, NOISE, parent="a")])
    with pytest.raises(ParameterError, match="match must be one of"):
        sequence([Release(table, NOISE)], match="all")
    with pytest.raises(ParameterError, match="1 of 2 releases have no budget"):
        sequence([Release(table, NOISE, PureDP(1.0)), Release(table, NOISE)]).cohorts[0].spent()
    with pytest.raises(ParameterError, match="different neighbours"):
        sequence(
            [Release(table, NOISE, PureDP(1.0)), Release(table, NOISE, PureDP(1.0), neighbours="substitute")]
        ).spent()
    with pytest.raises(ParameterError, match="neighbours must be one of"):
        Release(table, NOISE, neighbours="swap")
    with pytest.raises(ParameterError, match="cohort must be one of"):
        sequence([Release(table, NOISE)])["2031"]
    with pytest.raises(ParameterError, match="the same counts of"):
        pooled([Release(table, NOISE), Release(FrequencyTable.from_counts([[2, 1]]), NOISE)])
    with pytest.raises(ParameterError, match="leave out sizes"):
        pooled([Release(table, NOISE), SizeRelease(NOISE)])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="overall must be one of"):
        overall(np.ones((1, 2)), "mean")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="use larger budgets, or simulate"):
        sequence([SizeRelease(LaplaceNoise(1e3), name="s"), Release(table, LaplaceNoise(1e3), parent="s")])
    with pytest.raises(ParameterError, match="use larger budgets, or simulate"):
        sequence([SizeRelease(LaplaceNoise(1e9), name="s"), Release(table, NOISE, parent="s")])


def test_unnamed_releases_keep_their_numbers_while_others_wait() -> None:
    """Sizes of people about whom no table is published yet are left out, and must not shift "release 2"."""
    single = joint([[2, 1]], ["illness"], town=["a"])
    both = joint([[1, 1, 0, 1]], ["illness", "income"], town=["a"])
    releases: list[AnyRelease] = [
        SizeRelease(OTHER, cohort="later"),
        Release(single, NOISE),
        Release(both, NOISE, parent="release 2"),
    ]
    *_, last = growth(releases)
    assert last[""].risks == pytest.approx(
        sequence([*releases[1:2], Release(both, NOISE, parent="release 1")])[""].risks
    )
