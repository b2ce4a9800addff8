"""Tables 1 to 3: which of the 180 numbers hold, from what others follow, and what moves when a formula does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from epsilens.avoidance import published
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.noise import LaplaceNoise
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import EXTRACTS
from epsilens.reproduce.p2.tables import CLAIMS, LINES, told
from epsilens.reproduce.verdicts import Row, judged
from tests.support.extracts import CENSUS_BUREAU, IPUMS, write_extract

MODEL = "follows from another model than stated"
CHANCE = "confirmed within Monte-Carlo error"


def rows(data: Data, table: str, what: str, system: str = "") -> list[Row]:
    return [
        judged(claim, data)
        for claim in CLAIMS
        if claim.place.where.startswith(table) and claim.place.what.startswith(what) and system in claim.place.where
    ]


def verdicts(found: list[Row]) -> list[str]:
    return [row.verdict for row in found]


def test_every_cell_of_three_tables_is_a_row() -> None:
    assert len(LINES) == 3 * 4 * 5
    assert len(CLAIMS) == 180
    assert Counter(claim.place.where.split(",")[0] for claim in CLAIMS) == {f"Table {n}": 60 for n in (1, 2, 3)}


def test_numbers_as_they_are_printed() -> None:
    assert [told(number) for number in (3e-4, 0.0, 980.81, 2.0, 1162.0, 0.363)] == [
        "3E-4", "0", "980.81", "2", "1162", "0.363",
    ]  # fmt: skip
    assert told(5992.0, "dp-k-anonymity", "l1") == "5992.0"
    assert told(48.9, "dp-k-anonymity", "alpha") == "48.9"


@pytest.mark.parametrize("table", ["Table 1", "Table 2", "Table 3"])
def test_deltas_need_no_data(table: str) -> None:
    nothing = Data()
    assert verdicts(rows(nothing, table, "delta", "Laplace")) == ["confirmed"] * 4
    assert verdicts(rows(nothing, table, "delta", "suppression")) == ["confirmed"] * 4
    assert verdicts(rows(nothing, table, "delta", "k-anonymity")) == ["confirmed"] * 4
    gaussian, swapping = rows(nothing, table, "delta", "Gaussian"), rows(nothing, table, "delta", "swapping")
    assert {(row.verdict, row.departs) for row in gaussian} == {(MODEL, "P2-2")}
    assert [row.as_published for row in gaussian] == pytest.approx([0.363, 0.132, 0.017, 3e-4], abs=5e-4)
    assert {(row.verdict, row.departs, row.exact) for row in swapping} == {("false", "P2-3", 1.0)}
    assert [row.as_published for row in swapping] == pytest.approx([0.868, 0.874, 0.899, 0.969], abs=1e-3)


def test_without_data_nothing_is_read() -> None:
    found = [judged(claim, Data()) for claim in CLAIMS if claim.place.what != "delta"]
    assert {row.needs for row in found} == {"ma2019.csv", "tx2019.csv", "national2019.csv"}
    assert {row.verdict for row in found} == {"not reproducible"}


@pytest.mark.slow
def test_alphas_of_noise_are_spreads_of_averages(papers_data: Data) -> None:
    laplace = rows(papers_data, "Table 1", "alpha", "Laplace")
    assert verdicts(laplace) == [MODEL] * 4
    assert [row.exact for row in laplace] == pytest.approx([1.995, 0.990, 0.480, 0.213], abs=6e-4)
    assert all("200 releases" in row.why and row.departs == "P2-7" for row in laplace)
    gaussian = rows(papers_data, "Table 1", "alpha", "Gaussian")
    assert verdicts(gaussian) == [MODEL] * 4
    assert all("20 / epsilon" in row.why for row in gaussian)


@pytest.mark.slow
def test_biases_may_be_those_that_are_printed(papers_data: Data) -> None:
    for system in ("Laplace", "suppression"):
        found = rows(papers_data, "Table 1", "l1", system)
        assert {(row.verdict, row.needs) for row in found} == {("not reproducible", "ma2019-ipums.csv")}
    gaussian = rows(papers_data, "Table 1", "l1", "Gaussian")
    assert {(row.verdict, row.departs) for row in gaussian} == {(MODEL, "P2-2")}
    assert verdicts(rows(papers_data, "Table 1", "l1", "swapping")) == [CHANCE] * 4
    assert verdicts(rows(papers_data, "Table 1", "alpha", "suppression")) == [CHANCE] * 4
    assert verdicts(rows(papers_data, "Table 1", "alpha", "swapping")) == [*[CHANCE] * 3, "not reproducible"]


def test_alphas_of_suppression_and_swapping_are_compared_with_what_200_releases_give(papers_data: Data) -> None:
    for system, average, exact in (("suppression", (4.57, 4.75), 4.223), ("swapping", (488.5, 489.6), 474.8)):
        row = rows(papers_data, "Table 1, epsilon = 0.5,", "alpha", system)[0]
        assert row.exact == pytest.approx(exact, abs=0.03)
        assert [float(end) for end in str(row.as_published).split(" to ")] == pytest.approx(average, abs=0.03)


@pytest.mark.slow
def test_k_anonymity_is_not_reproducible(papers_data: Data) -> None:
    first = rows(papers_data, "Table 1, epsilon = 0.5,", "l1", "k-anonymity")[0]
    assert (first.verdict, first.needs, first.departs) == ("not reproducible", None, "P2-8")
    assert first.exact == pytest.approx(4724, abs=60)
    assert "against the sample by single years of age" in first.why


@pytest.mark.slow
def test_rows_run_on_files_of_these_names(made_up: Data) -> None:
    found = [
        *rows(made_up, "Table 2, epsilon = 0.5,", "l1", "swapping"),
        *rows(made_up, "Table 2, epsilon = 0.5,", "alpha", "swapping"),
        *rows(made_up, "Table 3, epsilon = 4,", "l1", "Laplace"),
        *rows(made_up, "Table 3, epsilon = 4,", "alpha", "suppression"),
    ]
    assert len(found) == 4
    assert all(row.exact is not None and row.needs is None for row in found)
    assert verdicts(found)[:3] == ["false"] * 3  # they are other people


@pytest.mark.parametrize("columns", [CENSUS_BUREAU, IPUMS])
def test_the_races_of_ipums_settle_everything(tmp_path: Path, columns: tuple[str, ...]) -> None:
    write_extract(tmp_path, "tx2019-ipums" if columns == IPUMS else "tx2019", 3, columns=columns)
    row = rows(Data(tmp_path), "Table 2, epsilon = 1,", "l1", "Laplace")[0]
    assert isinstance(row.exact, float) == (columns == IPUMS)


def test_a_formula_that_moves_moves_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    swapping = published.swapping_delta
    monkeypatch.setattr(published, "swapping_delta", lambda epsilon, levels: swapping(epsilon, levels) + 0.01)
    assert all("it is 0.8" in row.why or "it is 0.9" in row.why for row in rows(Data(), "Table 1", "delta", "swapping"))
    monkeypatch.setattr(published, "discrete_gaussian_delta", lambda epsilon: 0.5)
    assert verdicts(rows(Data(), "Table 1", "delta", "Gaussian")) == ["false"] * 4
    monkeypatch.setattr(NoisyCounts, "published_delta", lambda self: 0.1)
    assert verdicts(rows(Data(), "Table 1", "delta", "Laplace")) == ["false"] * 4


@pytest.mark.slow
def test_noise_that_moves_moves_verdicts(papers_data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    from epsilens.reproduce.p2 import table_values

    monkeypatch.setattr(table_values, "LaplaceNoise", lambda scale: LaplaceNoise(2.0 * scale))
    fresh = Data(papers_data.folder)
    assert verdicts(rows(fresh, "Table 1, epsilon = 0.5,", "l1", "Laplace")) == [MODEL]
    assert set(EXTRACTS) == set(published.PUBLISHED_TABLES)
