"""Which large libraries each of some command lines loads, every one of them in a process that has loaded none.

``python -m tests.support.loaded_libraries`` reads command lines, a list of words each, as JSON and writes what each has
loaded. The processes are forks of one that has imported nothing but the command line itself.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

LARGE = (
    "numpy",
    "scipy.special",
    "scipy.optimize",
    "scipy.stats",
    "pandas",
    "duckdb",
    "ibis",
    "pyarrow",
    "rich",
    "altair",
    "opendp",
    "sklearn",
    "dp_accounting",
    "jsonschema",
    "polars",
    "streamlit",
)


def loaded(lines: Sequence[Sequence[str]], folder: Path) -> list[set[str]]:
    """What each command line has loaded, run in ``folder``; each must end with 0."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.loaded_libraries"],
        input=json.dumps([list(line) for line in lines]),
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])},
    )
    answers = json.loads(done.stdout)
    for line, (code, said, _) in zip(lines, answers, strict=True):
        assert code == 0, f"{' '.join(line)}: {said}"
    return [set(found) for _, _, found in answers]


def _answered(words: list[str]) -> tuple[object, str, list[str]]:
    from epsilens.cli.main import main

    said = io.StringIO()
    code: object = 0
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        try:
            main(words)
        except SystemExit as end:
            code = end.code or 0
    return code, said.getvalue(), [name for name in LARGE if name in sys.modules]


def _forked(words: list[str]) -> object:
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, json.dumps(_answered(words)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found = json.load(answer)
    os.wait()
    return found


if __name__ == "__main__":
    assert not {*LARGE} & {*sys.modules}
    print(json.dumps([_forked(words) for words in json.load(sys.stdin)]))
