"""A measure made ready for one table: averages over people and over cells, against the cells one by one."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import DataError
from epsilens.homogeneity.local import local
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.prepared import PreparedMeasure

TABLE = el.FrequencyTable.from_counts([[3, 0], [0, 3], [4, 1], [3, 0]], cells={"q": ["a", "b", "c", "d"]})


def test_averages_count_signatures_as_often_as_they_occur() -> None:
    risks = np.array([0.2, 0.9, 0.4])
    asked: list[el.LaplaceNoise] = []

    def of(noise: object) -> np.ndarray:
        asked.append(noise)  # type: ignore[arg-type]
        return risks

    ready = PreparedMeasure("ours", np.array([[3, -1], [4, 1], [0, 0]]), np.array([3, 1, 5]), of)
    noise = el.LaplaceNoise(1.0)
    assert ready.average(noise) == pytest.approx((9 * 0.2 + 5 * 0.9) / 14)
    assert ready.average(noise, weighted=False) == pytest.approx((3 * 0.2 + 0.9) / 4)  # empty cells have no risk
    assert asked == [noise, noise]


@pytest.mark.parametrize("weighted", [True, False])
def test_signatures_give_the_average_of_the_cells(weighted: bool) -> None:
    noise = el.LaplaceNoise(0.8)
    ready = prepare("local", TABLE)
    assert len(ready.vectors) < TABLE.n_cells  # three cells are alike
    each = local(TABLE, noise)
    assert ready.average(noise, weighted) == pytest.approx(el.average(each, TABLE, weighted), abs=1e-15)


def test_it_shows_sizes_and_no_counts() -> None:
    ready = PreparedMeasure("ours", np.array([[31337, 4]]), np.array([1]), lambda noise: np.array([0.5]))
    assert repr(ready).startswith("PreparedMeasure(name='ours'")
    assert "31337" not in repr(ready)
    assert "\n" not in repr(ready)


@pytest.mark.parametrize("measure", ["local", "shrinkage", "published-local", "hard"])
def test_every_cell_finds_its_own_risk(measure: str) -> None:
    noise = el.LaplaceNoise(0.8)
    ready = prepare(measure, TABLE)
    each = ready.risks_of(TABLE.vectors, noise)
    alone = [prepare(measure, TABLE).risks_of(TABLE.vectors[i : i + 1], noise)[0] for i in range(4)]
    assert each.tolist() == alone
    assert el.average(each, TABLE) == pytest.approx(ready.average(noise), abs=1e-15)
    with pytest.raises(DataError, match="made ready for other cells"):
        ready.risks_of(np.array([[7, 0]]), noise)
    if measure == "local":
        assert each == pytest.approx(local(TABLE, noise), abs=1e-15)


def test_it_knows_the_laws_that_it_rests_on() -> None:
    ready = prepare("marginal-shrinkage", TABLE)
    assert ready.sizes is not None
    assert ready.shares is not None
    assert len(ready.shares.model.alpha) == 2
    assert prepare("local", TABLE).sizes is None
    assert prepare("local", TABLE).exact_risks is None


def test_several_noises_one_after_the_other() -> None:
    ready = prepare("local", TABLE)
    noises = [el.LaplaceNoise(scale) for scale in (0.5, 2.0)]
    found = ready.risks_at(noises)
    assert next(found).tolist() == ready.risks(noises[0]).tolist()  # the second is not computed before it is asked for
    assert next(found).tolist() == ready.risks(noises[1]).tolist()
    assert ready.people.sum() == 14
    assert ready.weights_of_cells(weighted=False).sum() == pytest.approx(1.0)
