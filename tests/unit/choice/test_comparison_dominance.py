from __future__ import annotations

from typing import Any

from epsilens.choice.comparison_dominance import dominated_rows


def line(label: str, epsilon: float | None = 1.0, delta: float | None = 0.0, **numbers: Any) -> dict[str, Any]:
    usual = {"homogeneity_risk": 0.1, "posterior_risk": 0.5, "bias_l1": 1.0, "l1_error": 2.0, "rmse": 1.0}
    return {"system": label, "label": label, "epsilon": epsilon, "delta": delta, **usual, **numbers}


def dominated(*rows: dict[str, Any]) -> dict[str, list[str]]:
    return {found["label"]: [other["label"] for other in found["by"]] for found in dominated_rows(rows)}


def test_worse_in_something_and_better_in_nothing() -> None:
    assert dominated(line("a"), line("b", bias_l1=2.0)) == {"b": ["a"]}
    assert dominated(line("a"), line("b", bias_l1=2.0, rmse=0.5)) == {}
    assert dominated(line("a"), line("b")) == {}  # equals do not dominate each other


def test_privacy_counts_first() -> None:
    assert dominated(line("a", epsilon=2.0), line("b", bias_l1=2.0)) == {}
    assert dominated(line("a", delta=0.1), line("b", bias_l1=2.0)) == {}
    assert dominated(line("a", homogeneity_risk=0.2), line("b", bias_l1=2.0)) == {}
    assert dominated(line("a"), line("b", epsilon=None, delta=1.0, bias_l1=2.0)) == {"b": ["a"]}
    assert dominated(line("a", epsilon=None), line("b", bias_l1=2.0)) == {}
    assert dominated(line("a", epsilon=None), line("b", epsilon=None, bias_l1=2.0)) == {"b": ["a"]}
    assert dominated(line("a", delta=None), line("b", bias_l1=2.0)) == {}  # whose delta is not known


def test_differences_within_two_standard_errors_do_not_count() -> None:
    near = {"tvd_1": 0.11, "tvd_1_se": 0.01}
    assert dominated(line("a", tvd_1=0.1, tvd_1_se=0.0), line("b", **near)) == {}
    assert dominated(line("a", tvd_1=0.1, tvd_1_se=0.0), line("b", **near | {"tvd_1": 0.13})) == {"b": ["a"]}
    # an accuracy is better where it is larger
    assert dominated(line("a", accuracy=0.7), line("b", accuracy=0.6)) == {"b": ["a"]}
