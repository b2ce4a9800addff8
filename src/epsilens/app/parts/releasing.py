"""Releases that are made once: neither a second click nor a reload nor another tab makes one again.

A browser may ask again at any instant, and Streamlit then stops the run of the script that is under way. So a release
runs in a thread of its own, which nobody stops, and is known by all that was asked for: whoever asks for the same finds
it under way, or done.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from epsilens.app.parts.asking import sentence
from epsilens.errors import EpsilensError
from epsilens.release.tables.release import Released
from epsilens.release.terms import Watch

OUR_MISTAKE = (
    "The release ended by an error of Epsilens itself. What the ledger has reserved counts as spent: look at its "
    "entries before you try again."
)


@dataclass
class Attempt:
    """One release, asked for once: under way, made or refused."""

    asked: str
    """All that was asked for, as text."""
    made: Released | None = None
    problem: str | None = None
    """Why it was refused or failed, in one line without anybody's values."""
    cells: int | None = None
    """How many counts get noise, as soon as that is known and public."""
    drawn: int = 0
    """How many have theirs."""
    _thread: threading.Thread | None = field(default=None, repr=False)

    @property
    def under_way(self) -> bool:
        """Whether it is still being made."""
        return self.made is None and self.problem is None

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, but not longer than this."""
        if self._thread is not None:
            self._thread.join(seconds)

    def begin(self, make: Callable[[Watch], Released]) -> None:
        """Make it in a thread of its own."""
        self._thread = threading.Thread(target=self._run, args=(make,), name="epsilens release")
        self._thread.start()

    def _run(self, make: Callable[[Watch], Released]) -> None:
        try:
            self.made = make(Watch(expects=self._expects, progress=self._progress))
        except EpsilensError as problem:
            if "`force`" in (problem.remedy or ""):  # a release of the workbench never replaces a file
                problem.remedy = "name another file"
            self.problem = sentence(problem)
        except Exception:  # nobody else sees what a thread raises, and it may carry values
            self.problem = OUR_MISTAKE

    def _expects(self, cells: int) -> None:
        self.cells = cells

    def _progress(self, cells: int) -> None:
        self.drawn += cells


@dataclass
class Releases:
    """All releases that one person asked for, in their order."""

    attempts: list[Attempt] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def of(self, asked: str) -> Attempt | None:
        """The latest one that was asked for in the same words."""
        return next((one for one in reversed(self.attempts) if one.asked == asked), None)

    @property
    def latest(self) -> Released | None:
        """What was released last."""
        return next((one.made for one in reversed(self.attempts) if one.made is not None), None)

    @property
    def under_way(self) -> Attempt | None:
        """The one that is being made."""
        return next((one for one in self.attempts if one.under_way), None)

    def begin(self, asked: str, make: Callable[[Watch], Released], seen: int) -> Attempt | None:
        """Begin what was ``asked``, unless it is made already, or another one is under way.

        ``seen`` is how many attempts there were when the button was drawn that asks: an older button asks for nothing.
        """
        with self._lock:
            found = self.of(asked)
            if seen != len(self.attempts) or self.under_way is not None or (found is not None and found.made):
                return None
            attempt = Attempt(asked)
            self.attempts.append(attempt)
            attempt.begin(make)
            return attempt
