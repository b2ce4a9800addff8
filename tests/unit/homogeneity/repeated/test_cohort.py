from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity import Release, SizeRelease
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.cohort import Cohort
from tests.unit.homogeneity.repeated.small_tables import JOINT, NOISE, OTHER


def test_the_releases_of_others_are_left_out() -> None:
    releases = {"mine": Release(JOINT, NOISE, cohort="a"), "theirs": Release(JOINT, OTHER, cohort="b")}
    cohort = Cohort.of("a", releases)
    assert list(cohort.tables()) == ["mine"]
    assert cohort.attributes == ("illness", "income")
    assert len(cohort.independents) == 1


@pytest.mark.parametrize("match", ["any", "share"])
def test_a_single_table_of_one_attribute_is_at_its_local_risk(match: str) -> None:
    table = JOINT.attribute("illness")
    cohort = Cohort.of("", {"only": Release(table, NOISE)})
    expected = local(table, NOISE, match)  # type: ignore[arg-type]
    assert cohort.risk("illness", match) == pytest.approx(expected)
    assert cohort.some_attribute(match) == pytest.approx(expected)


def test_sizes_alone_and_parted_attributes_are_refused() -> None:
    with pytest.raises(ParameterError, match="cohort '' has cell sizes only, which disclose no attribute; add a table"):
        Cohort.of("", {"sizes": SizeRelease(NOISE)})
    parted = {name: Release(JOINT.attribute(name), NOISE) for name in ("illness", "income")}
    with pytest.raises(ParameterError, match="add a joint table, or use match='any'"):
        Cohort.of("", parted).some_attribute("share")
