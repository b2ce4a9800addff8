from __future__ import annotations

import math

import altair as alt
import pytest

from epsilens.report.page.numbers import exactly, numbers_of

ROWS = [{"epsilon": 0.1, "risk": 1 / 3, "noise": "laplace"}, {"epsilon": 1.0, "risk": 0.5, "noise": "laplace"}]


def test_the_numbers_are_those_that_are_drawn_with_all_digits_under_the_titles_of_axes() -> None:
    x = alt.X("epsilon:Q", title="epsilon, log scale")
    chart = alt.Chart(alt.InlineData(values=ROWS)).mark_line().encode(x=x, y="risk:Q", color="noise:N")
    (grid,) = numbers_of(chart)
    assert list(grid.headings) == ["noise", "epsilon", "risk"]
    assert grid.rows == [("laplace", "0.1", "0.3333333333333333"), ("laplace", "1.0", "0.5")]
    assert (grid.title, grid.words) == ("Curves", 1)


def test_layers_of_the_same_rows_are_one_table_and_captions_are_none() -> None:
    base = alt.Chart(alt.InlineData(values=ROWS)).encode(x="epsilon:Q", y="risk:Q")
    said = alt.Chart(alt.InlineData(values=[{"text": "without noise"}])).mark_text().encode(text="text:N")
    other = alt.Chart(alt.InlineData(values=[{"value": 2}])).mark_bar().encode(x="value:Q")
    below = alt.Chart(alt.InlineData(values=[{"value": 3}])).mark_bar().encode(x="value:Q")
    found = numbers_of(alt.vconcat(base.mark_line() + base.mark_point() + said, other, below))
    assert [grid.title for grid in found] == ["Curves", "Bars", "Bars"]
    assert [grid.rows for grid in found[1:]] == [[("2",)], [("3",)]]


def test_panels_keep_their_names_and_lines_over_the_same_places_stand_side_by_side() -> None:
    rows = [{"x": x, "y": x * k, "of": name} for x in (1, 2) for k, name in ((1, "a"), (2, "b"))]
    base = alt.Chart(alt.InlineData(values=rows)).mark_line().encode(x="x:Q", y="y:Q", color="of:N")
    titles = [alt.Title("Risk", subtitle=["laplace", "noise; more. Internal."]), "Gaussian"]
    first, second = numbers_of(alt.hconcat(*(base.properties(title=title) for title in titles)))
    assert (first.title, second.title) == ("Curves. Risk: laplace noise: y by of", "Curves. Gaussian: y by of")
    assert list(first.headings) == ["x", "a", "b"]
    assert first.rows == second.rows == [("1", "1", "2"), ("2", "2", "4")]


@pytest.mark.parametrize(
    ("value", "said"), [(0.1, "0.1"), (3, "3"), (None, "-"), (math.inf, "-"), (True, "yes"), ("a", "a")]
)
def test_values_are_said_exactly(value: object, said: str) -> None:
    assert exactly(value) == said
