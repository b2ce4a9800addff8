"""A new law is one class and one line in the registry of mechanisms, and every feature works with it.

The law is the logistic one, which Epsilens does not have. Its class states its tail, its density, its variance and its
draws; everything else anybody asks of it must follow, and agree with enumeration.
"""

from __future__ import annotations

import itertools
import json
import math
import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

import epsilens as el
from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import NoisyCounts, audit
from epsilens.budget import PureDP
from epsilens.checks import positive
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.beside.frontier import frontier_points, lever_effects
from epsilens.choice.beside.profile_mechanisms import profile_cap, profile_noise
from epsilens.choice.beside.profiles import capped_profile, constant_profile, profile_budget
from epsilens.choice.beside.worst_case import worst_case_of
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.two_parameters import choose_delta
from epsilens.cli import main
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.homogeneity.repeated.pooling import WholeNumberNoise, pooled_noise
from epsilens.noise import MECHANISMS, Mechanism
from epsilens.noise.absolute_error import absolute_sum
from epsilens.noise.composed_loss import ComposedLoss
from epsilens.noise.law import SymmetricLaw
from epsilens.noise.loss import PrivacyLoss
from epsilens.release.opendp_script import opendp_script
from epsilens.release.samplers import secure
from epsilens.table.hierarchy import Situations
from epsilens.utility import expected_absolute_error, marginal_distances


@dataclass(frozen=True)
class LogisticNoise(SymmetricLaw):
    """Logistic law with ``scale`` s: tail P(X > x) = 1 / (1 + e^(x / s))."""

    scale: float
    integer_valued: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", positive("scale", self.scale))

    @property
    def variance(self) -> float:
        return (math.pi * self.scale) ** 2 / 3.0

    def tail(self, x: FloatArray) -> FloatArray:
        return np.exp(self.logtail(x))

    def logtail(self, x: FloatArray) -> FloatArray:
        return as_floats(-np.logaddexp(0.0, x / self.scale))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        u = np.abs(as_floats(x)) / self.scale
        return as_floats(-u - 2.0 * np.log1p(np.exp(-u)) - math.log(self.scale))

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return rng.logistic(0.0, self.scale, size)


def with_epsilon(budget: PureDP, sensitivity: float) -> LogisticNoise:
    """The log of the density has the slope 1 / s at most, so that the loss is at most sensitivity / s."""
    return LogisticNoise(sensitivity / budget.epsilon)


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    MECHANISMS["logistic"] = Mechanism("logistic", 1, {PureDP: with_epsilon}, "`epsilon`")
    yield
    del MECHANISMS["logistic"]


CELLS = {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}
TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2], [12, 0], [0, 3]], ["ill", "well"], CELLS)
SIZES = [0.3, 1.0, 2.5]


def sf(x: float, scale: float) -> float:
    return 1.0 / (1.0 + math.exp(x / scale))


def masses(scale: float, far: int | None = None) -> FloatArray:
    """P(rounded noise = k) for k = -far .. far, from the closed form."""
    reach = far if far is not None else math.ceil(45 * scale) + 2
    return as_floats([sf(abs(k) - 0.5, scale) - sf(abs(k) + 0.5, scale) for k in range(-reach, reach + 1)])


def listed(scale: float) -> WholeNumberNoise:
    """The same law as nothing but a list of probabilities."""
    mass = masses(scale)
    return WholeNumberNoise(-(len(mass) // 2), mass)


@pytest.mark.parametrize("scale", [*SIZES, 40.0, 1e6])
def test_the_law_answers_for_itself(scale: float) -> None:
    law = LogisticNoise(scale)
    assert (law.name, law.title, law.parameter, law.size) == ("logistic", "logistic", "scale", scale)
    assert law.of_size(7.0) == LogisticNoise(7.0)
    assert law.largest_loss() == pytest.approx(1 / scale, rel=1e-9)
    assert law.largest_loss(2) == pytest.approx(2 / scale, rel=1e-9)
    assert not law.has_delta
    assert law.secure_sampler is None
    u = np.linspace(0.01, 20, 20_000)
    assert law.steepest == pytest.approx((u / (4 * np.cosh(u / 2) ** 2)).max(), rel=0.01)
    assert law.steepest > (u / (4 * np.cosh(u / 2) ** 2)).max()
    for tail in (0.05, 1e-13, 1e-200):
        assert law.reach(tail) == max(0, math.ceil(scale * math.log(2 / tail - 1) - 0.5))
    if scale < 100:
        k = np.arange(-60, 61)
        assert law.pmf(k) == pytest.approx(masses(scale, 60), rel=1e-9, abs=1e-15)
    assert expected_absolute_error(law, rounded=False) == pytest.approx(2 * scale * math.log(2), rel=1e-9)


@pytest.mark.parametrize("scale", SIZES)
@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_of_homogeneity(measure: str, scale: float) -> None:
    prepared = prepare(measure, TABLE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", el.EpsilensWarning)  # printed bounds may exceed what they bound
        risks, by_list = prepared.risks(LogisticNoise(scale)), prepared.risks(listed(scale))
    assert risks == pytest.approx(by_list, abs=1e-9)
    counts = measure != "published-p1-local"  # of P1 a cell with several values has no risk at all
    at_risk = counts | ((prepared.vectors > 0).sum(axis=1) == 1)
    assert np.all((risks > 0) == at_risk)
    assert np.all(risks < 1.0 + 1e-12)


def test_risks_by_enumerating_what_is_published() -> None:
    scale, risks = 1.2, el.homogeneity.local(TABLE, LogisticNoise(1.2))
    for (a, b), risk in zip(TABLE.counts.tolist(), risks, strict=True):
        shown = [1 - sf(count - 0.5, scale) for count in (a, b)]  # P(count + noise >= 1/2)
        alone = shown[0] * (1 - shown[1]) * (a > 0) + shown[1] * (1 - shown[0]) * (b > 0)
        assert risk == pytest.approx(alone, rel=1e-12)
    pooled = pooled_noise([LogisticNoise(1.2), LogisticNoise(2.0)])
    assert 0 < float(el.homogeneity.local(TABLE, pooled)[0]) < 1


def test_risk_curve_and_the_chosen_budget() -> None:
    budgets = el.PureDP.grid(0.05, 20.0, 400)
    curve = el.risk_curve(TABLE, "logistic", budgets)
    direct = [el.average(el.homogeneity.local(TABLE, LogisticNoise(1 / b.epsilon)), TABLE) for b in budgets]
    assert curve.risks == pytest.approx(direct, rel=1e-12)
    ceiling = 0.5 * float(curve.risks.min() + curve.risks.max())
    choice = el.choose_budget(TABLE, "logistic", max_risk=ceiling)
    safe = [any(i.low <= b.epsilon <= i.high for i in choice.safe_set) for b in budgets]
    assert safe == [bool(risk <= ceiling) for risk in curve.risks]
    assert choice.budget is not None
    assert choice.risk == pytest.approx(ceiling, abs=1e-6)
    for measure, most in (("hard", ceiling), ("posterior", 0.7), ("posterior-decision", 0.8)):
        other = el.choose_budget(TABLE, "logistic", max_risk=most, measure=measure)
        assert other.risk is not None
        assert other.risk <= most + 1e-9
    with pytest.raises(ParameterError, match=r"mechanism 'logistic' has no delta: epsilon alone is the budget"):
        el.choose_budget(TABLE, "logistic", delta=1e-6)
    with pytest.raises(ParameterError, match=r"mechanism 'logistic' has no rho"):
        el.choose_budget(TABLE, "logistic", parameter="rho")
    with pytest.raises(ParameterError, match=r"mechanism 'logistic' has no delta"):
        choose_delta(TABLE, 1.0, "logistic")


def test_the_budget_of_a_hierarchy() -> None:
    people = Situations(np.array([[1, 3], [1, 8], [2, 5]]), np.array([4, 6, 2]), np.array([7, 2, 1]))
    choice = el.choose_budget(people, "logistic", max_risk=0.7, measure="posterior", attack="unique-levels")
    assert choice.risk == pytest.approx(0.7, abs=1e-6)
    assert choice.budget is not None
    assert [noise.size for noise in choice.noises] == pytest.approx([2 / choice.budget] * 2)  # half of it each


def test_frontier_and_levers() -> None:
    points = frontier_points(TABLE, ["logistic", "laplace"], epsilons=[0.5, 1.0, 3.0])
    assert [(point.mechanism, point.epsilon) for point in points][:3] == [("logistic", e) for e in (0.5, 1.0, 3.0)]
    for point in points[:3]:
        scale = 1 / point.epsilon
        mass = masses(scale)
        k = np.arange(len(mass)) - len(mass) // 2
        assert point.error == pytest.approx(mass @ np.abs(k), rel=1e-9)
        assert point.risk == pytest.approx(el.average(el.homogeneity.local(TABLE, LogisticNoise(scale)), TABLE))
        cells = [mass @ np.abs(np.maximum(0, n + k) - n) for n in TABLE.counts.ravel()]
        assert point.cell_error == pytest.approx(np.mean(cells), rel=1e-9)
    assert lever_effects(TABLE, 1.0, "logistic")[0].risk <= points[1].risk


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_the_worst_case(neighbours: str) -> None:
    moved = 1 if neighbours == "add-remove" else 2
    found = worst_case_of(LogisticNoise(1.0), neighbours)
    assert found.odds_factor == pytest.approx(math.exp(moved))
    mass = np.append(masses(1.0), 0.0)
    other = np.roll(mass, 1)
    p, q = (mass, other) if moved == 1 else (np.outer(mass, other).ravel(), np.outer(other, mass).ravel())
    assert found.advantage == pytest.approx(np.maximum(p - q, 0).sum(), abs=1e-10)
    assert found.odds_factor_usually <= found.odds_factor
    loss = PrivacyLoss.of(LogisticNoise(1.0), neighbours)
    for epsilon in (0.2, 0.7):
        assert loss.delta(epsilon) == pytest.approx(np.maximum(p - math.exp(epsilon) * q, 0).sum(), abs=1e-10)
    assert loss.delta(moved * 1.0001) == 0.0
    several = ComposedLoss((LogisticNoise(1.0), LogisticNoise(2.0)), moved)
    assert several.largest() == pytest.approx(1.5 * moved)
    assert several.advantage() > loss.advantage()
    wide = worst_case_of(LogisticNoise(1e5), neighbours)
    assert wide.odds_factor == pytest.approx(math.exp(moved / 1e5))
    assert 0 < wide.advantage < 1e-4


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_risk_profiles(neighbours: str) -> None:
    profile = capped_profile(0.25, 3.0)
    found = profile_noise(profile, "logistic", 1e-2, neighbours)
    steps = 2.0 if neighbours == "substitute" else 1.0
    assert found.failure <= 1e-2
    assert found.scale <= steps / found.allowed.epsilon * (1 + 1e-9)  # what a pure budget would take
    assert found.to_dict()["law"] == "LogisticNoise"
    dial = risk_dial(TABLE, "logistic", MeanRisk(), neighbours=neighbours)
    cap, told = profile_cap(constant_profile(3.0), dial)
    assert cap == profile_budget(constant_profile(3.0), neighbours).epsilon == told["epsilon"]


def test_comparison_of_systems_by_name() -> None:
    found = el.compare(TABLE, ["logistic", "laplace"], epsilons=[1.0], repetitions=4, classify=False, with_audit=True)
    row, laplace = found.rows
    assert (row["system"], row["title"]) == ("logistic", "logistic counts, rounded and clipped")
    assert row["published_delta"] is None  # print says nothing about this law
    assert laplace["published_delta"] == 0.0
    assert row["delta"] == 0.0  # scale 2 for two counts: exactly epsilon
    local = el.average(el.homogeneity.local(TABLE, LogisticNoise(2.0), match="share"), TABLE)
    assert row["homogeneity_risk"] == pytest.approx(local)
    assert found.audits[0].verdict == "no claim"
    system = NoisyCounts(LogisticNoise(1.0), epsilon=1.0)
    assert system.published_delta() is None
    assert system.delta("substitute") == pytest.approx(audit(system).enumerated, rel=0.2)
    assert system.delta("add-remove") == 0.0
    mass = masses(1.0)
    k = np.arange(len(mass)) - len(mass) // 2
    assert system.bias([0, 2])[1] == pytest.approx(mass @ np.maximum(0, 2 + k) - 2, rel=1e-9)
    ceiling = el.compare(TABLE, ["logistic"], equal_risk=("homogeneity", 0.5), repetitions=2, classify=False)
    assert ceiling.rows[0]["homogeneity_risk"] <= 0.5 + 1e-9


def test_the_bayesian_adversary() -> None:
    law, scale = LogisticNoise(1.3), 1.3
    mass = masses(scale)
    far = len(mass) // 2

    def f(k: int) -> float:
        return float(mass[k + far])

    alone = el.posterior.single_level(noisy=2, known=1, noise=law, prior=0.3)
    assert alone.posterior == pytest.approx(0.3 * f(0) / (0.3 * f(0) + 0.7 * f(1)), rel=1e-9)
    expected = el.posterior.expected_single_level(noise=law, prior=0.3)
    each = [f(k) * 0.3 * f(k) / (0.3 * f(k) + 0.7 * f(k + 1)) for k in range(-far, far)]
    assert expected.posterior == pytest.approx(sum(each), rel=1e-9)
    pair = el.posterior.expected_unique_at_levels(noise=[law, law], prior=0.3)
    assert pair.posterior > expected.posterior

    two = el.posterior.two_level(2, 1, -1, 2, noise=(law, LogisticNoise(0.6)), prior=0.5)
    above, sums = masses(0.6, far), np.convolve(mass, mass)
    odds = [
        sum(above[1 - k2 + far] * sums[-1 - (k2 - k1) + 2 * far] for k2 in range(k1, far - 5)) * f(2 - k1)
        for k1 in (0, 1)
    ]
    assert two.posterior == pytest.approx(odds[1] / sum(odds), rel=1e-8)
    averaged = el.posterior.expected_two_level(3, 2, noise=(law, law))
    assert 0.5 < averaged.posterior < 1
    assert math.isnan(averaged.sum_approximation_error)
    tree = el.posterior.tree([[2, 0, 1], [3]], [[0, 0, 0]], noise=[law, law], leaf_prior=el.posterior.PoissonLeaf(1.0))
    assert 0 < tree.posterior < 1
    with pytest.raises(ParameterError, match=r"logistic noise has no approximation; use sum_law='exact'"):
        el.posterior.two_level(2, 1, -1, 2, noise=(law, law), sum_law="approximate")


@pytest.mark.parametrize("scale", SIZES)
def test_utility(scale: float) -> None:
    law, mass = LogisticNoise(scale), masses(scale)
    k = np.arange(len(mass)) - len(mass) // 2
    assert expected_absolute_error(law) == pytest.approx(mass @ np.abs(k), rel=1e-9)
    four = np.convolve(np.convolve(mass, mass), np.convolve(mass, mass))
    error = float(four @ np.abs(np.arange(len(four)) - len(four) // 2))
    assert absolute_sum(law, 4) == pytest.approx(error, rel=1e-7)
    (age,) = marginal_distances(TABLE, law, [["age"]])
    assert age.distance == pytest.approx(2 * error / (2 * TABLE.n_records), rel=1e-7)
    # a law knows no closed form of a sum, and wide noise is no exception
    assert absolute_sum(LogisticNoise(1e4 * scale), 4) == pytest.approx(
        absolute_sum(LogisticNoise(scale * 12), 4) * 1e4 / 12, rel=1e-3
    )


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(
        "age,sex,y\n"
        + "".join(
            f"{CELLS['age'][i]},{CELLS['sex'][i]},{label}\n" * int(count)
            for i, row in enumerate(TABLE.counts)
            for label, count in zip(TABLE.labels, row, strict=True)
        )
    )

    def call(*arguments: str | os.PathLike[str]) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as stop:
            main([os.fspath(argument) for argument in arguments])
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


ROLES = ("people.csv", "--qid", "age,sex", "--sensitive", "y", "--mechanism", "logistic")


def test_the_command_line_knows_it_by_its_name(run: Run) -> None:
    code, out, _ = run("assess", *ROLES, "--epsilon", "0.5,2", "--json")
    assert code == 0
    told: Any = json.loads(out)
    risks = [line["risks"]["local"] for line in _budgets(told)]
    direct = [el.average(el.homogeneity.local(TABLE, LogisticNoise(1 / e)), TABLE) for e in (0.5, 2.0)]
    assert risks == pytest.approx(direct, rel=1e-9)
    code, out, _ = run("choose", *ROLES, "--max-risk", "0.5", "--json")
    assert code == 0
    assert json.loads(out)["budget"] == pytest.approx(el.choose_budget(TABLE, "logistic", 0.5).budget)
    assert run("posterior", "single", "--noisy", "2", "--mechanism", "logistic", "--epsilon", "1")[0] == 0
    code, _, err = run("choose", *ROLES, "--max-risk", "0.5", "--delta", "1e-6")
    assert (code, err.count("\n")) == (2, 1)
    assert "mechanism 'logistic' has no delta" in err


def _budgets(told: Any) -> list[dict[str, Any]]:
    if isinstance(told, dict) and "risks" in told:
        return [told]
    parts = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return list(itertools.chain.from_iterable(map(_budgets, parts)))


def test_a_release_refuses_it_with_one_line(tmp_path: Path) -> None:
    refusal = (
        r"^logistic noise has no secure sampler, so it cannot be released; use one of discrete-laplace, [a-z, -]+$"
    )
    with pytest.raises(ParameterError, match=refusal):
        el.release_table(
            TABLE,
            "logistic",
            el.PureDP(1.0),
            tmp_path / "ledger.db",
            "survey",
            total=el.PureDP(2.0),
            one_row_per_person=True,
            cells_are_public=True,
            allow_continuous=True,
        )
    assert not list(tmp_path.iterdir())
    with pytest.raises(ParameterError, match=refusal):
        secure(LogisticNoise(1.0), 1.0, 1)  # type: ignore[arg-type]
    schema = el.Schema(quasi_identifiers=["age", "sex"], sensitive="y")
    with pytest.raises(ParameterError, match=refusal):
        opendp_script(risk_dial(TABLE, "logistic", MeanRisk()), 1.0, "people.csv", schema)


def test_composition_of_its_releases() -> None:
    """Three releases with epsilon 1/2 each; rounded counts tell no more than the noisy ones, and not much less."""
    rounded = ComposedLoss((LogisticNoise(2.0),) * 3)
    laws = el.compose([LogisticNoise(2.0)] * 3, delta=1e-3)["pld"].epsilon
    named = el.compose([el.PureDP(0.5)] * 3, delta=1e-3, mechanisms=["logistic"] * 3)["pld"].epsilon
    for epsilon in (laws, named):
        assert epsilon is not None
        assert epsilon < 1.5  # less than adding up
        assert rounded.delta(epsilon) <= 1e-3 * 1.01
        assert rounded.delta(0.9 * epsilon) > 1e-3
