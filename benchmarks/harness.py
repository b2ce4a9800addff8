"""How benchmarks measure: both sides by turns, from cold caches alike, and commands in processes of their own."""

from __future__ import annotations

import functools
import gc
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from benchmarks.outcome import Missing

Ours = TypeVar("Ours")
Theirs = TypeVar("Theirs")
LAUNCH = Path(__file__).with_name("launch.py")
REPOSITORY = Path(__file__).resolve().parents[1]
_COLD = tuple(f"epsilens.{room}" for room in ("noise", "homogeneity", "posterior", "choice", "accounting", "release"))


@dataclass(frozen=True)
class Setting:
    """Where and how large: what every benchmark is given."""

    folder: Path
    """For data made on the fly; benchmarks of one run share it, and it is removed at the end."""
    quick: bool = False

    def size(self, full: int, quick: int) -> int:
        """One size or the other."""
        return quick if self.quick else full

    @property
    def data(self) -> Path:
        """The real data; absent on a machine that has none."""
        return Path(os.environ.get("EPSILENS_DATA", REPOSITORY.parent / "shared" / "data"))

    def adult(self) -> Path:
        return self.data / "adult.csv"

    def no_adult(self, name: str) -> Missing | None:
        """A line instead of a benchmark, where the real data are not here."""
        return None if self.adult().exists() else Missing(name, "needs the data that EPSILENS_DATA points to")


@dataclass(frozen=True)
class Timed(Generic[Ours, Theirs]):
    """Medians of interleaved runs, and the last answers."""

    ours_seconds: float
    peer_seconds: float
    runs: int
    ours: Ours
    theirs: Theirs

    @property
    def seconds(self) -> dict[str, Any]:
        """The fields of a comparison that follow."""
        return {"ours_seconds": self.ours_seconds, "peer_seconds": self.peer_seconds, "runs": self.runs}


def by_turns(
    ours: Callable[[], Ours],
    peer: Callable[[], Theirs],
    runs: int = 5,
    at_most: float = 60.0,
    before: Callable[[], object] | None = None,
) -> Timed[Ours, Theirs]:
    """Median seconds of both sides, run by turns so that whatever else the machine does disturbs both.

    An odd number of runs, at most ``runs``, and only so many as ``at_most`` seconds in all will hold. Before every run
    memory is collected and what Epsilens remembers of earlier ones is forgotten; ``before`` is called before each pair,
    and its time is not counted.
    """
    pairs: list[tuple[float, float]] = []
    begun = time.perf_counter()
    while True:
        if before is not None:
            before()
        seconds, found = _once(ours)
        peer_seconds, theirs = _once(peer)
        pairs.append((seconds, peer_seconds))
        if len(pairs) >= runs or ((time.perf_counter() - begun) * (1 + 2 / len(pairs)) > at_most and len(pairs) % 2):
            break
    medians = [statistics.median(values) for values in zip(*pairs, strict=True)]
    return Timed(medians[0], medians[1], len(pairs), found, theirs)


def alone(work: Callable[[], Ours], runs: int = 3, at_most: float = 30.0) -> tuple[float, Ours]:
    """Median seconds of one side, for how a time grows, and the last answer."""
    seconds: list[float] = []
    while not seconds or (len(seconds) < runs and sum(seconds) * (1 + 2 / len(seconds)) <= at_most):
        one, found = _once(work)
        seconds.append(one)
    return statistics.median(seconds), found


def _once(work: Callable[[], Ours]) -> tuple[float, Ours]:
    forget()
    gc.collect()
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def forget() -> None:
    """Empty the caches of formulas, so that a second run computes what a first one did; engines stay open."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and str(one.__module__).startswith(_COLD):
            one.cache_clear()


@dataclass(frozen=True)
class Child:
    """What a process of its own took, and what it printed."""

    seconds: float
    cpu_seconds: float
    mib: float
    printed: str


class ChildError(RuntimeError):
    """A process that failed: its last line says why."""


def child(command: Sequence[str | Path], folder: Path, limit: float = 600.0) -> Child:
    """Run a command from a small process, so that its peak memory is its own; the time is from fork to exit."""
    out, err = folder / "child.out", folder / "child.err"
    words = [sys.executable, "-I", "-S", str(LAUNCH), str(out), str(err), *map(str, command)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env=environment(), start_new_session=True
    ) as running:
        try:
            printed, _ = running.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            raise ChildError(f"stopped after {limit:.0f} seconds") from None
        except BaseException:  # Ctrl-C does not reach a session of its own
            os.killpg(running.pid, signal.SIGKILL)
            raise
    seconds, cpu, mib, code = (float(word) for word in printed.split())
    if code:
        lines = err.read_text(errors="replace").strip().splitlines()
        raise ChildError(lines[-1] if lines else f"exit code {code:.0f}")
    return Child(seconds, cpu, mib, out.read_text())


def epsilens(*words: str | Path) -> list[str]:
    """The command line of Epsilens with these words."""
    return [sys.executable, "-m", "epsilens", *map(str, words)]


def python(*words: str | Path) -> list[str]:
    """This Python with these words."""
    return [sys.executable, *map(str, words)]


def environment() -> dict[str, str]:
    """That of this process, in which the benchmarks and this source of Epsilens are found.

    What is imported is kept compiled, as that of installed packages is: otherwise one side would compile at each start.
    """
    paths = [str(REPOSITORY / "src"), str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**own, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@dataclass(frozen=True)
class Turned:
    """Two commands by turns: medians of their times, and the largest of their memories."""

    ours: Child
    peer: Child
    runs: int

    @property
    def measured(self) -> dict[str, Any]:
        """The fields of a comparison that follow."""
        return {
            "ours_seconds": self.ours.seconds,
            "peer_seconds": self.peer.seconds,
            "ours_mib": self.ours.mib,
            "peer_mib": self.peer.mib,
            "runs": self.runs,
        }


def commands_by_turns(
    ours: Sequence[str | Path],
    peer: Sequence[str | Path],
    folder: Path,
    runs: int = 3,
    at_most: float = 60.0,
    limit: float = 600.0,
) -> Turned:
    """:func:`by_turns` of two commands, each in a new process every time."""
    found: tuple[list[Child], list[Child]] = ([], [])
    timed = by_turns(
        lambda: found[0].append(child(ours, folder, limit)),
        lambda: found[1].append(child(peer, folder, limit)),
        runs,
        at_most,
    )
    return Turned(_middle(found[0]), _middle(found[1]), timed.runs)


def _middle(children: Sequence[Child]) -> Child:
    return Child(
        statistics.median(one.seconds for one in children),
        statistics.median(one.cpu_seconds for one in children),
        max(one.mib for one in children),
        children[-1].printed,
    )


@contextmanager
def cores(number: int) -> Iterator[int]:
    """Run with at most so many cores, both sides alike; the number there are, if they are fewer."""
    if not hasattr(os, "sched_setaffinity"):
        yield os.cpu_count() or 1
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(before)[:number]))
    try:
        yield min(number, len(before))
    finally:
        os.sched_setaffinity(0, before)


def n_cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
