from __future__ import annotations

import pytest

from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.reproduce.data import Data, Missing
from epsilens.reproduce.p2 import curves, figures
from epsilens.reproduce.p2.extracts import TEXAS
from epsilens.reproduce.p2.figures import CLAIMS, FIGURES, approaches, close, comparable, told
from epsilens.reproduce.verdicts import judged

MODEL = "follows from another model than stated"


@pytest.fixture
def few_releases(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in curves.RELEASES:
        monkeypatch.setitem(curves.RELEASES, name, 2)


@pytest.mark.slow
def test_verdicts(papers_data: Data) -> None:
    rows = [judged(claim, papers_data) for claim in CLAIMS]
    assert len(rows) == 13
    assert [(row.place, row.verdict, row.departs) for row in rows] == [
        ("Figure 2, suppression, average", "confirmed", None),
        ("Figure 2, swapping, average", "confirmed", None),
        ("Figure 2, suppression", "confirmed", None),
        ("Figure 2, swapping", MODEL, "P2-10"),
        ("Figure 2, k-anonymity", MODEL, "P2-8"),
        ("Figure 2, k-anonymity", MODEL, "P2-8"),
        ("Figure 3, suppression", "confirmed", None),
        ("Figure 3, swapping", MODEL, "P2-10"),
        ("Figure 3, k-anonymity", MODEL, "P2-8"),
        ("Figure 3, k-anonymity", MODEL, "P2-8"),
        ("section C.2, Massachusetts", "confirmed", None),
        ("section C.2, Texas", "not reproducible", None),
        ("section C.2, Outlier", "not reproducible", None),
    ]
    assert "12,161 against 0 at epsilon = 0.5, where 83% of rows are swapped" in str(rows[3].exact)


def test_suppression_is_close_and_moves_with_its_errors(papers_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(CLAIMS[2], papers_data).verdict == "confirmed"
    plain = curves.suppressed

    def twice(data: Data, extract: object, k: int, epsilon: float | None) -> curves.Deviation:
        found = plain(data, extract, k, epsilon)  # type: ignore[arg-type]
        return found if epsilon is None else curves.Deviation(2.5 * found.error, 2.5 * found.alpha)

    monkeypatch.setattr(figures, "suppressed", twice)
    assert judged(CLAIMS[2], papers_data).verdict == judged(CLAIMS[6], papers_data).verdict == "false"


@pytest.mark.parametrize("system", [DPSuppression, DPSwapping])
def test_expected_errors_are_listed_and_move_with_their_formula(system: type, monkeypatch: pytest.MonkeyPatch) -> None:
    averages = [claim for claim in CLAIMS if claim.place.where.endswith("average")]
    assert [judged(claim, Data()).verdict for claim in averages] == ["confirmed", "confirmed"]
    plain = system.absolute_errors  # type: ignore[attr-defined]
    monkeypatch.setattr(system, "absolute_errors", lambda self, *args: 1.001 * plain(self, *args))
    assert sorted(judged(claim, Data()).verdict for claim in averages) == ["confirmed", "false"]


def test_what_is_close_and_comparable() -> None:
    assert close([("at 1", 115.0, 100.0), ("at 2", 85.0, 100.0)]).holds
    assert not close([("at 1", 100.0, 100.0), ("at 2", 5.0, 0.0)]).holds
    assert comparable([("at 1", 1.9, 1.0), ("at 2", 0.1, 5.0)]).holds
    assert comparable([("at 1", 2.1, 1.0)]).seen == "2.1 against 1 at 1"
    assert [told(number) for number in (0.12345, 99.96, 12_160.7)] == ["0.123", "100", "12,161"]


@pytest.mark.usefixtures("few_releases")
def test_figures_of_other_extracts_are_drawn_from_their_files(made_up: Data) -> None:
    fresh = Data(made_up.folder)
    drawn = {figure.place: figure for figure in FIGURES}
    assert list(drawn) == ["Figure 2", "Figure 3", "Figure 6", "Figure 7", "Figure 8", "Figure 9"]
    with pytest.raises(Missing, match="ma2019"):
        drawn["Figure 2"].draw(fresh)
    for place in ("Figure 6", "Figure 8"):
        drawing = drawn[place].draw(fresh)
        assert [panel.title for panel in drawing.panels] == ["suppression", "swapping", "k-anonymity"]
        assert [len(panel.series) for panel in drawing.panels] == [5, 6, 5]
        assert "Texas" in drawing.title
    assert isinstance(approaches(fresh, TEXAS).holds, bool)


def test_without_data_nothing_is_read() -> None:
    needed = {judged(claim, Data()).needs for claim in CLAIMS if not claim.place.where.endswith("average")}
    assert needed == {"ma2019.csv", "tx2019.csv", "national2019.csv"}
