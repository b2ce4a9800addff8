from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.repeated.attributes import attribute_risks
from epsilens.reproduce.p0.cases import EPSILONS
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.repeated import JOINT, in_joint_table
from epsilens.reproduce.p0.tables import joint_table
from tests.support.judged import CONFIRMED, FALSE, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.repeated")
    assert verdicts(rows) == {CONFIRMED: 6, FALSE: 3}
    assert departing(rows) == {"P0-11": {FALSE}, "P0-16": {FALSE}}
    assert "the counts (2, 0)" in rows["section 4.3, risk of smaller cells"].why


def test_what_is_true_of_a_joint_table_is_what_the_product_computes() -> None:
    for epsilon in EPSILONS:
        law = Law("laplace", epsilon)
        ours = attribute_risks(joint_table(JOINT, ("first", "second")), law.noise)[:, 0]
        assert ours == pytest.approx([in_joint_table((cell, law)) for cell in JOINT], abs=1e-13)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = lambda vectors, *_: lambda _noise: np.zeros(len(vectors))  # noqa: E731
    monkeypatch.setitem(local_risks.__globals__, "ready_local", nothing)
    assert verdicts_anew("p0.repeated", "section 4.3, bounded and unbounded") == {FALSE}
