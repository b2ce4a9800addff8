from __future__ import annotations

from dataclasses import replace

from epsilens.report.page.parts import Again
from epsilens.report.page.render import render
from epsilens.report.pages.reproduce import page_of
from tests.support import reproduction


def test_figures_stand_beside_their_rows_and_nothing_is_internal() -> None:
    page = page_of(reproduction.answer(), Again("epsilens reproduce P3"))
    html = render(page)
    assert "INTERNAL" not in html
    assert "PUBLISHABLE" not in html
    assert "PUBLIC: of papers" in html
    for text in (
        *("Figure 1 (0 of 2 hold; 1 another model and 1 false)", "Table 1 (2 of 3 hold; 1 misprint)"),
        *("section 1 (false)", "epsilens reproduce P3", "needs b.csv", "P0-4 and the like behind a verdict"),
    ):
        assert text in html
    assert html.index("Figure 1 (0 of 2 hold") < html.index("every kind of panel") < html.index("Table 2")


def test_of_other_data_than_the_public_files_it_is_internal() -> None:
    html = render(page_of(replace(reproduction.answer(), files_other=("b.csv",))))
    assert "PUBLIC: of papers" not in html
    assert "INTERNAL" in html
    assert "b.csv is not the public file of that name" in html


def test_of_data_that_nobody_here_has_seen_it_is_internal() -> None:
    html = render(page_of(replace(reproduction.answer(), files_unknown=("b.csv",))))
    assert "PUBLIC: of papers" not in html
    assert "INTERNAL" in html


def test_headings_are_subjects_and_not_authors() -> None:
    html = render(page_of(reproduction.answer()))
    assert "P3: sensitivities</h2>" in html
    assert "P3: F. Liu</h2>" not in html
