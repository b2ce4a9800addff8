"""Releases of neighbouring data, and everything of them that an outsider can see but the noise.

A *star* is a release (its command and its declarations) of one data set and of data sets beside it: one person more,
less or changed. Each is released through the command line as anybody would, with a ledger and files of its own, and
what can be seen is compared. Noise is drawn as always, so that whatever it stumbles over is seen, and then taken off:
so what is left does not hide behind chance.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from epsilens.cli import main
from epsilens.release.ledger import protocol
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.samplers import SecureNoise

NOISY = {
    "distance", "distance_in_units_of_the_data", "bias_if_the_released_value_were_true",
    "root_mean_squared_error_if_the_released_value_were_true", "moved_by_standard_errors_per_count",
    "off_the_nearest_by_standard_errors_at_most", "largest_total_bias",
}  # fmt: skip
"""What post-processing tells of the noisy numbers, or of how many there are."""
FRESH = {"id", "time", "release", "head", "sha256", "sealed_sha256", "salt", "row_salt", "content", "hash", "previous"}
"""What is different in every release of the same data."""


@dataclass(frozen=True)
class Star:
    """A release, the rows of its data, and the rows of every neighbour."""

    name: str
    header: str
    base: Sequence[str]
    neighbours: Mapping[str, Sequence[str]]
    command: Sequence[str]
    files: Mapping[str, Any] = field(default_factory=dict)
    """Declarations that are files."""
    shown: bool = True
    """Whether the rows that are shown are compared: a threshold may show a cell more or less, which is paid for."""


def beside(base: Sequence[str], odd: Mapping[str, str], substitute: bool = False) -> dict[str, list[str]]:
    """The neighbours of ``base`` by the kinds of rows that one person may have: more, one less, and changed to it.

    Where people come and go a change is two steps; two of them are enough there.
    """
    rows = list(base)
    found: dict[str, list[str]] = {}
    if not substitute:
        found |= {f"one more, {name}": [*rows, row] for name, row in odd.items()}
        if rows:
            found["one less"] = rows[:-1]
    changes = list(odd.items()) if substitute else list(odd.items())[:2]
    return found | ({f"changed, {name}": [*rows[:-1], row] for name, row in changes} if rows else {})


@dataclass(frozen=True)
class Seen:
    """What an outsider can see."""

    code: int
    out: str
    err: str
    files: Mapping[str, Any]
    card: Any
    text: str
    output: Any
    ledger: Any
    progress: Any
    rooms: Any


def differences(star: Star, folder: Path, patch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """For every neighbour what can be told from it: the names of what differs."""
    base = seen(star, star.base, folder / "base", patch)
    for i, (name, rows) in enumerate(star.neighbours.items()):
        found = seen(star, rows, folder / str(i), patch)
        differing = [part for part in Seen.__dataclass_fields__ if getattr(found, part) != getattr(base, part)]
        yield name, [f"{part}: {getattr(base, part)!r} / {getattr(found, part)!r}" for part in differing]


def seen(star: Star, rows: Sequence[str], folder: Path, patch: pytest.MonkeyPatch) -> Seen:
    """Release the rows in a folder of their own."""
    folder.mkdir(parents=True)
    patch.chdir(folder)
    Path("data.csv").write_text("\n".join([star.header, *rows]) + "\n", encoding="utf-8")
    for name, declared in star.files.items():
        Path(name).write_text(json.dumps(declared), encoding="utf-8")
    told: list[Any] = []
    rooms: list[int] = []
    book = ("--ledger", "b.db", "--account", "survey", "--out", "o.csv")
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as watched,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        warnings.catch_warnings(record=True) as warned,
    ):
        warnings.simplefilter("always")
        watched.setattr("epsilens.cli.terminal.working", _recorder(told))
        watched.setattr(protocol, "_claim", lambda _handle, room: rooms.append(room))
        watched.setattr(SecureNoise, "added", _without_noise)
        with pytest.raises(SystemExit) as stop:
            main([star.command[0], "data.csv", *star.command[1:], *book])
    code = int(stop.value.code or 0)
    told += [str(warning.message) for warning in warned]
    sizes = {
        path.name: path.stat().st_size if path.name in {"o.internal.json", "b.db"} else None
        for path in Path().iterdir()
        if path.name != "data.csv"
    }
    assert "o.internal.json" not in sizes or os.stat("o.internal.json").st_mode & 0o77 == 0  # noqa: PTH116
    card, text, output, ledger = None, "", None, None
    if Path("o.card.json").exists():
        card = _masked(json.loads(Path("o.card.json").read_text("utf-8")), star.shown)
        text = _plain(Path("o.card.md").read_text("utf-8"), star.shown)
        output = _output(Path("o.csv").read_text("utf-8"), star.shown)
    if Path("b.db").exists():
        ledger = [_masked(entry.to_dict(), star.shown) for entry in Ledger("b.db").chain().entries]
    return Seen(
        code, _plain(out.getvalue(), star.shown), _plain(err.getvalue(), star.shown), sizes, card, text, output, ledger,
        told, rooms,
    )  # fmt: skip


_added = SecureNoise.added


def _without_noise(self: SecureNoise, counts: Any, progress: Any = None) -> Any:
    """Noise is drawn and thrown away."""
    return counts.astype(_added(self, counts, progress).dtype)


def _recorder(told: list[Any]) -> Any:
    @contextmanager
    def working(what: str, total: int | None = None) -> Iterator[Any]:
        told.append((what, total))
        yield told.append

    return working


def _masked(plain: Any, shown: bool, inside: str = "") -> Any:
    """Plain values without what is fresh in every release, and without noisy numbers."""
    if isinstance(plain, list):
        return [_masked(item, shown, inside) for item in plain]
    if not isinstance(plain, dict):
        return plain
    noisy = NOISY | ({"value", "noisy", "lower", "upper"} if inside == "released" else set())
    noisy |= set() if shown else {"rows"}
    masked = {}
    for key, value in plain.items():
        if inside == "hashes" or key in noisy or (key in FRESH and not isinstance(value, dict)):
            masked[key] = "masked"
        else:
            masked[key] = _masked(value, shown, key)
    return masked


NUMBER = r"-?[0-9][0-9,.]*(?:e[+-]?[0-9]+)?"


def _plain(text: str, shown: bool) -> str:
    """Words without hashes, times and noisy numbers: those between a value and its interval, and what moved."""
    text = re.sub(r"[0-9a-f]{16,}", "#", text)
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z", "#", text)
    text = re.sub(r'"(time|id)": "[^"]*"', "#", text)
    text = re.sub(rf"\s{NUMBER}(\s+(?:[|] )?{NUMBER}[ |]+){NUMBER} to {NUMBER}", r" v \1 v to v", text)
    text = re.sub(rf"moved by {NUMBER}", "moved by v", text)
    if not shown:
        text = re.sub(rf"{NUMBER} (counts?|rows?)", "some", text)
    return re.sub(" +", " ", text)


def _output(text: str, shown: bool) -> Any:
    """The output without its noisy numbers: labels and standard errors."""
    header, *rows = text.splitlines()
    if not shown:
        return header
    noisy = [i for i, name in enumerate(header.split(",")) if name in {"count", "value", "noisy", "lower", "upper"}]
    return [header, *(",".join("v" if i in noisy else cell for i, cell in enumerate(_cells(row))) for row in rows)]


def _cells(row: str) -> list[str]:
    import csv

    return next(csv.reader([row]))
