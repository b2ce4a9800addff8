"""Command lines drawn from the real tree of commands.

A line is a command with every option that click knows of it: values that suit, values of the wrong kind, extreme and
hostile ones. ``tests/support/ground.py`` says what must hold after each.
"""

from __future__ import annotations

from collections.abc import Iterator

import click
from hypothesis import strategies as st

from epsilens.cli.main import cli
from tests.support.ground import BROKEN, DECLARED, PROJECTS, Line

SOURCES = [
    "people.csv", "people.tsv", "people.csv.gz", "people.parquet", "part-*.csv", "planted.csv", "planted.parquet",
    "sqlite://people.db", "duckdb://people.duckdb", "counts.csv",
]  # fmt: skip
BAD_SOURCES = [
    *(name for name in BROKEN if not name.endswith(".json")), "none.csv", "none-*.csv", "folder.csv", "u.json", "b.db",
    "sqlite://broken.db", "sqlite:///nowhere", "duckdb://broken.db", "duckdb://", "http://example.org/a.csv",
    "nosuch://host/db", "people", "", " ", "[", "o.card.md",
]  # fmt: skip
JSON_FILES = [
    *DECLARED,
    *(name for name in BROKEN if name.endswith(".json")),
    "none.json",
    "people.csv",
    "folder.csv",
    "",
]
OUTPUTS = [
    "new.csv",
    "new.parquet",
    "o.csv",
    "people.csv",
    "b.db",
    "folder.csv",
    "nowhere/new.csv",
    "new.txt",
    "",
    "new",
]
CHARTS = ["c.svg", "c.html", "c.png", "c.jpg", "nowhere/c.svg", "folder.csv", "c", ""]
HOSTILE = [
    "", " ", ",", "=", "a=b=c", "|", ":", "%", "{}", "[]", "'", '"', "\\", "*", "[bold]x[/bold]", "'; DROP TABLE t; --",
    "../..", "x" * 3000, "é\u202e\u0301", "\udcff", "a\nb", "None", "True", "-", "0x10", "1_000", "٣", "𝟛", "1,5",
    "1;2",
]  # fmt: skip
NUMBERS = ["0.5", "1", "0.1", "2", "0.01", "1e-6", "3", "10", "0.9"]
EXTREMES = [
    "0", "-1", "-0.0", "1e-9", "nan", "inf", "-inf", "1e400", "1e-400", "1.5", "100", "1e9", "1e17", "1e300", "1e-300",
    "1000", "9" * 400, "0.9999999999999999",
]  # fmt: skip
FEW = ["1", "2", "3"]
FEW_EXTREMES = ["0", "-1", "1.5", "nan", "inf", "1e400", "x"]
"""For what a computation is as long as: more of it is slow, and that is all."""
MECHANISMS = [
    "laplace", "discrete-laplace", "gaussian", "gaussian-probabilistic", "gaussian-analytic", "discrete-gaussian",
]  # fmt: skip
MEASURES = [
    "local", "expected", "shrinkage", "marginal", "marginal-shrinkage", "hard", "soft", "published-local",
    "published-expected", "published-p1-shrinkage", "published-hard", "posterior", "posterior-ratio",
    "posterior-decision",
]  # fmt: skip
NAMES = ["sex", "sex,region", "region", "ill", "income", "age", "region,tract", "tract,region", "person", "bmi", "sxe"]

SUITING: dict[str, list[str]] = {
    "source": SOURCES, "data": SOURCES, "published": ["o.csv", "o.csv", "p.csv", *SOURCES], "truth": SOURCES,
    "published_table": ["people", ""], "truth_table": ["people", "peple"], "truth_count": ["n", "age", "N"],
    "claimed": ["discrete-laplace", "laplace", "gaussian-analytic", "laplce"],
    "published_where": ["sex=f|m", "count>=1", "table=sex", "age>=18"], "table": ["people", "planted", "peple", ""],
    "quasi_identifiers": ["sex", "sex,region", "age,sex", "region,tract"], "sensitive": ["ill", "income", "ill,income"],
    "columns": ["sex,ill", "sex,region,ill", "region,tract,ill", "region,tract,sex", "sex"],
    "bins": ["age=10", "age=20", "age=0|30|60", "age=10]", "age=(0|30|60]", "age=q3",
        "bmi=5", "ill=2", "nothing=3", "age=0", "age=1e-9"],
    "harmful": ["ill=yes", "ill=yes*3", "ill=", "income=high", "disease=cancer", "ill=yess", "ill=yes*0.5", "sex=f"],
    "count": ["n", "age", "bmi", "ill", "N"],
    "weight": ["age", "bmi", "n", "ill", "agee"], "sampling_fraction": ["0.1", "1/4", "1", "0", "2", "-0.5"],
    "universe": ["u.json", "u.json", "nested.json", "narrow.json"], "structural_zeros": ["zeros.json"],
    "where": ["age>=18", "sex=f|m", "ill!=", "region!=?", "age<nobody", "sexx=f", "person=zzz", "age"],
    "copies": ["decade=age", "known=ill", "sex=age", "decade", "age=age"],
    "missing": ["level", "refuse", "drop", "exclude", "bmi=exclude", "bmi=25", "age=exclude", "age=200", "ill=no"],
    "missing_value": ["?", "unknown", "20"], "missing_values": ["?", "unknown", "20"],
    "unit": ["person", "sex", "prson"], "max_rows": FEW, "max_rows_per_unit": FEW,
    "mechanism": MECHANISMS, "mechanisms": [*MECHANISMS, "laplace,discrete-laplace"], "against": MECHANISMS,
    "measure": MEASURES, "measures": [*MEASURES[:11], "all", "published"], "match": ["any", "share"],
    "neighbours": ["add-remove", "substitute"],
    "size_model": ["poisson", "negative-binomial", "zero-inflated-poisson", "poisson=3.2", "fixed=2", "poisson=0"],
    "size_fit": ["ml", "moments", "bayes"], "cells": ["3", "new.csv", "2,new.parquet", "o.csv"],
    "alpha": ["1,1,1", "moments", "1", "0.5,1"],
    "aggregate_by": ["mean", "cell-mean", "max", "q95"], "attributes": ["joint", "max", "sum"],
    "attack": ["single", "two-level", "unique-levels"], "codes": ["unique", "within-parent"],
    "levels": ["tract,region", "region,tract", "region", "2", "3"], "by": ["sex", "age", "ill,sex"], "hierarchy": [
        "region,tract", "tract,region", "region=h.json", "sex=h.json", "region=none.json", "region=twice.json",
    ],
    "project": ["p.toml", "p.toml", "planted.toml", "database.toml"],
    "asked": ["assess", "choose", "knowledge", "compare", "release", "demo", "posterior", "chose", "ledger", "--json"],
    "save": ["new.toml", "p.toml"],
    "port": ["8600", "1", "65536", "x"],
    "plan": ["plan.json"], "specification": ["tree.json"], "listed": ["stats.json"],
    "written": [
        "mean age=0:100", "variance age=0:100", "proportion sex=f", "proportions ill=yes|no|unknown",
        "covariance age=0:100,bmi=0:60", "pooled-variance age=0:100 by sex=f|m|x", "mean bmi=0:60", "mean ill=0:1",
        "covariance-matrix age=0:100,bmi=0:60", "pooled-covariance age=0:100,bmi=0:60 by sex=f|m",
    ],
    "ledger": ["b.db", "b.db", "b.db", "new.db", "other.db"],
    "account": ["survey", "survey", "survey", "new", "survy"], "card": ["o.card.json"],
    "cards": ["o.card.json", "p.card.json"], "output": ["o.csv", "p.csv"], "folders": [".", "folder.csv"],
    "out": ["new.csv", "new.csv", "new.parquet", "o.csv"],
    "write": ["new.csv", "new.parquet", "o.csv"], "script": ["s.py", "o.csv", "nowhere/s.py", "", "u.json"],
    "plot": CHARTS[:2], "decision_map_file": CHARTS[:2], "report": ["r.html", "r.html", "r.pdf", "nowhere/r.html"],
    "composition": ["pure", "approx", "zcdp", "pld", "renyi"], "marginal": ["sex", "ill", "total", "sex,ill", "age"],
    "shares": ["1", "1,1", "0.5,0.5", "2,1,1"], "bounding": ["clamped", "none", "truncated"],
    "adding_up": ["simplex", "rescale"], "tree": ["sex", "region", "ill", "sxe"], "branching": FEW,
    "public_total": ["10", "60", "0"],
    "systems": ["laplace", "all", "published", "swapping,k-anonymity", "dp-swapping", "suppression", "dp-k-anonymity"],
    "system": [
        "suppression", "rounding", "random-rounding", "swapping", "swapping-cells", "swapping-discrepancy",
        "k-anonymity", "k-anonymity-full-domain", "laplace", "suppresion",
    ],
    "node": ["sex=1", "region=0", "sex=1,region=1", "sex=7", "age"],
    "max_suppressed": ["0", "0.1", "1"],
    "swap": NAMES, "ordered": NAMES, "group": NAMES, "equal_risk": ["homogeneity=0.1", "posterior=0.6", "luck=1"],
    "export": ["opendp", "smartnoise"], "chart": [
        "risk", "frontier", "iso-risk", "marginals", "trade-off", "levers", "scenarios", "sizes",
        "values", "people", "households",
        "noise", "groups",
    ],
    "family": ["1", "2", "4", "2,4"], "members": ["1", "2,4", "1,2,4,30"], "household": NAMES,
    "profile": ["3", "max(0.25/p,3)", "max(0.25/(pq),3)", "0.5", "max(", "20"],
    "preset": ["census-2020", "census-2030"], "prior": ["0.5", "1/864", "0.2,1/10"], "priors": ["0.5", "1/2,1/864"],
    "leaf_prior": ["poisson", "poisson=0.03", "negative-binomial=0.3:2", "uniform", "binomial=5:0.1", "poisson="],
    "example": ["new.json", "tree.json", "nowhere/new.json"],
    "terms": ["1", "5,27"], "max_gain": ["0.05", "0.5", "0.9"], "mark": ["0.1", "1", "100"],
    "parent_prior": ["uniform", "uniform:20", "point:3", "uniform:-1", "point:x"],
    "scenario": ["characteristics", "participation", "misreporting", "unknown-variable"],
    "methods": ["original", "simplex", "universal,clamped-rescaled", "truncated-rescaled", "truncated-published"],
    "targets": ["p1+p2", "p1+p3,p4", "p1", "p9", "p1+p1", "p1+p2+p3+p4"],
    "proportions": [".05,.15,.3,.5", "0.5,0.5", "1", ".25,.25,.25,.25"],
    "lower": ["0", "0,0"], "upper": ["1", "1,2"], "sizes": ["3,3", "2,3", "4"], "norm": ["1", "2"],
    "rho": ["0.1", "0.1,0.2", "0.05,0.1,0.2", "1"], "parent_rho": ["0.1", "0.1,0.2"],
    "epsilon": NUMBERS, "epsilons": [*NUMBERS, "0.5,1", "0.1,1,2"], "total_epsilon": ["1000", "1", "2"],
    "total_rho": ["1000", "1"], "total_delta": ["1e-6", "0.01"],
    "k": [*FEW, "2,3"], "swapped_share": ["0.1", "0.5", "1", "0.1,0.5"], "base": ["3", "5", "10", "3,5"],
    "bound": ["1000", "1"],
    "rare": FEW, "seed": FEW, "people": FEW, "true_category": ["0", "1"],
    "confidence": ["0.95", "0.5", "0.999"],
    "wait": ["0", "0.1"], "n_jobs": ["1"],
    "engine": ["duckdb", "duckdb", "sparc"], "memory_limit": ["1GB", "500MiB", "lots"], "threads": ["1", "2"],
    "spark_master": ["local[2]"], "max_risk": ["0.3", "0.5", "0.9", "1", "1.2"], "max_people": ["1", "5", "0"],
    "n": ["6", "4", "3"], "values": ["0.3", "0.3,0.01", "0", "1"], "sensitivity": ["0.02", "0.1", "1"],
    "deltas": ["1e-6", "0.01", "0.004,0.01"], "weightings": ["people", "cells", "people,cells"],
    "axis": ["epsilon", "delta", "both", "people", "labels", "k", "share", "base", "rho", "parent", "shown"],
    "epsilon_range": ["0.01:10", "0.1:0.9", "10:1", "1"],
    "delta_range": ["1e-6:0.1", "0.01:2"], "labels": ["2", "2,3", "5"], "counts": ["5,0", "1,1,1", "0,0"],
    "fixed_epsilon": ["0.5", "1", "2"],
    "ways": ["1", "1,2", "1,2,3", "2"], "sanitised": ["table", "marginals"], "publish": ["joint", "separate"],
    "budget_of": ["each", "all"], "share": ["0.1", "1/5", "1", "0"], "largest_set": FEW,
    "knows": NAMES,
}  # fmt: skip
AS_LONG = {
    "rows", "repetitions", "repeats", "points", "siblings", "categories", "first", "shown", "parents", "n_jobs",
    "threads",
    "known", "noisy", "noisy_parent", "noisy_siblings", "levels", "lowest", "highest", "sizes",
}  # fmt: skip
QUICKLY: dict[str, tuple[str, ...]] = {
    "demo": ("--rows", "60", "--epsilon", "1"),
    "app": ("--check",),  # no server is started
    "assess": ("--epsilon", "1"),
    "knowledge": ("--epsilon", "1"),
    "utility": ("--epsilon", "1", "--repetitions", "2"),
    "compare": ("--repetitions", "2", "--no-classify", "--epsilon", "1", "--systems", "laplace"),
    "sensitivity study": ("--repetitions", "2", "--n", "20", "--epsilon", "1"),
    "posterior curve": ("--points", "3"),
    "posterior postprocess": ("--shown", "2", "--siblings", "3"),
    "posterior category": ("--categories", "3", "--rho", "1", "--first", "1"),
}
"""Options that a line of a command starts with, unless the same ones are drawn; two lists would be refused."""
NEEDED: dict[str, tuple[str, ...]] = {
    "assess": ("source", "quasi_identifiers", "sensitive"),
    "choose": ("source", "quasi_identifiers", "sensitive", "max_risk"),
    "compare": ("source", "quasi_identifiers", "sensitive"),
    "knowledge": ("source", "quasi_identifiers", "sensitive"),
    "utility": ("source", "quasi_identifiers", "sensitive"),
    "evaluate": ("published", "truth", "quasi_identifiers", "sensitive"),
    "protect": ("source", "quasi_identifiers", "sensitive", "system", "out"),
    "release": ("source", "columns", "universe", "epsilon", "ledger", "account", "out", "one_row_per_person"),
    "release-statistics": ("source", "written", "epsilon", "ledger", "account", "out", "one_row_per_person", "n"),
    "posterior release": ("source", "levels", "by", "rho"),
    "posterior two-level": ("siblings", "rho", "parents"),
    "posterior single": ("rho",),
    "posterior family": ("epsilon",),
    "posterior levels": ("rho",),
    "posterior sequence": ("rho",),
    "sensitivity bounded": ("values", "sensitivity", "epsilon"),
    "posterior budget": ("rho",),
    "sensitivity covariance": ("n", "lower", "upper"),
    "sensitivity mean": ("n", "lower", "upper"),
    "sensitivity variance": ("n", "lower", "upper"),
    "sensitivity proportion": ("n",),
    "sensitivity proportions": ("n",),
    "sensitivity histogram-tree": ("levels",),
    "sensitivity pooled-variance": ("sizes", "lower", "upper"),
    "sensitivity pooled-covariance": ("sizes", "lower", "upper"),
}
"""What a command does not go far without."""


def suiting(parameter: click.Parameter) -> st.SearchStrategy[str]:
    """Values that suit a parameter, or might."""
    name = parameter.name or ""
    if isinstance(parameter.type, click.Choice):
        return st.sampled_from(list(parameter.type.choices))
    return st.sampled_from(SUITING.get(name, FEW if name in AS_LONG else NUMBERS))


def unfit(parameter: click.Parameter, moderate: bool = False) -> st.SearchStrategy[str]:
    """Values of the wrong kind, extreme and hostile ones; ``moderate`` leaves out numbers that are merely large."""
    name = parameter.name or ""
    if name == "project":
        return st.sampled_from([*PROJECTS, "people.csv", "folder.csv", "none.toml", *HOSTILE])
    if name in ("source", "data", "published", "truth"):
        return st.sampled_from([*BAD_SOURCES, *BAD_SOURCES, *HOSTILE])
    if isinstance(parameter.type, click.Path):
        return st.sampled_from([*JSON_FILES, *OUTPUTS, *CHARTS, *BAD_SOURCES, *HOSTILE])
    if moderate or name in AS_LONG:
        return st.sampled_from([*FEW_EXTREMES, *NAMES, *HOSTILE])
    return st.sampled_from([*EXTREMES, *NAMES, *HOSTILE])


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that does something, with the words that call it."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*path, name))


COMMANDS = dict(commands())
_WEIGHTS = {
    "release": 8,
    "release-statistics": 6,
    "assess": 5,
    "choose": 5,
    "card verify": 3,
    "compare": 3,
    "run": 3,
    "sequence": 2,
}
_OFTEN = [path for path in COMMANDS for _ in range(_WEIGHTS.get(" ".join(path), 1))]


def _quickly(words: tuple[str, ...], drawn: set[str]) -> list[str]:
    """``words`` without the options that are drawn, and their values."""
    kept: list[str] = []
    for place, word in enumerate(words):
        option = word if word.startswith("--") else words[place - 1]
        if option not in drawn:
            kept.append(word)
    return kept


def _one_in(many: int) -> st.SearchStrategy[bool]:
    return st.sampled_from([False] * (many - 1) + [True])


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """A command line."""
    path = draw(st.sampled_from(_OFTEN))
    words = [*path]
    parameters = COMMANDS[path].params
    needed = NEEDED.get(" ".join(path), ())
    chosen = [p for p in parameters if p.name in needed or isinstance(p, click.Argument)]
    others = [p for p in parameters if p not in chosen] or parameters
    chosen += draw(st.lists(st.sampled_from(others), max_size=draw(st.sampled_from([1, 2, 2, 3, 5]))))
    if draw(_one_in(12)):  # something needed is missing, or stands twice
        chosen = draw(st.lists(st.sampled_from(parameters), max_size=8))
    drawn = {text for parameter in chosen for text in parameter.opts}
    words += _quickly(QUICKLY.get(" ".join(path), ()), drawn)
    wild = draw(st.sets(st.integers(0, max(0, len(chosen) - 1)), max_size=draw(st.sampled_from([0, 0, 1, 1, 1, 3]))))
    positional: list[str] = []
    for place, parameter in enumerate(chosen):
        value = unfit(parameter, path[0] == "posterior") if place in wild else suiting(parameter)
        if isinstance(parameter, click.Argument):
            positional.append(draw(value))
        elif getattr(parameter, "is_flag", False):
            words.append(parameter.opts[0])
        else:
            words += [draw(st.sampled_from(parameter.opts)), draw(value)]
        if parameter.name in ("source", "data") and "://" in (positional or words)[-1]:
            words += ["--table", "people"]
    at = draw(st.sampled_from([len(path), len(words)]))
    words[at:at] = positional
    if draw(_one_in(40)):  # a word out of place
        words.insert(draw(st.integers(0, len(words))), draw(st.sampled_from([*HOSTILE, "--help", "--no-such", "-h"])))
    return Line(tuple(words))
