"""Our anonymity measures equal pyCANON's on the Adult data.

The numbers were computed once with pyCANON 1.0.1.post2 (k_anonymity, l_diversity, entropy_l_diversity, t_closeness,
delta_disclosure, basic_beta_likeness, enhanced_beta_likeness, alpha_k_anonymity, all with their defaults) from
``pandas.read_csv("adult.csv", skipinitialspace=True)``, so that these tests do not need pyCANON. There it takes about a
minute for the first of these tables.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.table.diagnostics import diagnose
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SIX = ["age", "education", "marital-status", "race", "sex", "native-country"]

# quasi-identifiers, sensitive, ordered, then k, l, floor of entropy l, t, delta, beta, enhanced beta, alpha
PYCANON = [
    (
        SIX,
        "salary-class",
        False,
        1,
        1,
        1,
        0.7591904425539756,
        3.3802721687886095,
        3.152659099604642,
        1.423748875944647,
        1.0,
    ),
    (
        *(["sex", "race"], "education-num", True, 109, 13, 6),
        *(0.08610245056982632, 2.0645957447788046, 6.882110869038974, 6.459044899451244, 0.4322916666666667),
    ),
    (
        *(["sex", "race"], "education-num", False, 109, 13, 6),
        *(0.2238618575954653, 2.0645957447788046, 6.882110869038974, 6.459044899451244, 0.4322916666666667),
    ),
    (
        *(["sex", "race"], "occupation", False, 109, 11, 8),
        *(0.32220540754980986, 3.1669503185343943, 17.843171296296298, 8.193645954839349, 0.2398843930635838),
    ),
    (
        *(["sex", "race"], ["salary-class", "occupation"], False, 109, 2, 1),
        *(0.32220540754980986, 3.1669503185343943, 17.843171296296298, 8.193645954839349, 0.944954128440367),
    ),
    (
        *(["sex", "race", "salary-class"], "education-num", True, 6, 4, 3),
        *(0.1670290633989538, 3.0152994176221433, 10.90095029239766, 6.459044899451244, 0.5),
    ),
]


@pytest.mark.parametrize("case", PYCANON, ids=lambda case: f"{len(case[0])} qids, {case[1]}, ordered={case[2]}")
def test_measures_equal_pycanon(data_dir: Path, case: tuple[object, ...]) -> None:
    qids, sensitive, ordered, *values = case
    table = read_table(data_dir / "adult.csv", Schema(qids, sensitive))  # type: ignore[arg-type]
    found = diagnose(table, ordered=bool(ordered))
    ours = [
        found.k_anonymity,
        found.distinct_l_diversity,
        found.entropy_l_diversity_floor,
        found.t_closeness,
        found.delta_disclosure,
        found.basic_beta_likeness,
        found.enhanced_beta_likeness,
        found.attribute_disclosure,
    ]
    assert ours == pytest.approx(values, rel=1e-12)


def test_adult_homogeneity(data_dir: Path) -> None:
    found = diagnose(read_table(data_dir / "adult.csv", Schema(SIX, "salary-class")))
    assert (found.people, found.cells) == (32_561, 8_553)
    assert (found.homogeneous_cells, found.people_in_homogeneous_cells) == (7_380, 16_012)
    assert found.sample_uniques == 5_594


def test_the_papers_table_of_250_companies(data_dir: Path) -> None:
    """P0 prints 54 of 78 homogeneous cells with 142 of 250 people."""
    found = diagnose(read_table(data_dir / "FFcount.csv", Schema(["IR", "MR", "OR", "CR", "CO"], "FF"), count="FF"))
    assert (found.cells, found.people) == (78, 250)
    assert (found.homogeneous_cells, found.people_in_homogeneous_cells) == (54, 142)
