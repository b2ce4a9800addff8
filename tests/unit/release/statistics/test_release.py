"""Released statistics: truth before noise, the law of the noise, the ledger, the card, and what is refused."""

from __future__ import annotations

import csv
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from epsilens.budget import NEIGHBOURS, ZCDP, PureDP
from epsilens.errors import EpsilensError, ParameterError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.statistics import (
    Mean,
    PooledVariance,
    Proportions,
    Statistic,
    Variance,
    release_statistics,
)
from epsilens.release.statistics.words import statistics_card_text
from epsilens.release.verification import verify_card
from epsilens.table import Quantiles
from tests.support.cards import changed
from tests.support.released_statistics import ALL, NO_NOISE, ONE, SITES, people, release


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_without_noise_to_speak_of_all_statistics_equal_numpy(tmp_path: Path, neighbours: str) -> None:
    table = people()
    found = release(
        tmp_path, budget=NO_NOISE, data=table, neighbours=neighbours, n=None if neighbours[0] == "s" else 30
    )
    a, b = np.clip(table["a"].to_numpy(), 0, 10), np.clip(table["b"].to_numpy(), -2, 2)
    within = {"a": 0.0, "ab": 0.0}
    for i in range(2):
        da, db = a[i::2] - a[i::2].mean(), b[i::2] - b[i::2].mean()
        within = {"a": within["a"] + da @ da, "ab": within["ab"] + da @ db}
    assert found["mean(a)"].value == pytest.approx(a.mean(), abs=1e-6)
    assert found["proportion(sex = f)"].value == pytest.approx(0.5, abs=1e-6)
    assert found["proportions(sex)"].values == pytest.approx([0.5, 0.5, 0.0], abs=1e-6)
    assert found["variance(a)"].value == pytest.approx(a.var(ddof=1), abs=1e-6)
    assert found["covariance(a, b)"].value == pytest.approx(np.cov(a, b)[0, 1], abs=1e-6)
    assert found["covariance-matrix(a, b)"].matrix == pytest.approx(np.cov(a, b), abs=1e-6)
    assert found["pooled-variance(a by site)"].value == pytest.approx(within["a"] / 38, abs=1e-6)
    assert found["pooled-covariance(a, b by site)"].value == pytest.approx(within["ab"] / 38, abs=1e-6)


# -- the release ------------------------------------------------------------------------------------------------------


def test_the_ledger_is_charged_exactly_and_the_shares_add_up(tmp_path: Path) -> None:
    found = release(tmp_path, budget=PureDP(0.3), shares=[1] * 7 + [3], out=tmp_path / "o.csv")
    chain = Ledger(tmp_path / "b.db").chain()
    assert [entry.kind for entry in chain.entries] == ["open", "reserve", "commit"]
    (cost,) = chain.costs("survey")
    assert (cost.epsilon, cost.delta, cost.rho) == (Decimal("0.3"), Decimal(0), Decimal("0.045"))
    assert sum(Decimal(event.to_dict()["parameter"]) for event in cost.events) <= Decimal("0.3")
    epsilons = [part["budget"]["epsilon"] for part in found.card["mechanism"]["statistics"]]
    assert epsilons[-1] == pytest.approx(0.09)
    assert sum(map(Decimal, map(repr, epsilons))) <= Decimal("0.3")
    assert all(part["opendp_price"] <= part["budget"]["epsilon"] for part in found.card["mechanism"]["statistics"])
    assert found.card["composition"]["left"] == {"epsilon": "9.7"}
    release(tmp_path, [Mean("a", 0, 10)], PureDP(9.7))
    with pytest.raises(EpsilensError, match="epsilon 0 left of 10"):
        release(tmp_path, [Mean("a", 0, 10)], PureDP(0.1))


def test_the_four_files(tmp_path: Path) -> None:
    found = release(tmp_path, out=tmp_path / "o.csv")
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))
    assert len(rows) == len(found.rows()) == 1 + 1 + 3 + 1 + 1 + 3 + 1 + 1
    assert float(rows[0]["value"]) == found["mean(a)"].value
    assert json.loads((tmp_path / "o.card.json").read_text()) == found.card
    assert (tmp_path / "o.card.md").read_text() == statistics_card_text(found.card)
    internal = json.loads((tmp_path / "o.internal.json").read_text())
    assert internal == found.internal
    assert (tmp_path / "o.internal.json").stat().st_mode & 0o077 == 0
    a = people()["a"].to_numpy()
    assert internal["values_clamped"][0]["values"] == ((a < 0) | (a > 10)).sum() > 0
    again = release(tmp_path, out=tmp_path / "q.parquet")
    assert parquet.read_table(tmp_path / "q.parquet").to_pylist() == again.rows()
    with pytest.raises(EpsilensError, match=r"o.csv exists"):
        release(tmp_path, out=tmp_path / "o.csv")


def every_value(plain: Any) -> list[Any]:
    if isinstance(plain, dict):
        return [value for item in plain.values() for value in every_value(item)]
    return [value for item in plain for value in every_value(item)] if isinstance(plain, list) else [plain]


def every_key(plain: Any) -> set[str]:
    if isinstance(plain, dict):
        return {*plain, *(key for item in plain.values() for key in every_key(item))}
    return {key for item in plain for key in every_key(item)} if isinstance(plain, list) else set()


def test_the_card_tells_nothing_that_only_the_data_know(tmp_path: Path) -> None:
    found = release(tmp_path, neighbours="add-remove", n=31, data=people(37), out=tmp_path / "o.csv")
    values = every_value(found.card)
    assert 31 in values
    assert 37 not in values
    clamped = [item["values"] for item in found.internal["values_clamped"]]
    assert any(clamped)
    confidential = {"values_clamped", "group_sizes", "rows_left_out_for_missing_values", "salt", "true", "error"}
    assert confidential <= every_key(found.internal)
    assert not confidential & every_key(found.card)
    assert every_value(found.card["missing"]) == ["exclude"]
    assert set(found.card["mechanism"]["records"]) == {"n", "meaning"}
    truths = [entry["true"] for part in found.internal["statistics"] for entry in part["entries"]]
    assert not set(truths) & {value for value in values if isinstance(value, float) and value not in (0.0, 0.5, 1.0)}
    ledger = json.dumps([entry.to_dict() for entry in Ledger(tmp_path / "b.db").chain().entries])
    assert "37" not in ledger.split('"statistics"')[1].split("}]")[0]


def test_under_add_remove_n_is_declared_and_fewer_records_are_not_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="under add-remove the number of records is private: give n"):
        release(tmp_path, neighbours="add-remove")
    (few := tmp_path / "few").mkdir()
    mean = [Mean("a", 0, 10)]
    whole = release(few, mean, NO_NOISE, neighbours="add-remove", n=40)["mean(a)"].value
    padded = release(few, mean, NO_NOISE, neighbours="add-remove", n=80)  # 40 of them in the middle
    assert padded["mean(a)"].value == pytest.approx((whole + 5) / 2, abs=1e-6)
    assert (padded.internal["records"], padded.internal["fewer_records_than_declared"]) == (40, True)
    assert "n = 80" in " ".join(padded.card["rules"]["rows"])
    with pytest.raises(EpsilensError, match="n is 41, the data have 40 records"):
        release(tmp_path, n=41)
    assert not (tmp_path / "b.db").exists()
    found = release(tmp_path, [Mean("a", 0, 10)], neighbours="add-remove", n=10)
    assert found.card["mechanism"]["records"]["n"] == 10
    assert found["mean(a)"].standard_errors[0] == pytest.approx(math.sqrt(2) * 10 / 10, rel=1e-6)


def test_several_rows_per_person_cost_that_much_more_noise(tmp_path: Path) -> None:
    mean = [Mean("a", 0, 10)]
    found = release(tmp_path, mean, neighbours="add-remove", n=30, unit="who", max_rows_per_unit=2)
    assert found["mean(a)"].standard_errors[0] == pytest.approx(math.sqrt(2) * 2 * 10 / 29, rel=1e-6)
    one = release(tmp_path, mean, neighbours="add-remove", n=20, unit="who")
    public = "The number of people named is public: neighbours differ in what one of them is like."
    assert public not in one.card["rules"]["rows"]
    (tmp_path / "named").mkdir()
    told = release(tmp_path / "named", mean, unit="who")
    assert public in told.card["rules"]["rows"]
    assert (one.internal["records"], one.internal["rows_beyond_the_bound_per_person"]) == (20, 20)
    with pytest.raises(ParameterError, match=r"n must be >= 2 .*, got 1; so many of 3 records are left"):
        release(tmp_path, mean, neighbours="add-remove", n=3, unit="who", max_rows_per_unit=3)
    with pytest.raises(ParameterError, match="use neighbours='add-remove', or one row per person"):
        release(tmp_path, mean, unit="who", max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="one row per person only"):
        release(tmp_path, [ALL[6]], neighbours="add-remove", n=30, unit="who", max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="say who is protected"):
        release(tmp_path, mean, one_row_per_person=False)


def test_missing_values(tmp_path: Path) -> None:
    data = pa.table({"a": [1.0, None, 3.0, 4.0]})
    mean = [Mean("a", 0, 10)]
    with pytest.raises(ParameterError, match="missing must be 'exclude' or a value for each column: to refuse would"):
        release(tmp_path, mean, data=data, missing="refuse")
    with pytest.raises(ParameterError, match="needs neighbours='add-remove'"):
        release(tmp_path, mean, data=data, missing={"a": "exclude"})
    with pytest.raises(ParameterError, match="needs neighbours='add-remove'"):
        release(tmp_path, mean, data=data, missing="exclude")
    assert not (tmp_path / "b.db").exists()
    found = release(tmp_path, mean, data=data, missing={"a": np.float64(2)}, budget=NO_NOISE)
    assert found["mean(a)"].value == pytest.approx(2.5, abs=1e-6)
    assert found.card["missing"]["rule"] == {"a": 2.0}
    (middle := tmp_path / "middle").mkdir()
    stays = release(middle, mean, data=data, budget=NO_NOISE)
    assert stays["mean(a)"].value == pytest.approx((8 + 5) / 4, abs=1e-6)
    assert (stays.card["missing"]["rule"], stays.card["mechanism"]["records"]["n"]) == ("middle", 4)
    (other := tmp_path / "other").mkdir()
    left = release(other, mean, data=data, missing="exclude", neighbours="add-remove", n=3, budget=NO_NOISE)
    assert left["mean(a)"].value == pytest.approx(8 / 3, abs=1e-6)
    assert left.internal["rows_left_out_for_missing_values"] == 1
    for named in (None, {"a": "exclude"}):
        same = release(other, mean, data=data, missing=named, neighbours="add-remove", n=3, budget=NO_NOISE)
        assert same["mean(a)"].value == pytest.approx(8 / 3, abs=1e-6)


def test_a_crash_after_the_draw_leaves_no_output_and_stays_spent(tmp_path: Path) -> None:
    def crash(step: str) -> None:
        if step == "draw":
            raise RuntimeError("injected")

    with pytest.raises(RuntimeError, match="injected"):
        release(tmp_path, out=tmp_path / "o.csv", reached=crash)
    assert {path.name for path in tmp_path.iterdir()} <= {"b.db", "b.db-wal", "b.db-shm"}
    chain = Ledger(tmp_path / "b.db").chain()
    assert [entry.kind for entry in chain.entries] == ["open", "reserve"]
    assert str(chain.accounts["survey"].left(chain.costs("survey"))["epsilon"]) == "9.0"


def test_the_same_content_has_one_budget(tmp_path: Path) -> None:
    mean = [Mean("a", 0, 10)]
    release(tmp_path, mean)
    with pytest.raises(EpsilensError, match="this very content was released from account 'survey'"):
        release_statistics(
            people(), mean, ONE, tmp_path / "b.db", "other", total=ONE, neighbours="substitute", one_row_per_person=True
        )
    several: dict[str, Any] = {"unit": "who", "neighbours": "add-remove", "n": 10}
    release(tmp_path, mean, account="visits", **several)
    with pytest.raises(EpsilensError, match=r"this very content was released from account 'visits' \(entry 5\)"):
        release_statistics(people(), mean, ONE, tmp_path / "b.db", "other", total=ONE, **several)


# -- what is refused --------------------------------------------------------------------------------------------------

TINY = pa.table({"a": [1.0, 2.0, 3.0], "sex": ["f", "SECRET", "m"], "site": ["n", "n", "s"], "t": ["1", "SECRET", "2"]})


@pytest.mark.parametrize(
    ("statistics", "more", "message"),
    [
        ([], {}, "list the statistics to release"),
        (["mean"], {}, "a statistic is one of Mean, Proportion, .*; got a str"),
        ([Mean("a", 0, 1), Mean("a", 0, 2)], {}, r"mean\(a\) is asked for twice"),
        ([Mean("aa", 0, 1)], {}, r"no column 'aa'; did you mean 'a'\?"),
        (
            [PooledVariance("a", 0, 9, "site", SITES)],
            {"n": 3, "neighbours": "add-remove"},
            r"n must be >= 4 \(pooled-variance\(a by site\) needs two records in each of its 2 groups\), got 3",
        ),
        ([Variance("a", 0, 1)], {"n": 2, "neighbours": "add-remove"}, r"n must be >= 3 \(a variance needs 2 records"),
        ([Variance("a", 0, 1)], {"data": TINY.slice(0, 1)}, r"n must be >= 2 \(a variance needs 2 records\), got 1"),
        ([Mean("a", 0, 1)], {"budget": ZCDP(1.0)}, "whose budget is epsilon alone; got rho"),
        ([Mean("a", 0, 1)], {"budget": None}, "got none"),
        ([Mean("a", 0, 1)], {"budget": PureDP(1e-12)}, "would get epsilon 1e-12"),
        ([Mean("a", 0, 1)], {"shares": [1, 2]}, "2 shares of the budget for 1 statistics"),
        ([Mean("a", 0, 1)], {"shares": [0]}, "shares must be > 0, got 0"),
        ([Mean("a", 0, 1)], {"bounding": "clipped"}, "bounding must be one of"),
        ([Mean("a", 0, 1)], {"neighbours": "swap"}, "neighbours must be one of"),
        ([Mean("a", 0, 1)], {"confidence": 1.0}, "confidence must lie strictly between 0 and 1"),
        ([Mean("a", 0, 1)], {"n": 0}, "n must be >= 1"),
        ([Mean("a", 0, 1)], {"out": "o.txt"}, "must end in .csv or .parquet"),
        (
            [Mean("a", 0, 1)],
            {"max_rows_per_unit": 2},
            "up to 2 rows per person can be bounded only where a column names the person; name it with unit",
        ),
        ([Proportions("sex", ("f", "m"))], {"bounding": "truncated"}, "truncation is for single numbers"),
        ([Mean("a", 0, 1)], {"budget": PureDP(11.0)}, "epsilon 10 left of 10, this release asks for 11"),
    ],
)
def test_refusals_write_nothing_spend_nothing_and_show_no_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statistics: Any, more: dict[str, Any], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(EpsilensError, match=message) as error:
        release(tmp_path, statistics, **{"data": TINY, "out": "o.csv", **more})
    assert "SECRET" not in str(error.value)
    assert "\n" not in str(error.value)
    assert not list(tmp_path.glob("o*"))
    if (tmp_path / "b.db").exists():
        assert not Ledger(tmp_path / "b.db").chain().costs("survey")


@pytest.mark.parametrize(
    ("statistic", "records"),
    [(Mean("t", 0, 1), 2), (Proportions("sex", ("f", "m")), 2), (PooledVariance("a", 0, 9, "site", ("n",)), 2)],
)
def test_records_that_do_not_fit_are_left_out_and_never_refused(
    tmp_path: Path, statistic: Statistic, records: int
) -> None:
    left = release(tmp_path, [statistic], data=TINY, neighbours="add-remove", n=3)
    assert (left.internal["records"], left.internal["left_out"]["rows_left_out"]) == (records, 1)
    (whole := tmp_path / "whole").mkdir()
    stays = release(whole, [statistic], data=TINY)
    assert (stays.internal["records"], stays.card["mechanism"]["records"]["n"]) == (3, 3)
    assert [rule["rows"] for rule in stays.internal["left_out"]["by_rule"]] == [1]


def test_a_group_of_one_or_of_none_adds_nothing(tmp_path: Path) -> None:
    data = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "site": ["n", "n", "n", "s"]})
    pooled = [PooledVariance("a", 0, 9, "site", SITES)]
    one = release(tmp_path, pooled, NO_NOISE, data=data)
    assert one.statistics[0].value == pytest.approx(2 / (4 - 2), abs=1e-6)
    assert one.internal["group_sizes"] == {"site": {"n": 3, "s": 1}}
    none = release(tmp_path, pooled, NO_NOISE, data=data.slice(0, 3), neighbours="add-remove", n=4, account="other")
    assert none.statistics[0].value == pytest.approx(2 / (4 - 2), abs=1e-6)


AGES = pa.table({"age": [3, 17, 18, 40, 64, 65, 90, 30], "a": [1.0, 2, 3, 4, 5, 6, 7, 8]})
EDGES = ("< 18", "[18, 65)", ">= 65")


def test_levels_and_groups_are_declared_bins_which_the_card_states(tmp_path: Path) -> None:
    wanted = [Proportions("age", EDGES), PooledVariance("a", 0, 10, "age", EDGES)]
    arrow_csv.write_csv(AGES, tmp_path / "ages.csv")
    done = release(tmp_path, wanted, NO_NOISE, tmp_path / "ages.csv", bins={"age": [18, 65]}, out=tmp_path / "o.csv")
    assert [row["value"] for row in done["proportions(age)"].rows()] == pytest.approx([0.25, 0.5, 0.25], abs=1e-6)
    a, groups = np.asarray(AGES["a"]), np.digitize(np.asarray(AGES["age"]), [18, 65])
    within = sum(((a[groups == g] - a[groups == g].mean()) ** 2).sum() for g in range(3)) / (len(a) - 3)
    assert done.statistics[1].rows()[0]["value"] == pytest.approx(within, rel=1e-5)
    assert done.card["bins"] == {"age": "18|65"}
    assert "Numbers in `age` were put into declared bins (18|65" in (tmp_path / "o.card.md").read_text()
    checks = verify_card(tmp_path / "o.card.json", data=tmp_path / "ages.csv", ledger=tmp_path / "b.db")
    assert all(check.holds for check in checks)
    widened = changed(tmp_path / "o.card.json", lambda card: card["bins"].update(age="18|66"))
    failed = verify_card(widened, data=tmp_path / "ages.csv", ledger=tmp_path / "b.db")
    assert {check.what for check in failed if check.holds is False} >= {"data", "commit"}


def test_without_bins_a_card_has_none(tmp_path: Path) -> None:
    assert "bins" not in release(tmp_path).card


@pytest.mark.parametrize(
    ("bins", "said"),
    [
        ({"age": Quantiles(4)}, "the quantile bins of 'age' are read from the data"),
        ({"a": 5}, "bins names column 'a', whose levels no statistic uses"),
        ({"age": 0}, "the bin width of 'age' must be > 0"),
    ],
)
def test_bins_that_are_not_declared_or_not_used_are_refused_before_the_data_are_read(
    tmp_path: Path, bins: Any, said: str
) -> None:
    with pytest.raises(EpsilensError, match=said):
        release(tmp_path, [Proportions("age", EDGES)], data="nowhere.csv", bins=bins)
    assert list(tmp_path.iterdir()) == []
