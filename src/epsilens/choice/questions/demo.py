"""``demo``: the main job on an embedded synthetic population."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from epsilens.choice.questions import assess
from epsilens.table import Schema
from epsilens.table.harm import Declared, check_harmful_columns

if TYPE_CHECKING:
    from epsilens.table import FrequencyTable

QUASI_IDENTIFIERS = ("block_group", "age", "sex", "race")
SENSITIVE = "disease"
BINS = {"age": 10}


@dataclass(frozen=True)
class Question:
    """How many people, which ones, and what to assess."""

    rows: int = 50_000
    seed: int = 2026
    assessed: assess.Question = field(default_factory=assess.Question)
    harmful: Declared = ()
    """Diseases that harm whoever is shown to have them; none: all values do."""

    def __post_init__(self) -> None:
        check_harmful_columns(self.harmful, (SENSITIVE,))

    def read(self) -> FrequencyTable:
        """The people, generated and counted; nobody is real."""
        from epsilens.table import read_table
        from epsilens.table.demo.population import population

        table = read_table(population(self.rows, self.seed), Schema(QUASI_IDENTIFIERS, SENSITIVE, bins=BINS))
        return table.with_harm(self.harmful) if self.harmful else table
