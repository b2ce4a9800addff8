from __future__ import annotations

import numpy as np
import pytest

from epsilens.reproduce.p3 import setting
from epsilens.reproduce.papers import PAPERS
from tests.conftest import REPOSITORY


def test_what_is_searched_is_remembered_and_true() -> None:
    assert setting.searched("variance", "substitute", n=3, lower=0.0, upper=1.0) == pytest.approx(1 / 3)
    before = setting.searched.cache_info().hits
    setting.searched("variance", "substitute", n=3, lower=0.0, upper=1.0)
    assert setting.searched.cache_info().hits == before + 1


def test_data_to_try_derivations_on_are_the_same_at_every_run() -> None:
    one, other = setting.uniform_samples(7, (2, 3), 2), setting.uniform_samples(7, (2, 3), 2)
    assert all(np.array_equal(left, right) for left, right in zip(one, other, strict=True))
    assert [len(values) for values in one[:4]] == [2, 3, 2, 3]
    assert one[0].shape == (2, 2)


def test_definitions() -> None:
    values = np.array([1.0, 2.0, 4.0])
    assert setting.variance(values) == pytest.approx(np.var(values, ddof=1))
    assert setting.covariance(values, values**2) == pytest.approx(np.cov(values, values**2)[0, 1])
    assert setting.number("Table 1", "what", "2", lambda _: 2.0).place.paper == "P3"


def test_every_departure_that_is_named_is_described() -> None:
    described = {line.removeprefix("### ") for line in (REPOSITORY / "docs" / "departures.md").read_text().splitlines()}
    assert {claim.place.departs for claim in PAPERS["P3"].claims()} - {None} <= described
