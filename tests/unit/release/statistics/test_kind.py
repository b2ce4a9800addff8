from __future__ import annotations

from pathlib import Path

from epsilens.release.statistics import Mean, Proportion
from epsilens.release.statistics.kind import STATISTICS, currency, subject, unreadable
from tests.support.released_statistics import people, release


def test_what_a_card_of_statistics_says(tmp_path: Path) -> None:
    card = release(tmp_path, [Mean("a", 0, 10), Proportion("sex", "f")]).card
    declared = subject(card)["statistics"]
    assert [one["column"] for one in declared] == ["a", "sex"]
    assert currency(card) == "epsilon"
    assert unreadable(card) is None
    assert STATISTICS.recounted(card, people(), None, None) != STATISTICS.recounted(card, people(41), None, None)
