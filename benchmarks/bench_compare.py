"""`compare` of all disclosure avoidance systems: a file of 1,000 people, and Adult"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.former import against_former
from benchmarks.harness import ChildError, Setting, child, epsilens
from benchmarks.outcome import Missing, Outcome


def run(setting: Setting) -> Iterator[Outcome]:
    people = setting.folder / "to-compare.csv"
    child(epsilens("demo", "--write", people, "--rows", str(setting.size(1_000, 150))), setting.folder)
    few = () if not setting.quick else ("--repetitions", "3", "--systems", "laplace,suppression,swapping")
    asked = ("--qid", "age,sex", "--bins", "age=10", "--sensitive", "disease", "--ordered", "age", "--json", *few)
    adult = setting.adult()
    questions = {"1,000 people": (people, *asked)}  # in a quick run fewer, and what is quoted means nothing
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
        known = f"compare {name}"
        yield against_former(known, f"compare all systems on {name}, the whole command", found.seconds, found.mib)
