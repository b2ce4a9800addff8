"""Who is shown as what in the papers' own tables: exact, and against releases that were drawn."""

from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, assess


def test_adult_by_value(adult: el.FrequencyTable) -> None:
    """Of 40.4 % who are disclosed 37.5 % are shown to be poor, and 2.9 % to be rich."""
    found = assess(adult, Question(epsilons=(0.1, 0.5, 1.0)))
    (today,) = found.today
    assert [(v.value, v.people, v.homogeneous_cells, v.disclosed) for v in today.by_value] == [
        ("<=50K", 20509, 3489, 10322),
        (">50K", 6995, 555, 790),
    ]
    at_1 = {v.value: (round(v.shown_right, 5), round(v.shown_wrong, 5)) for v in found.lines[2].by_value}
    assert at_1 == {"<=50K": (0.27210, 0.00738), ">50K": (0.02397, 0.01279)}
    spread = found.lines[2].spreads["local"]
    assert (round(spread.worst, 5), spread.at_worst, spread.above_half) == (0.69673, 2532, 8468)
    assert [round(line.risks["local"], 4) for line in found.lines] == [0.3126, 0.2913, 0.3055]  # it falls, then rises


def test_adult_where_only_the_rich_are_harmed(adult: el.FrequencyTable) -> None:
    found = assess(adult.with_harm("income=>50K"), Question(epsilons=(1.0,)))
    (today,), (line,) = found.today, found.lines
    assert today.harmful_people == 790
    assert round(line.risks["local"], 4) == 0.0277
    assert (line.harm.right, line.harm.wrong) == pytest.approx((line.belief.right, line.belief.wrong))
    spread = line.spreads["local"]
    assert (spread.at_worst, spread.above_half) == (14, 350)


def test_releases_that_are_drawn_show_as_many_as_what(adult: el.FrequencyTable) -> None:
    repeats, rng = 60, np.random.default_rng(20261116)
    counts = adult.counts
    people, shown = counts.sum(), []
    for _ in range(repeats):
        seen = counts + rng.laplace(0.0, 1.0, counts.shape) >= 0.5
        alone = seen & (seen.sum(axis=1, keepdims=True) == 1)
        others = counts.sum(axis=1, keepdims=True) - counts
        shown.append(np.concatenate([(alone * counts).sum(axis=0), (alone * others).sum(axis=0)]) / people)
    mean, error = np.mean(shown, axis=0), np.std(shown, axis=0, ddof=1) / np.sqrt(repeats)
    (line,) = assess(adult, Question(epsilons=(1.0,))).lines
    exact = [v.shown_right for v in line.by_value] + [v.shown_wrong for v in line.by_value]
    assert np.all(np.abs(mean - exact) < 5 * error)
