from __future__ import annotations

from epsilens.reproduce.p0.cases import (
    HOMOGENEOUS,
    MORE_LABELS,
    ONE_APART,
    SMALL,
    TWO_LABELS,
    Case,
    cells_with_noise,
    generic_cells,
    laws,
    sizes_with_shares,
)
from epsilens.reproduce.p0.enumeration import Law, Sizes


def labels(cell: tuple[int, ...]) -> int:
    return sum(n > 0 for n in cell)


def test_cells_are_what_they_are_called() -> None:
    assert {labels(cell) for cell in HOMOGENEOUS} == {1}
    assert {labels(cell) for cell in TWO_LABELS} == {2}
    assert min(labels(cell) for cell in MORE_LABELS) == 3
    assert all(labels(cell) == 2 and sorted(cell)[-2] == 1 for cell in ONE_APART)
    assert all(sum(cell) <= 3 and labels(cell) <= 2 for cell in SMALL)
    assert max(map(len, HOMOGENEOUS)) >= 5


def test_cases_in_words() -> None:
    assert str(Case(Law("laplace", 0.5), (2, 1))) == "counts (2, 1), epsilon = 0.5"
    case = Case(Law("gaussian", 2.0), size=3, alpha=(1.0, 0.5), sizes=Sizes(1.2, 3.0))
    assert str(case) == "n = 3, alpha = (1, 0.5), negative binomial sizes of shape 3 and mean 1.2, sigma = 2"
    assert case.labels == 2
    assert Case(Law("laplace", 1.0), (3, 1)).shares == (0.75, 0.25)


def test_noise_is_large_and_small() -> None:
    assert min(law.parameter for law in laws("laplace")) <= 1e-3
    assert max(law.parameter for law in laws("laplace")) >= 10
    assert len(cells_with_noise("gaussian", SMALL, SMALL)) == len(SMALL) * len(laws("gaussian"))
    assert len(sizes_with_shares("laplace", (1, 2), [(1.0, 1.0)])) == 10
    assert {case.sizes for case in generic_cells("laplace", [(1.0, 1.0)])} >= {Sizes(0.6), Sizes(1.2, 3.0)}
