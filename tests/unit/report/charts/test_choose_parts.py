from __future__ import annotations

from dataclasses import replace

import epsilens as el
from epsilens.choice.choose.choosing import choose_budget
from epsilens.report.charts.choose_parts import (
    about,
    harm_text,
    levels_text,
    measure_text,
    noise_text,
    risk_axis,
    risk_title,
)
from epsilens.table.hierarchy import Situations

TABLE = replace(el.FrequencyTable.from_counts([[5, 0], [3, 2], [0, 2]]), sensitive=("ill",))


def test_what_charts_are_about() -> None:
    of_table = choose_budget(TABLE, "gaussian-analytic", 0.5, delta=1e-5)
    assert (about(of_table), measure_text(of_table), levels_text(of_table)) == ("ill", "local measure", "")
    assert noise_text(of_table) == "gaussian-analytic noise, delta = 1e-05"
    assert risk_title(of_table.dial) == "average risk over people"
    assert risk_axis(of_table)["format"] == "~%"
    assert harm_text(of_table.dial) == ""
    harm = choose_budget(TABLE.with_harm("ill=0*2"), max_risk=0.5)
    assert harm_text(harm.dial) == "; harmful: ill=0 (2 times)"
    assert risk_title(harm.dial) == "average weighted risk over people"
    situations = Situations.of([[1, 2], [1, 5]], [1, 3])
    of_groups = choose_budget(situations, max_risk=1.2, measure="posterior-ratio", attack="single")
    assert about(of_groups) == "being found in a group"
    assert measure_text(of_groups) == "posterior-ratio measure, single attack"
    assert levels_text(of_groups) == " over all 2 levels"
    assert risk_title(of_groups.dial) == "average posterior / prior over people"
