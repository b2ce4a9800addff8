from __future__ import annotations

from pathlib import Path

import click
import pytest

from epsilens.cli.posterior import shared
from tests.unit.cli.conftest import Run


@pytest.mark.parametrize(
    "arguments",
    [
        ("single", "--noisy", "2", "--rho", "0.1"),
        ("curve", "--points", "5", "--prior", "0.5"),
        ("two-level", "--parent", "1,2", "--siblings", "3", "--rho", "0.1,0.2"),
        ("levels", "--rho", "0.1,0.2"),
        ("postprocess", "--shown", "1,2", "--siblings", "3"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_every_chart_is_drawn(run: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert run("posterior", *arguments, "--plot", "chart.svg").code == 0
    assert (tmp_path / "chart.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("single", "--noisy", "1", "--rho", "0"), "rho must be > 0"),
        (("single", "--noisy", "1", "--rho", "0.1", "--prior", "1"), "prior must lie strictly between 0 and 1"),
        (("single", "--noisy", "1"), "either --rho"),
        (("single", "--noisy", "1.5", "--rho", "0.1"), "--noisy must be a whole number"),
        (("two-level", "--siblings", "3", "--rho", "0.1,0.2"), "or --parent"),
        (("two-level", "--parent", "1", "--siblings", "3", "--rho", "0.1"), "two budgets"),
        (("two-level", "--parent", "0", "--siblings", "3", "--rho", "0.1,0.2"), "--parent must be >= 1"),
        (("two-level", "--parent", "1", "--siblings", "3", "--rho", "0.1,0.2", "--parent-prior", "flat"), "uniform"),
        (
            (
                "two-level", "--noisy", "0", "--noisy-parent", "0", "--noisy-siblings", "0",
                "--siblings", "2", "--rho", "0.1,0.1", "--parent-prior", "uniform:x",
            ),
            "uniform:HIGHEST",
        ),
        (("levels",), "--preset census-2020"),
        (("levels", "--preset", "census-2030"), "did you mean 'census-2020'"),
        (("sequence",), "--rho is missing"),
        (("category", "--rho", "0.1"), "--categories or --prior"),
        (("category", "--categories", "5"), "--rho is missing"),
        (("single", "--rho", "0.1", "--scenario", "gossip"), "--scenario must be one of"),
        (("curve", "--from", "2", "--to", "1"), "--to must not be below --from, got 1"),
        (("curve", "--points", "100000"), "--points must be at most 10000"),
        (("postprocess", "--shown", "1.5"), "--shown must be a whole number, got 1.5"),
        (("sequence", "--rho", "0.1,0.2", "--noisy", "1"), "--noisy must hold one count per release (2), got 1"),
        (("release", "x.csv", "--levels", "a", "--by", "b", "--rho", "1", "--attack", "two-level"), "2 --levels"),
        (("tree", "nowhere.json"), "cannot read"),
        (("release", "nowhere.csv", "--levels", "a", "--by", "b", "--rho", "0.1"), "nowhere.csv"),
        (("release", "x.csv", "--rho", "0.1"), "--levels and --by"),
        (("single", "--noisy", "2", "--rho", "0.1", "--mechanism", "laplace"), "go with --epsilon"),
        (("category", "--noisy", "1,2", "--rho", "0.1"), "--noisy and --known go together"),
        (("category", "--categories", "5", "--rho", "0.1", "--first", "1.5"), "--first must be a whole number"),
        (("curve", "--prior", ""), "--prior needs at least one number"),
        (("levels", "--rho", "0.1", "--prior", ""), "--prior needs"),
        (("postprocess", "--shown", ""), "--shown needs at least one number"),
        (("curve", "--chart", "ratio"), "--chart needs --plot FILE"),
        (("curve", "--mark", "1"), "--mark needs --plot FILE"),
        (("curve", "--plot", "c.svg", "--mark", "100"), "--mark must lie between --from and --to"),
        (("curve", "--plot", "c.svg", "--chart", "risk"), "--chart must be one of posterior, ratio, decision"),
        (("curve", "--prior", "1/0"), "--prior cannot be divided by 0"),
        (("curve", "--prior", "2/1"), "--prior must lie strictly between 0 and 1"),
        (("two-level", "--parent", "1", "--siblings", "3", "--rho", "0.1,0.2", "--axis", "rho"), "--axis needs --plot"),
        (
            ("two-level", "--parent", "1", "--siblings", "3", "--rho", "1,2", "--axis", "rho", "--plot", "c.svg"),
            "--axis needs several budgets in --parent-rho",
        ),
        (
            ("two-level", "--parent", "1", "--siblings", "3", "--rho", "1,2", "--axis", "up", "--plot", "c.svg"),
            "--axis must be one of parent, rho",
        ),
        (("postprocess", "--rho", "0.1:1"), "--rho must be numbers, or FROM:TO:POINTS"),
        (("postprocess", "--rho", "1:0.1:3"), "--rho FROM:TO:POINTS must ascend"),
        (("postprocess", "--rho", "0.1:1:1e6"), "--rho FROM:TO:POINTS must ascend, in 2 to 200 points"),
        (("noise", "--terms", "0"), "--terms must be >= 1"),
        (("noise", "--chart", "sum"), "--chart needs --plot FILE"),
    ],
    ids=lambda value: " ".join(value[:4]) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_bad_input(run: Run, arguments: tuple[str, ...], problem: str) -> None:
    outcome = run("posterior", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert problem in outcome.err


def test_a_grid_of_budgets_is_log_spaced() -> None:
    context, option = click.Context(click.Command("x")), click.Option(["--rho"])
    assert shared.budgets(context, option, "0.01:1:3, 5") == pytest.approx((0.01, 0.1, 1.0, 5.0))
    assert shared.budgets(context, option, "0.1,0.2") == (0.1, 0.2)
    assert shared.budgets(context, option, None) == ()
