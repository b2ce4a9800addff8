"""A page, a report or an app asks and shows without a line of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
import epsilens as el
from epsilens.choice.questions import assess, choose, compare, sequence
from epsilens.report.charts import assess as assess_charts, choose as choose_charts, compare as compare_charts
from epsilens.report.charts import sequence as sequence_charts
from epsilens.report.words import assess as assess_words, choose as choose_words, compare as compare_words
from epsilens.report.words import demo, sequence as sequence_words
from epsilens.table.to_read import TableToRead

rows = "a,f,no\\n" * 4 + "a,m,yes\\n" * 2 + "b,f,no\\n" * 3 + "b,m,yes\\nb,m,no\\n"
with open("people.csv", "w") as file:
    file.write("town,sex,ill\\n" + rows)
data = TableToRead.of("people.csv", ["town", "sex"], "ill")
asked = assess.Question(epsilons=(1.0,), data=data)
found = assess.answer(asked)
assert assess_words.summary(found) and assess_words.worded(found)["budgets"][0]["sentence"]
assess_charts.risk_curve_chart(assess.assessment_curves(data.read(), asked), found).to_dict()
chosen = choose.answer(choose.Question(max_risk=0.4, data=data, levers=True))
assert choose_words.summary(chosen) and choose_words.worded(chosen)["sentences"]
choose_charts.draw("risk", chosen).to_dict()
beside = compare.answer(compare.Question(systems="laplace", epsilons=(1,), repetitions=2, classify=False, data=data))
assert compare_words.summary(beside) and compare_charts.comparison_charts(beside)
plan = {"source": "people.csv", "qid": "town", "releases": [{"sensitive": "ill", "epsilon": 1}]}
several = sequence.answer(sequence.Question.from_plan(plan))
assert sequence_words.summary(several)
sequence_charts.publication_chart(several).to_dict()
used = {name for name in sys.modules if name.startswith("epsilens.cli") or name == "click"}
sys.exit(", ".join(sorted(used)) or 0)
"""


@pytest.mark.slow
def test_no_line_of_the_command_line_is_needed(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(place).resolve()) for place in sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
