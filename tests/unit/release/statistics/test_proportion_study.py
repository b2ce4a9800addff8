"""The simulation study: budgets honoured, benchmark right, rows reproducible."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.noise.bounded_laplace import TruncatedLaplace, truncated_scale
from epsilens.release.statistics.proportion_study import (
    METHODS,
    PROPORTIONS,
    TARGETS,
    StudyQuestion,
    answer_study,
    cost_of_print,
    study,
)


def test_rows() -> None:
    seen: list[int] = []
    rows = study(sizes=(50, 200), epsilons=(0.5, 2.0), repetitions=500, progress=seen.append)
    assert len(rows) == 2 * 2 * len(METHODS) * len(TARGETS)
    assert sum(seen) == 2 * 2 * len(METHODS)
    for row in rows:
        assert 0 <= row.naive_coverage <= row.coverage <= 1
        assert abs(row.bias) <= row.rmse
        assert row.to_dict()["method"] == row.method
        assert all(math.isfinite(value) for value in row.to_dict().values() if isinstance(value, float))
    assert {row.target: round(row.truth, 12) for row in rows} == {"p1+p2": 0.2, "p1+p3": 0.35, "p1+p4": 0.55}


def test_rows_depend_on_their_own_settings_only() -> None:
    many = study(sizes=(50, 200), epsilons=(0.5, 2.0), repetitions=50)
    few = study(sizes=(200,), epsilons=(2.0,), methods=["universal"], repetitions=50)
    assert few == [row for row in many if (row.n, row.epsilon, row.method) == (200, 2.0, "universal")]
    assert few != study(sizes=(200,), epsilons=(2.0,), methods=["universal"], repetitions=50, seed=2)


def test_the_benchmark_is_the_binomial() -> None:
    for row in study(sizes=(400,), epsilons=(1.0,), methods=["original"], repetitions=20_000):
        assert abs(row.bias) <= 5 * row.bias_standard_error
        exact = math.sqrt(row.truth * (1 - row.truth) / 400)
        assert abs(row.rmse - exact) <= 5 * row.rmse_standard_error
        assert row.coverage == row.naive_coverage
        assert row.coverage == pytest.approx(0.95, abs=0.012)


def test_without_boundary_effects_error_and_coverage_follow_theory() -> None:
    # many people: all proportions lie well inside, the linearised noise variances are exact
    n, epsilon = 20_000, 0.1
    scale = 2 / n / epsilon
    rows = study(sizes=(n,), epsilons=(epsilon,), repetitions=20_000, proportions=(0.25,) * 4)
    for row in rows:
        noise = {
            "original": 0.0,
            "truncated-published": 4 * 2 * scale**2 / 4,
            "truncated-rescaled": 4 * 2 * truncated_scale(PureDP(epsilon / 2), 1 / n, 0, 1) ** 2 / 4,
            "clamped-rescaled": 4 * 2 * scale**2 / 4,
            "simplex": 2 * scale**2 * 2 * (1 - 2 / 4),
            # two levels below the public total: twice the scale; the pair itself is measured, other pairs are halves
            "universal": {"p1+p2": 4 * 2 * scale**2 / 3, "p1+p3": 4 * 2 * scale**2, "p1+p4": 4 * 2 * scale**2}[
                row.target
            ],
        }[row.method]
        assert abs(row.rmse - math.sqrt(0.25 / n + noise)) <= 5 * row.rmse_standard_error, row
        assert abs(row.bias) <= 5 * row.bias_standard_error, row
        assert row.coverage == pytest.approx(0.95, abs=0.012), row


@pytest.mark.parametrize("printed", [False, True])
def test_truncated_proportions_honour_the_budget_jointly_and_at_the_printed_scale_cost_more(printed: bool) -> None:
    n, epsilon, categories = 3, 0.8, 3
    scale = 2 / n / epsilon if printed else truncated_scale(PureDP(epsilon / 2), 1 / n, 0.0, 1.0)
    histograms = [h for h in itertools.product(range(n + 1), repeat=categories) if sum(h) == n]

    def loss(here: tuple[int, ...], there: tuple[int, ...]) -> float:
        total = 0.0  # outputs are independent, so each proportion takes its own worst value
        for a, b in zip(here, there, strict=True):
            law, other = TruncatedLaplace(a / n, scale, 0.0, 1.0), TruncatedLaplace(b / n, scale, 0.0, 1.0)
            x = np.linspace(0, 1, 3 * n + 1)
            total += float(np.max(law.logdensity(x) - other.logdensity(x)))
        return total

    pairs = [(h, g) for h in histograms for g in histograms if sum(abs(a - b) for a, b in zip(h, g, strict=True)) == 2]
    spent = cost_of_print(n, PureDP(epsilon)) if printed else epsilon
    assert max(loss(h, g) for h, g in pairs) == pytest.approx(spent, rel=1e-9)
    assert spent >= epsilon
    method = "truncated-published" if printed else "truncated-rescaled"
    (row, *_) = study((n,), (epsilon,), [method], repetitions=2)
    assert row.epsilon_spent == spent


def test_print_costs_nearly_twice_where_epsilon_is_small() -> None:
    costs = [cost_of_print(1000, PureDP(epsilon)) / epsilon for epsilon in (0.1, 1.0, 2.0)]
    assert costs == pytest.approx([1.952, 1.664, 1.490], abs=5e-4)


def test_targets_are_any_sums_of_proportions() -> None:
    rows = study((50,), (1.0,), ["universal"], repetitions=20, targets=("p4", "p1 + p2+p3"))
    assert [row.truth for row in rows] == pytest.approx([0.5, 0.5])
    assert rows[0].bias == pytest.approx(-rows[1].bias)
    assert rows[0].coverage == rows[1].coverage


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": (1,)}, r"sizes must be >= 2"),
        ({"epsilons": (0.0,)}, r"epsilons must be > 0"),
        ({"methods": ["universe"]}, r"methods must be one of .*did you mean 'universal'"),
        ({"proportions": (0.5, 0.5)}, r"at least 4 categories, got 2"),
        ({"proportions": (0.5, 0.5, 0.5, 0.5)}, r"must add up to 1, got 2"),
        ({"proportions": (0.5, 0.5, 0.5, -0.5)}, r"must be numbers >= 0"),
        ({"proportions": (float("nan"), *PROPORTIONS)}, r"must be numbers >= 0"),
        ({"repetitions": 1}, r"repetitions must be >= 2"),
        ({"seed": -1}, r"seed must be >= 0"),
        ({"targets": ("p5",)}, r"targets must be sums of p1 to p4"),
        ({"targets": ("p1+p1",)}, r"targets must be sums of p1 to p4, each once"),
        ({"targets": ("mean",)}, r"targets must be sums of p1 to p4"),
        ({"targets": ("p1+p2+p3+p4",)}, r"targets must leave out some category"),
    ],
)
def test_bad_requests(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        study(**arguments)  # type: ignore[arg-type]


def test_a_study_is_a_question_with_steps_and_an_answer() -> None:
    question = StudyQuestion(sizes=(50, 60), epsilons=(1.0,), methods=("simplex", "original"), repetitions=20, seed=3)
    seen: list[int] = []
    answer = answer_study(question, seen.append)
    assert seen == [1] * question.steps == [1] * 4
    assert answer.to_dict()["rows"][0] == answer.rows[0].to_dict()
    assert list(answer.rows) == study((50, 60), (1.0,), ["simplex", "original"], repetitions=20, seed=3)
    for nothing in ("sizes", "epsilons", "methods", "targets"):
        with pytest.raises(ParameterError, match=f"{nothing} must name at least one"):
            StudyQuestion(**{nothing: ()})  # type: ignore[arg-type]
