from __future__ import annotations

from epsilens.budget import PureDP
from epsilens.noise import calibrate
from epsilens.report.page.parts import Again, Code, Terms
from epsilens.report.pages.common import again_section, closing, cost_section, guarantee_section


def test_what_every_page_ends_with_needs_no_data() -> None:
    sections = closing(["It rains."], [("local", "risk = ... Source: P0 Eq. (5).")], Again("epsilens x", "import x"))
    assert not any(section.internal for section in sections)
    assert [section.title for section in sections][-1] == "How to make this again"
    methods = sections[2].parts
    assert [part.rows[0][0] for part in methods if isinstance(part, Terms)] == ["local", "P0"]


def test_the_program_is_left_out_where_there_is_none() -> None:
    assert again_section(None) == []
    (section,) = again_section(Again("epsilens demo"))
    assert [part.text for part in section.parts if isinstance(part, Code)] == ["epsilens demo"]


def test_guarantee_and_error_follow_from_budgets() -> None:
    noises = [("laplace", PureDP(1.0), calibrate("laplace", PureDP(1.0)))]
    assert not guarantee_section(noises, "add-remove").internal
    assert [section.internal for section in cost_section(noises)] == [False]
    assert cost_section([]) == []
