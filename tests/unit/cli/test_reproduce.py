from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.reproduce.papers import Paper
from tests.support import reproduction
from tests.unit.cli.conftest import Run


@pytest.fixture(autouse=True)
def _few_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Paper, "claims", lambda self: list(reproduction.CLAIMS) if self.name == "P3" else [])
    monkeypatch.setattr(Paper, "figures", lambda self: [])


def test_text_json_and_folder(run: Run) -> None:
    told = run("reproduce", "P3", "--out", "made")
    assert (told.code, told.err) == (0, "")
    assert "7 printed claims of 1 paper" in told.out
    assert "Written: made/reproduction.html, made/reproduction.json and 0 figures." in told.out
    assert "epsilens reproduce P3 --out made" in Path("made/reproduction.html").read_text()
    plain = run("reproduce", "all", "--json").json
    assert len(plain["rows"]) == 7
    assert {"paper", "place", "published", "ours", "verdict"} <= set(plain["rows"][0])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("P7",), "papers must be one of P0, P1, P2, P3, P4, all"),
        (("P3", "--data", "nowhere"), "--data is not a folder"),
        (("P3", "--verdict", "flase"), "did you mean 'false'"),
    ],
)
def test_bad_words_are_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    told = run("reproduce", *words)
    assert (told.code, told.out, told.err.count("\n")) == (2, "", 1)
    assert said in told.err
