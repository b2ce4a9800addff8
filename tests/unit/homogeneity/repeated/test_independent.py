"""Independent parts of what is published."""

from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.attack import sequence
from epsilens.homogeneity.repeated.releases import AnyRelease, Release
from epsilens.noise import LaplaceNoise
from tests.unit.homogeneity.publishing import merged, table_of

ILLNESS = {"illness": ("flu", "none")}


INCOME = {"income": ("high", "low")}


ONE_CELL = {"age": ["old"]}


def test_terms_in_batches_are_the_same_as_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    both = table_of([(2, 1, 0, 0), (1, 0, 0, 1)], {**ILLNESS, **INCOME})
    first = Release(merged(both, ["illness"]), LaplaceNoise(1.0), name="first")
    releases: list[AnyRelease] = [first, Release(both, LaplaceNoise(2.0), parent="first")]
    at_once = sequence(releases, "any").cohorts[0].risks
    monkeypatch.setattr("epsilens.homogeneity.repeated.independent._LARGEST_BATCH", 4)
    monkeypatch.setattr("epsilens.homogeneity.repeated.fitted._MOST_KNOWN", 1)
    assert sequence(releases, "any").cohorts[0].risks == pytest.approx(at_once, abs=1e-14)


def test_too_many_terms_are_refused() -> None:
    values = tuple(str(v) for v in range(26))
    table = table_of([[1] * 26], {"y": values}, ONE_CELL)
    releases: list[AnyRelease] = [Release(table, LaplaceNoise(1.0), name="0")]
    for i in range(1, 3):
        cells = {**ONE_CELL, **{f"x{j}": ["a"] for j in range(i)}}
        finer = table_of([[1] * 26], {"y": values}, cells)
        releases.append(Release(finer, LaplaceNoise(1.0), name=str(i), parent=str(i - 1)))
    with pytest.raises(ParameterError, match="at most 20000 are computed; leave out releases"):
        sequence(releases, "any")
    # one value at a time takes few terms, and every later release repeats the first
    alone = local(table, LaplaceNoise(1.0), "share")
    assert sequence(releases).cohorts[0].risks[:, 0] == pytest.approx(alone, abs=1e-12)
