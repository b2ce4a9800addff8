"""``epsilens evaluate`` as a user meets it."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import epsilens as el
from tests.unit.cli.conftest import Run

REGIONS = [f"r{i}" for i in range(15)]
TRUTH = ("--truth", "people.csv", "--qid", "region,sex", "--sensitive", "ill")
CLAIM = ("--count", "n", "--claimed", "discrete-laplace", "--epsilon")


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """People, and a table of them with discrete Laplace noise of scale 1 (epsilon 1)."""
    rng = np.random.default_rng(4)
    rows = [(r, s) for r in REGIONS for s in "fm"]
    counts = rng.poisson([2.5, 0.4], (30, 2))
    noisy = counts + el.DiscreteLaplaceNoise(1.0).sample((30, 2), rng).astype(int)
    people, table = ["region,sex,ill"], ["region,sex,ill,n,note"]
    for (region, sex), cell, shown in zip(rows, counts, noisy, strict=True):
        for label, number, value in zip(("no", "yes"), cell, shown, strict=True):
            people += [f"{region},{sex},{label}"] * number
            table.append(f"{region},{sex},{label},{value},x")
    (tmp_path / "people.csv").write_text("\n".join(people) + "\n")
    (tmp_path / "table.csv").write_text("\n".join(table) + "\n")
    return tmp_path / "table.csv"


def test_three_sentences_first_then_tables(run: Run, published: Path) -> None:
    done = run("evaluate", published, *TRUTH, *CLAIM, "1")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert "INTERNAL" in lines[0]
    assert "in a published cell that shows a single label which is theirs" in done.out
    assert "The noise may well be discrete-laplace noise of epsilon = 1" in done.out
    assert "Columns that were not asked for are ignored: note." in done.out
    order = ["Believing such a cell", "What an attacker gets right", "Who is shown as what", "Fairness", "The claim"]
    assert sorted(order, key=done.out.index) == order


def test_json_has_the_promised_keys(run: Run, published: Path) -> None:
    found = run("evaluate", published, *TRUTH, *CLAIM, "1", "--json").json
    assert {"shown_right", "shown_wrong", "believing_is_right", "noise", "by_value", "sentences"} <= set(found)
    assert found["noise"]["law"] == "discrete-laplace"
    assert found["noise"]["p_value"] > 0.05
    again = run("evaluate", published, *TRUTH, *CLAIM, "1", "--json").json
    assert again == found
    assert len(found["sentences"]) == 3


def test_less_noise_than_claimed_is_said(run: Run, published: Path) -> None:
    found = run("evaluate", published, *TRUTH, *CLAIM, "0.4")
    assert "The noise is not discrete-laplace noise of epsilon = 0.4" in found.out
    assert "people are less protected than said" in found.out


def test_charts(run: Run, published: Path, tmp_path: Path) -> None:
    words = ("evaluate", published, *TRUTH, *CLAIM, "1", "--json", "--plot")
    assert run(*words, "a.svg").json["charts"] == ["a.svg"]
    assert "Is the noise what is claimed?" in (tmp_path / "a.svg").read_text()
    assert run("evaluate", published, *TRUTH, "--count", "n", "--plot", "b.svg").code == 0
    assert "Who is shown, and who bears it" in (tmp_path / "b.svg").read_text()
    unclaimed = ("evaluate", published, *TRUTH, "--count", "n", "--plot", "c.svg")
    assert "needs a claim" in run(*unclaimed, "--chart", "noise").err


def test_columns_and_levels_that_do_not_fit(run: Run, published: Path) -> None:
    assert "'regon'" in run("evaluate", published, *TRUTH[:2], "--qid", "regon", *TRUTH[4:], *CLAIM, "1").err
    Path("u.json").write_text(json.dumps({"region": REGIONS[:-1], "sex": ["f", "m"], "ill": ["no", "yes"]}))
    refused = run("evaluate", published, *TRUTH, *CLAIM, "1", "--universe", "u.json")
    assert refused.code == 2
    assert "column 'region'" in refused.err


def test_what_opendp_has_released(run: Run, published: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = ("--max-risk", "0.4", "--round-down", "--export", "opendp", "--script", "s.py", "--json")
    outcome = run("choose", "people.csv", *TRUTH[2:], *chosen)
    assert outcome.code == 0, outcome.err
    monkeypatch.setattr(sys, "argv", ["s.py"])
    with contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path("s.py", run_name="__main__")
    epsilon = str(outcome.json["public_budget"])
    claim = ("--count", "published", "--claimed", "laplace", "--epsilon", epsilon, "--rounded", "--clipped")
    found = run("evaluate", "released.csv", *TRUTH, *claim, "--json")
    assert found.code == 0, found.err
    assert found.json["noise"]["p_value"] > 1e-6
    assert found.json["noise"]["post_processing"] == {"rounded": True, "clipped": True, "shown_from": None}


def test_synthetic_people(run: Run, published: Path, tmp_path: Path) -> None:
    lines = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "synthetic.csv").write_text("\n".join([lines[0], *lines[1::2]]) + "\n")
    found = run("evaluate", "synthetic.csv", *TRUTH)
    assert found.code == 0
    assert "synthetic rows, counted in" in found.out
    assert "No noise is claimed, so none was tested." in found.out
