from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import release
from epsilens.errors import ParameterError
from epsilens.posterior.attacks import ATTACKS
from epsilens.table.hierarchy import Situations

SITUATIONS = Situations.of([[1, 1], [1, 3], [2, 9]], [3, 2, 0], [4, 5, 6])


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_answer_is_the_risk_of_the_release(attack: str) -> None:
    question = release.Question(("block", "tract"), ("age",), rho=(0.1, 0.2), attack=attack, thresholds=(1.05,))
    result = release.answer(question, SITUATIONS).to_dict()
    direct = posterior.release_risk(SITUATIONS, (0.1, 0.2), 0.5, attack)
    assert (result["label"], result["attack"], result["people"]) == ("internal", attack, 9)
    assert result["mean_ratio"] == direct.mean_ratio
    assert result["above"] == [
        {
            "threshold": 1.05,
            "people_expected_ratio": direct.people_above(1.05),
            "expected_people": direct.expected_people_above(1.05),
        }
    ]


def test_people_are_read_from_a_table() -> None:
    people = {"block": ["b1", "b1", "b2"], "tract": ["t", "t", "t"], "age": ["1", "2", "1"]}
    import pandas as pd

    question = release.Question(("block", "tract"), ("age",), rho=(0.1, 0.2))
    assert question.read(pd.DataFrame(people)).n_people == 3


def test_a_preset_gives_its_lowest_levels() -> None:
    question = release.Question(("block", "tract"), ("age",), preset="census-2020")
    assert question.budgets == posterior.CENSUS_2020.histogram_rhos[:2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"levels": ()}, "levels and by are needed"),
        ({"by": ()}, "levels and by are needed"),
        ({"rho": ()}, "give either rho or preset"),
        ({"rho": (0.1,)}, r"rho needs one budget per level \(2\), got 1"),
        ({"rho": (), "preset": "census-2020", "levels": tuple("abcdefg")}, "preset has 6 levels, levels names 7"),
        ({"levels": ("a",), "rho": (0.1,), "attack": "two-level"}, "attack='two-level' needs at least 2 levels, got 1"),
        ({"attack": "tripple"}, "attack must be one of"),
        ({"codes": "uniq"}, "codes must be one of"),
        ({"rare": 0}, "rare must be >= 1"),
        ({"prior": 2.0}, "prior must lie"),
        ({"thresholds": (float("nan"),)}, "thresholds must be finite"),
    ],
)
def test_nonsense_is_refused_before_any_data_is_read(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        release.Question(**{"levels": ("a", "b"), "by": ("c",), "rho": (0.1, 0.2)} | given)  # type: ignore[arg-type]
