"""Journeys through the workbench, as edits of a project, and what command lines and programs print."""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import pytest

from epsilens.app.work import Work
from epsilens.cli import main

Edits = list[tuple[str, dict[str, Any]]]

ROLES = {"quasi_identifiers": ["block_group", "age", "sex"], "sensitive": ["disease"], "bins": {"age": 20}}
OPEN: Edits = [("data", {"source": "people.csv", **ROLES})]
HARM: Edits = [("data", {"harmful": {"disease": ["cancer", "diabetes"]}})]
SEVERAL: Edits = [
    ("noise", {"mechanisms": ["discrete-laplace", "gaussian-analytic"], "epsilons": [0.3, 1.0], "deltas": [1e-6]})
]
UNIVERSE = {
    "block_group": ["C001-T0001-1", "C001-T0001-2"],
    "age": {"from": 0, "to": 120},
    "sex": ["female", "male"],
    "disease": ["asthma", "cancer", "diabetes", "heart disease", "none"],
}
LEVELS: Edits = [
    ("posterior release", {"levels": ["tract", "county"], "by": ["age", "sex", "race"], "rho": [0.1, 0.2]})
]
RELEASE: Edits = [
    ("data", {"universe": UNIVERSE}),
    ("release", {"epsilon": 0.5, "one_row_per_person": True, "out": "r.csv"}),
    ("ledger", {"ledger": "b.db", "account": "survey", "total_epsilon": 1.0}),
]

JOURNEYS: dict[str, tuple[str, str, Edits]] = {
    "today, at several budgets and noises": ("today", "assess", [*OPEN, *SEVERAL, ("risk", {"measures": ["local"]})]),
    "today, with harmful values, simulated": (
        "today",
        "assess",
        [*OPEN, *HARM, ("noise", {"epsilons": [0.1]}), ("assess", {"repeats": 20, "seed": 7})],
    ),
    "choose by a ceiling": ("choose", "choose", [*OPEN, ("risk", {"max_risk": 0.05})]),
    "choose by a ceiling for people, of harmful values": (
        "choose",
        "choose",
        [*OPEN, *HARM, ("risk", {"max_risk": 0.1, "max_people": 5}), ("noise", {"mechanisms": ["discrete-laplace"]})],
    ),
    "compare, drawn with a seed": (
        "compare",
        "compare",
        [*OPEN, ("compare", {"systems": ["laplace", "suppression"], "repetitions": 5, "seed": 3, "no_classify": True})],
    ),
    "the adversary": ("adversary", "posterior release", [*OPEN, *LEVELS]),
    "attackers who know less": ("knowledge", "knowledge", [*OPEN, ("noise", {"epsilons": [1.0]})]),
    "attackers who know one column": ("knowledge", "knowledge", [*OPEN, ("knowledge", {"knows": ["age"]})]),
}
"""By what is done: the page, the command, and the edits."""
QUICK = (
    "today, with harmful values, simulated",
    "choose by a ceiling",
    "compare, drawn with a seed",
    "the adversary",
    "attackers who know less",
)
"""One for each question; the others are tried where there is time."""


def printed(words: list[str]) -> Any:
    """What the command line prints for these words, in JSON."""
    out = StringIO()
    with redirect_stdout(out), pytest.raises(SystemExit) as stop:
        main([*words, "--json"])
    assert stop.value.code == 0
    return json.loads(out.getvalue())


def ran(program: str) -> Any:
    """What a program prints, in JSON."""
    out = StringIO()
    with redirect_stdout(out):
        exec(compile(program, "program", "exec"), {"__name__": "__main__"})
    return json.loads(out.getvalue())


def worked(edits: Edits) -> Work:
    work = Work()
    for section, values in edits:
        work.change(section, **values)
    return work
