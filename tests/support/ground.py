"""A folder of small inputs of every format, whole and broken, and what must hold after a command line ran in it.

Some inputs are full of a token that stands for a person's value. After every line: exit code 0 or 2 (or 3 of
choose, or of run), one line on stderr, no traceback, no token, whatever was written is whole, nothing temporary is
left, and every ledger verifies.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import gzip
import io
import json
import os
import shutil
import sqlite3
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from epsilens.cli import main
from epsilens.project import Project
from epsilens.release.ledger.ledger import Ledger

TOKEN = "zqx31337"
"""A person's value."""
EXIT_CODES = {0, 2}
NO_BUDGET = 3
"""The exit code of ``choose`` alone, where no budget keeps the ceiling."""

COLUMNS = ("person", "age", "sex", "region", "tract", "bmi", "ill", "income")


def _people() -> list[tuple[str, ...]]:
    return [
        (
            f"p{i // 2}",
            str(20 + 7 * i % 60),
            "fm"[i % 2],
            ("north", "south", "west")[i % 3],
            f"t{i % 3}{i % 2}",
            "" if i % 9 == 0 else str(18 + i % 20),
            ("yes", "no", "no", "unknown")[i % 4],
            ("low", "high")[i * i % 5 % 2],
        )
        for i in range(48)
    ]


def _text(rows: Sequence[Sequence[str]], delimiter: str = ",") -> str:
    return "".join(f"{delimiter.join(row)}\n" for row in rows)


UNIVERSE: dict[str, Any] = {
    "sex": ["f", "m", "x"],
    "ill": ["yes", "no", "unknown"],
    "income": ["low", "high"],
    "age": {"from": 0, "to": 100},
    "region": ["north", "south", "west"],
    "tract": [f"t{i}{j}" for i in range(3) for j in range(2)],
}
NESTED = [[region, f"t{i}{j}"] for i, region in enumerate(UNIVERSE["region"]) for j in range(2)]
DECLARED = {
    "u.json": UNIVERSE,
    "nested.json": {"region,tract": NESTED, **{name: UNIVERSE[name] for name in ("sex", "ill", "income", "age")}},
    "narrow.json": {**UNIVERSE, "sex": ["f"], "ill": ["yes", "no"]},
    "zeros.json": [{"sex": "m", "ill": "unknown"}],
    "h.json": {"north": "land", "south": "land", "west": "land"},
    "stats.json": [{"kind": "mean", "column": "age", "lower": 0, "upper": 100}],
    "tree.json": {"noisy": [[2, 0, 1], [3]], "parents": [[0, 0, 0]], "rho": [0.1, 0.2]},
    "plan.json": {
        "source": "people.csv",
        "qid": ["sex", "region"],
        "mechanism": "laplace",
        "releases": [
            {"name": "sizes", "sizes": True, "epsilon": 0.5},
            {"name": "ill", "sensitive": "ill", "epsilon": 1, "parent": "sizes"},
        ],
    },
    "list.json": [],
    "empty.json": {},
}
BROKEN: dict[str, bytes] = {
    "empty.csv": b"",
    "header.csv": b"age,sex,ill\n",
    "ragged.csv": f"age,sex,ill\n1,f,{TOKEN}\n2,{TOKEN}\n".encode(),
    "quotes.csv": f'age,sex,ill\n1,f,yes\n2,"{TOKEN},no\n'.encode(),
    "latin.csv": b"age,sex,ill\n1,f,\xff" + TOKEN.encode() + b"\n2,m,no\n",
    "utf16.csv": "age,sex,ill\n1,f,yes\n".encode("utf-16"),
    "nul.csv": b"age,sex,ill\n1,f,\0" + TOKEN.encode() + b"\n",
    "twice.csv": b"age,sex,sex,ill\n1,f,m,yes\n2,m,f,no\n",
    "headless.csv": f"{TOKEN},f,{TOKEN}\n1,f,yes\n".encode(),
    "cut.parquet": b"PAR1" + TOKEN.encode() + b"PAR1",
    "cut.csv.gz": gzip.compress(b"age,sex,ill\n1,f,yes\n" * 50)[:40],
    "broken.db": b"SQLite format 3\0" + TOKEN.encode() * 200,
    "twice.json": b'{"sex": ["f"], "sex": ["m"]}',
    "deep.json": b"[" * 100_000,
    "latin.json": b'{"sex": ["\xff"]}',
    "odd.json": b'{"sex": [["f"], {}], "ill": {"from": "a", "to": NaN}, "age": {"from": 1e400, "to": 3}}',
    "odd.list.json": b'[{"sex": null}, 3, {"kind": "mean"}, {"kind": "variance", "column": 3}]',
}


_GOOD = """schema = 1 # the first
[data]
source = "people.csv"
quasi_identifiers = ["sex", "region"]
sensitive = "ill"
bins = {age = 20}
[data.universe]
sex = ["f", "m", "x"]
ill = ["yes", "no", "unknown"]
region = ["north", "south", "west"]
[noise]
epsilons = 1
[ledger]
ledger = "b.db"
account = "survey"
[choose]
max_risk = 0.5
[compare]
systems = "laplace"
repetitions = 2
no_classify = true
[posterior.release]
levels = "tract,region"
by = ["sex"]
rho = [0.1, 0.2]
[release]
epsilon = 0.5
one_row_per_person = true
out = "new.csv"
"""
PROJECTS: dict[str, bytes] = {
    "p.toml": _GOOD.encode(),
    "planted.toml": _GOOD.replace("people.csv", "planted.csv").encode(),
    "database.toml": b'[data]\nsource = "sqlite://people.db"\ntable = "people"\nfingerprint = "2020-01-01 whole 0"\n',
    "empty.toml": b"",
    "key.toml": b"[choose]\nmax_risc = 0.5\n",
    "type.toml": b"[choose]\nmax_risk = [0.5]\n",
    "twice.toml": b"[data]\n[data]\n",
    "syntax.toml": b"[data\n" + TOKEN.encode(),
    "table.toml": _text([COLUMNS, (TOKEN,) * len(COLUMNS)]).encode(),
    "binary.toml": b"[data]\nsource = '\xff" + TOKEN.encode() + b"'",
    "newer.toml": b"schema = 99\n",
    "deep.toml": b"a = " + b"[" * 3_000,
}
"""Project files, whole and broken."""


def inputs(folder: Path) -> None:
    """Small inputs of every format, whole and broken, a ledger, and a release with its card."""
    rows = [COLUMNS, *_people()]
    text = _text(rows)
    (folder / "people.csv").write_text(text)
    (folder / "people.tsv").write_text(_text(rows, "\t"))
    (folder / "people.csv.gz").write_bytes(gzip.compress(text.encode()))
    for number, part in enumerate((rows[1:20], rows[20:])):
        (folder / f"part-{number}.csv").write_text(_text([COLUMNS, *part]))
    pq.write_table(pa.csv.read_csv(folder / "people.csv"), folder / "people.parquet")
    planted = [COLUMNS, *_people(), tuple(f"{TOKEN}{name}" for name in COLUMNS), (TOKEN,) * len(COLUMNS)]
    (folder / "planted.csv").write_text(_text(planted))
    frame = pa.table({name: [row[j] for row in planted[1:]] for j, name in enumerate(COLUMNS)})
    pq.write_table(frame, folder / "planted.parquet")
    with contextlib.closing(sqlite3.connect(folder / "people.db")) as connection:
        for name, found in (("people", rows), ("planted", planted)):
            connection.execute(f"CREATE TABLE {name} ({', '.join(COLUMNS)})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(COLUMNS))})", found[1:])
        connection.commit()
    with contextlib.closing(duckdb.connect(str(folder / "people.duckdb"))) as engine:
        engine.execute("CREATE TABLE people AS SELECT * FROM read_csv(?)", [str(folder / "people.csv")])
        engine.execute("CREATE TABLE planted AS SELECT * FROM read_parquet(?)", [str(folder / "planted.parquet")])
    cells = sorted({(sex, region, ill) for _, _, sex, region, _, _, ill, _ in _people()})
    counts = [("sex", "region", "ill", "n"), *((*cell, str(i % 5)) for i, cell in enumerate(cells, 1))]
    (folder / "counts.csv").write_text(_text(counts))
    for name, declared in DECLARED.items():
        (folder / name).write_text(json.dumps(declared))
    for name, raw in (BROKEN | PROJECTS).items():
        (folder / name).write_bytes(raw)
    (folder / "folder.csv").mkdir()
    for ledger, out in (("b.db", "o.csv"), ("other.db", "p.csv")):
        line = (
            "release people.csv --columns sex,ill --universe u.json --epsilon 0.5 --account survey "
            f"--total-epsilon 1000 --one-row-per-person --ledger {ledger} --out {out}"
        )
        assert Line(tuple(line.split())).run(folder).code == 0
    card = json.loads((folder / "o.card.json").read_text())
    card["budget"]["cost"]["epsilon"] = "0.4"
    (folder / "changed.card.json").write_text(json.dumps(card))


# -- running ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """What a line left behind."""

    code: object
    out: str
    err: str


@dataclass(frozen=True)
class Line:
    """A command line without the name of the program."""

    words: tuple[str, ...]

    def run(self, folder: Path) -> Outcome:
        """Run it in ``folder``, with warnings as whoever calls the program has them."""
        out, err, before = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO(), Path.cwd()
        os.chdir(folder)
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                warnings.simplefilter("default")
                main(list(self.words))
        except SystemExit as stop:
            code: object = stop.code
        finally:
            os.chdir(before)
        out.flush()
        return Outcome(code, out.buffer.getvalue().decode(), err.getvalue())


@dataclass
class Ground:
    """A folder of inputs in which lines run; what one of them changes is looked at and put back."""

    folder: Path
    pristine: Path
    _states: dict[str, tuple[int, int]] = field(default_factory=dict)

    @staticmethod
    def made(root: Path) -> Ground:
        """A folder below ``root``."""
        folder, pristine = root / "work", root / "pristine"
        folder.mkdir()
        inputs(folder)
        shutil.copytree(folder, pristine)
        ground = Ground(folder, pristine)
        ground._states = ground._now()
        return ground

    def check(self, line: Line) -> Outcome:
        """Run a line, and see that everything that must hold after it does."""
        outcome = line.run(self.folder)
        problems = [*_said_problems(line, outcome), *self._left_problems(outcome)]
        assert not problems, f"{list(line.words)}: {problems}\n{outcome.err[-1500:]}"
        return outcome

    def _now(self) -> dict[str, tuple[int, int]]:
        with os.scandir(self.folder) as found:
            return {entry.name: (entry.stat().st_mtime_ns, entry.stat().st_size) for entry in found}

    def _left_problems(self, outcome: Outcome) -> list[str]:
        """What is wrong with files that are new or changed; the folder is then as it was."""
        now = self._now()
        problems = []
        for name in sorted(self._states.keys() | now.keys()):
            if self._states.get(name) == now.get(name):
                continue
            path, original = self.folder / name, self.pristine / name
            if name not in now:
                problems.append(f"{name} is gone")
            for file in _files_of(path):
                if (reason := file_problem(file)) is not None:
                    problems.append(f"{file.relative_to(self.folder)}: {reason}")
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
            if original.is_file():
                shutil.copy2(original, path)
        self._states |= {name: state for name, state in self._now().items() if name in self._states}
        return problems


def _said_problems(line: Line, outcome: Outcome) -> list[str]:
    """What is wrong with an exit code and with what was said."""
    problems = []
    if outcome.code not in EXIT_CODES and not (outcome.code == NO_BUDGET and line.words[0] in ("choose", "run")):
        problems.append(f"exit code {outcome.code}")
    if "Traceback" in outcome.err + outcome.out:
        problems.append("a traceback")
    if TOKEN in outcome.err:
        problems.append("a person's value on stderr")
    said = [text for text in outcome.err.splitlines() if not text.startswith("epsilens: warning: ")]
    told = [text for text in said if not text.startswith("epsilens: ")]
    if outcome.code == 2 and (not said or told):
        problems.append("not one clear line")
    if outcome.code == 2 and len(said) > 1:
        problems.append(f"{len(said)} lines")
    if outcome.code != 2 and "--json" in line.words and not {"--help", "-h"} & set(line.words):
        try:
            json.loads(outcome.out, parse_constant=lambda text: ast.literal_eval(f"{text}!"))
        except (ValueError, SyntaxError):
            if outcome.out and "--write" not in line.words:
                problems.append("no JSON on stdout")
    return problems


def _files_of(path: Path) -> list[Path]:
    """A file, or those of a folder that was written."""
    return [file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path] * path.exists()


def file_problem(path: Path) -> str | None:
    """Why a file is not whole; nothing where it is. A ledger may have any name."""
    with path.open("rb") as stream:
        is_database = stream.read(16) == b"SQLite format 3\0"
    reader = WHOLE.get("db" if is_database else path.name.rpartition(".")[2].lower())
    if reader is None:
        return "a file that nobody asked for"
    try:
        reader(path)
    except Exception as problem:
        return f"not whole ({type(problem).__name__}: {problem})"
    return None


def _whole_csv(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, strict=True))
    assert len({len(row) for row in rows}) == 1  # a release may show no cell, but has its header


def _ends(path: Path, beginning: bytes, end: bytes) -> None:
    raw = path.read_bytes()
    assert raw.startswith(beginning)
    assert raw.rstrip().endswith(end)


def _whole_ledger(path: Path) -> None:
    Ledger(path).chain()
    assert not list(path.parent.glob(f"{path.name}-*"))


WHOLE: dict[str, Any] = {
    "csv": _whole_csv,
    "parquet": pq.read_table,
    "json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    "md": lambda path: _ends(path, b"#", b""),
    "svg": ET.parse,
    "html": lambda path: _ends(path, b"<", b"</html>"),
    "png": lambda path: _ends(path, b"\x89PNG", b"IEND\xaeB`\x82"),
    "py": lambda path: ast.parse(path.read_text(encoding="utf-8")),
    "db": _whole_ledger,
    "toml": Project.load,
}
"""How a file of each kind shows that it is whole."""
