from __future__ import annotations

import numpy as np
import pytest

from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.repeated.attributes import attribute_risks
from epsilens.reproduce.p0.cases import EPSILONS
from epsilens.reproduce.p0.enumeration import Law, risk
from epsilens.reproduce.p0.repeated import JOINT, Sequence2, adding_up, at_cumulative_budget, in_joint_table
from epsilens.reproduce.p0.tables import joint_table
from tests.support.judged import CONFIRMED, FALSE, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.repeated")
    assert verdicts(rows) == {CONFIRMED: 6, FALSE: 3}
    assert departing(rows) == {"P0-11": {FALSE}, "P0-16": {FALSE}}
    assert rows["section 4.3, risk of smaller cells"].why == (
        "the counts (2, 0) have a risk of 0.6190 at epsilon = 1; split into (1, 0) and (1, 0) they have 0.5063 at "
        "epsilon = 1.1"
    )
    split = [risk((1, 0), Law("laplace", epsilon)) for epsilon in (1.1, 2.0)]
    assert split == pytest.approx([0.506, 0.666], abs=5e-4)


def test_labels_that_add_up_to_their_size_are_what_simulated_releases_show() -> None:
    rng = np.random.default_rng(7)
    for case in (Sequence2((3, 0), 1.0, 0.1), Sequence2((1, 1), 0.5, 0.5), Sequence2((5, 1), 0.01, 2.0)):
        counts = np.array(case.cell) + rng.laplace(0.0, 1.0 / case.labels, (200_000, 2))
        size = sum(case.cell) + rng.laplace(0.0, 1.0 / case.sizes, 200_000)
        shown = counts + ((size - counts.sum(axis=1)) / 2.0)[:, None] >= 0.5
        right = (shown.sum(axis=1) == 1) & (shown & (np.array(case.cell) > 0)).any(axis=1)
        exact = adding_up(case)
        assert right.mean() == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 200_000) ** 0.5)
    assert adding_up(Sequence2((3, 0), 1.0, 0.1)) == pytest.approx(0.5215, abs=5e-5)
    assert at_cumulative_budget(Sequence2((3, 0), 1.0, 0.1)) == pytest.approx(0.689, abs=5e-4)
    row = rows_of("p0.repeated")["section 4.3, cumulative budget"]
    assert row.why.endswith("it is 0.814293, and 0.0293442 is true")


def test_what_is_true_of_a_joint_table_is_what_the_product_computes() -> None:
    for epsilon in EPSILONS:
        law = Law("laplace", epsilon)
        ours = attribute_risks(joint_table(JOINT, ("first", "second")), law.noise)[:, 0]
        assert ours == pytest.approx([in_joint_table((cell, law)) for cell in JOINT], abs=1e-13)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = lambda vectors, *_: lambda _noise: np.zeros(len(vectors))  # noqa: E731
    monkeypatch.setitem(local_risks.__globals__, "ready_local", nothing)
    assert verdicts_anew("p0.repeated", "section 4.3, bounded and unbounded") == {FALSE}
