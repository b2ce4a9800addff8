"""Exact homogeneity risks of the papers' own data, to the printed digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import epsilens as el
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.table import cell_sizes, homogeneity_classes

EPSILONS = (0.1, 0.5, 1, 2, 10)


def averages(table: el.FrequencyTable, match: str = "any") -> list[tuple[float, float]]:
    """(unweighted, weighted) at each epsilon, Laplace, rounded as printed."""
    curves = [
        el.risk_curve(table, "laplace", [el.PureDP(e) for e in EPSILONS], weighted=weighted, match=match).risks
        for weighted in (False, True)
    ]
    return [(round(float(u), 5), round(float(w), 5)) for u, w in zip(*curves, strict=True)]


def test_shapes(ff: el.FrequencyTable, bank: el.FrequencyTable, adult: el.FrequencyTable) -> None:
    assert (ff.n_cells, ff.n_records, ff.labels) == (78, 250, ("A", "N", "P"))
    assert (bank.n_cells, bank.n_records) == (103, 250)
    assert (adult.n_cells, adult.n_records, adult.labels) == (5009, 27504, ("<=50K", ">50K"))
    diagnostics = el.diagnose(adult)
    assert (diagnostics.homogeneous_cells, diagnostics.people_in_homogeneous_cells) == (4044, 11112)
    diagnostics = el.diagnose(ff)
    assert (diagnostics.homogeneous_cells, diagnostics.people_in_homogeneous_cells) == (54, 142)


def test_exact_local_risk(ff: el.FrequencyTable, bank: el.FrequencyTable, adult: el.FrequencyTable) -> None:
    assert averages(ff) == [
        (0.19106, 0.21025),
        (0.26335, 0.26103),
        (0.33462, 0.30649),
        (0.45273, 0.38902),
        (0.68731, 0.56426),
    ]
    assert averages(bank) == [
        (0.30500, 0.32933),
        (0.46333, 0.50832),
        (0.59734, 0.63774),
        (0.76383, 0.79036),
        (0.99569, 0.99624),
    ]
    assert averages(adult) == [
        (0.32465, 0.31255),
        (0.40229, 0.29126),
        (0.48203, 0.30551),
        (0.60111, 0.33938),
        (0.80330, 0.40276),
    ]


def test_exact_share_risk(ff: el.FrequencyTable) -> None:
    assert averages(ff, "share") == [
        (0.15162, 0.15597),
        (0.23148, 0.22293),
        (0.31236, 0.28263),
        (0.44182, 0.37911),
        (0.68712, 0.56413),
    ]


def test_risk_is_not_monotone_in_epsilon(adult: el.FrequencyTable) -> None:
    budgets = [el.PureDP(e) for e in (0.001, 0.5, 1.0)]
    assert el.risk_curve(adult, "laplace", budgets).risks.round(4).tolist() == [0.4003, 0.2913, 0.3055]


def test_believing_single_label_cells(adult: el.FrequencyTable) -> None:
    at_one = el.homogeneity.belief(adult, el.calibrate("laplace", el.PureDP(1.0)))
    assert (round(at_one.right, 3), round(at_one.wrong, 3)) == (0.296, 0.020)
    assert (round(at_one.precision, 2), round(at_one.guessing, 2)) == (0.94, 0.75)
    tiny = el.homogeneity.belief(adult, el.calibrate("laplace", el.PureDP(0.001)))
    assert round(tiny.precision, 2) == 0.51


def test_curve_equals_the_average_of_cells(adult: el.FrequencyTable) -> None:
    for mechanism, budget in (("laplace", el.PureDP(0.7)), ("discrete-gaussian", el.ZCDP(0.1))):
        noise = el.calibrate(mechanism, budget)
        for weighted in (True, False):
            curve = el.risk_curve(adult, mechanism, [budget], weighted=weighted)
            cells = el.homogeneity.local(adult, noise)
            assert curve.risks[0] == pytest.approx(el.average(cells, adult, weighted), abs=1e-13)


def test_scenarios_of_a_real_table_sum_to_one(ff: el.FrequencyTable) -> None:
    for noise in (
        el.LaplaceNoise(1.0),
        el.GaussianNoise(2.0),
        el.DiscreteGaussianNoise(0.6),
        el.DiscreteLaplaceNoise(9.0),
    ):
        np.testing.assert_allclose(el.homogeneity.scenarios(ff, noise).sum(axis=1), 1.0, rtol=0, atol=1e-12)


def test_sizes_and_complete_homogeneity(ff: el.FrequencyTable, adult: el.FrequencyTable, data_dir: Path) -> None:
    """P0 Figure 2, Definitions 4 and 5, footnote 6."""
    found = cell_sizes(ff)
    sizes = {1: 18, 2: 23, 3: 5, 4: 20, 5: 3, 6: 2, 7: 2, 8: 2, 9: 1, 11: 1, 14: 1}
    assert found.to_dict()["histogram"] == {str(size): cells for size, cells in sizes.items()}
    assert (cell_sizes(adult).singletons, cell_sizes(adult).quantile(1.0)) == (2644, 308)
    schema = el.Schema(["IR", "MR", "CR", "CO", "OR"], ["class", "FF"])
    both = homogeneity_classes(el.read_table(data_dir / "bankcount.csv", schema, count="class_1"))
    assert (both.every.cells, both.some.cells, both.none.cells) == (54, 24, 0)


def test_scenarios_of_ff(ff: el.FrequencyTable) -> None:
    shares = el.homogeneity.scenario_shares(ff, el.LaplaceNoise(1.0))
    assert shares.round(5).tolist() == [0.25505, 0.01801, 0.27426, 0.02068, 0.37434, 0.00434, 0.00188, 0.05144]


def test_who_is_shown_as_what(adult: el.FrequencyTable) -> None:
    """By a brute force of its own, cell by cell and outcome by outcome: nearly all of Adult's risk harms nobody."""
    noise = el.LaplaceNoise(1.0)
    wanted = {
        "local": [(0.2720979301924, 0.0073844968765), (0.0239661442893, 0.0127867590056)],
        "expected": [(0.2911227086498, 0.0056164829203), (0.0302737503975, 0.0118434444782)],
    }
    for measure, numbers in wanted.items():
        found = prepare_by_value(adult, measure).shares(noise)
        assert [value.value for value in found] == ["<=50K", ">50K"]
        for value, (right, wrong) in zip(found, numbers, strict=True):
            assert (value.shown_right, value.shown_wrong) == pytest.approx((right, wrong), abs=1e-12)
    rich = adult.with_harm("income=>50K")
    today = [(v.value, v.cells, v.people) for v in el.diagnose(rich).disclosed_by_value]
    assert today == [("<=50K", 3489, 10_322), (">50K", 555, 790)]
    harmed = el.risk_curve(rich, "laplace", [el.PureDP(1.0)], match="share").risks[0]
    assert harmed == pytest.approx(0.0239661442893, abs=1e-12)
    assert el.risk_curve(adult, "laplace", [el.PureDP(1.0)], match="share").risks[0] == pytest.approx(
        0.2720979301924 + 0.0239661442893, abs=1e-12
    )
