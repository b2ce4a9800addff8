"""The rates of the demo population, and the look-up tables made of them.

They are set by hand: plausible for a country, an estimate of none. What matters is the shape: blocks of one to five
people beside towers and prisons, races that cluster by tract and block, illness and income that hang on age, sex, race
and place, so that some cells of any cross-table are homogeneous and others are not.

A table holds 4096 equally likely outcomes per context, so that a draw is one look-up of 12 random bits: fast, and free
of the random-variate algorithms that NumPy may change between versions.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Ints = NDArray[np.integer[Any]]
Floats = NDArray[np.float64]

DRAW_BITS = 12
OUTCOMES = 1 << DRAW_BITS  # probabilities are multiples of 1 / 4096
AGES = 101  # 0..100

GEOGRAPHY = ("county", "tract", "block_group", "block")
SEXES = ("female", "male")
RACES = ("white", "black", "asian", "american indian", "pacific islander", "other race", "two or more races")
ETHNICITIES = ("hispanic", "not hispanic")
QUARTERS = ("household", "college", "nursing", "military", "correctional", "shelter")
INCOMES = ("none", "under 20k", "20-40k", "40-80k", "80-150k", "over 150k")
DISEASES = ("none", "diabetes", "heart disease", "cancer", "asthma")
CATEGORIES = {
    "sex": SEXES,
    "race": RACES,
    "hispanic": ETHNICITIES,
    "group_quarters": QUARTERS,
    "income": INCOMES,
    "disease": DISEASES,
}

# Sizes follow a log-logistic law (median, shape, largest): many small, a few very large, its quantiles in closed form.
TRACTS_PER_COUNTY = (7.0, 1.7, 90)
HOUSEHOLD_PEOPLE = (18.0, 1.75, 2500)
FACILITY_PEOPLE = ((320.0, 2.5, 3000), (80.0, 3.0, 300), (350.0, 2.5, 3000), (500.0, 2.5, 4000), (35.0, 2.5, 200))
FACILITY_BLOCKS = (4, 10, 1, 2, 8)  # of 4096 blocks, how many hold a facility, by QUARTERS[1:]
GROUPS_PER_TRACT = (1, 2, 2, 3, 3, 3, 4, 5)
BLOCKS_PER_GROUP = tuple(range(16, 55))

# Ages are bell curves (centre, width, weight) between a youngest and an oldest age. First the stages of life by which
# block groups differ, then the facilities of QUARTERS[1:].
AGE_PROFILES: tuple[tuple[int, int, tuple[tuple[float, float, float], ...]], ...] = (
    (0, 100, ((7, 6, 0.30), (15, 5, 0.13), (38, 9, 0.40), (64, 13, 0.17))),  # families
    (0, 100, ((3, 4, 0.08), (27, 6, 0.55), (48, 16, 0.37))),  # young adults
    (0, 100, ((11, 7, 0.18), (46, 16, 0.56), (70, 10, 0.26))),  # settled
    (0, 100, ((10, 7, 0.07), (45, 15, 0.33), (73, 9, 0.60))),  # retired
    (17, 30, ((20, 1.8, 1),)),
    (45, 100, ((84, 8, 1),)),
    (18, 50, ((23, 6, 1),)),
    (18, 85, ((36, 11, 1),)),
    (0, 85, ((8, 5, 0.2), (42, 14, 0.8))),
)
STAGE_WEIGHTS = (0.38, 0.22, 0.26, 0.14)
ADULT, GROWN_UP = 18, 25  # a block's first resident is an adult: a child drawn there is made this much older
FEMALE_SHARE = (0.495, 0.56, 0.60, 0.17, 0.08, 0.42)  # by QUARTERS, up to age 60
FEMALE_SURVIVAL = 0.005  # added for every year above 60

# Neighbourhoods are of six kinds: how common, their mix of RACES, how much more or less hispanic (in log-odds).
NEIGHBOURHOOD_WEIGHTS = (0.55, 0.13, 0.12, 0.05, 0.13, 0.02)
RACE_MIX = (
    (0.860, 0.030, 0.030, 0.005, 0.002, 0.023, 0.050),
    (0.120, 0.780, 0.010, 0.005, 0.001, 0.034, 0.050),
    (0.400, 0.060, 0.030, 0.020, 0.001, 0.300, 0.189),
    (0.300, 0.050, 0.500, 0.003, 0.012, 0.045, 0.090),
    (0.500, 0.180, 0.100, 0.010, 0.005, 0.095, 0.110),
    (0.300, 0.020, 0.010, 0.580, 0.002, 0.028, 0.060),
)
OWN_KIND = 0.6  # share of tracts of their county's kind, and of blocks of their tract's; the others take any kind
BLOCK_AFFINITY = 0.45  # share of a block's people who are of its leading race, whatever the mix: kin live together
HISPANIC_SHARE = (0.10, 0.04, 0.02, 0.25, 0.08, 0.85, 0.30)  # by RACES
HISPANIC_SHIFT = (-0.6, -0.6, 2.2, -0.5, 0.4, -0.4)  # by neighbourhood

BAND_EDGES = (0, 5, 15, 18, 25, 35, 45, 55, 65, 75, 85)  # the ages at which income and illness change

# Income is an ordered logit: a score against four cuts. The scores are wide apart, so that rich and poor blocks differ.
NO_INCOME = (1.0, 1.0, 0.85, 0.20, 0.04, 0.03, 0.03, 0.06, 0.03, 0.02, 0.02)  # by age band
INCOME_CUTS = (-4.2, -1.6, 1.4, 4.2)
AGE_SCORE = (0.0, 0.0, -9.0, -3.7, -0.3, 1.2, 1.7, 1.2, -0.7, -1.7, -2.2)
SEX_SCORE = (-0.4, 0.4)
AFFLUENCE_SCORE = (-6.0, -4.3, -2.6, -0.9, 0.9, 2.6, 4.3, 6.0)  # by a block's affluence: its county's step, shifted
AFFLUENCE_OF_COUNTY, AFFLUENCE_OF_TRACT, AFFLUENCE_OF_BLOCK = (2, 3, 4, 5), (-2, -1, 0, 0, 1, 2), (-1, 0, 0, 1)
INSTITUTION = len(AFFLUENCE_SCORE)  # one more step for facilities: students, patients and inmates earn little
INSTITUTION_SCORE, INSTITUTION_NO_INCOME = -6.0, 0.6

DISEASE_BY_BAND = (  # by DISEASES[1:], as are the factors below
    (0.000, 0.003, 0.006, 0.010, 0.020, 0.050, 0.100, 0.160, 0.210, 0.220, 0.180),
    (0.001, 0.001, 0.002, 0.004, 0.008, 0.020, 0.050, 0.110, 0.200, 0.300, 0.420),
    (0.001, 0.001, 0.001, 0.002, 0.005, 0.012, 0.030, 0.070, 0.120, 0.150, 0.140),
    (0.015, 0.090, 0.100, 0.090, 0.080, 0.080, 0.080, 0.080, 0.070, 0.060, 0.050),
)
DISEASE_BY_SEX = ((0.9, 0.65, 1.0, 1.3), (1.1, 1.35, 1.0, 0.7))
DISEASE_BY_RACE = (
    (0.8, 1.1, 1.15, 0.95),
    (1.6, 1.3, 1.05, 1.6),
    (0.9, 0.6, 0.7, 0.5),
    (2.2, 1.2, 0.8, 1.3),
    (2.0, 1.1, 0.9, 1.2),
    (1.4, 0.8, 0.7, 0.9),
    (1.2, 1.0, 0.9, 1.5),
)
LEAST_HEALTHY = 0.04  # weight of no illness where the rates above leave less


class Tables(NamedTuple):
    """Outcomes by draw or by (context, draw); for ``female`` and ``hispanic`` the draw below which a person is."""

    tracts: Ints
    households: Ints
    inmates: Ints  # by facility; 0 for none
    facility: Ints
    neighbourhood: Ints
    leading_race: Ints  # by neighbourhood
    stage: Ints
    age: Ints  # by stage, then facility
    female: Ints  # by quarters and age
    race: Ints  # by neighbourhood and leading race
    hispanic: Ints  # by neighbourhood and race
    band: Ints  # by age
    income: Ints  # by affluence, age band, sex
    disease: Ints  # by race, age band, sex


@lru_cache(maxsize=1)
def tables() -> Tables:
    """The look-up tables, made once: 2 MB, so that those used for every person stay in a processor's cache."""
    mix = np.asarray(RACE_MIX)
    clustered = (1 - BLOCK_AFFINITY) * mix[:, None, :] + BLOCK_AFFINITY * np.eye(len(RACES))
    survival = FEMALE_SURVIVAL * np.maximum(np.arange(AGES) - 60, 0)
    hispanic = np.asarray(HISPANIC_SHARE)
    log_odds = np.log(hispanic / (1 - hispanic)) + np.asarray(HISPANIC_SHIFT)[:, None]
    return Tables(
        tracts=_sizes(*TRACTS_PER_COUNTY),
        households=_sizes(*HOUSEHOLD_PEOPLE),
        inmates=np.stack([np.zeros(OUTCOMES, dtype=np.int64), *(_sizes(*size) for size in FACILITY_PEOPLE)]),
        facility=_outcomes((OUTCOMES - sum(FACILITY_BLOCKS), *FACILITY_BLOCKS)),
        neighbourhood=_outcomes(NEIGHBOURHOOD_WEIGHTS),
        leading_race=_outcomes(mix),
        stage=_outcomes(STAGE_WEIGHTS),
        age=_outcomes([_age_weights(*profile) for profile in AGE_PROFILES]),
        female=_below(np.asarray(FEMALE_SHARE)[:, None] + survival),
        race=_outcomes(clustered),
        hispanic=_below(_logistic(log_odds)),
        band=np.searchsorted(BAND_EDGES, np.arange(AGES), side="right") - 1,
        income=_outcomes(_income_weights()),
        disease=_outcomes(_disease_weights()),
    )


def _outcomes(weights: ArrayLike) -> Ints:
    """Along the last axis, 4096 outcomes in order, each as often as its weight says to the nearest 1 / 4096."""
    cumulated = np.cumsum(np.asarray(weights, dtype=np.float64), axis=-1)
    edges = np.rint(cumulated / cumulated[..., -1:] * OUTCOMES)
    times = np.diff(edges, axis=-1, prepend=0.0).astype(np.int64)
    outcome = np.broadcast_to(np.arange(times.shape[-1], dtype=np.int8), times.shape)
    return np.repeat(outcome.ravel(), times.ravel()).reshape(*times.shape[:-1], OUTCOMES)


def _below(share: Floats) -> Ints:
    """The draw below which something of this share holds."""
    return np.rint(share * OUTCOMES).astype(np.uint16)


def _sizes(median: float, shape: float, largest: int) -> Ints:
    """4096 equally likely sizes of a log-logistic law, median * (p / (1 - p))^(1 / shape), from 1 to ``largest``."""
    p = (np.arange(OUTCOMES) + 0.5) / OUTCOMES
    return np.clip(np.rint(median * (p / (1 - p)) ** (1 / shape)), 1, largest).astype(np.int64)


def _age_weights(youngest: int, oldest: int, curves: tuple[tuple[float, float, float], ...]) -> Floats:
    """Weights of the ages 0..100: a mixture of bell curves, nothing outside the two ends."""
    age = np.arange(AGES)
    bells = [weight / width * np.exp(-(((age - centre) / width) ** 2) / 2) for centre, width, weight in curves]
    return np.where((age >= youngest) & (age <= oldest), np.sum(bells, axis=0), 0.0)


def _income_weights() -> Floats:
    """Weights of INCOMES by affluence (facilities last), age band and sex."""
    place = np.append(AFFLUENCE_SCORE, INSTITUTION_SCORE)[:, None, None]
    score = place + np.asarray(AGE_SCORE)[:, None] + np.asarray(SEX_SCORE)
    below_cut = _logistic(np.asarray(INCOME_CUTS) - score[..., None])
    bands = np.diff(below_cut, axis=-1, prepend=0.0, append=1.0)
    earning = np.broadcast_to((1 - np.asarray(NO_INCOME))[:, None, None], (*score.shape, 1)).copy()
    earning[INSTITUTION] *= 1 - INSTITUTION_NO_INCOME
    return np.concatenate([1 - earning, earning * bands], axis=-1)


def _disease_weights() -> Floats:
    """Weights of DISEASES by race, age band and sex."""
    by_race, by_band = np.asarray(DISEASE_BY_RACE)[:, None, None, :], np.asarray(DISEASE_BY_BAND).T[:, None, :]
    ill = by_race * by_band * np.asarray(DISEASE_BY_SEX)
    healthy = np.maximum(1 - ill.sum(axis=-1, keepdims=True), LEAST_HEALTHY)
    return np.concatenate([healthy, ill], axis=-1)


def _logistic(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))
