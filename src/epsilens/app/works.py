"""Everybody's work, in the memory of the server: found again after a reload, let go when nobody comes back."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from epsilens.app.work import Work

MOST = 20
"""Works that are kept; whoever has not come for longest goes first."""
OLDEST_SECONDS = 12 * 3600
"""For how long a work is kept that nobody comes back to."""


@dataclass
class Works:
    """By a name that nobody can guess."""

    make: Callable[[], Work] = Work
    clock: Callable[[], float] = time.monotonic
    _held: dict[str, tuple[float, Work]] = field(default_factory=dict, repr=False)
    _one_at_a_time: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def find(self, name: str) -> Work | None:
        """The work of that name, if it is still here."""
        with self._one_at_a_time:
            self._let_go()
            if name not in self._held:
                return None
            _, work = self._held.pop(name)
            self._held[name] = (self.clock(), work)
            return work

    def begin(self) -> str:
        """The name of a new work."""
        name, work = secrets.token_urlsafe(18), self.make()
        with self._one_at_a_time:
            self._held[name] = (self.clock(), work)
            self._let_go()
        return name

    def _let_go(self) -> None:
        """Those not seen for longest come first: whoever is found goes to the end."""
        oldest = self.clock() - OLDEST_SECONDS
        while self._held and (len(self._held) > MOST or next(iter(self._held.values()))[0] < oldest):
            del self._held[next(iter(self._held))]
