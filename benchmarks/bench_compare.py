"""`compare` of all disclosure avoidance systems: a file of 1,000 people, and Adult"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.harness import ChildError, Setting, child, epsilens
from benchmarks.outcome import Comparison, Missing, Outcome

FORMER = "27 s for 1,000 people and about 900 s for Adult in the version before this page (quoted, not run here)"
QUOTED = {"1,000 people": 27.0, "Adult": 900.0}


def run(setting: Setting) -> Iterator[Outcome]:
    people = setting.folder / "to-compare.csv"
    child(epsilens("demo", "--write", people, "--rows", str(setting.size(1_000, 150))), setting.folder)
    few = () if not setting.quick else ("--repetitions", "3", "--systems", "laplace,suppression,swapping")
    asked = ("--qid", "age,sex", "--bins", "age=10", "--sensitive", "disease", "--ordered", "age", "--json", *few)
    adult = setting.adult()
    questions = {"1,000 people": (people, *asked)}
    if adult.exists():
        questions["Adult"] = (
            adult,
            *("--qid", "age,education,marital-status,race,sex", "--bins", "age=10", "--ordered", "age"),
            *("--sensitive", "salary-class", "--json", *few),
        )
    else:
        yield Missing("compare all systems on Adult", "needs the data that EPSILENS_DATA points to")
    for name, words in questions.items():
        if setting.quick and name == "Adult":
            continue
        try:
            found = child(epsilens("compare", *words), setting.folder, limit=240.0)
        except ChildError as error:
            yield Missing(f"compare all systems on {name}", str(error), failed=True)
            continue
        yield Comparison(
            f"compare all systems on {name}, the whole command",
            found.seconds,
            "the version before this page (quoted, not run here)",
            QUOTED[name],
            target=10.0 if not setting.quick else None,
            difference=0.0,
            tolerance=0.0,
            ours_mib=found.mib,
            note="not the same run: the seconds beside ours were measured once, on two cores",
        )
