from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.errors import DataError, ParameterError, SourceError
from epsilens.reproduce.p1 import applications
from epsilens.reproduce.p2 import figures
from epsilens.reproduce.papers import PAPERS, Paper
from epsilens.reproduce.question import Question, answer, steps
from epsilens.reproduce.verdicts import VERDICTS
from tests.support import reproduction


def test_what_cannot_be_asked() -> None:
    with pytest.raises(ParameterError, match=r"verdicts must be one of .* did you mean 'misprint'"):
        Question(verdicts=("misprnt",))
    with pytest.raises(ParameterError, match="papers must be one of"):
        Question(("P5",))


def test_a_folder_without_a_name_is_not_the_one_that_somebody_is_in() -> None:
    with pytest.raises(SourceError, match="data is empty"):
        Question(data="")


def test_counts_and_files_of_an_answer() -> None:
    found = reproduction.answer()
    assert list(found.counts()) == list(VERDICTS)
    assert list(found.counts().values()) == [1, 1, 1, 1, 2, 1]
    assert found.counts("P4") == dict.fromkeys(VERDICTS, 0)
    assert found.files_missing == ["a.csv", "b.csv"]
    assert [row.place for row in reproduction.answer("misprint", "confirmed").told] == [
        "Table 1, row 1",
        "Table 1, row 3",
    ]


def test_plain_values_and_frames() -> None:
    plain = reproduction.answer().to_dict()
    assert len(plain["rows"]) == 7
    assert plain["by_paper"]["P3"]["false"] == 2
    assert reproduction.answer().to_pandas().shape[0] == 7
    assert repr(reproduction.answer()).startswith("Answer(1 confirmed, 1 confirmed within")
    assert reproduction.answer()._repr_html_().count("<tr>") == 8


def test_steps_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Paper, "claims", lambda self: list(reproduction.CLAIMS) if self.name == "P3" else [])
    monkeypatch.setattr(Paper, "figures", lambda self: [])
    done: list[int] = []
    found = answer(Question(("all",)), done.append, drawn=True)
    assert sum(done) == steps(Question(), drawn=True) == len(found.rows) == len(reproduction.CLAIMS)
    assert set(PAPERS) == {paper.name for paper in found.question.chosen}


def test_data_that_cannot_be_the_papers_are_named_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bankcount.csv").write_text("IR,MR,FF,CR,CO,OR,class,class\nA,A,A,A,A,A,NB,2\n")
    monkeypatch.setattr(Paper, "_imported", lambda self: [applications])
    with pytest.raises(SourceError, match=r"bankcount.csv has other data than the public file: .* single value"):
        answer(Question(("P1",), tmp_path))


def test_data_that_nobody_here_has_seen_are_named_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tx2019.csv").write_text("PUMA,RAC1P,SEX,OWN_RENT,PINCP,AGEP\n1,1,1,1,100,30\n")
    monkeypatch.setattr(Paper, "_imported", lambda self: [figures])
    with pytest.raises(SourceError, match=r"tx2019.csv has other data than the public file: .* single value"):
        answer(Question(("P2",), tmp_path))
    (tmp_path / "tx2019.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match=r"tx2019\.csv") as told:
        answer(Question(("P2",), tmp_path))
    assert str(told.value).count("tx2019.csv") == 1


def test_other_data_are_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    people = "A,A,A,A,A,A,NB,2\nA,A,A,A,A,A,B,1\n"
    (tmp_path / "bankcount.csv").write_text(f"IR,MR,FF,CR,CO,OR,class,class\n{people}")
    monkeypatch.setattr(Paper, "_imported", lambda self: [applications])
    found = answer(Question(("P1",), tmp_path))
    assert found.to_dict()["files_other"] == ["bankcount.csv"]
    assert found.to_dict()["files_unknown"] == []
    assert answer(Question(("P1",))).to_dict()["files_other"] == []
