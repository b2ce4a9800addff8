"""Repeated publication against full enumeration of whole-number noise."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.arrays import FloatArray
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.attack import growth, pooled, sequence
from epsilens.homogeneity.repeated.attributes import at_least_one_attribute, attribute_risks, overall
from epsilens.homogeneity.repeated.pooling import pooled_noise
from epsilens.homogeneity.repeated.published import sequence as published_sequence
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.homogeneity.thresholding import hard
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.table.frequency import FrequencyTable, MemoryStore

NOISE = DiscreteLaplaceNoise(0.4)
OTHER = DiscreteLaplaceNoise(0.6)
VALUES = {"illness": ("flu", "none"), "income": ("high", "low")}


def joint(counts: Sequence[Sequence[int]], attributes: Sequence[str], **columns: list[str]) -> FrequencyTable:
    """A table of several attributes jointly; labels run like itertools.product."""
    label_values = tuple(itertools.product(*(VALUES[a] for a in attributes)))
    return FrequencyTable(
        tuple("/".join(parts) for parts in label_values),
        MemoryStore(np.array(counts, dtype=np.int64), columns),
        tuple(columns),
        tuple(attributes),
        label_values,
    )


def outcomes(noises: Sequence[Noise]) -> tuple[FloatArray, list[FloatArray]]:
    """Every combination of whole noises up to mass 1e-13, and its probability."""
    steps = []
    for noise in noises:
        far = 1
        while float(noise.sf(far)) > 1e-14:
            far += 1
        steps.append(np.arange(-far, far + 1.0))
    grids = np.meshgrid(*steps, indexing="ij")
    weight = np.ones(grids[0].shape)
    for noise, grid in zip(noises, grids, strict=True):
        weight = weight * noise.pmf(grid)
    return weight.ravel(), [grid.ravel() for grid in grids]


def shown(count: int, noise: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray(np.floor(count + noise + 0.5) >= 1)


JOINT = joint([[2, 1, 0, 0], [0, 3, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]], ["illness", "income"])


@pytest.mark.parametrize("match", ["any", "share"])
def test_attributes_read_from_a_joint_table_are_those_of_full_enumeration(match: str) -> None:
    noise = DiscreteLaplaceNoise(0.3)
    weight, draws = outcomes([noise] * 4)
    risks, some = attribute_risks(JOINT, noise, match), at_least_one_attribute(JOINT, noise, match)
    for i, cell in enumerate(JOINT.counts):
        visible = [shown(int(c), e) for c, e in zip(cell, draws, strict=True)]
        people = max(int(cell.sum()), 1)
        alone = []  # per attribute and value: shown alone?
        for position in (0, 1):
            for value in (0, 1):
                groups = [[], []]  # type: list[list[int]]
                for k in range(4):
                    groups[(k >> (1 - position)) & 1 == value].append(k)
                inside = np.logical_or.reduce([visible[k] for k in groups[1]])
                outside = np.logical_or.reduce([visible[k] for k in groups[0]])
                alone.append((position, value, groups[1], inside & ~outside))
        for position in (0, 1):
            expected = sum(
                float(weight @ event) * (float(cell[g].sum() > 0) if match == "any" else cell[g].sum() / people)
                for p, _, g, event in alone
                if p == position
            )
            assert risks[i, position] == pytest.approx(expected, abs=1e-10)
        if match == "any":
            union = np.logical_or.reduce([event for _, _, g, event in alone if cell[g].sum() > 0] or [weight < 0])
            expected = float(weight @ union)
        else:
            expected = sum(
                cell[k] / people * float(weight @ np.logical_or.reduce([e for _, _, g, e in alone if k in g]))
                for k in range(4)
            )
        assert some[i] == pytest.approx(expected, abs=1e-10)


def test_overall_measures() -> None:
    risks = attribute_risks(JOINT, NOISE)
    some = at_least_one_attribute(JOINT, NOISE)
    assert overall(risks, "max") == pytest.approx(risks.max(axis=1))
    assert overall(risks, "sum") == pytest.approx(risks.sum(axis=1))
    assert (overall(risks, "max") <= some + 1e-12).all()
    assert (some <= overall(risks, "sum") + 1e-12).all()


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


@pytest.mark.parametrize("laws", [(NOISE, NOISE), (NOISE, OTHER), (NOISE, OTHER, NOISE)], ids=str)
def test_pooled_noise_is_the_rounded_weighted_mean(laws: tuple[Noise, ...]) -> None:
    law = pooled_noise(laws)
    weight, draws = outcomes(laws)
    # the weights are whole: recover them from the definition by trying all small ones
    exact = {}
    for a in itertools.product(range(13), repeat=len(set(map(id, laws)))):
        by_law = dict(zip(dict.fromkeys(map(id, laws)), a, strict=True))
        weights = [by_law[id(noise)] for noise in laws]
        if sum(weights) == 0:
            continue
        mean = np.floor(sum(w * e for w, e in zip(weights, draws, strict=True)) / sum(weights) + 0.5)
        masses = np.array([float(weight @ (mean == k)) for k in (-2, 0, 1)])
        exact[tuple(weights)] = float(np.abs(masses - law.pmf([-2, 0, 1])).max())
    best = min(exact, key=lambda weights: (exact[weights] > 1e-10, sum(weights)))
    assert exact[best] < 1e-10
    precisions = np.array([1 / noise.variance for noise in laws])
    kept = sum(best) ** 2 / sum(w * w / p for w, p in zip(best, precisions, strict=True)) / precisions.sum()
    assert kept >= 0.999
    assert float(law.cdf(100)) == pytest.approx(1.0)
    assert law.sf(0.5) + law.cdf(0.5) == pytest.approx(1.0)
    assert np.exp(law.logsf(0.5)) == pytest.approx(law.sf(0.5))
    assert np.exp(law.logcdf(0.5)) == pytest.approx(law.cdf(0.5))
    assert law.logdensity(0.5) == -np.inf
    sample = law.sample(20_000, np.random.default_rng(1))
    assert sample.var() == pytest.approx(law.variance, rel=0.1)


def test_pooling_gaussians_is_one_gaussian_of_the_summed_precision() -> None:
    law = pooled_noise([GaussianNoise(30.0), GaussianNoise(40.0), GaussianNoise(60.0)])
    one = GaussianNoise((1 / 900 + 1 / 1600 + 1 / 3600) ** -0.5)
    assert law.variance == pytest.approx(one.variance, rel=2e-3)
    assert law.cdf(np.array([-20.5, -0.5, 10.5])) == pytest.approx(one.cdf(np.array([-20.5, -0.5, 10.5])), abs=2e-3)
    with pytest.raises(ParameterError, match="pool fewer releases"):
        pooled_noise([LaplaceNoise(1e6)] * 2)
    assert pooled_noise([LaplaceNoise(1e-3)] * 3).pmf(0) == pytest.approx(1.0)
    many_weak = pooled_noise([LaplaceNoise(1.0), *([LaplaceNoise(8.0)] * 60)])
    assert many_weak.variance < 1.5  # sixty weak releases are together as good as the strong one


def test_pooled_risk_is_local_risk_under_the_pooled_law() -> None:
    table = FrequencyTable.from_counts([[3, 0, 1], [0, 2, 0]])
    releases = [Release(table, NOISE), Release(table, OTHER)]
    law = pooled_noise([NOISE, OTHER])
    for match in ("any", "share"):
        assert pooled(releases, match=match) == pytest.approx(local(table, law, match), abs=1e-14)
    assert 0 < float(hard(table, law)[0]) <= 1  # a pooled law serves every measure
    single = pooled([Release(table, NOISE)], match="any")
    assert single == pytest.approx(local(table, NOISE), abs=1e-13)


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


def test_print_evaluates_at_the_cumulative_budget() -> None:
    child = joint([[2, 1, 0, 0], [0, 3, 0, 0]], ["illness", "income"])
    parent = FrequencyTable(VALUES["illness"], MemoryStore(np.array([[3, 0], [3, 0]]), {}), (), ("illness",))
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(4.0), PureDP(0.25), name="sizes"),
        Release(parent, LaplaceNoise(1.0), PureDP(1.0), name="first"),
        Release(child, LaplaceNoise(2.0), PureDP(0.5), name="second"),
    ]
    steps = published_sequence(releases, "laplace")[""]
    assert [step.cumulative for step in steps] == [PureDP(1.25), PureDP(1.75)]
    assert steps[1].risk.risks[:, 0] == pytest.approx(local(parent, LaplaceNoise(1 / 1.25)))
    assert steps[1].risk.risks[:, 1] == pytest.approx(local(child.attribute("income"), LaplaceNoise(1 / 1.75)))
    bounded = [float(step.risk.overall("max").mean()) for step in steps]
    assert bounded[0] <= bounded[1]
    again = published_sequence([Release(parent, NOISE, PureDP(0.5)), Release(parent, NOISE, PureDP(0.5))], "laplace")
    assert again[""][1].risk.risks[:, 0] == pytest.approx(local(parent, LaplaceNoise(1.0)))
    advanced = published_sequence(releases, "gaussian-analytic", rule="advanced", delta=1e-5)[""]
    assert isinstance(advanced[0].cumulative, ApproxDP)
    zcdp = [
        Release(parent, DiscreteGaussianNoise(1.0), ZCDP(0.5)),
        Release(parent, DiscreteGaussianNoise(1.0), ZCDP(0.5)),
    ]
    assert published_sequence(zcdp, "discrete-gaussian")[""][1].cumulative == ZCDP(1.0)


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


def test_in_print_new_quasi_identifiers_count_even_where_they_split_no_cell() -> None:
    coarse = joint([[2, 1], [0, 3]], ["illness"], town=["a", "b"])
    fine = joint([[2, 0, 1, 0], [0, 0, 0, 3]], ["illness", "income"], town=["a", "b"], sex=["m", "f"])
    releases = [Release(coarse, NOISE, PureDP(0.5)), Release(fine, NOISE, PureDP(0.5))]
    *_, last = published_sequence(releases, "laplace")[""]
    assert last.risk.risks[:, 0] == pytest.approx(local(coarse, LaplaceNoise(1.0)))
