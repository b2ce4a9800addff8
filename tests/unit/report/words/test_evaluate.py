"""The words of ``evaluate``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.evaluation import Evaluation
from epsilens.report.words.common import Grid, Heading, Note, Text
from epsilens.report.words.evaluate import sentences, summary, worded

COUNTS = np.random.default_rng(5).poisson(1.5, (60, 2))
TABLE = el.FrequencyTable.from_counts(COUNTS, ["no", "yes"], {"a": [str(a) for a in range(60)]})


@cache
def found(law: Any = None, done: str = "", **given: Any) -> Evaluation:
    values = COUNTS + (0.0 if law is None else law.sample(COUNTS.shape, np.random.default_rng(6)))
    values = np.maximum(values, 0) if done == "clipped" else values + 0.4 if done == "moved" else values
    if done == "withheld":
        values[0], values[1, 0] = np.nan, np.nan
    return el.evaluate(values, TABLE, **given)


def text(evaluation: Evaluation) -> str:
    lines = []
    for block in summary(evaluation):
        if isinstance(block, Text | Note | Heading):
            lines.append(block.text)
        elif isinstance(block, Grid):
            lines += [block.title, *(" ".join(row) for row in block.rows)]
            assert all(len(row) == len(block.headings) for row in block.rows)
    return "\n".join(lines)


CLAIM = {"claimed": "laplace", "epsilon": 1.0}
WHOLE = {"claimed": "discrete-laplace", "epsilon": 1.0}


@pytest.mark.parametrize(
    ("evaluation", "said"),
    [
        (found(), "No noise is claimed"),
        (found(el.LaplaceNoise(1.0), **CLAIM), "The noise may well be laplace noise of epsilon = 1 (p ="),
        (found(el.LaplaceNoise(0.4), **CLAIM), "less of it than claimed, so more was spent, at least epsilon = "),
        (found(el.LaplaceNoise(3.0), **CLAIM), "more of it than claimed, so less was spent, at most epsilon = "),
        (found(el.LaplaceNoise(1.0), "moved", **CLAIM), "too high or too low on average"),
        (
            found(el.LaplaceNoise(1.0), **WHOLE),
            "120 published counts cannot come from it",
        ),
    ],
)
def test_the_third_sentence(evaluation: Evaluation, said: str) -> None:
    assert said in sentences(evaluation)[2]
    assert text(evaluation)


def test_who_is_shown() -> None:
    plain, harm = found(), found(harmful="label=yes")
    assert "shows a single label which is theirs" in sentences(plain)[0]
    assert "shows a single harmful label" in sentences(harm)[0]
    assert "guessing the commonest value" in sentences(plain)[1]
    have = COUNTS[:, 1].sum() / COUNTS.sum()  # the share that a guess of the harmful value would hit, and no other
    assert sentences(harm)[1].endswith(f"{100 * have:.1f} % of all people have a harmful value.")
    assert "Counted as harmful: every value but missing ones" in text(plain)
    assert "Counted as harmful: label=yes, as declared. Being shown as label=no is not counted." in text(harm)


def test_cells_that_show_what_harms_nobody_are_not_said_to_be_wrong() -> None:
    table = el.FrequencyTable.from_counts([[3, 0], [2, 2]], ["no", "yes"], {"a": ["x", "y"]})
    healthy = el.evaluate(np.array([[3.0, 0.0], [2.0, 2.0]]), table, harmful="label=yes")
    assert sentences(healthy)[0] == (
        "Nobody is in a published cell that shows a single harmful label which is theirs; nobody is shown one "
        "that is not theirs. The true table would show nobody."
    )
    assert "1 cell shows a single label; none of them shows a harmful one rightly about somebody." in text(healthy)


def test_the_json_has_the_sentences() -> None:
    plain = found()
    assert worded(plain)["sentences"] == sentences(plain)


def test_what_was_done_is_said() -> None:
    assert "fractional. An attacker reads them rounded half up" in text(found(el.LaplaceNoise(1.0), **CLAIM))
    assert "3 counts are blank: withheld" in text(found(None, "withheld"))
    assert "look clipped at 0" in text(found(el.DiscreteLaplaceNoise(1.0), "clipped", **WHOLE))
    assert "No size of this noise fits" in text(found(None, claimed="laplace", epsilon=1.0, rounded=False))
