from __future__ import annotations

import pytest

from epsilens.choice.falling import largest_fall


@pytest.mark.parametrize(
    ("risks", "ends"),
    [
        ([0.1, 0.2, 0.3], None),
        ([0.3, 0.2, 0.25, 0.1, 0.4], (2, 3)),
        ([0.3, 0.2, 0.2, 0.15], (0, 3)),
        ([0.3, 0.29999], None),  # nobody sees it in four decimals
        ([0.5], None),
        ([], None),
    ],
)
def test_the_longest_way_down(risks: list[float], ends: tuple[int, int] | None) -> None:
    assert largest_fall(risks) == ends
