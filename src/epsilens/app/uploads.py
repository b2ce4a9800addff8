"""Data that are in the memory of the server only: what a browser handed over, and the demo population."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import PurePath, PureWindowsPath

from epsilens.table.demo.population import population_csv
from epsilens.table.reading.held_files import HeldFile

DEMO_NAME = "people.csv"
"""The name of the demo population, under which ``epsilens demo --write`` is told to write it as well."""
DEMO_ROLES = {
    "quasi_identifiers": ["block_group", "age", "sex", "race"],
    "sensitive": ["disease"],
    "bins": {"age": 10},
}
"""What its columns mean in ``epsilens demo``."""


@dataclass(frozen=True)
class Upload:
    """A file in memory. The project knows its name only, as it would know the file's own."""

    held: HeldFile
    digest: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", hashlib.sha256(self.held.content).hexdigest())

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.held.name

    @staticmethod
    def of(name: str, content: bytes) -> Upload:
        """A file as a browser hands it over; folders that the name may have are left away."""
        plain = PurePath(PureWindowsPath(name).name).name
        return Upload(HeldFile(plain if plain not in ("", "..") else "upload", content))


def demo(rows: int, seed: int = 2026) -> Upload:
    """The demo population, byte by byte what ``epsilens demo --write people.csv`` writes."""
    return Upload.of(DEMO_NAME, population_csv(rows, seed))
