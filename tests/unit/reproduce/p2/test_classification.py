from __future__ import annotations

import pytest

from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Figure
from epsilens.reproduce.p2 import classification
from epsilens.reproduce.p2.classification import CLAIMS, FIGURES, Accuracies, Accuracy, accuracies
from epsilens.reproduce.p2.comparisons import NOISE, TRADITIONAL
from epsilens.reproduce.p2.extracts import MASSACHUSETTS
from epsilens.reproduce.p2.section_3 import EPSILONS
from epsilens.reproduce.verdicts import judged


@pytest.mark.slow
def test_verdicts(papers_data: Data) -> None:
    rows = [judged(claim, papers_data) for claim in CLAIMS]
    assert len(rows) == 12
    assert [row.verdict for row in rows[:6]] == ["false", "confirmed", "false", "false", "confirmed", "confirmed"]
    assert {row.departs for row in rows if row.verdict == "false"} == {"P2-12"}
    assert {row.needs for row in rows[6:]} == {"tx2019.csv", "national2019.csv"}


@pytest.mark.slow
def test_golden_numbers_of_massachusetts(papers_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    """Baseline .675; DP k-anonymity .674 at epsilon = .5, Laplace counts .664."""
    monkeypatch.setattr(classification, "RELEASES", 16)
    found = accuracies(Data(papers_data.folder), MASSACHUSETTS, "brackets")
    assert found.baseline == pytest.approx(0.675, abs=1e-3)
    for name, value in (("dp-k-anonymity", 0.674), ("laplace", 0.664)):
        one = found.of[name, 0.5]
        assert one.mean == pytest.approx(value, abs=4 * one.standard_error + 5e-4)


def accuracy(monkeypatch: pytest.MonkeyPatch, noise: float, others: float) -> list[str]:
    of = {(name, epsilon): Accuracy(noise, 0.001) for name in NOISE for epsilon in EPSILONS}
    of |= {(name, epsilon): Accuracy(others, 0.001) for name in TRADITIONAL for epsilon in EPSILONS}
    monkeypatch.setattr(classification, "accuracies", lambda data, extract, age: Accuracies(0.7, of))
    return [judged(claim, Data()).verdict for claim in CLAIMS[:3]]


def test_accuracies_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert accuracy(monkeypatch, 0.69, 0.6) == ["confirmed"] * 3
    assert accuracy(monkeypatch, 0.6, 0.69) == ["false"] * 3
    assert accuracy(monkeypatch, 0.69, 0.692) == ["confirmed"] * 3  # within chance


def test_the_figure_of_the_other_extracts(made_up: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classification, "RELEASES", 2)
    figure: Figure = FIGURES[1]
    drawing = figure.draw(Data(made_up.folder))
    assert [panel.title for panel in drawing.panels] == ["Texas", "Outlier"]
    assert [series.name for series in drawing.panels[0].series][-1] == "baseline"
    assert "Outlier, epsilon = 0.5: Laplace 0." in drawing.says
