"""Several attributes read from one joint table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from epsilens.homogeneity.repeated.attributes import at_least_one_attribute, attribute_risks, overall
from epsilens.noise import DiscreteLaplaceNoise
from epsilens.table.harm import Harm
from tests.unit.homogeneity.repeated.small_tables import HARMS, JOINT, NOISE, harm_by_enumeration, outcomes, shown


@pytest.mark.parametrize("match", ["any", "share"])
def test_attributes_read_from_a_joint_table_are_those_of_full_enumeration(match: str) -> None:
    noise = DiscreteLaplaceNoise(0.3)
    weight, draws = outcomes([noise] * 4)
    risks, some = attribute_risks(JOINT, noise, match), at_least_one_attribute(JOINT, noise, match)
    for i, cell in enumerate(JOINT.counts):
        visible = [shown(int(c), e) for c, e in zip(cell, draws, strict=True)]
        people = max(int(cell.sum()), 1)
        alone = []  # per attribute and value: shown alone?
        for position in (0, 1):
            for value in (0, 1):
                groups = [[], []]  # type: list[list[int]]
                for k in range(4):
                    groups[(k >> (1 - position)) & 1 == value].append(k)
                inside = np.logical_or.reduce([visible[k] for k in groups[1]])
                outside = np.logical_or.reduce([visible[k] for k in groups[0]])
                alone.append((position, value, groups[1], inside & ~outside))
        for position in (0, 1):
            expected = sum(
                float(weight @ event) * (float(cell[g].sum() > 0) if match == "any" else cell[g].sum() / people)
                for p, _, g, event in alone
                if p == position
            )
            assert risks[i, position] == pytest.approx(expected, abs=1e-10)
        if match == "any":
            union = np.logical_or.reduce([event for _, _, g, event in alone if cell[g].sum() > 0] or [weight < 0])
            expected = float(weight @ union)
        else:
            expected = sum(
                cell[k] / people * float(weight @ np.logical_or.reduce([e for _, _, g, e in alone if k in g]))
                for k in range(4)
            )
        assert some[i] == pytest.approx(expected, abs=1e-10)


def test_overall_measures() -> None:
    risks = attribute_risks(JOINT, NOISE)
    some = at_least_one_attribute(JOINT, NOISE)
    assert overall(risks, "max") == pytest.approx(risks.max(axis=1))
    assert overall(risks, "sum") == pytest.approx(risks.sum(axis=1))
    assert (overall(risks, "max") <= some + 1e-12).all()
    assert (some <= overall(risks, "sum") + 1e-12).all()


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("weights", HARMS, ids=str)
def test_values_count_as_often_as_they_harm_and_of_several_the_worst(
    weights: dict[str, dict[str, float]], match: str
) -> None:
    table = replace(JOINT, harm=Harm(weights))
    risks, some = attribute_risks(table, NOISE, match), at_least_one_attribute(table, NOISE, match)
    for i, cell in enumerate(JOINT.counts.tolist()):
        by_attribute, worst = harm_by_enumeration(cell, [(cell, NOISE, JOINT)], table.harm, match)
        assert risks[i] == pytest.approx(list(by_attribute.values()), abs=1e-12)
        assert some[i] == pytest.approx(worst, abs=1e-12)
    assert (some >= risks.max(axis=1) - 1e-12).all()
