"""The look-up tables have the rates that were set, and the population has them too."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from epsilens.table.demo.rates import (
    AFFLUENCE_SCORE,
    AGE_PROFILES,
    AGE_SCORE,
    AGES,
    BAND_EDGES,
    BLOCK_AFFINITY,
    CATEGORIES,
    DISEASES,
    FACILITY_BLOCKS,
    FACILITY_PEOPLE,
    HOUSEHOLD_PEOPLE,
    INCOME_CUTS,
    INCOMES,
    NEIGHBOURHOOD_WEIGHTS,
    NO_INCOME,
    OUTCOMES,
    RACE_MIX,
    RACES,
    SEX_SCORE,
    SEXES,
    STAGE_WEIGHTS,
    Floats,
    Ints,
    tables,
)
from tests.support.demo import ROWS, one, query


def test_ages_and_sexes(written: Path) -> None:
    youngest, oldest, children, old, female, female_old = one(
        written,
        "SELECT min(age), max(age), avg(CAST(age < 18 AS INT)), avg(CAST(age >= 65 AS INT)), "
        "avg(CAST(sex = 'female' AS INT)), avg(CAST(sex = 'female' AS INT)) FILTER (age >= 80) FROM people",
    )
    assert (youngest, oldest) == (0, 100)
    assert 0.15 < children < 0.27
    assert 0.12 < old < 0.24
    assert 0.49 < female < 0.53
    assert 0.56 < female_old < 0.72


def test_every_category_occurs_and_the_common_ones_are_common(written: Path) -> None:
    for column, labels in CATEGORIES.items():
        share = dict(query(written, f"SELECT {column}, count(*) / {ROWS} FROM people GROUP BY 1"))
        assert set(share) == set(labels), column
    race = dict(query(written, f"SELECT race, count(*) / {ROWS} FROM people GROUP BY 1"))
    assert 0.45 < race["white"] < 0.75
    assert race["pacific islander"] < 0.02
    quarters = dict(query(written, f"SELECT group_quarters, count(*) / {ROWS} FROM people GROUP BY 1"))
    assert 0.92 < quarters["household"] < 0.99


def test_group_quarters_are_few_blocks_of_plausible_ages_and_sexes(written: Path) -> None:
    found = {
        kind: (youngest, oldest, female, share_of_blocks)
        for kind, youngest, oldest, female, share_of_blocks in query(
            written,
            "SELECT group_quarters, min(age), max(age), avg(CAST(sex = 'female' AS INT)), "
            "count(DISTINCT block) / (SELECT count(DISTINCT block) FROM people) FROM people GROUP BY 1",
        )
    }
    assert found["household"][3] == 1  # somebody lives in a household in every block
    for kind, ages in {
        "college": (17, 30),
        "military": (18, 50),
        "correctional": (18, 85),
        "nursing": (45, 100),
    }.items():
        assert ages[0] <= found[kind][0] < found[kind][1] <= ages[1], kind
    assert found["correctional"][2] < 0.15
    assert found["nursing"][2] > 0.60
    assert all(share < 0.01 for kind, (_, _, _, share) in found.items() if kind != "household")


def test_race_and_hispanic_origin_cluster_by_tract(written: Path) -> None:
    # The spread of tract shares, against the 0.01 that chance alone would give with thousands of people in a tract.
    white, hispanic = one(
        written,
        "SELECT stddev(white), stddev(hispanic) FROM (SELECT avg(CAST(race = 'white' AS INT)) white, "
        "avg(CAST(hispanic = 'hispanic' AS INT)) hispanic FROM people GROUP BY tract HAVING count(*) > 1000)",
    )
    assert white > 0.08
    assert hispanic > 0.05
    by_race = dict(query(written, "SELECT race, avg(CAST(hispanic = 'hispanic' AS INT)) FROM people GROUP BY 1"))
    assert by_race["other race"] > 0.75 > 0.15 > by_race["black"]


def test_income_depends_on_age_sex_and_place(written: Path) -> None:
    assert query(written, "SELECT DISTINCT income FROM people WHERE age < 15") == [("none",)]
    high = "avg(CAST(income IN ('80-150k', 'over 150k') AS INT))"
    by_sex = dict(query(written, f"SELECT sex, {high} FROM people WHERE age BETWEEN 25 AND 64 GROUP BY 1"))
    assert by_sex["male"] > by_sex["female"] + 0.05
    (young,), (grown,) = (
        one(written, f"SELECT {high} FROM people WHERE age BETWEEN {a}") for a in ("18 AND 24", "45 AND 54")
    )
    assert grown > young + 0.2
    (spread,) = one(
        written,
        f"SELECT stddev(s) FROM (SELECT {high} s FROM people WHERE age > 24 GROUP BY tract HAVING count(*) > 500)",
    )
    assert spread > 0.1


def test_disease_depends_on_age_sex_and_race(written: Path) -> None:
    def rate(disease: str, who: str) -> float:
        return float(one(written, f"SELECT avg(CAST(disease = '{disease}' AS INT)) FROM people WHERE {who}")[0])

    assert rate("none", "age < 5") > 0.95
    assert rate("none", "age >= 75") < 0.4
    assert rate("heart disease", "age >= 75") > 20 * rate("heart disease", "age < 35")
    assert rate("heart disease", "sex = 'male' AND age > 50") > 1.4 * rate(
        "heart disease", "sex = 'female' AND age > 50"
    )
    assert rate("asthma", "race = 'black'") > 1.3 * rate("asthma", "race = 'white'")
    assert rate("diabetes", "race = 'black' AND age > 40") > 1.5 * rate("diabetes", "race = 'white' AND age > 40")


def shares(outcomes: Ints, size: int) -> Floats:
    """How often each of ``size`` outcomes stands in each context of a look-up table."""
    rows = outcomes.reshape(-1, outcomes.shape[-1])
    return np.stack([np.bincount(row, minlength=size) / OUTCOMES for row in rows]).reshape(*outcomes.shape[:-1], size)


def test_draws_come_as_often_as_their_rates_say() -> None:
    table = tables()
    step = 1.01 / OUTCOMES  # each of the two ends of an outcome is moved by half a draw at most
    stages = np.asarray(STAGE_WEIGHTS) / sum(STAGE_WEIGHTS)
    np.testing.assert_allclose(shares(table.stage, len(STAGE_WEIGHTS)), stages, atol=step)
    np.testing.assert_allclose(shares(table.neighbourhood, 6), NEIGHBOURHOOD_WEIGHTS, atol=step)
    mix = np.asarray(RACE_MIX)
    np.testing.assert_allclose(shares(table.leading_race, len(RACES)), mix, atol=step)
    for kind, leading in ((0, 0), (1, 3), (5, 6)):
        expected = (1 - BLOCK_AFFINITY) * mix[kind]
        expected[leading] += BLOCK_AFFINITY
        np.testing.assert_allclose(shares(table.race, len(RACES))[kind, leading], expected, atol=step)
    assert np.bincount(table.facility).tolist() == [OUTCOMES - sum(FACILITY_BLOCKS), *FACILITY_BLOCKS]


def test_sizes_are_those_of_a_log_logistic_law() -> None:
    median, shape, largest = HOUSEHOLD_PEOPLE
    sizes = tables().households
    assert (sizes.min(), sizes.max()) == (1, largest)
    assert np.median(sizes) == median
    for size in (3, 10, 50, 200, 1000):  # P(size <= x) = 1 / (1 + (x / median)^-shape), for sizes that are rounded
        law = 1 / (1 + ((size + 0.5) / median) ** -shape)
        assert np.mean(sizes <= size) == pytest.approx(law, abs=1 / OUTCOMES)
    inmates = tables().inmates
    assert not inmates[0].any()  # where there is no facility
    assert [int(np.median(row)) for row in inmates[1:]] == [int(size[0]) for size in FACILITY_PEOPLE]


def test_ages_incomes_and_illness_by_hand() -> None:
    table = tables()
    for profile, ages in zip(AGE_PROFILES, table.age, strict=True):
        assert profile[0] <= ages.min() < ages.max() <= profile[1]
    band = np.array([sum(age >= edge for edge in BAND_EDGES) - 1 for age in range(AGES)])
    assert table.band.tolist() == band.tolist()
    assert table.female[1, 20] == round(0.56 * OUTCOMES)
    assert table.female[0, 100] == round((0.495 + 40 * 0.005) * OUTCOMES)
    incomes = shares(table.income, len(INCOMES)).reshape(9, len(BAND_EDGES), len(SEXES), len(INCOMES))
    for place, age, sex in itertools.product((0, 4, 7), (3, 5, 9), (0, 1)):
        score = AFFLUENCE_SCORE[place] + AGE_SCORE[age] + SEX_SCORE[sex]
        below = [0.0, *(1 / (1 + math.exp(score - cut)) for cut in INCOME_CUTS), 1.0]
        expected = [NO_INCOME[age], *((1 - NO_INCOME[age]) * (b - a) for a, b in itertools.pairwise(below))]
        assert incomes[place, age, sex] == pytest.approx(expected, abs=1.01 / OUTCOMES)
    ill = shares(table.disease, len(DISEASES)).reshape(len(RACES), len(BAND_EDGES), len(SEXES), len(DISEASES))
    rate = 0.100 * 1.1 * 1.6  # diabetes at 45 to 54, of men, of the second race
    assert ill[1, 6, 1, 1] == pytest.approx(rate, abs=1.01 / OUTCOMES)
    assert ill[..., 0].min() >= 0.03  # nobody is ill for certain
