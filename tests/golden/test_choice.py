"""Choices on the papers' own data: safe sets, inverses, worst cases and marginals."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.choice.beside.frontier import at_matched_risk, lever_effects
from epsilens.choice.choose.choosing import choose_budget
from epsilens.choice.choose.two_parameters import iso_risk
from epsilens.choice.choose.wrong_labels import wrong_dial
from epsilens.choice.knee import knee_of
from epsilens.choice.questions import choose
from epsilens.choice.questions.utility import Question, answer
from epsilens.homogeneity.measures import prepare
from epsilens.utility.marginal_distance import all_marginals, marginal_distances, simulated_distances


def laplace_risk(counts: IntArray, epsilon: FloatArray) -> FloatArray:
    """The weighted exact local risk of two labels, written out anew: one budget per row of the answer."""
    counts, times = np.unique(np.sort(counts, axis=1), axis=0, return_counts=True)
    distance = counts - 0.5
    tail = 0.5 * np.exp(-epsilon[:, None, None] * np.abs(distance))
    shown = np.where(distance > 0, 1.0 - tail, tail)
    alone = shown * (1.0 - shown[:, :, ::-1])
    people = times * counts.sum(axis=1)
    return as_floats((alone * (counts > 0)).sum(axis=2) @ people / people.sum())


@pytest.mark.slow
def test_safe_set_of_the_adult_table_confirmed_by_a_dense_scan(adult: el.FrequencyTable) -> None:
    choice = choose_budget(adult, "laplace", 0.30)
    (interval,) = choice.safe_set
    grid = np.geomspace(1e-4, 1e2, 60_001)
    risks = np.concatenate([laplace_risk(adult.counts, part) for part in np.array_split(grid, 60)])
    safe = grid[risks <= 0.30]
    assert (np.diff(np.flatnonzero(risks <= 0.30)) == 1).all()
    assert interval.low == pytest.approx(safe[0], rel=3e-4)
    assert interval.high == pytest.approx(safe[-1], rel=3e-4)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.1730, 0.8405)
    for end in (interval.low, interval.high):
        exact = float(laplace_risk(adult.counts, np.array([end]))[0])
        assert exact == pytest.approx(0.30, abs=1e-13)
    assert choice.smaller_is_unsafe
    assert not choice.unprotected_is_safe
    assert (round(choice.floor, 4), round(choice.floor_at, 3)) == (0.2906, 0.413)
    assert choice.floor <= risks.min() + 1e-12
    assert choice.limit_at_zero == pytest.approx(0.3990, abs=5e-5)
    assert choice.unprotected == pytest.approx(11112 / 27504)
    assert choice.public_budget == 0.5
    assert choice.scan.undetected is not None
    assert choice.scan.undetected < 1e-5


def test_who_stands_beside_the_average_of_the_adult_table(adult: el.FrequencyTable) -> None:
    """The worst-off, people above half and above the ceiling, and wrong labels, each counted anew."""
    found = choose.answer(choose.Question(max_risk=0.30), adult)
    plain = found.to_dict()["answer"]
    shown = 1.0 - 0.5 * np.exp(-plain["budget"] * np.abs(adult.counts - 0.5))
    shown = np.where(adult.counts > 0, shown, 1.0 - shown)
    alone = shown * (1.0 - shown[:, ::-1])
    sizes = adult.counts.sum(axis=1)
    risks = (alone * (adult.counts > 0)).sum(axis=1)
    assert plain["worst"] == pytest.approx(risks.max(), abs=1e-12)
    above = [int(sizes[risks > limit].sum()) for limit in (0.5, 0.30)]
    assert [plain["above_half"], plain["above_ceiling"]] == above == [8468, 14314]
    wrong = (alone * (sizes[:, None] - adult.counts)).sum(axis=0) / sizes.sum()
    assert [value["shown_wrong"] for value in found.to_dict()["by_value"]] == pytest.approx(wrong)
    assert plain["harmful_wrong"] == pytest.approx(wrong.sum())
    assert round(plain["worst"], 4) == 0.6716
    assert round(plain["harmful_wrong"], 4) == 0.0241


def test_why_no_budget_keeps_a_fifth_for_the_adult_table(adult: el.FrequencyTable) -> None:
    """25.7 of the 29.1 % are people shown to earn little; if that harms nobody, no noise is needed."""
    found = choose.answer(choose.Question(max_risk=0.2), adult).to_dict()
    parts = {part["value"]: part["risk"] for part in found["risk_by_value"]}
    assert math.fsum(parts.values()) == pytest.approx(found["floor"])
    assert round(max(parts.values()), 3) == 0.257
    assert found["if_harmless"]["without_noise"] is True
    few = choose_budget(adult, "laplace", 0.9, max_wrong=0.03)
    assert few.wrong is not None
    assert few.wrong.safe_set[0].high == math.inf
    assert wrong_dial(few.dial).risk(few.wrong.safe_set[0].low) == pytest.approx(0.03, abs=1e-13)


def test_the_budget_offered_for_the_adult_table_keeps_the_error_too(adult: el.FrequencyTable) -> None:
    """From .655 to .840 both ceilings are kept; .5, which has an error of 1.979, was offered."""
    choice = choose_budget(adult, "laplace", 0.30, max_error=1.5)
    (both,) = choice.admissible()
    assert (round(both.low, 3), round(both.high, 3)) == (0.655, 0.840)
    assert choice.public_budget == 0.8
    assert choice.keeps(0.8)
    assert not choice.keeps(0.5)


def test_bisection_would_have_found_nothing_on_the_adult_table(adult: el.FrequencyTable) -> None:
    choice = choose_budget(adult, "laplace", 0.30)
    assert choice.dial.risk(1e-3) > 0.30 < choice.dial.risk(1e2)


@pytest.mark.parametrize("ceiling", [0.26, 0.3, 0.5, 0.637, 0.9, 0.99])
def test_inverse_on_bankcount_is_the_closed_form(bank: el.FrequencyTable, ceiling: float) -> None:
    """All cells hold one label, so with x = e^(-epsilon / 2) the risk is the polynomial
    (1 - x / 2) sum of w_n (1 - x^(2 n - 1) / 2), falling in x."""
    sizes = bank.counts.max(axis=1)
    largest = int(sizes.max())
    weights = np.bincount(sizes, weights=sizes, minlength=largest + 1) / sizes.sum()
    inner = np.zeros(2 * largest)
    inner[0] = 1.0
    for n in range(1, largest + 1):
        inner[2 * n - 1] -= 0.5 * weights[n]
    polynomial = np.polynomial.Polynomial([1.0, -0.5]) * np.polynomial.Polynomial(inner) - ceiling
    roots = polynomial.roots()
    real = roots[(np.abs(roots.imag) < 1e-9) & (roots.real > 0) & (roots.real < 1)].real
    assert len(real) == 1
    x = float(real[0])
    for _ in range(5):  # roots of a long polynomial lose digits: polish
        x -= float(polynomial(x) / polynomial.deriv()(x))
    choice = choose_budget(bank, "laplace", ceiling, remedies=False)
    assert choice.budget == pytest.approx(-2.0 * math.log(x), abs=1e-10)
    assert choice.safe_set[0].low == 0.0
    assert not choice.smaller_is_unsafe


def test_known_values_are_inverted(bank: el.FrequencyTable) -> None:
    for weighted, values in ((True, (0.32933, 0.50832, 0.63774)), (False, (0.30500, 0.46333, 0.59734))):
        for epsilon, risk in zip((0.1, 0.5, 1.0), values, strict=True):
            by = "mean" if weighted else "cell-mean"
            choice = choose_budget(bank, "laplace", risk, aggregate_by=by, remedies=False)
            assert choice.budget == pytest.approx(epsilon, abs=2e-4)


def test_the_ceiling_of_a_quarter_is_only_approached(bank: el.FrequencyTable) -> None:
    choice = choose_budget(bank, "laplace", 0.25)
    assert (choice.safe_set, choice.floor, choice.floor_at) == ((), 0.25, 0.0)
    assert all(remedy.budget is None for remedy in choice.remedies)


def test_remedies_on_the_adult_table(adult: el.FrequencyTable) -> None:
    choice = choose_budget(adult, "laplace", 0.20)
    assert choice.budget is None
    reached = [remedy.lever.name for remedy in choice.remedies if remedy.budget is not None]
    assert reached == ["drop age", "drop education", "drop relationship"]


def test_wider_age_bins_buy_more_than_half_the_budget(adult: el.FrequencyTable) -> None:
    effects = {effect.name: effect for effect in lever_effects(adult, 1.0)}
    wider, half = effects["coarsen levels of age from 15 to 8"], effects["halve epsilon"]
    assert (round(wider.risk, 3), round(half.risk, 3)) == (0.263, 0.291)
    assert wider.error is not None
    assert half.error is not None
    assert (round(wider.error, 2), round(half.error, 2)) == (1.20, 1.98)


def test_matched_risk(adult: el.FrequencyTable) -> None:
    first, second = (choose_budget(adult, m, 0.3).dial for m in ("laplace", "discrete-laplace"))
    found = at_matched_risk(first, second, 0.3)
    assert found is not None
    assert (found.better, round(found.saving, 3)) == ("laplace", 0.171)


def test_the_delta_for_an_epsilon_on_bankcount(bank: el.FrequencyTable) -> None:
    found = el.choose_delta(bank, 1.0, "gaussian-probabilistic", 0.42)
    assert found.delta == pytest.approx(0.000401835, abs=5e-10)


@pytest.mark.parametrize(
    ("name", "weighted", "knee"), [("bank", False, 0.4463), ("bank", True, 0.2576), ("ff", True, 2.2768)]
)
def test_where_risks_start_to_rise_faster(
    bank: el.FrequencyTable, ff: el.FrequencyTable, name: str, weighted: bool, knee: float
) -> None:
    """Print chooses .5 by eye at delta = .001, for cells of equal weight in which all are alike."""
    ready = prepare("local", bank if name == "bank" else ff)

    def risk(epsilon: float) -> float:
        return ready.average(el.calibrate("gaussian-probabilistic", el.ProbabilisticDP(epsilon, 0.001)), weighted)

    assert knee_of(risk, 1e-3, 1e2).epsilon == pytest.approx(knee, abs=5e-5)


def test_iso_risk_of_bankcount(bank: el.FrequencyTable) -> None:
    found = iso_risk(bank, "gaussian-probabilistic", 0.5, deltas=[1e-10, 1e-5, 1e-1])
    assert found.sides == ("upper",)
    assert found.epsilons[0] == pytest.approx([3.17706, 2.20565, 0.89181], abs=1e-4)


def test_marginals_of_bankcount_as_in_the_figure(bank: el.FrequencyTable) -> None:
    """6, 15 and 20 marginals; distances drop from epsilon 0.1 to 1 and from 1 to 10."""
    marginals = all_marginals(bank.quasi_identifiers)
    assert [sum(len(m) == k for m in marginals) for k in (1, 2, 3)] == [6, 15, 20]
    rng = np.random.default_rng(11)
    medians = []
    for epsilon in (0.1, 1.0, 10.0):
        noise = el.LaplaceNoise(1.0 / epsilon)
        drawn = simulated_distances(bank, noise, rng, marginals, repetitions=60)
        medians.append([np.median([d.distance for d in drawn if d.ways == k]) for k in (1, 2, 3)])
        if epsilon == 10.0:  # hardly anything is clipped or renormalised
            exact = marginal_distances(bank, noise, marginals)
            assert np.mean([d.distance for d in drawn]) == pytest.approx(np.mean([d.distance for d in exact]), rel=0.4)
    assert (np.diff(medians, axis=0) < 0).all()
    assert (np.diff(medians, axis=1) > 0).all()


def test_marginals_of_the_release_over_the_declared_universe(data_dir: Path) -> None:
    """Medians of a simulation of all 729 counts: .072, .120 and .213; of the 78 cells with people .031, .065, .113."""
    table = _ff_over_its_universe(data_dir)
    found = answer(Question(epsilons=(1.0,), repetitions=60), table)
    assert found.universe is not None
    assert (found.universe.cells, found.universe.counts, found.universe.further_cells) == (243, 729, 165)
    (line,) = found.lines
    assert [summary.marginals for summary in line.by_ways] == [6, 15, 20]
    for summary, median in zip(line.by_ways, (0.072, 0.120, 0.213), strict=True):
        assert summary.largest_standard_error is not None
        assert abs(summary.median - median) < 0.004 + 2.0 * summary.largest_standard_error
    assert line.cell_error == pytest.approx(0.5358131, abs=1e-7)
    discrete = answer(Question(("discrete-laplace",), (1.0,), repetitions=60), table).lines[0].by_ways
    for summary, medians in zip(discrete, ((0.041, 0.065), (0.109, 0.129), (0.201, 0.228)), strict=True):
        assert summary.release_low is not None
        assert summary.release_high is not None
        assert summary.release_low < medians[0] + 0.01  # of three releases
        assert summary.release_high > medians[1] - 0.01


def test_empty_cells_of_the_universe_inflate_the_zeros_of_the_published_risk(
    data_dir: Path, ff: el.FrequencyTable
) -> None:
    risks = [
        prepare("published-marginal-shrinkage", table, size_model="zero-inflated-poisson").average(el.LaplaceNoise(1.0))
        for table in (ff, _ff_over_its_universe(data_dir))
    ]
    assert [round(risk, 4) for risk in risks] == [0.3476, 0.1171]


def test_two_attributes_of_the_bank_table_jointly_and_separately(data_dir: Path) -> None:
    """By brute force: at most 50 % up to 1.807 in one joint table, up to .383 in separate ones."""
    schema = el.Schema(["IR", "MR", "CR", "CO", "OR"], ["class", "FF"])
    table = el.read_table(data_dir / "bankcount.csv", schema, count="class_1")
    joint = choose_budget(table, max_risk=0.5, attributes="max")
    apart = choose_budget(table, max_risk=0.5, attributes="max", publish="separate")
    shared = choose_budget(table, max_risk=0.5, attributes="max", publish="separate", budget_of="all")
    assert [round(one.budget or 0.0, 3) for one in (joint, apart, shared)] == [1.807, 0.383, 0.766]
    sums = choose_budget(table, max_risk=0.5, attributes="sum", publish="separate").budget
    assert round(sums or 0.0, 5) == 0.04728


def _ff_over_its_universe(data_dir: Path) -> el.FrequencyTable:
    columns = ["IR", "MR", "OR", "CR", "CO"]
    schema = el.Schema(columns, "FF", universe={name: ["A", "N", "P"] for name in (*columns, "FF")})
    return el.read_table(data_dir / "FFcount.csv", schema, count="FF_1")
