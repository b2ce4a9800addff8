from __future__ import annotations

from epsilens.choice.questions.posterior import noise
from epsilens.report.charts.posterior_noise import noise_chart
from tests.unit.report.charts.test_posterior import values

ANSWER = noise.answer(noise.Question((0.099, 1.0), (2, 5)))


def test_variances_lie_beside_the_line_on_which_they_equal_s() -> None:
    drawn = noise_chart(ANSWER, noise.variance_curve(), ("variance",))
    rows = values(drawn)
    assert {row["rho"] for row in rows if "rho" in row} == {"rho = 0.099", "rho = 1"}
    assert all(row["variance"] == row["s"] for row in rows if row.get("what") == "variance = s")
    assert all(row["variance"] > 0 for row in rows)  # on a log scale


def test_every_sum_has_a_panel_with_both_laws() -> None:
    drawn = noise_chart(ANSWER, noise.variance_curve(), ("sum",)).to_dict()
    assert [len(row["hconcat"]) for row in drawn["vconcat"]] == [2, 2]
    exact = {round(float(p), 15) for total in ANSWER.sums for p in total.drawn().exact}
    assert exact <= {round(row["probability"], 15) for rows in drawn["datasets"].values() for row in rows}


def test_both_stand_one_below_the_other() -> None:
    assert len(noise_chart(ANSWER, noise.variance_curve()).to_dict()["vconcat"]) == 2
