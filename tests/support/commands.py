"""Commands as processes of their own, which tests disturb while they run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import epsilens
from tests.support.signals import hear_ctrl_c

PATIENCE = 120.0
"""Seconds within which anything that a test waits for happens on a slow machine."""


@contextmanager
def started(words: Sequence[str], folder: Path, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """``epsilens`` with these words, in ``folder``, which also holds what it spills; ended when nobody waits for it."""
    where = {"TMPDIR": str(folder), "PYTHONPATH": str(Path(epsilens.__file__).parents[1])}
    where["JAVA_TOOL_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # less to compile
    environment = {**os.environ, **where, **options.pop("environment", {})}
    before = options.pop("before", ())
    with subprocess.Popen(
        [*before, sys.executable, "-m", "epsilens", *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=options.pop("preexec_fn", hear_ctrl_c),
        **options,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str], within: float = PATIENCE) -> tuple[int, str, str]:
    """The exit code, and what was printed and complained of."""
    out, err = process.communicate(timeout=within)
    return process.returncode, out, err


def eventually(holds: Callable[[], Any], within: float = PATIENCE) -> Any:
    """What ``holds`` gives as soon as it is true."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if found := holds():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


def complaint(err: str) -> str:
    """The one line of an error, without warnings; there is no other line."""
    lines = [line for line in err.splitlines() if line and not line.startswith("epsilens: warning: ")]
    assert len(lines) == 1, err
    assert lines[0].startswith("epsilens: ")
    return lines[0].removeprefix("epsilens: ")


def children_of(parent: int, named: str) -> list[int]:
    """The processes below another one whose command line has ``named`` in it."""
    by_parent: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        by_parent.setdefault(int(fields[1]), []).append(int(entry.name))
    found, look = [], [parent]
    while look:
        for child in by_parent.get(look.pop(), []):
            look.append(child)
            if named in command_of(child):
                found.append(child)
    return found


def command_of(process: int) -> str:
    """Its command line; empty where it has ended."""
    try:
        return (Path("/proc") / str(process) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def spilt(folder: Path) -> list[str]:
    """What commands that spill in ``folder`` have left there."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob("epsilens-*/*"))
