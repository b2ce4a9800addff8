"""Every word that a command prints is explained in the glossary, or is plain English."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from epsilens.cli.main import COMMANDS
from tests.support.printed_words import OF_THE_DEMO, explained, plain_words, unknown, words_of, words_of_keys
from tests.unit.cli.conftest import Run
from tests.unit.cli.conftest import run as run

pytestmark = pytest.mark.integration

PEOPLE = "people.csv --qid county,age,sex,race --bins age=20 --sensitive disease"
UNIVERSE = {
    "county": ["C001"], "sex": ["female", "male"], "age": {"from": 0, "to": 119},
    "race": ["white", "black", "asian"], "disease": ["none", "asthma", "cancer", "diabetes", "heart disease"],
}  # fmt: skip
PAID = "--one-row-per-person --ledger b.db --account survey"
FILES = {
    "u.json": {name: UNIVERSE[name] for name in ("sex", "disease")},
    "three.json": {name: UNIVERSE[name] for name in ("sex", "age", "disease")},
    "plan.json": {
        "source": "people.csv", "qid": ["age", "sex"], "bins": {"age": 10}, "mechanism": "laplace",
        "cohorts": {"old": {"where": "age>=50"}, "new": {"where": "age<50"}},
        "releases": [
            {"name": "sizes", "sizes": True, "epsilon": 0.5},
            {"name": "income", "sensitive": "income", "epsilon": 1, "parent": "sizes"},
            {"name": "both", "sensitive": ["income", "disease"], "epsilon": 1},
            {"name": "some", "cohort": "old", "sensitive": "disease", "epsilon": 1},
        ],
    },
}  # fmt: skip
TYPED = f"""
demo --rows 500
assess {PEOPLE} --epsilon 1 --knee
assess {PEOPLE} --harmful disease=cancer --epsilon 0.1,1 --simulate 20 --scenarios --cells 3 --household block
assess {PEOPLE} --sampling-fraction 0.1 --epsilon 1 --mechanism laplace,gaussian-analytic --delta 1e-6
assess {PEOPLE} --measure all --epsilon 1 --weighting people,cells
assess {PEOPLE} --measure published --epsilon 1
assess people.csv --qid age,sex --bins age=20 --sensitive disease,income --epsilon 1
assess people.csv --qid age,sex --bins age=20 --sensitive disease --epsilon 1 --universe three.json
assess people.csv --qid age,sex --bins age=20 --sensitive income --where age>=18 --unit person --max-rows 2
choose {PEOPLE} --max-risk 0.2 --max-people 0 --profile max(0.25/p,3) --levers --against gaussian-analytic --delta 1e-6
choose {PEOPLE} --max-risk 0.00001
choose {PEOPLE} --max-risk 0.2 --harmful disease=cancer --max-error 0.1 --max-wrong 0.01
choose {PEOPLE} --mechanism gaussian-analytic --epsilon 1 --max-risk 0.2
choose people.csv --levels block,block_group,tract --by age,sex --measure posterior --rho --max-gain 0.05 --mechanism \
discrete-gaussian --bins age=18|
knowledge {PEOPLE} --epsilon 1 --knows age,sex
cell
cell --counts 5,0 --counts 4,1 --epsilon 0.1,1
utility {PEOPLE} --epsilon 1 --repetitions 5 --mechanism discrete-gaussian --delta 1e-6
utility people.csv --qid age,sex --bins age=20 --sensitive disease --epsilon 1 --repetitions 5 --universe three.json
sequence plan.json
posterior single --noisy 2 --known 1 --rho 0.099
posterior single --noisy 1,2 --rho 0.099 --prior 1/2,1/864 --scenario misreporting
posterior curve --from 0.01 --to 1 --points 3
posterior two-level --parent 1,5 --siblings 27 --rho 0.099,0.246
posterior two-level --noisy 1 --noisy-parent 2 --noisy-siblings 3 --siblings 27 --rho 0.099,0.246
posterior levels --preset census-2020
posterior sequence --rho 0.1,0.1 --noisy 1,2
posterior category --categories 12 --rho 0.5
posterior category --noisy 1,4,0 --known 1,2,0 --rho 0.5
posterior postprocess --shown 1,5 --siblings 9 --rho 0.1
posterior tree --example blocks.json
posterior tree blocks.json
posterior family --epsilon 1
posterior release people.csv --by age,sex --levels block,block_group,tract --rho 0.1,0.1,0.1
posterior census-2020
posterior budget --rho 0.1
posterior noise
compare {PEOPLE} --systems all --epsilon 1 --repetitions 3 --swap sex --ordered age --group sex
compare {PEOPLE} --systems laplace,suppression --epsilon 1 --repetitions 3 --no-classify --audit --theorems
compare {PEOPLE} --systems laplace,suppression --equal-risk homogeneity=0.05 --repetitions 3 --no-classify
protect {PEOPLE} --system suppression --out suppressed.csv
protect {PEOPLE} --system swapping --seed 1 --out swapped.csv
protect {PEOPLE} --system k-anonymity-full-domain --ordered age --out anonymous.csv
evaluate suppressed.csv --truth {PEOPLE} --count count --claimed discrete-laplace --epsilon 1
evaluate swapped.csv --truth {PEOPLE} --count count --harmful disease=cancer
sensitivity mean --n 100 --lower 0 --upper 1
sensitivity pooled-variance --sizes 3,3 --lower 0 --upper 1 --neighbours substitute --may-change-group --verify \
--published
sensitivity bounded --value 0.3 --sensitivity 0.02 --epsilon 1
sensitivity study --n 50 --repetitions 20 --epsilon 1
release people.csv --columns sex,disease --universe u.json --epsilon 0.5 {PAID} --total-epsilon 2 --out r.csv --check
release people.csv --columns sex,disease --universe u.json --epsilon 0.5 {PAID} --total-epsilon 2 --out r.csv
release people.csv --columns age --tree age --bins age=20|40|60 --epsilon 0.5 {PAID} --out tree.csv
release people.csv --columns sex,disease --universe u.json --mechanism discrete-gaussian --rho 0.02 \
--one-row-per-person --ledger p.db --account planned --composition pld --total-epsilon 3 --total-delta 1e-6 --plan 8 \
--out planned.csv
release-statistics people.csv -s "mean age=0:100" -s "proportion sex=female" --epsilon 0.2 --n 400 {PAID} --out s.csv
ledger show b.db
ledger show p.db
ledger verify b.db --card r.card.json
ledger sweep b.db
card verify r.card.json --ledger b.db --data people.csv
evaluate r.csv --truth people.csv --card r.card.json
reproduce P3
app --check
run survey.toml choose
"""
"""What somebody might ask, in every command."""


@pytest.fixture
def printed(run: Run) -> dict[str, set[str]]:
    """The words that are printed, by the command that prints them."""
    assert run("demo", "--rows", "800", "--write", "people.csv").code == 0
    for name, content in FILES.items():
        Path(name).write_text(json.dumps(content))
    found: dict[str, set[str]] = {}
    for line in TYPED.strip().splitlines():
        words = shlex.split(line)
        if line.startswith("run"):
            asked = shlex.split(f"choose {PEOPLE} --max-risk 0.2 --save survey.toml")
            assert run(*asked).code == 0
        told = run(*words)
        assert told.code in (0, 3), (line, told.err)
        found[line] = set(words_of(re.sub(r"survey-?\w*|C\d+\S*", " ", told.out + told.err)))
        if words[0] not in ("app", "release", "release-statistics", "protect") and "--json" not in words:
            again = run(*words, "--json") if "--example" not in words else run("posterior", "noise", "--json")
            assert again.code in (0, 3), (line, again.err)
            found[f"{line} --json"] = set(words_of_keys(again.json))
    for name in ("r.card.json", "r.internal.json", "s.card.json", "tree.card.json", "suppressed.protect.internal.json"):
        found[name] = set(words_of_keys(json.loads(Path(name).read_text())))
    for name in ("r.card.md", "s.card.md"):
        found[name] = set(words_of(re.sub(r"[0-9a-f]{16,}", " ", Path(name).read_text())))
    return found


def test_every_word_that_is_printed_is_explained_or_plain(printed: dict[str, set[str]]) -> None:
    known = explained() | set(plain_words()) | OF_THE_DEMO
    missing = {where: left for where, words in printed.items() if (left := unknown(words, known))}
    assert not missing, "\n".join(f"{where}: {sorted(words)}" for where, words in missing.items())


def test_every_command_was_asked() -> None:
    asked = {shlex.split(line)[0] for line in TYPED.strip().splitlines()}
    assert asked == set(COMMANDS)
