"""The numbers of P4: as printed, as the printed chain gives them, and as they are."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import posterior
from epsilens.posterior import ParentPrior, PointParent, UniformParent

CENSUS = posterior.CENSUS_2020
RHO = (0.099226, 0.246485)
PRIORS = (1 / 2, 1 / 5, 1 / 10, 1 / 50, 1 / 864)


def table_6(published: bool = False) -> posterior.TwoLevelPosterior:
    return posterior.two_level(noisy=2, noisy_parent=1, noisy_siblings=-1, siblings=27, rho=RHO, published=published)


def percent(value: float) -> float:
    return 100.0 * value


# --- one level ---


def test_table_2() -> None:
    printed = {
        "nation": 0.0509,
        "state": 0.0505,
        "county": 0.0514,
        "tract": 0.0504,
        "block group": 0.2465,
        "block": 0.0992,
    }
    for level, rho in printed.items():
        assert CENSUS.histogram_rho(level) == pytest.approx(rho, abs=5e-5)
    expected = (0.099226, 0.246485, 0.050416, 0.051378, 0.050488, 0.050938)
    assert CENSUS.histogram_rhos == pytest.approx(expected, abs=5e-7)
    assert sum(CENSUS.level_rho(level) for level in CENSUS.level_names) == pytest.approx(2.56)


def test_the_epsilon_of_the_census() -> None:
    conversion = CENSUS.conversion(1e-10)
    assert conversion.published_epsilon == pytest.approx(17.915, abs=5e-4)  # printed 17.91, cut off
    assert conversion.epsilon == pytest.approx(17.158, abs=5e-4)
    assert posterior.converted(2.56, 1e-10) == conversion
    assert posterior.conversions([2.56], 1e-10) == (conversion,)


def test_table_4() -> None:
    tables = [posterior.noisy_count_table([1, 2, 3, 4, 5], rho=0.099226, prior=p) for p in PRIORS]
    corrected = [0.178, 0.161, 0.119, 0.073, 0.036]
    assert tables[0].probability == pytest.approx(corrected, abs=5e-4)
    printed = [0.161, 0.119, 0.073, 0.036, 0.015]  # one place further: those of a target who is not there
    absent = posterior.noisy_count_table([2, 3, 4, 5, 6], rho=0.099226).probability
    assert absent == pytest.approx(printed, abs=5e-4)
    posteriors = {
        1 / 2: [0.525, 0.574, 0.622, 0.667, 0.710],
        1 / 5: [0.216, 0.252, 0.291, 0.334, 0.379],
        1 / 10: [0.109, 0.130, 0.154, 0.182, 0.213],
        1 / 50: [0.022, 0.027, 0.032, 0.039, 0.047],
    }
    for table, p in zip(tables, PRIORS, strict=True):
        if p in posteriors:
            assert table.posterior == pytest.approx(posteriors[p], abs=1e-3)
    assert tables[4].risk_ratio == pytest.approx([1.10, 1.35, 1.64, 2.00, 2.44], abs=6e-3)


def test_table_5() -> None:
    risks = [posterior.expected_single_level(rho=RHO[0], prior=p) for p in PRIORS]
    assert [risk.posterior for risk in risks] == pytest.approx([0.5237, 0.2254, 0.1168, 0.0242, 0.0014], abs=5e-5)
    assert [risk.risk_ratio for risk in risks] == pytest.approx([1.05, 1.13, 1.17, 1.21, 1.22], abs=5e-3)


def test_decisions_need_not_improve_with_rho() -> None:
    assert posterior.expected_single_level(rho=0.5, prior=0.2).correct_decision == pytest.approx(0.30, abs=5e-3)
    assert posterior.expected_single_level(rho=0.6, prior=0.2).correct_decision == pytest.approx(0.28, abs=5e-3)
    assert percent(posterior.expected_single_level(rho=RHO[0]).correct_decision) == pytest.approx(58.89, abs=5e-3)
    for p in PRIORS[1:]:
        assert posterior.expected_single_level(rho=RHO[0], prior=p).correct_decision < 0.002


def test_figures_2_and_3() -> None:
    curve = posterior.single_level_curve([1e-3, 0.099, 0.25, 1.0, 5.0, 50.0], PRIORS)
    assert np.all(np.diff(curve.posterior, axis=1) > -1e-12)
    assert curve.posterior[:, 0] == pytest.approx(PRIORS, rel=3e-3)
    assert curve.posterior[:, -1] == pytest.approx(1.0, abs=1e-6)
    assert curve.risk_ratio[:, -1] == pytest.approx(1 / np.asarray(PRIORS), rel=1e-6)
    assert curve.scenario.name == "characteristics"


# --- two levels: exact, and as the printed chain has it ---


def test_table_7_both_laws() -> None:
    exact, chain = table_6(), table_6(published=True)
    assert percent(exact.posterior) == pytest.approx(50.33, abs=5e-3)
    assert percent(chain.posterior) == pytest.approx(57.77, abs=5e-3)
    assert percent(chain.posterior) == pytest.approx(57.0, abs=1.0)  # printed, from 10,000 dependent draws
    assert percent(exact.alone) == pytest.approx(57.4, abs=0.05)
    assert exact.law == "exact posterior"
    assert "published chain" in chain.law


def test_table_8_both_laws() -> None:
    printed = [11, 40, 30, 14, 4.6, 0.7, 0.08, 0.01]
    chain = table_6(published=True).parent_pmf
    assert [percent(chain[k]) for k in range(8)] == pytest.approx(printed, abs=0.7)
    exact = table_6().parent_pmf
    assert [percent(exact[k]) for k in range(4)] == pytest.approx([12.94, 38.66, 29.79, 13.92], abs=5e-3)
    for pmf in (chain, exact):
        assert sum(pmf.values()) == pytest.approx(1.0, abs=1e-12)


def test_figure_4_both_laws() -> None:
    chain = posterior.expected_two_level(1, 27, RHO, published=True)
    assert percent(chain.right_changes) == pytest.approx(2.38, abs=5e-3)
    assert percent(chain.wrong_changes) == pytest.approx(1.81, abs=5e-3)
    assert percent(chain.net_gain) == pytest.approx(0.57, abs=5e-3)
    assert percent(chain.right_changes) == pytest.approx(2.48, abs=0.15)  # printed
    assert percent(chain.wrong_changes) == pytest.approx(1.83, abs=0.15)
    exact = posterior.expected_two_level(1, 27, RHO)
    assert percent(exact.correct_decision) == pytest.approx(31.8, abs=0.05)
    assert percent(exact.correct_decision_alone) == pytest.approx(58.89, abs=5e-3)
    assert exact.correct_decision == pytest.approx(exact.correct_decision_alone + exact.net_gain, abs=1e-12)
    drawn = posterior.decision_map(1, 27, RHO, child_range=(-3, 5), published=True)
    changed = drawn.present != drawn.present_alone[:, None, None]
    assert set(drawn.child[changed.any(axis=(1, 2))]) == {0.0, 1.0}  # printed: only these noisy counts change decisions
    assert drawn.probability[changed].sum() == pytest.approx(0.0238 + 0.0181, abs=2e-3)  # the box leaves out under 1 %


def test_figure_5_end_points() -> None:
    chain = posterior.two_level_curve([1, 4, 10, 20], 27, RHO, published=True)["correct_decision"][:, 0]
    assert percent(chain[0]) == pytest.approx(59.5, abs=0.05)
    assert [percent(value) for value in chain[1:]] == pytest.approx([59.05, 59.05, 59.05], abs=0.1)
    exact = posterior.two_level_curve([1, 2, 4, 10, 20], 27, RHO)["correct_decision"][:, 0]
    assert [percent(value) for value in exact] == pytest.approx([31.82, 43.49, 56.19, 58.97, 58.97], abs=5e-3)


@pytest.mark.slow
def test_figure_6_end_points() -> None:
    rhos = [0.001, 0.1, 1.0, 10.0, 100.0]
    chain = posterior.two_level_curve([1, 10, 100], 27, RHO, rhos, published=True)["correct_decision"]
    assert np.ptp(chain[:, 2:4], axis=0).max() < 0.005  # printed: alike for rho2 > 1
    assert chain[0, 0] > chain[2, 0] + 0.03  # printed: x2 = 1 stands out for small rho2
    exact = posterior.two_level_curve([1, 10, 100], 27, RHO, rhos)["correct_decision"]
    assert percent(exact[0, 1]) == pytest.approx(36.02, abs=5e-3)
    # at rho2 = 100 the parent is all but known, and the evidence can be exactly even: print counts that as a yes
    last = posterior.expected_two_level(1, 27, (RHO[0], 100.0))
    assert percent(last.correct_decision) == pytest.approx(58.68, abs=5e-3)
    assert percent(last.correct_decision + last.undecided) == pytest.approx(59.2, abs=0.1)  # printed


def test_prior_sensitivity_s4() -> None:
    def risk(published: bool, prior: ParentPrior | None, present: bool = True) -> posterior.ExpectedTwoLevel:
        return posterior.expected_two_level(
            int(present), 27, RHO, parent_prior=prior, published=published, present=present
        )

    priors = (None, UniformParent(10), PointParent(1), PointParent(25))
    chain = [risk(True, prior) for prior in priors]
    # print says yes when the evidence is exactly even, which it can be when the parent is taken as known
    assert [percent(r.correct_decision + r.undecided) for r in chain] == pytest.approx([59, 59, 59, 74], abs=0.6)
    absent = risk(True, PointParent(25), present=False)
    assert percent(absent.correct_decision - absent.undecided) == pytest.approx(42, abs=0.6)
    exact = [percent(risk(False, prior).correct_decision) for prior in priors]
    assert exact == pytest.approx([31.82, 38.97, 58.68, 72.95], abs=5e-3)
    assert percent(risk(False, PointParent(25), present=False).correct_decision) == pytest.approx(43.13, abs=5e-3)


def test_the_sum_of_noises_is_all_but_discrete_gaussian() -> None:
    exact = posterior.expected_two_level(1, 27, RHO)
    assert exact.sum_approximation_error < 1e-39
    rough = posterior.expected_two_level(1, 27, RHO, sum_law="approximate")
    assert rough.posterior == pytest.approx(exact.posterior, abs=1e-12)


# --- unique at several levels, post-processing ---


def test_unique_at_levels_s1_3() -> None:
    curve = posterior.unique_levels_curve(CENSUS.histogram_rhos, PRIORS)
    exact = [0.523666, 0.574547, 0.583846, 0.592996, 0.601687, 0.610173]
    assert curve["posterior"][0] == pytest.approx(exact, abs=5e-7)
    assert np.all(np.diff(curve["risk_ratio"], axis=1) > 0)
    assert np.all(np.argmax(np.diff(curve["risk_ratio"], axis=1), axis=1) == 0)  # printed: most from level 1 to 2
    risk = posterior.expected_unique_at_levels(CENSUS.histogram_rhos)
    assert risk.error <= 1e-8
    assert risk.posterior == pytest.approx(exact[-1], abs=5e-7)


def test_post_processing_s6() -> None:
    shown = [1, 2, 5, 10, 20, 50]
    check = posterior.postprocessing_check(shown, 27, [RHO[0]])
    simplified, constrained = check.rows[: len(shown)], check.rows[len(shown) :]
    ratios = [row.risk_ratio for row in simplified]
    assert ratios == sorted(ratios)  # printed: larger shown parents come closer to the bound
    assert ratios[0] == pytest.approx(1.0322, abs=5e-5)
    assert all(row.posterior < row.raw_posterior_child for row in simplified)
    assert check.never_raises_risk
    assert all(row.posterior < other.posterior for row, other in zip(constrained, simplified, strict=True))
    # print: never above the risk of the raw child count. Far out it is, though never above that of all raw counts.
    far = posterior.postprocessing_risk(100, 27, RHO[0])
    assert far.exceeds_child_alone
    assert not far.raises_risk
    curve = [posterior.postprocessing_risk(1, 27, rho).posterior for rho in (0.01, 0.1, 1.0, 5.0)]
    assert curve == sorted(curve)


def test_the_ratio_is_not_monotone_in_rho_at_a_small_prior() -> None:
    # print says that both quantities increase with rho (section 4.2); sums with 40 digits agree with these
    curve = posterior.single_level_curve([2.8, 3.2, 3.4], [1 / 864])
    assert curve.risk_ratio[0] == pytest.approx([53.646, 52.851, 53.37], abs=5e-3)
    assert [(fall.from_rho, fall.to_rho) for fall in curve.falls] == [(2.8, 3.2)]
    usual = posterior.single_level_curve(np.geomspace(0.05, 10.0, 60), PRIORS[:4])
    assert usual.falls == ()


def test_the_counterfactual_of_a_wrong_prior() -> None:
    # section S4: 42 % printed, of somebody who is not there, where the adversary is sure of 25 people above
    risk = posterior.expected_two_level(0, 27, RHO, parent_prior=PointParent(25), present=False)
    assert risk.correct_decision == pytest.approx(0.4313, abs=5e-5)
