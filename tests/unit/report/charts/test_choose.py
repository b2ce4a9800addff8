"""Every chart of the registry, from an answer."""

from __future__ import annotations

import click
import pytest

import epsilens as el
from epsilens.choice.questions.choose import Question, answer
from epsilens.cli.main import cli
from epsilens.errors import ParameterError
from epsilens.homogeneity.measures import MEASURES
from epsilens.noise import MECHANISMS
from epsilens.report.charts.choose import CHARTS, check_kind, draw
from epsilens.table.hierarchy import Situations

TABLE = el.FrequencyTable.from_counts(
    [[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]],
    ["low", "high"],
    {"age": [str(20 + 10 * (i // 2)) for i in range(8)], "sex": ["f", "m"] * 4},
)
HIERARCHY = Situations.of([[1, 2], [1, 5]], [1, 3])


@pytest.mark.parametrize("kind", CHARTS)
def test_every_chart_of_a_table(kind: str) -> None:
    found = answer(Question(max_risk=0.4, mechanism="gaussian-analytic", delta=1e-5), TABLE)
    drawn = draw(kind, found).to_dict()
    assert "Internal." in str(drawn["title"]["subtitle"])
    assert "label" in str(drawn["title"]) or kind == "marginals"  # the attribute
    assert "gaussian-analytic" in str(drawn["title"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [name for name, chart in CHARTS.items() if chart.of_hierarchies])
def test_every_chart_of_a_hierarchy(kind: str) -> None:
    question = Question(
        max_risk=1.2, measure="posterior-ratio", attack="single", mechanism="gaussian-analytic", delta=1e-5
    )
    assert "Internal." in str(draw(kind, answer(question, HIERARCHY)).to_dict()["title"]["subtitle"])


def test_marginals_are_those_of_the_declared_universe() -> None:
    """Noise goes into empty cells as well, and moves marginals more than in a table of the cells that have people."""
    import pandas as pd

    people = pd.DataFrame({"a": ["x", "x", "z"] * 40, "y": ["no", "yes", "no"] * 40})
    distances = {}
    for universe in (None, {"a": ["x", "z", *"bcdefghij"], "y": ["no", "yes"]}):
        table = el.read_table(people, el.Schema("a", "y", universe=universe))
        drawn = draw("marginals", answer(Question(max_risk=0.9), table)).to_dict()
        rows = drawn["datasets"][drawn["data"]["name"]]
        distances[drawn["title"]["subtitle"]] = sum(row["distance"] for row in rows if row["budget"] == "0.5")
    assert list(distances) == [
        "a x y; laplace noise in 2 cells. Internal.",
        "a x y; laplace noise in 11 cells of the universe. Internal.",
    ]
    few, many = distances.values()
    assert many > 2 * few


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"chart must be one of risk, frontier, .*; got 'pie'"):
        check_kind("pie")
    with pytest.raises(ParameterError, match="chart must be one of risk, iso-risk, trade-off; got 'levers'"):
        check_kind("levers", of_hierarchy=True)
    with pytest.raises(ParameterError, match="needs a mechanism with a delta"):
        draw("iso-risk", answer(Question(max_risk=0.4), TABLE))
    rho = answer(Question(max_risk=0.4, rho=True, mechanism="discrete-gaussian"), TABLE)
    with pytest.raises(ParameterError, match="the frontier is drawn over epsilon; leave out rho"):
        draw("frontier", rho)
    with pytest.raises(ParameterError, match="no chosen budget"):
        draw("trade-off", answer(Question(max_risk=0.01), TABLE))


def test_the_frontier_compares_with_the_mechanism_that_was_named() -> None:
    beside = answer(Question(max_risk=0.4, against="gaussian-analytic", delta=1e-5), TABLE)
    assert "gaussian-analytic" in str(draw("frontier", beside).to_dict())
    assert "discrete-laplace" in str(draw("frontier", answer(Question(max_risk=0.4), TABLE)).to_dict())


def test_help_names_every_chart_measure_and_mechanism() -> None:
    """Help is written out so that it needs no import; what is registered must be in it."""
    command = cli.get_command(click.Context(cli), "choose")
    assert command is not None
    said = {option.name: option.help or "" for option in command.params if isinstance(option, click.Option)}
    assert all(name in said["chart"] for name in CHARTS)
    assert all(name in said["mechanism"] for name in MECHANISMS)
    assert all(name in said["measure"] for name in MEASURES if not name.startswith("published-"))


def test_captions_stand_where_no_curve_passes() -> None:
    drawn = draw("risk", answer(Question(max_risk=0.4), TABLE)).to_dict()
    captions = [layer["encoding"] for layer in drawn["layer"] if layer["mark"]["type"] == "text"]
    assert len(captions) >= 2
    for place in captions:
        beside = place["x"].get("value") == drawn["width"]
        above = place["y"].get("value", 0) < 0
        assert beside or above
    assert "log scale" in next(
        layer["encoding"]["x"]["title"] for layer in drawn["layer"] if layer["mark"]["type"] == "line"
    )


def test_no_caption_where_there_is_nothing_to_point_at() -> None:
    draw("risk", answer(Question(max_risk=0.9999), TABLE)).to_dict()
