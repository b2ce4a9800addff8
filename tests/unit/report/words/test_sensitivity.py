from __future__ import annotations

import inspect
import re
from dataclasses import replace

import pytest

from epsilens.choice.questions import sensitivity
from epsilens.release.statistics.proportion_study import StudyQuestion, answer_study
from epsilens.report.words.common import BLANK, Grid, Note
from epsilens.report.words.sensitivity import (
    STUDY_HEADINGS,
    sensitivity_lines,
    study_blocks,
    study_cells,
    verification_sentence,
)
from epsilens.sensitivity.catalogue import STATISTICS


def test_everything_a_sensitivity_rests_on_is_said() -> None:
    question = sensitivity.Question("proportions", "add-remove", {"n": 4}, published=True, verified=True)
    lines = sensitivity_lines(sensitivity.answer(question))
    assert lines[0] == "0.5"
    assert lines[2].startswith("How far a vector of proportions can move")
    assert "Source: P3 section 1 (p)." in lines
    assert any(line.startswith("Assumes: two categories or more;") for line in lines)
    assert any(line.startswith("Departs from print (P3-c): ") for line in lines)
    assert any(line.startswith("Caution: n is private under add-remove") for line in lines)
    assert "Published value: 0.25" in lines
    assert lines[-1].endswith("pairs of neighbours: 0.5; formula attained.")


def test_a_formula_that_protects_too_little_is_shouted_about() -> None:
    question = sensitivity.Question("proportion", "substitute", {"n": 3}, verified=True)
    check = sensitivity.answer(question).verification
    assert check is not None
    assert verification_sentence(replace(check, formula=1.0)).endswith("formula not attained.")
    assert verification_sentence(replace(check, formula=0.1)).endswith("formula BELOW the brute-force value.")


def test_a_study_has_a_cell_for_every_heading() -> None:
    answer = answer_study(StudyQuestion((50,), (0.5,), ("simplex",), repetitions=20))
    cells = study_cells(answer)
    assert [row[1] for row in cells] == ["p1+p2", "p1+p3", "p1+p4"]
    assert {len(row) for row in cells} == {len(STUDY_HEADINGS)}
    assert cells[0][:4] == ("simplex", "p1+p2", "50", "0.5")
    assert cells[0][4] == f"{answer.rows[0].bias:+.4f} ({answer.rows[0].bias_standard_error:.4f})"
    first, blank, note = study_blocks(answer)
    assert isinstance(first, Grid)
    assert first.title.startswith("n = 50, epsilon = 0.5; coverage of normal intervals")
    assert [list(row) for row in first.rows] == [[*row[:2], *row[4:]] for row in cells]
    assert blank == BLANK
    assert isinstance(note, Note)


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("name", STATISTICS)
def test_no_word_of_python_is_said(name: str, neighbours: str) -> None:
    given = {"n": 10, "sizes": (3, 4), "levels": 3, "lower": 0.0, "upper": 1.0}
    if "covariance" in name:
        given |= {"lower": (0.0, 0.0), "upper": (1.0, 1.0)}
    taken = inspect.signature(STATISTICS[name]).parameters
    question = sensitivity.Question(name, neighbours, {key: given[key] for key in given if key in taken})
    said = "\n".join(sensitivity_lines(sensitivity.answer(question)))
    assert not re.search(r"`|False|True|[a-z]{3,}_[a-z]", said), said
