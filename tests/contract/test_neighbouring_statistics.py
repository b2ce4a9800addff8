"""No outsider can tell neighbouring data apart by anything but noise: statistics."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.neighbouring_statistics import statistics
from tests.support.neighbours import Star, differences, seen

pytestmark = pytest.mark.slow

STARS = {star.name: star for star in statistics()}


@pytest.mark.parametrize("star", STARS.values(), ids=STARS)
def test_whatever_one_person_does_an_outsider_sees_the_same(
    star: Star, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = dict(differences(star, tmp_path, monkeypatch))
    assert len(found) == len(star.neighbours)
    assert {name: told for name, told in found.items() if told} == {}
    assert (tmp_path / "base" / "o.card.json").exists()


def test_the_audit_masks_noisy_numbers_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    star = STARS["statistics, every kind"]
    found = seen(star, star.base, tmp_path / "one", monkeypatch)
    assert (found.code, found.err) == (0, "")
    assert found.card["mechanism"]["records"]["n"] == 20
    assert "n = 20" in found.text
    assert found.card["released"][0] == {
        "statistic": "mean(a)", "entry": "", "value": "masked", "noisy": "masked",
        "standard_error": found.card["released"][0]["standard_error"], "lower": "masked", "upper": "masked",
    }  # fmt: skip
    assert found.output[1].startswith("mean(a),,v,v,")
