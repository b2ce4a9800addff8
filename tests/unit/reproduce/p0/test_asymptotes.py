from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import asymptotes
from epsilens.reproduce.p0.curves import noise_of
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, OTHER, departing, rows_of, verdicts, verdicts_anew

SUBSET = "of Bankruptcy subset, local over"


@pytest.mark.slow
def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.asymptotes", data_dir)
    assert verdicts(rows) == {CONFIRMED: 21, OTHER: 5, MISPRINT: 5, FALSE: 2}
    assert departing(rows) == {
        "P0-1": {FALSE}, "P0-4": {MISPRINT}, "P0-8": {OTHER}, "P0-18": {MISPRINT}, "P0-22": {FALSE}
    }  # fmt: skip
    low = rows[f"section 5.2, lower asymptote {SUBSET} people"]
    assert [low.published, low.as_published, low.exact] == pytest.approx([0.18, 0.17900, 0.18250], abs=1e-5)
    assert low.why.endswith("as stated it is 0.0980004")
    assert rows["section 5.2, difference of two Gaussian mechanisms"].exact == pytest.approx(0.0285, abs=5e-5)
    assert "it is larger by -0.00084 to" in rows["section 5.2, two Gaussian mechanisms"].why
    assert rows["section 5.2, bound of the subset"].why == (
        "it is below the exact average over cells by up to 0.0016, for epsilon up to 0.0708, "
        "over people by up to 0.0035, for epsilon up to 0.0708"
    )
    applied = [rows[f"section 5.1, equation of the local risk over {each}"] for each in ("cells", "people")]
    assert [row.why.split()[-1] for row in applied] == ["0.750148", "0.625355"]
    adult = rows["section 5.2, upper asymptote of Adult over people"]
    assert [adult.as_published, adult.exact] == pytest.approx([1.0, 11_112 / 27_504])


def test_only_the_formula_needs_no_data() -> None:
    rows = rows_of("p0.asymptotes")
    assert [row.place for row in rows.values() if not row.needs] == ["section 5.2, limit of the expected risk"]


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    right = published._mixed
    monkeypatch.setattr(published, "_mixed", lambda n, labels, noise: 1.5 * right(n, labels, noise))
    changed = [f"section 5.2, lower asymptote {SUBSET} {average}" for average in ("cells", "people")]
    assert verdicts_anew("p0.asymptotes", *changed, data=Data(data_dir)) == {FALSE}
    assert verdicts_anew("p0.asymptotes", "section 5.2, bound of the subset", data=Data(data_dir)) == {CONFIRMED}


def test_other_homogeneous_cells_change_the_equation_that_gives_the_upper_ends(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.9 * right(n, labels, noise))
    places = [f"section 5.1, equation of the local risk over {average}" for average in ("cells", "people")]
    assert verdicts_anew("p0.asymptotes", *places, data=Data(data_dir)) == {FALSE}


@pytest.mark.slow
def test_larger_noise_of_one_mechanism_changes_their_difference(
    monkeypatch: pytest.MonkeyPatch, data_dir: Path
) -> None:
    right = noise_of
    monkeypatch.setattr(asymptotes, "noise_of", lambda how, epsilon, delta=None: right(how, 0.5 * epsilon, delta))
    place = "section 5.2, two Gaussian mechanisms"
    assert verdicts_anew("p0.asymptotes", place, data=Data(data_dir)) == {FALSE}
