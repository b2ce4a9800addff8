"""A sequence of releases that add up to one another, at a million people"""

from __future__ import annotations

import json
from collections.abc import Iterator

from benchmarks import people
from benchmarks.former import against_former
from benchmarks.harness import Setting, child, epsilens
from benchmarks.outcome import Growth, Outcome


def run(setting: Setting) -> Iterator[Outcome]:
    sizes = (10_000, 100_000, 1_000_000) if not setting.quick else (500, 2_000)
    seconds, mib = [], []
    for size in sizes:
        plan = {
            "source": people.people(setting.folder, size),
            "qid": list(people.QIDS[:4]),
            "bins": {"age": 10},
            "mechanism": "laplace",
            "releases": [
                {"name": "sizes", "sizes": True, "epsilon": 0.5},
                {"name": "disease", "sensitive": "disease", "epsilon": 1, "parent": "sizes"},
                {"name": "both", "sensitive": ["disease", "education"], "epsilon": 1, "parent": "disease"},
            ],
        }
        path = setting.folder / f"plan-{size}.json"
        path.write_text(json.dumps(plan))
        found = child(epsilens("sequence", path, "--json"), setting.folder, limit=300.0)
        seconds.append(found.seconds)
        mib.append(found.mib)
    yield Growth(
        "a sequence of three releases with parents, the whole command",
        "rows",
        sizes,
        tuple(seconds),
        ours_mib=tuple(mib),
        target=1.1,
    )
    if not setting.quick:
        yield against_former("sequence", f"a sequence with parents at {sizes[-1]:,} people", seconds[-1], mib[-1])
