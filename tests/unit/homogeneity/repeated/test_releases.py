"""Which releases may be fitted to which."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.attack import at_least_one_of_sequence, sequence
from epsilens.homogeneity.repeated.releases import Release, SizeRelease
from epsilens.noise import LaplaceNoise
from tests.unit.homogeneity.publishing import merged, table_of

ILLNESS = {"illness": ("flu", "none")}


INCOME = {"income": ("high", "low")}


TWO_CELLS = {"age": ["old", "old"], "sex": ["f", "m"]}


def test_fits_that_do_not_fit_are_refused() -> None:
    noise = LaplaceNoise(1.0)
    both = table_of([(2, 1, 0, 0), (1, 0, 0, 1)], {**ILLNESS, **INCOME}, TWO_CELLS)
    illness = merged(both, ["illness"])
    first = Release(illness, noise, name="first")
    with pytest.raises(ParameterError, match="'later', which is not an earlier release"):
        sequence([Release(both, noise, parent="later"), Release(illness, noise, name="later")])
    with pytest.raises(ParameterError, match="about the same cohort"):
        sequence([first, Release(both, noise, parent="first", cohort="2")])
    with pytest.raises(ParameterError, match="every sensitive attribute of its parent 'first', and more"):
        sequence([first, Release(merged(both, ["income"]), noise, parent="first")])
    with pytest.raises(ParameterError, match="every quasi-identifier of its parent 'first', but has no 'sex'"):
        sequence([first, Release(both.marginal(["age"]), noise, parent="first")])
    other_values = table_of([(2, 1, 0, 0), (1, 0, 0, 1)], {"illness": ("cold", "none"), **INCOME}, TWO_CELLS)
    with pytest.raises(ParameterError, match="'illness' must have the same values"):
        sequence([first, Release(other_values, noise, parent="first")])
    moved = table_of([(2, 0, 1, 0), (1, 0, 0, 1)], {**ILLNESS, **INCOME}, TWO_CELLS)
    with pytest.raises(ParameterError, match="true counts of 'moved' must add up to those of its parent 'first'"):
        sequence([first, Release(moved, noise, name="moved", parent="first")])
    impossible = Release(table_of([(2, -1), (1, 1)], ILLNESS, TWO_CELLS), noise, name="first")
    allowed = table_of([(2, 0, 0, 0), (1, 0, 0, 1)], {**ILLNESS, **INCOME}, TWO_CELLS)
    with pytest.raises(ParameterError, match="declares labels impossible that 'release 2'"):
        sequence([impossible, Release(allowed, noise, parent="first")])
    with pytest.raises(ParameterError, match="same people in the same cells"):
        sequence([SizeRelease(noise, name="s", table=table_of([(9, 9)], ILLNESS)), Release(illness, noise, parent="s")])
    with pytest.raises(ParameterError, match="add a joint table"):
        at_least_one_of_sequence([first, Release(merged(both, ["income"]), noise)])
    with pytest.raises(ParameterError, match="match must be one of"):
        at_least_one_of_sequence([first], match="all")
    many = table_of([[1] * 128], {f"a{i}": ("0", "1") for i in range(7)})
    with pytest.raises(ParameterError, match="at most 6 sensitive attributes, got 7"):
        at_least_one_of_sequence([Release(many, noise)])


def test_one_table_of_several_cohorts() -> None:
    cells = {"sex": ["f", "m"]}
    old, new = table_of([(1, 2), (0, 1)], ILLNESS, cells), table_of([(3, 0)], ILLNESS, {"sex": ["m"]})
    release = Release.of_several({"old": old, "new": new}, LaplaceNoise(1.0), name="both")
    assert release.cohorts == ("old", "new")
    assert release.table.counts.tolist() == [[1, 2], [3, 1]]
    assert release.rows("new", new).tolist() == [1]
    assert release.of_cohort("old") is old
    with pytest.raises(ParameterError, match="parts must add up to the table"):
        Release(release.table, LaplaceNoise(1.0), parts={"old": old})
    with pytest.raises(ParameterError, match="cohort is named by parts"):
        Release(release.table, LaplaceNoise(1.0), parts={"old": old, "new": new}, cohort="x")
    with pytest.raises(ParameterError, match="about the same cohort"):
        sequence([SizeRelease(LaplaceNoise(1.0), name="s", cohort="old"), replace(release, parent="s")])
    sizes = SizeRelease(LaplaceNoise(1.0), name="s", cohort=("old", "new"))
    fitted = sequence([sizes, replace(release, parent="s")])
    assert [group.cohort for group in fitted.cohorts] == ["old", "new"]
    assert fitted["old"].risks.shape == (2, 1)
    assert fitted["new"].risks.shape == (1, 1)
