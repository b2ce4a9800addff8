"""Descriptions come from docstrings."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from epsilens import sensitivity
from epsilens.sensitivity import STATISTICS, describe
from epsilens.sensitivity.catalogue import PUBLISHED, labelled_parts, summary


@pytest.mark.parametrize(
    "function", [*STATISTICS.values(), *PUBLISHED.values()], ids=lambda f: f"{f.__module__}.{f.__name__}"
)
def test_every_formula_names_its_source_and_assumption_once(function: object) -> None:
    parts = labelled_parts(function)  # type: ignore[arg-type]
    assert len(parts["Source"]) == 1
    assert parts["Source"][0].startswith("P3 ")
    assert len(parts["Assumes"]) == 1
    assert parts["summary"][0]
    for departure in parts["Departs from print"]:
        assert re.match(r"\(P3-[a-e]\): ", departure)


def test_describe() -> None:
    said = describe("pooled-variance", "add-remove", sizes=(3, 3), lower=0, upper=1)
    assert said.value == sensitivity.pooled_variance((3, 3), 0, 1)
    assert said.formula.startswith("How far a pooled variance can move: delta = ")
    assert said.details.startswith("n = sum of ``sizes``")
    assert said.details.endswith("exactly the first.")
    assert said.source == "P3 Eq. (4) and section 4."
    assert [text[:6] for text in said.departures] == ["(P3-a)", "(P3-b)"]
    assert "where they are hidden, all it takes is" in said.cautions[0]
    assert describe("pooled_variance", "substitute", sizes=(3, 3), lower=0, upper=1).cautions == ()
    hidden = describe("pooled_variance", "add-remove", sizes=(3, 3), lower=0, upper=1, reveal_largest=False)
    assert hidden.cautions == ()


def test_add_remove_says_that_n_is_private() -> None:
    assert "public lower bound" in describe("mean", "add-remove", n=10, lower=0, upper=1).cautions[0]
    assert describe("mean", "substitute", n=10, lower=0, upper=1).cautions == ()
    assert "public lower bound" in describe("mean", n=10, lower=0, upper=1).assumes


def test_nothing_is_lost_where_python_drops_docstrings() -> None:
    """``python -OO`` has no docstrings; the descriptions are the same there."""
    program = (
        "from epsilens.sensitivity.catalogue import PUBLISHED, STATISTICS, labelled_parts\n"
        "import json\n"
        "functions = [*STATISTICS.values(), *PUBLISHED.values()]\n"
        "print(json.dumps([labelled_parts(function) for function in functions]))"
    )
    stripped = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=True).stdout
    assert json.loads(stripped) == [
        labelled_parts(function) for function in (*STATISTICS.values(), *PUBLISHED.values())
    ]


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
@pytest.mark.parametrize("change", [False, True])
@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("sizes", [(4,), (3, 5), (2, 3, 6)])
@pytest.mark.parametrize("statistic", ["pooled_variance", "pooled_covariance"])
def test_the_formula_that_is_told_gives_the_value(
    statistic: str, sizes: tuple[int, ...], reveal: bool, change: bool, neighbours: str
) -> None:
    bounds = {"lower": 0, "upper": 1} if statistic == "pooled_variance" else {"lower": (0, 0), "upper": (1, 1)}
    said = describe(statistic, neighbours, sizes=sizes, may_change_group=change, reveal_largest=reveal, **bounds)
    n, groups, largest = sum(sizes), len(sizes), max(sizes)
    most = {size: (size // 2) * ((size + 1) // 2) / size for size in sizes}
    factors = {
        "g = 1 - 1 / n_max,": 1 - 1 / largest,
        "g = 1 - 1 / (n_max + 1),": 1 - 1 / (largest + 1),
        "g = 1,": 1.0,
        "g = 2,": 2.0,
        "g = max over groups a != b of (1 - 1/n_a) + (1 - 1/(n_b + 1)),": max(
            (2 - 1 / a - 1 / (b + 1) for i, a in enumerate(sizes) for j, b in enumerate(sizes) if i != j), default=0
        ),
        "g = max over a of 1 - 1/n_a + sum over j != a of M(n_j) / (n - 1 - J),": max(
            1 - 1 / a + sum(most[b] for j, b in enumerate(sizes) if j != i) / (n - 1 - groups)
            for i, a in enumerate(sizes)
        ),
        "g = 1 + n / (4 (n - 1 - J)) - 1 / sqrt(n - 1 - J),": 1
        + n / (4 * (n - 1 - groups))
        - 1 / (n - 1 - groups) ** 0.5,
    }
    (told,) = [factor for text, factor in factors.items() if text in said.formula]
    assert said.value == pytest.approx(told / (n - groups))


def test_every_statistic_is_summed_up_without_its_formula() -> None:
    assert summary("histogram-tree") == "How far all counts of a tree can move"
    assert all(summary(name).startswith("How far ") for name in STATISTICS)
