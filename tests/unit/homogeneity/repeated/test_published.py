"""Repeated publication as the print evaluates it."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.homogeneity import repeated
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.published import sequence as published_sequence
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise
from epsilens.table.frequency import FrequencyTable, MemoryStore
from tests.unit.homogeneity.repeated.small_tables import NOISE, VALUES, joint


def test_print_evaluates_at_the_cumulative_budget() -> None:
    child = joint([[2, 1, 0, 0], [0, 3, 0, 0]], ["illness", "income"])
    parent = FrequencyTable(VALUES["illness"], MemoryStore(np.array([[3, 0], [3, 0]]), {}), (), ("illness",))
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(4.0), PureDP(0.25), name="sizes"),
        Release(parent, LaplaceNoise(1.0), PureDP(1.0), name="first"),
        Release(child, LaplaceNoise(2.0), PureDP(0.5), name="second"),
    ]
    steps = published_sequence(releases, "laplace")[""]
    assert [step.cumulative for step in steps] == [PureDP(1.25), PureDP(1.75)]
    assert steps[1].risk.risks[:, 0] == pytest.approx(local(parent, LaplaceNoise(1 / 1.25)))
    assert steps[1].risk.risks[:, 1] == pytest.approx(local(child.attribute("income"), LaplaceNoise(1 / 1.75)))
    bounded = [float(step.risk.overall("max").mean()) for step in steps]
    assert bounded[0] <= bounded[1]
    again = published_sequence([Release(parent, NOISE, PureDP(0.5)), Release(parent, NOISE, PureDP(0.5))], "laplace")
    assert again[""][1].risk.risks[:, 0] == pytest.approx(local(parent, LaplaceNoise(1.0)))
    advanced = published_sequence(releases, "gaussian-analytic", rule="advanced", delta=1e-5)[""]
    assert isinstance(advanced[0].cumulative, ApproxDP)
    zcdp = [
        Release(parent, DiscreteGaussianNoise(1.0), ZCDP(0.5)),
        Release(parent, DiscreteGaussianNoise(1.0), ZCDP(0.5)),
    ]
    assert published_sequence(zcdp, "discrete-gaussian")[""][1].cumulative == ZCDP(1.0)


def test_in_print_new_quasi_identifiers_count_even_where_they_split_no_cell() -> None:
    coarse = joint([[2, 1], [0, 3]], ["illness"], town=["a", "b"])
    fine = joint([[2, 0, 1, 0], [0, 0, 0, 3]], ["illness", "income"], town=["a", "b"], sex=["m", "f"])
    releases = [Release(coarse, NOISE, PureDP(0.5)), Release(fine, NOISE, PureDP(0.5))]
    *_, last = published_sequence(releases, "laplace")[""]
    assert last.risk.risks[:, 0] == pytest.approx(local(coarse, LaplaceNoise(1.0)))


def test_the_old_name_is_that_of_the_published_module() -> None:
    assert repeated.published_sequence is repeated.published.sequence
