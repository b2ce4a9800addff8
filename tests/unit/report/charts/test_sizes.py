from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.homogeneity import PoissonSize
from epsilens.report.charts import sizes as charted
from epsilens.report.charts.sizes import sizes_chart

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [1, 0]], ["no", "yes"], {"sex": list("fmxy")})


def test_bars_are_the_cells_by_size() -> None:
    drawn = sizes_chart(el.assess(TABLE, epsilon=1.0)).to_dict()
    (bars,) = drawn["datasets"].values()
    assert {row["size"]: row["cells"] for row in bars} == {"1": 1, "2": 0, "3": 2, "4": 0, "5": 1}
    assert drawn["title"]["subtitle"] == "4 cells of sex, 3 people on average, 1 with a single one. Internal."


def test_points_are_what_the_laws_expect() -> None:
    found = el.assess(TABLE, epsilon=1.0, measure=("marginal", "published-marginal"))
    _, points = sizes_chart(found).to_dict()["datasets"].values()
    laws = list(dict.fromkeys(row["law"] for row in points))
    assert len(laws) == 2
    assert laws[1] == "poisson, mean 3 (plain)"
    plain = [row["cells"] for row in points if row["law"] == laws[1]]
    assert plain == pytest.approx([4 * np.exp(PoissonSize(3.0).logpmf(n)) for n in range(1, 6)])


def test_wide_bars_are_summed_at_some_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    law = PoissonSize(3000.0)
    exact = charted._mass(law, 2049, 4096, plain=True)
    monkeypatch.setattr(charted, "_LONGEST_SUM", 512)
    assert charted._mass(law, 2049, 4096, plain=True) == pytest.approx(exact, rel=0.01) == pytest.approx(1.0, rel=0.01)
