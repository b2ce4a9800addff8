from __future__ import annotations

from dataclasses import replace

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity import Release, SizeRelease
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.cohort import Cohort
from epsilens.table.harm import Harm
from tests.unit.homogeneity.publishing import table_of
from tests.unit.homogeneity.repeated.small_tables import HARMS, JOINT, NOISE, OTHER, harm_by_enumeration

ILLNESS = {"illness": ("flu", "none")}
INCOME = {"income": ("high", "low")}


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


OLD = table_of([(1, 1), (0, 3)], ILLNESS, {"sex": ["f", "m"]})
NEW = table_of([(2, 0)], ILLNESS, {"sex": ["f"]})


@pytest.mark.parametrize("match", ["any", "share"])
def test_people_in_two_tables_and_people_in_one(match: str) -> None:
    """By enumeration: the second table counts newcomers too, who are not in the first."""
    releases = {
        "first": Release(OLD, NOISE, cohort="old"),
        "second": Release.of_several({"old": OLD, "new": NEW}, OTHER),
    }

    def alone(counts: list[int], noise: object) -> list[float]:
        hidden = [float(noise.cdf(0.5 - n)) for n in counts]  # type: ignore[attr-defined]
        return [(1 - hidden[0]) * hidden[1], (1 - hidden[1]) * hidden[0]]

    def risk(own: list[int], shown: list[list[float]]) -> float:
        if match == "any":
            escape = 1.0
            for by_label in shown:
                escape *= 1 - sum(p for p, n in zip(by_label, own, strict=True) if n > 0)
            return 1 - escape
        total = 0.0
        for y, n in enumerate(own):
            escape = 1.0
            for by_label in shown:
                escape *= 1 - by_label[y]
            total += n / sum(own) * (1 - escape)
        return total

    old, new = Cohort.of("old", releases), Cohort.of("new", releases)
    expected = [
        risk([1, 1], [alone([1, 1], NOISE), alone([3, 1], OTHER)]),
        risk([0, 3], [alone([0, 3], NOISE), alone([0, 3], OTHER)]),
    ]
    assert old.risk("illness", match) == pytest.approx(expected)
    assert new.risk("illness", match) == pytest.approx([risk([2, 0], [alone([3, 1], OTHER)])])


def test_a_subset_may_lack_a_value_and_a_joint_table_may_list_more() -> None:
    joint = table_of([(2, 1, 0, 0)], {**ILLNESS, **INCOME}, {"sex": ["m"]})  # nobody has the second illness
    first = table_of([(3, 0)], ILLNESS, {"sex": ["m"]})
    others = table_of([(0, 4)], ILLNESS, {"sex": ["m"]})
    releases = {
        "all": Release.of_several({"some": first, "others": others}, NOISE),
        "some": Release(joint, NOISE, cohort="some"),
    }
    assert 0 < Cohort.of("some", releases).risk("illness", "share")[0] < 1
    assert Cohort.of("others", releases).attributes == ("illness",)
    assert 0 < Cohort.of("some", releases).some_attribute("share")[0] < 1


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("weights", HARMS, ids=str)
def test_releases_count_values_as_often_as_they_harm(weights: dict[str, dict[str, float]], match: str) -> None:
    """By enumeration: the joint table, and one of the illness alone."""
    table = replace(JOINT, harm=Harm(weights))
    illness = table.attribute("illness")
    cohort = Cohort.of("", {"joint": Release(table, NOISE), "illness": Release(illness, OTHER)})
    some = cohort.some_attribute(match)
    for i, (cell, alone) in enumerate(zip(JOINT.counts.tolist(), illness.counts.tolist(), strict=True)):
        releases = [(cell, NOISE, JOINT), (alone, OTHER, illness)]
        by_attribute, worst = harm_by_enumeration(cell, releases, table.harm, match)
        for attribute in ("illness", "income"):
            assert cohort.risk(attribute, match)[i] == pytest.approx(by_attribute[attribute], abs=1e-12)
        assert some[i] == pytest.approx(worst, abs=1e-12)


def test_releases_must_agree_about_what_harms() -> None:
    releases = {"plain": Release(JOINT, NOISE), "declared": Release(JOINT.with_harm("illness=flu"), NOISE)}
    with pytest.raises(ParameterError, match="'illness' must be harmful in every release"):
        Cohort.of("", releases)
