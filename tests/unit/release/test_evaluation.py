"""Our own releases, OpenDP's and synthetic data, evaluated: what the card says is what is tested."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.questions.evaluation import Evaluation
from epsilens.errors import EpsilensError, ParameterError
from epsilens.release.evaluation import question
from epsilens.table import Schema

LEVELS = {"region": [f"r{i}" for i in range(12)], "sex": ["f", "m"], "ill": ["no", "yes"]}
SCHEMA = Schema(["region", "sex"], "ill", universe=LEVELS)


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame({name: rng.choice(levels, 200) for name, levels in LEVELS.items()})


def released(people: pd.DataFrame, folder: Path, **given: Any) -> tuple[Path, Path]:
    """The files of a release: the output, and its card."""
    options: dict[str, Any] = {
        "mechanism": "discrete-laplace",
        "budget": el.PureDP(1.0),
        "schema": SCHEMA,
        "one_row_per_person": True,
        "total": el.PureDP(100.0),
        **given,
    }
    out = folder / "o.csv"
    el.release_table(people, ledger=folder / "b.db", account="a", out=out, **options)
    return out, folder / "o.card.json"


def evaluated(people: pd.DataFrame, folder: Path, **given: Any) -> Evaluation:
    out, card = released(people, folder, **given)
    return el.evaluate(out, people, card=card)


def test_a_release_and_its_card(people: pd.DataFrame, tmp_path: Path) -> None:
    out, card = released(people, tmp_path)
    found = el.evaluate(out, people, card=card)
    assert found.noise is not None
    assert found.noise.test is not None
    assert (found.noise.test.counts, found.noise.claim.noise) == (48, el.DiscreteLaplaceNoise(1.0))
    assert found.noise.test.p_value > 1e-6
    assert found.side.declared
    assert found.notes == ()
    without = el.evaluate(out, people, ["region", "sex"], "ill", count="count", claimed="discrete-laplace", epsilon=1)
    assert without.noise is not None
    assert without.noise.test == found.noise.test
    told = json.loads(card.read_text())
    told["mechanism"]["tables"][0]["law"]["scale"] = 0.5
    (tmp_path / "changed.json").write_text(json.dumps(told))
    assert "does not honour its budget" in el.evaluate(out, people, card=tmp_path / "changed.json").notes[0]
    out.write_text(out.read_text() + "\n")
    assert "changed since" in el.evaluate(out, people, card=card).notes[0]


@pytest.mark.parametrize(
    ("given", "done"),
    [
        ({"non_negative": True}, (False, True, None)),
        ({"mechanism": "laplace", "allow_continuous": True}, (False, False, None)),
        (
            {"mechanism": "laplace", "allow_continuous": True, "rounded": True, "non_negative": True},
            (True, True, None),
        ),
        ({"mechanism": "discrete-gaussian", "budget": el.ZCDP(0.5), "total": el.ZCDP(9.0)}, (False, False, None)),
    ],
)
def test_post_processing_is_read_from_the_card(
    people: pd.DataFrame, tmp_path: Path, given: dict[str, Any], done: tuple[Any, ...]
) -> None:
    found = evaluated(people, tmp_path, **given).noise
    assert found is not None
    assert found.law is not None
    assert (found.law.rounded, found.law.clipped, found.law.shown_from) == done
    assert found.test is not None
    assert found.test.p_value > 1e-6
    assert found.amount == ("rho" if "total" in given else "epsilon")


def test_a_threshold(people: pd.DataFrame, tmp_path: Path) -> None:
    given = {"schema": Schema(["region", "sex"], "ill"), "threshold_delta": 1e-3, "total": el.ApproxDP(9.0, 0.1)}
    found = evaluated(people, tmp_path, **given).noise
    assert found is not None
    assert found.law is not None
    assert found.law.shown_from == found.claim.threshold
    assert found.test is not None
    assert found.test.p_value > 1e-6


def test_several_tables_of_one_release(people: pd.DataFrame, tmp_path: Path) -> None:
    marginals = [["region", "sex", "ill"], ["region"], ["ill"]]
    found = evaluated(people, tmp_path, marginals=marginals)
    assert [verdict.name for verdict in found.further] == ["region", "ill"]
    assert [verdict.test.counts for verdict in found.further if verdict.test] == [12, 2]
    assert found.reading.counts == 48
    values = [v.test.p_value for v in (found.noise, *found.further) if v is not None and v.test is not None]
    assert found.joint_p_value == min(1.0, 3 * min(values))


def test_counts_that_were_made_to_add_up(people: pd.DataFrame, tmp_path: Path) -> None:
    marginals = [["region", "sex", "ill"], ["region"]]
    found = evaluated(people, tmp_path, marginals=marginals, consistent=True)
    assert found.noise is not None
    assert found.noise.test is None
    assert "no law of noise is left" in str(found.noise.reason)
    assert found.accuracy.rmse > 0


def test_people_outside_the_universe_are_not_counted_as_in_the_release(people: pd.DataFrame, tmp_path: Path) -> None:
    more = pd.concat([people, pd.DataFrame({"region": ["nowhere"], "sex": ["f"], "ill": ["no"]})])
    assert evaluated(more, tmp_path).observed.people == 200


def test_synthetic_people(people: pd.DataFrame) -> None:
    found = el.evaluate(people.sample(frac=1.0, replace=True, random_state=1), people, ["region", "sex"], "ill")
    assert found.reading.kind == "synthetic"
    assert 0.0 <= found.shown_right <= 1.0


def test_ready_tables() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["no", "yes"], cells={"sex": ["f", "m"]})
    found = el.evaluate([[2.5, -1.0], [0.0, 4.0]], table, claimed="laplace", epsilon=1.0, harmful="label=yes")
    assert found.noise is not None
    assert found.noise.test is not None
    assert found.noise.test.counts == 4
    assert found.observed.people_right == 2
    read = el.evaluate(pd.DataFrame({"sex": ["f"], "label": ["no"], "n": [3]}), table, count="n")
    assert (read.observed.people_right, read.observed.lost) == (3, 1)
    with pytest.raises(ParameterError, match="bins says how the truth is read"):
        el.evaluate(table, table, bins="sex=5")
    with pytest.raises(ParameterError, match="quasi_identifiers must be those of the true table, sex"):
        el.evaluate(table, table, "age")
    with pytest.raises(ParameterError, match="count belongs to a published table that is read"):
        el.evaluate(table, table, count="n")
    with pytest.raises(ParameterError, match="the cells of the truth have no names"):
        el.evaluate("p.csv", el.FrequencyTable.from_counts([[3, 0], [1, 2]]))


def test_a_truth_with_the_same_column_of_counts() -> None:
    truth = pd.DataFrame({"sex": ["f", "m"], "ill": ["no", "yes"], "n": [2, 4]})
    found = el.evaluate(truth.assign(n=[1.5, 5]), truth, "sex", "ill", count="n")
    assert found.observed.people == 6
    assert "read as a table of counts" in found.notes[0]


def test_bad_input(people: pd.DataFrame, tmp_path: Path) -> None:
    out, card = released(people, tmp_path)
    with pytest.raises(ParameterError, match="claimed is on the card already"):
        el.evaluate(out, people, card=card, claimed="laplace", epsilon=1.0)
    with pytest.raises(ParameterError, match=r"has no table of these columns; it has: region, sex, ill"):
        el.evaluate(out, people, "region", "ill", card=card)
    with pytest.raises(ParameterError, match="truth is missing"):
        el.evaluate(out, None, "region", "ill")
    with pytest.raises(EpsilensError, match="cannot read the card"):
        el.evaluate(out, people, card=tmp_path / "none.json")


def test_the_table_of_the_truth_is_called_so_where_there_is_none_to_choose() -> None:
    for truth, table in (("people.csv", "people"), ("sqlite://people.db", None)):
        with pytest.raises(ParameterError, match="truth_table"):
            question("o.csv", truth, quasi_identifiers=("sex",), sensitive=("ill",), truth_table=table)
