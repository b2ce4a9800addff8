"""Releases of tables at every limit that a single person may cross."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.support.neighbours import Star, beside

ONE = ("--one-row-per-person",)
LEVELS = {"a": ["x", "y"], "s": ["u", "v"]}
MECHANISMS: Mapping[str, tuple[str, ...]] = {
    "discrete-laplace": ("--epsilon", "1", "--total-epsilon", "4"),
    "discrete-gaussian": ("--mechanism", "discrete-gaussian", "--rho", "0.2", "--total-rho", "1"),
    "laplace": ("--mechanism", "laplace", "--allow-continuous", "--epsilon", "1", "--total-epsilon", "4"),
    "gaussian": ("--mechanism", "gaussian", "--allow-continuous", "--rho", "0.2", "--total-rho", "1"),
}
THRESHOLD = ("--threshold-delta", "1e-6", "--epsilon", "1", "--total-epsilon", "2", "--total-delta", "1e-3")
MIXED = ["x,u"] * 9 + ["x,v"] * 4 + ["y,u"] * 7
ODD = {
    "declared": "y,v",
    "a level that nobody declared": "z,u",
    "a label that nobody declared": "x,w",
    "missing": ",u",
    "missing label": "x,",
    "missing altogether": ",",
}
FEW = {name: ODD[name] for name in ("declared", "a level that nobody declared", "missing label")}


def tables() -> list[Star]:
    """Every star of tables."""
    return [*_universes(), *_thresholds(), *_several(), *_declarations(), *_people(), *_counts()]


def _star(
    name: str, base: Sequence[str], odd: Mapping[str, str], *more: str, header: str = "a,s", **files: object
) -> Star:
    neighbours = beside(base, odd, "substitute" in more)
    command = ("release", "--columns", header.removeprefix("who,"), *more)
    return Star(name, header, base, neighbours, command, {f"{key}.json": value for key, value in files.items()})


def _universe(name: str, base: Sequence[str], odd: Mapping[str, str], *more: str) -> Star:
    return _star(name, base, odd, "--universe", "u.json", *ONE, *more, u=LEVELS)


def _universes() -> list[Star]:
    choices = {"laplace": ("--round",), "gaussian": ("--non-negative",)}
    stars = [
        _universe(
            f"universe, {name}", MIXED, ODD if name == "discrete-laplace" else FEW, *spent, *choices.get(name, ())
        )
        for name, spent in MECHANISMS.items()
    ]
    spent = MECHANISMS["discrete-laplace"]
    return [
        *stars,
        _universe("universe, nobody", [], ODD, *spent),
        _universe("universe, one person", ["x,u"], FEW, *spent),
        _universe("universe, all alike", ["x,u"] * 30, FEW, *spent),
        _universe("universe, nobody fits", ["z,w"] * 3, FEW, *spent),
        _universe("universe, substitute", MIXED, ODD, *spent, "--neighbours", "substitute"),
    ]


def _thresholds() -> list[Star]:
    at = 15  # the threshold of these budgets, see the test of it
    issue = Star(
        "threshold, two labels of which one has a single value",
        "a,s,t",
        ["x,u,p"] * 60 + ["x,u,q"] * 60,
        beside(["x,u,p"] * 60 + ["x,u,q"] * 60, {"another": "x,v,p", "and another": "x,v,r", "missing": "x,,"}),
        ("release", "--columns", "a,s,t", "--sensitive", "s,t", *ONE, *THRESHOLD),
    )
    limit, three, some = ["x,u"] * at, ["x,u", "x,v", "x,w"] * 40, {"a": ["x", "y"]}
    return [
        _star("threshold, all alike", ["x,u"] * 100, ODD, *ONE, *THRESHOLD),
        _star("threshold, nobody", [], FEW, *ONE, *THRESHOLD),
        _star("threshold, one person", ["x,u"], FEW, *ONE, *THRESHOLD),
        _star("threshold, as many labels as are assessed", three, {"one more": "x,q"}, *ONE, *THRESHOLD),
        _star("threshold, some declared", MIXED * 5, FEW, "--universe", "u.json", *ONE, *THRESHOLD, u=some),
        issue,
        Star(
            "threshold, at the threshold", "a,s", limit, beside(limit, {"one more": "x,u", "another": "x,v"}),
            ("release", "--columns", "a,s", *ONE, *THRESHOLD), shown=False,
        ),
    ]  # fmt: skip


def _several() -> list[Star]:
    marginals = ("--marginal", "a", "--marginal", "a,s", "--marginal", "total")
    spent = MECHANISMS["discrete-laplace"]
    nested = {"county,tract": [["c", "1"], ["c", "2"], ["d", "3"]], "s": ["u", "v"]}
    people = ["c,1,u"] * 8 + ["c,2,v"] * 5 + ["d,3,u"] * 6
    elsewhere = {"on the path": "d,3,v", "off the path": "d,1,u", "nowhere": "e,1,u", "missing": "c,,u"}
    levels = ("--universe", "u.json", "--levels", "tract,county", "--consistent", *ONE)
    ages = ["3,u", "14,u", "25,v", "37,v", "38,u"]
    older = {"declared": "31,v", "beyond the end": "40,u"}
    tree = ("--universe", "u.json", "--bins", "age=5", "--tree", "age", *ONE)
    declared = {"age": {"from": 0, "to": 40}, "s": ["u", "v"]}
    public = ("--neighbours", "substitute", "--public-total", "5", "--fan-out", "3", "--non-negative")
    return [
        _star("tree", ages, older, *tree, *spent, header="age,s", u=declared),
        _star("tree below a public total", ages, older, *tree, *spent, *public, header="age,s", u=declared),
        _universe("marginals", MIXED, FEW, *spent, *marginals),
        _universe("marginals that agree", MIXED, FEW, *MECHANISMS["discrete-gaussian"], *marginals, "--consistent"),
        _universe("marginals, nobody", [], FEW, *spent, *marginals, "--consistent", "--non-negative"),
        _star("levels", people, elsewhere, *levels, *spent, header="county,tract,s", u=nested),
        _star(
            "levels, not negative", people, elsewhere, *levels, "--non-negative", *MECHANISMS["discrete-gaussian"],
            header="county,tract,s", u=nested,
        ),
        _star("levels, nobody", [], elsewhere, *levels, *spent, header="county,tract,s", u=nested),
    ]  # fmt: skip


def _declarations() -> list[Star]:
    spent = MECHANISMS["discrete-laplace"]
    ages = ["23,u", "24,u", "59,v", "20,v"]
    odd = {
        "at the end": "60,u",
        "beyond the end": "65,u",
        "below": "19,v",
        "not a number": "old,u",
        "endless": "1e30,u",
        "missing": ",u",
    }
    other = {name: odd[name] for name in ("below", "not a number", "missing")}
    binned = ("--universe", "u.json", "--bins", "age=5", *ONE)
    zeros = ("--universe", "u.json", "--structural-zeros", "z.json", *ONE)
    long = ["a" * 20_000, "b" * 20_000]
    return [
        _star(
            "names of any length", MIXED, FEW, "--universe", "u.json", *ONE, *spent, header=",".join(long),
            u={long[0]: ["x", "y"], long[1]: ["u", "v"]},
        ),
        _star("bins", ages, odd, *binned, *spent, header="age,s", u={"age": {"from": 20, "to": 60}, "s": ["u", "v"]}),
        _star("bins between edges, threshold", ages * 20, odd, "--bins", "age=20|40", *ONE, *THRESHOLD, header="age,s"),
        _star(
            "structural zeros", MIXED, {"impossible": "y,v", **FEW}, *zeros, *spent, u=LEVELS,
            z=[{"a": "y", "s": "v"}],
        ),
        _universe("texts that mean missing", MIXED, {"missing": "?,u", "not": "x,u"}, *spent, "--missing-value", "?"),
        _universe("conditions on rows", MIXED, FEW, *spent, "--where", "a=x", "--where", "s!="),
        _universe("conditions that nobody passes", MIXED, {"passes": "q,u"}, *spent, "--where", "a=q"),
        _star(
            "numbers compared, threshold", ages * 20, other, "--bins", "age=20|40]", "--where", "age>=20",
            *ONE, *THRESHOLD, header="age,s",
        ),
        _star(
            "missing values dropped and replaced, threshold", MIXED * 5, FEW, "--missing", "a=drop", "--missing", "s=w",
            *ONE, *THRESHOLD,
        ),
    ]  # fmt: skip


def _people() -> list[Star]:
    spent = MECHANISMS["discrete-laplace"]
    rows = ["1,x,u", "1,x,v", "2,y,u", "3,x,u", "3,y,u"]
    odd = {
        "another person": "4,y,v",
        "a third row of somebody": "1,y,v",
        "a second row": "2,x,v",
        "of nobody": ",x,u",
        "of somebody, and not declared": "1,z,u",
        "of nobody, and missing": ",,",
    }
    bound = ("--unit", "who", "--max-rows", "2")
    wide, levels = [f"{i},x,u" for i in range(80)], ("--universe", "u.json")
    return [
        _star("several rows", rows, odd, *levels, *bound, *spent, header="who,a,s", u=LEVELS),
        _star("several rows, one kept", rows, odd, *levels, *bound[:2], *spent, header="who,a,s", u=LEVELS),
        _star("several rows, threshold", wide, odd, *bound, *THRESHOLD, header="who,a,s"),
    ]  # fmt: skip


def _counts() -> list[Star]:
    """Neighbours of a table of counts have one count that differs by one."""
    spent = MECHANISMS["discrete-laplace"]
    counting = ("release", "--columns", "a,s", "--count", "n", *ONE)
    limits = [0, 2**53, 2**63 - 1, 10**30 - 1]
    stars = []
    for spelt, command, more in (
        ("universe", ("--universe", "u.json", *spent), {"u.json": LEVELS}),
        ("threshold", THRESHOLD, {}),
        ("laplace", ("--universe", "u.json", *MECHANISMS["laplace"]), {"u.json": LEVELS}),
    ):
        for limit in limits if spelt == "universe" else limits[1:2]:
            base = [f"x,u,{limit}", "y,v,50"]
            beside_it = {
                "one person more": [f"x,u,{limit + 1}", "y,v,50"],
                "elsewhere": [f"x,u,{limit}", "y,v,51"],
            }
            if limit > 0:
                beside_it["one person less"] = [f"x,u,{limit - 1}", "y,v,50"]
            name = f"counts of {limit}, {spelt}"
            stars.append(
                Star(
                    name,
                    "a,s,n",
                    base,
                    beside_it,
                    ("release", "--columns", "a,s", "--count", "n", *ONE, *command),
                    more,
                )
            )
    odd = {"negative": "x,u,-1", "a fraction": "x,u,0.5", "not a number": "x,u,many", "missing": "x,u,"}
    base = ["x,u,5", "y,v,50"]
    neighbours = {name: [*base, row] for name, row in odd.items()}
    command = (*counting, "--universe", "u.json", *spent)
    many = [f"x,u,{2**53}"] * 1100
    return [
        *stars,
        Star("counts that are none", "a,s,n", base, neighbours, command, {"u.json": LEVELS}),
        Star(
            "counts that add up to too many", "a,s,n", many,
            {"one more": [*many, "x,u,1"], "one elsewhere": [*many, "y,u,1"]}, command, {"u.json": LEVELS},
        ),
    ]  # fmt: skip
