from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from epsilens.accounting.composition import compose
from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.choice.publication import Publication, assess_publication
from epsilens.errors import ParameterError
from epsilens.homogeneity import Release, SizeRelease, average, local
from epsilens.homogeneity.repeated.releases import AnyRelease
from epsilens.noise import calibrate
from epsilens.table import Schema, read_table
from epsilens.table.frequency import FrequencyTable

PEOPLE = {
    "town": ["a"] * 4 + ["b"] * 3 + ["c"] * 2,
    "sex": list("mmffmmfmf"),
    "income": ["high", "low", "low", "low", "high", "high", "high", "low", "low"],
    "ill": ["yes", "no", "no", "no", "no", "no", "no", "yes", "yes"],
}


def table(qid: list[str], sensitive: list[str]) -> FrequencyTable:
    import pyarrow as pa

    values = {"income": ["high", "low"], "ill": ["no", "yes"]}
    declared = {name: values[name] for name in sensitive}
    return read_table(pa.table(PEOPLE), Schema(qid, sensitive, universe=declared))


def release(name: str, qid: list[str], sensitive: list[str], epsilon: float, parent: str | None = None) -> Release:
    budget = PureDP(epsilon)
    return Release(table(qid, sensitive), calibrate("laplace", budget), budget, name=name, parent=parent)


@pytest.fixture(scope="module")
def chain() -> Publication:
    budget = PureDP(0.5)
    releases: list[AnyRelease] = [
        SizeRelease(calibrate("laplace", budget), budget, name="sizes"),
        release("income", ["town"], ["income"], 1.0, "sizes"),
        release("both", ["town"], ["income", "ill"], 2.0, "income"),
    ]
    return assess_publication(releases, "laplace", delta=1e-6)


def test_a_single_release_has_its_local_risk() -> None:
    only = release("", ["town"], ["income"], 1.0)
    found = assess_publication([only], "laplace")
    (step,) = found.steps
    exact = average(local(only.table, only.noise, "share"), only.table)
    assert step.after == "release 1"
    assert step.risks == pytest.approx({"income": exact}, abs=1e-13)
    assert step.published == pytest.approx({"income": exact}, abs=1e-13)
    assert found.some_attribute == pytest.approx({"": exact}, abs=1e-13)


def test_steps_grow_and_the_union_lies_between(chain: Publication) -> None:
    first, last = chain.steps
    assert [first.after, last.after] == ["income", "both"]
    assert list(last.risks) == ["income", "ill"]
    assert last.risks["income"] >= first.risks["income"]
    some = chain.some_attribute[""]
    assert some is not None
    assert last.largest <= some <= last.total
    assert chain.spent["basic"].epsilon == pytest.approx(3.5)


def test_without_a_joint_table_of_the_finest_cells_only_bounds_are_given() -> None:
    coarse = release("both", ["town"], ["income", "ill"], 1.0)
    fine = release("finer", ["town", "sex"], ["income"], 1.0)
    found = assess_publication([coarse, fine], "laplace")
    assert found.some_attribute == {"": None}


def test_cohorts_keep_apart_and_are_paid_in_parallel() -> None:
    releases = [
        Release(table(["town"], ["income"]), calibrate("laplace", PureDP(e)), PureDP(e), name=name, cohort=name)
        for name, e in (("2025", 1.0), ("2026", 2.0))
    ]
    found = assess_publication(releases, None)
    assert [(step.cohort, step.published) for step in found.steps] == [("2025", None), ("2026", None)]
    assert found.spent["basic"].epsilon == 2.0
    assert np.isclose(found.steps[0].risks["income"], assess_publication(releases[:1]).steps[0].risks["income"])


def test_cell_sizes_published_last_cost_their_budget_too() -> None:
    budget = PureDP(3.0)
    releases: list[AnyRelease] = [
        release("income", ["town"], ["income"], 1.0),
        SizeRelease(calibrate("laplace", budget), budget),
    ]
    assert assess_publication(releases, "laplace").spent["basic"].epsilon == pytest.approx(4.0)


def test_no_noise_in_print_for_the_cumulative_budget() -> None:
    budget = ApproxDP(0.6, 1e-7)
    noise = calibrate("gaussian", budget)
    found = assess_publication([Release(table(["town"], ["income"]), noise, budget)] * 2, "gaussian", delta=1e-6)
    assert "epsilon < 1" in found.not_in_print
    assert found.steps[-1].published is None
    assert found.steps[-1].risks["income"] > 0
    with pytest.raises(ParameterError, match="did you mean 'gaussian'"):
        assess_publication([release("", ["town"], ["income"], 1.0)], "gausian")


def test_zcdp_beside_epsilon_is_evaluated_in_print_at_the_delta_given() -> None:
    budgets: list[Budget] = [ZCDP(0.6), ApproxDP(0.6, 1e-7)]
    counts = table(["town"], ["income"])
    releases = [Release(counts, calibrate("discrete-gaussian", budget), budget) for budget in budgets]
    found = assess_publication(releases, "discrete-gaussian", delta=1e-6)
    assert not found.not_in_print
    assert found.steps[-1].published is not None


def test_known_mechanisms_have_their_own_privacy_loss() -> None:
    budget = ZCDP(0.1)
    one = Release(table(["town"], ["income"]), calibrate("discrete-gaussian", budget), budget)
    other = Release(table(["town"], ["income"]), calibrate("gaussian", budget), budget, cohort="new")
    spent = assess_publication([one], delta=1e-6).spent
    by_hand = compose([budget], 1e-6, mechanisms=["discrete-gaussian"])
    assert spent["pld"].epsilon == by_hand["pld"].epsilon is not None
    assert assess_publication([one, other], delta=1e-6).spent["pld"].epsilon is not None


@pytest.mark.parametrize(("budget", "expected"), [(ProbabilisticDP(1.0, 0.004), 0.834), (ApproxDP(0.6, 0.004), 0.3605)])
def test_gaussian_releases_cost_their_own_loss_and_not_that_of_the_worst_mechanism(
    budget: ProbabilisticDP | ApproxDP, expected: float
) -> None:
    one = Release(table(["town"], ["income"]), calibrate("gaussian", budget), budget)
    spent = assess_publication([one, one], "gaussian", delta=0.01).spent
    assert spent["pld"].epsilon == pytest.approx(expected, abs=2e-4)
    assert spent.budget("basic") == type(budget)(2 * budget.epsilon, 2 * budget.delta)


def test_a_cohort_without_a_joint_table_does_not_silence_the_others() -> None:
    both = release("", ["town"], ["income", "ill"], 1.0)
    apart = [replace(release("", ["town"], [name], 1.0), cohort="new") for name in ("income", "ill")]
    found = assess_publication([both, *apart])
    assert found.some_attribute["new"] is None
    assert found.some_attribute[""] == pytest.approx(assess_publication([both]).some_attribute[""])
