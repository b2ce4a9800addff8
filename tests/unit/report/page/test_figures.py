from __future__ import annotations

from typing import Any

import altair as alt

from epsilens.report.page.figures import chart_page, figure
from epsilens.report.page.parts import Figure


def chart(**properties: object) -> Any:
    return alt.Chart(alt.InlineData(values=[{"x": 1.5}])).mark_point().encode(x="x:Q").properties(**properties)


def test_a_chart_is_read_aloud_by_its_own_words() -> None:
    titled = chart(title=alt.Title("Risk of y", subtitle=["local measure,", "laplace noise. Internal."]))
    assert figure(titled).description == "Risk of y. Local measure, laplace noise."
    assert figure(chart(title="Risk of y")).description == "Risk of y."
    assert figure(titled, "The risk is 1.5.").description == "The risk is 1.5."
    assert figure(alt.hconcat(titled, chart(description="half of it"))).description.endswith("Half of it.")


def test_a_page_of_one_chart_says_whether_it_is_internal() -> None:
    page = chart_page(chart(title="Which?"), internal=False)
    assert (page.internal, page.title, page.sections[0].internal) == (False, "Epsilens", False)
    (drawn,) = page.sections[0].parts
    assert isinstance(drawn, Figure)
    assert drawn.description == "Which?"
    assert drawn.tables[0].rows == [("1.5",)]
