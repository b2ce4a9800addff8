"""No outsider can tell neighbouring data apart by anything but noise: tables of counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.neighbouring_statistics import statistics
from tests.support.neighbouring_tables import tables
from tests.support.neighbours import Star, differences, seen

pytestmark = pytest.mark.slow

STARS = {star.name: star for star in tables()}


@pytest.mark.parametrize("star", STARS.values(), ids=STARS)
def test_whatever_one_person_does_an_outsider_sees_the_same(
    star: Star, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("epsilens.table.reading.tables.MAX_LABELS", 3)  # a limit of 5,000 takes longer to cross
    found = dict(differences(star, tmp_path, monkeypatch))
    assert len(found) == len(star.neighbours)
    assert {name: told for name, told in found.items() if told} == {}
    card = json.loads((tmp_path / "base" / "o.card.json").read_text())
    assert card["label"] == "publishable"


def test_there_are_at_least_two_hundred_pairs_at_every_limit() -> None:
    stars = [*tables(), *statistics()]
    assert len({star.name for star in stars}) == len(stars)
    assert sum(len(star.neighbours) for star in stars) >= 200


def test_the_threshold_of_the_audit_is_the_one_it_crosses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    star = STARS["threshold, at the threshold"]
    seen(star, star.base, tmp_path / "at", monkeypatch)
    assert json.loads(Path("o.card.json").read_text())["mechanism"]["tables"][0]["threshold"] == len(star.base)


def test_the_audit_sees_what_there_is_to_see(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    star = STARS["universe, discrete-laplace"]
    found = seen(star, star.base, tmp_path / "one", monkeypatch)
    assert (found.code, found.err) == (0, "")
    assert set(found.files) == {"b.db", "u.json", "o.csv", "o.card.json", "o.card.md", "o.internal.json"}
    assert found.output == ["a,s,count,standard_error,lower,upper", *(f"{a},{s},v,{e},v,v" for a, s, e in _rows())]
    assert "4 counts written to o.csv" in found.out
    assert found.progress == [("Counting people", None), ("Drawing noise", 4), 4]
    assert len(found.rooms) == 4
    assert [entry["kind"] for entry in found.ledger] == ["open", "reserve", "commit"]
    alike = seen(star, star.base, tmp_path / "again", monkeypatch)
    assert alike == found


def _rows() -> list[tuple[str, str, str]]:
    error = Path("o.csv").read_text().splitlines()[1].split(",")[3]
    return [(a, s, error) for a in "xy" for s in "uv"]
