from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.questions.assess import Question, answer
from epsilens.errors import ParameterError
from epsilens.homogeneity import population_risk
from epsilens.table.to_read import TableToRead

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5], [1, 0]], ["no", "yes"])
PEOPLE = pd.DataFrame(
    {
        "town": list("aaabbbbc"),
        "ill": ["no", "no", "yes", "no", "no", "no", "no", "yes"],
        "rich": ["y", "n", "y", "n", "n", "y", "n", "y"],
        "w": [2.0, 3.0, 1.0, 4.0, 4.0, 4.0, 4.0, 9.0],
    }
)


def test_every_budget_has_the_risks_of_the_population() -> None:
    found = el.assess(TABLE, epsilon=(0.5, 2.0), measure=("local", "hard"), sampling_fraction=0.25)
    assert found.population is not None
    assert (found.population.people, found.population.sample) == (48.0, 12)
    for line, own in zip(found.population.lines, found.lines, strict=True):
        for measure, risk in line.risks.items():
            assert risk == population_risk(TABLE, own.noise, measure, sampling_fraction=0.25)
    plain = found.to_dict()["population"]
    json.dumps(plain)
    assert plain["budgets"][0]["risks"]["local"]["population"] == found.population.lines[0].risks["local"].population
    assert {"people", "sample", "fraction", "unseen", "today", "budgets", "uniques", "attackers"} <= set(plain)


def test_a_table_that_is_not_a_sample_has_no_population() -> None:
    found = el.assess(TABLE, epsilon=1.0)
    assert found.population is None
    assert "population" not in found.to_dict()


def test_weights_of_the_table_make_it_a_sample_and_every_attribute_has_its_own_risks() -> None:
    data = TableToRead.of(PEOPLE, "town", ["ill", "rich"], weight="w")
    found = answer(Question(epsilons=(1.0,), data=data, alpha="moments")).population
    assert found is not None
    assert (found.people, found.known_by) == (31.0, "weights")
    assert list(found.today) == ["ill", "rich", "ill x rich"]
    assert [line.sensitive for line in found.lines] == ["ill", "rich", "ill x rich"]
    assert found.unseen == 8.0
    assert [law["method"] for law in found.to_dict()["rest"]] == ["moments between cells"] * 3


def test_options_go_to_the_measures_and_to_the_law_of_the_rest() -> None:
    given: dict[str, Any] = {"size_model": "poisson=2", "alpha": (1.0, 2.0)}
    found = el.assess(TABLE, epsilon=1.0, measure="all", sampling_fraction=0.5, **given).population
    assert found is not None
    risks = found.lines[0].risks
    expected = population_risk(
        TABLE, el.LaplaceNoise(1.0), "marginal-shrinkage", 0.5, (1.0, 2.0), size_model="poisson=2"
    )
    assert risks["marginal-shrinkage"].population == pytest.approx(expected.population)
    assert all(0 <= risk.population <= 1 for risk in risks.values())


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ({"sampling_fraction": 0.0}, "must be > 0 and at most 1"),
        ({"sampling_fraction": 1.5}, "must be > 0 and at most 1"),
        ({"sampling_fraction": 0.5, "weight": "w"}, "says already how many"),
        ({"sampling_fraction": 0.5, "measures": ("published-local",)}, "says nothing of others"),
        ({"weight": "w", "publish": "joint"}, "weight is that of one table at a time"),
        ({"sampling_fraction": 0.5, "measures": ("expected",), "match": "any"}, "draws its cells anew"),
        ({"alpha": "moments"}, "belongs to the shrinkage measures"),
    ],
)
def test_what_says_nothing_is_refused_before_data_are_read(asked: dict[str, Any], rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        Question(**asked)


def test_several_rows_of_a_person_are_refused() -> None:
    data = TableToRead.of(PEOPLE, "town", "ill", unit="rich", max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="a person may have several rows"):
        Question(sampling_fraction=0.5, data=data)
    with pytest.raises(ParameterError, match="a person may have several rows"):
        el.assess(replace(TABLE, max_rows_per_unit=2), epsilon=1.0, sampling_fraction=0.5)


def test_weights_that_the_table_lacks_are_missed() -> None:
    with pytest.raises(ParameterError, match="read without them"):
        answer(Question(weight="w"), TABLE)


def test_a_simulated_survey_is_within_its_standard_error() -> None:
    """Populations drawn by the law of the rest, noise drawn as well: the share of people who are rightly shown."""
    alpha, fraction, noise = np.array([0.5, 1.5]), 0.25, el.DiscreteLaplaceNoise(1.0)
    rng, hits = np.random.default_rng(3), []
    for _ in range(1500):
        shown = total = 0.0
        for counts in TABLE.counts:
            rest = int(counts.sum() / fraction - counts.sum())
            everybody = counts + rng.multinomial(rest, rng.dirichlet(alpha + counts))
            published = counts + rng.geometric(1 - np.exp(-1.0), 2) - rng.geometric(1 - np.exp(-1.0), 2)
            if (published > 0).sum() == 1:
                shown += everybody[int((published > 0).argmax())]
            total += everybody.sum()
        hits.append(shown / total)
    exact = population_risk(TABLE, noise, sampling_fraction=fraction, alpha=alpha).population
    assert abs(np.mean(hits) - exact) < 5 * np.std(hits) / np.sqrt(len(hits))
