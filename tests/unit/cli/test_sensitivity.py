from __future__ import annotations

from pathlib import Path

import pytest

from epsilens import sensitivity
from tests.unit.cli.conftest import Run


def test_variance(run: Run) -> None:
    arguments = ("sensitivity", "variance", "--n", "100", "--lower", "0", "--upper", "1", "--neighbours", "substitute")
    assert run(*arguments).out.startswith("0.01\n")
    result = run(*arguments, "--json").json
    assert result["value"] == sensitivity.variance(n=100, lower=0, upper=1, neighbours="substitute")
    assert result["source"].startswith("P3")


def test_pooled_with_published_value_and_brute_force(run: Run) -> None:
    result = run(
        "sensitivity", "pooled-covariance", "--sizes", "3,3", "--lower", "0,0", "--upper", "1,1", "--verify",
        "--published", "--json",
    ).json  # fmt: skip
    assert result["value"] == pytest.approx(2 / 9)
    assert result["published"] == pytest.approx(0.2292, abs=5e-5)
    assert result["verification"]["brute_force"] == pytest.approx(2 / 9)
    hidden = run(
        "sensitivity", "pooled-variance", "--sizes", "3,3", "--lower", "0", "--upper", "1", "--hide-sizes", "--json"
    )
    assert hidden.json["value"] == pytest.approx(0.25)


def test_proportions_under_add_remove_are_two_over_n(run: Run) -> None:
    result = run("sensitivity", "proportions", "--n", "4", "--verify", "--published", "--json").json
    assert (result["value"], result["published"]) == pytest.approx((0.5, 0.25))


def test_rows_per_person_have_the_name_that_other_commands_give_them(run: Run) -> None:
    for name in ("--max-rows", "--rows-per-person"):
        assert run("sensitivity", "count", name, "3", "--json").json["value"] == 3


def test_bounded(run: Run) -> None:
    asked = ("sensitivity", "bounded", "--value", "0.3,0.01", "--sensitivity", "0.02")
    outcome = run(*asked, "--epsilon", "1")
    assert outcome.code == 0, outcome.err
    assert "costs 1.49 times the epsilon it says" in outcome.out
    found = run(*asked, "--scale", "1", "--json").json
    assert found["printed_scale_costs_times_epsilon"] == pytest.approx(1.969, abs=5e-4)
    assert found["epsilon"] == 0.02


def test_study(run: Run, tmp_path: Path) -> None:
    arguments = ("sensitivity", "study", "--n", "50", "--epsilon", "1", "--repetitions", "50")
    rows = run(*arguments, "--json").json["rows"]
    assert {row["target"] for row in rows} == {"p1+p2", "p1+p3", "p1+p4"}
    outcome = run(*arguments, "--method", "simplex", "--plot", "study.svg")
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "study.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("words", "value", "said"),
    [
        (("mean", "--n", "9", "--lower", "0", "--upper", "1"), 1 / 9, "Print and formula agree."),
        (("count",), 1.0, "none for a single count"),
        (("histogram-tree", "--levels", "3"), 3.0, "no formula for it"),
        (("histogram-tree", "--levels", "50"), 50.0, "Not searched: an exhaustive search must stay below"),
        (("histogram", "--max-rows", "2"), 2.0, "formula attained"),
        (("variance", "--n", "5", "--lower", "0", "--upper", "1"), 0.2, "lies between 0 and 0.3 (Shiffler and Harsha"),
    ],
)
def test_what_is_asked_for_stands_beside_the_value(run: Run, words: tuple[str, ...], value: float, said: str) -> None:
    asked = ("sensitivity", *words, "--published", "--verify")
    outcome = run(*asked)
    assert outcome.code == 0
    assert float(outcome.out.splitlines()[0]) == pytest.approx(value)
    assert said in outcome.out
    found = run(*asked, "--json").json
    assert found["value"] == pytest.approx(value)
    assert {"published", "published_note", "range", "verification"} <= set(found)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("variance", "--n", "10", "--lower", "1", "--upper", "1"), "--lower must be below --upper"),
        (("variance", "--n", "1", "--lower", "0", "--upper", "1"), "n must be >= 3"),
        (("variance", "--lower", "0", "--upper", "1"), "needs --n, not given"),
        (("variance", "--n", "10", "--lower", "nan", "--upper", "1"), "lower must be finite"),
        (("pooled-variance", "--sizes", "1,3", "--lower", "0", "--upper", "1"), "2"),
        (
            ("pooled-variance", "--sizes", "2.5,3", "--lower", "0", "--upper", "1"),
            "--sizes must be a whole number",
        ),
        (("variance", "--n", "9", "--lower", "0", "--upper", "1", "--neighbours", "swap"), "neighbours must be one of"),
        (("bounded", "--value", "0.3", "--sensitivity", "0.02"), "give one of --epsilon and --scale"),
        (("bounded", "--value", "0.3", "--epsilon", "1"), "--sensitivity is missing"),
        (("bounded", "--sensitivity", "0.02", "--epsilon", "1"), "--value is missing"),
        (("bounded", "--value", "2", "--sensitivity", "0.02", "--epsilon", "1"), "must lie in its bounds [0, 1]"),
        (("bounded", "--value", "0", "--sensitivity", "2", "--epsilon", "1"), "cannot move by 2"),
        (("study", "--epsilon", "0"), "--epsilon must be > 0"),
        (("study", "--method", "magic"), "--method must be one of"),
        (("study", "--n", "1"), "--n must be >= 2"),
        (("modus", "--n", "9"), "modus"),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, tuple) else "",
)
def test_bad_input(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    outcome = run("sensitivity", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


def test_a_record_changes_its_group_only_where_it_is_replaced(run: Run) -> None:
    pooled = ("sensitivity", "pooled-variance", "--sizes", "3,3", "--lower", "0", "--upper", "1", "--may-change-group")
    refused = run(*pooled)
    assert refused.code == 2
    assert refused.err.startswith("epsilens: --may-change-group is about a replaced record")
    told = run(*pooled, "--neighbours", "substitute", "--verify").out
    assert told.startswith("0.1875\n")
    assert "g = 1 - 1 / (n_max + 1), attained" in told
    assert "formula attained" in told


def test_the_help_has_an_example_of_every_kind(run: Run) -> None:
    text = run("sensitivity", "--help").out.replace("\\\n", " ")  # they are run with those of all other pages
    examples = [line.split() for line in text.splitlines() if line.strip().startswith("epsilens sensitivity")]
    assert [words[2] for words in examples] == ["variance", "pooled-variance", "bounded", "study"]
