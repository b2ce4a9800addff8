"""A kind of release: what it is asked, how it is answered, and how its card is read again.

Tables of counts and statistics are kinds; ``kinds.py`` lists them by the format of their cards. Whoever releases, reads
or verifies asks the kind, so that a new one is a folder with a ``kind.py`` and a line in that list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeAlias, TypeVar

from epsilens.accounting.cost import Cost
from epsilens.release.cards.frame import Standing
from epsilens.release.ledger.chain import Entry
from epsilens.release.terms import Output, Payment, Person, Watch

Card: TypeAlias = Mapping[str, Any]
Drawn = TypeVar("Drawn")


class Question(Protocol):
    """What is to be released, on which terms: frozen, and validated without the data."""

    @property
    def payment(self) -> Payment:
        """What pays."""

    @property
    def person(self) -> Person:
        """Whom it protects."""

    @property
    def output(self) -> Output:
        """Where it goes."""


class Answer(Protocol):
    """What was released."""

    def to_dict(self) -> dict[str, Any]:
        """The publishable card and the names of the files, in plain values."""


class Job(Protocol[Drawn]):
    """One release whose data are counted: what has to be paid, drawn and told. ``making.py`` does the rest."""

    @property
    def question(self) -> Question:
        """What was asked."""

    @property
    def cost(self) -> Cost:
        """What the account is charged."""

    @property
    def fingerprint(self) -> bytes:
        """The digest of the content. It stays in memory, and is written down under a seal only."""

    @property
    def former_fingerprints(self) -> tuple[bytes, ...]:
        """Those of the same content in ledgers that earlier versions wrote, where they were others."""

    @property
    def row_salt(self) -> str | None:
        """What chose the rows kept of people with too many."""

    @property
    def readable_again(self) -> bool:
        """Whether a second scan of the source finds the same."""

    @property
    def rooms(self) -> Rooms:
        """How many bytes the files may take."""

    def recounted(self, row_salt: str) -> bytes:
        """The fingerprint of the same data with rows chosen by another salt."""

    def findings(self) -> dict[str, Any]:
        """What only the data tell, before anything is drawn. Not for publication."""

    def facts(self) -> dict[str, Any]:
        """What is released and by which mechanism, for the ledger: public words only."""

    def drawn(self) -> Drawn:
        """Noise on every number, then post-processing."""

    def write(self, stream: BinaryIO, path: Path, drawn: Drawn) -> None:
        """The released numbers, in the format that ``path`` names."""

    def card(self, drawn: Drawn, standing: Standing) -> dict[str, Any]:
        """The publishable card."""

    def words(self, card: Card) -> str:
        """The card for people, in Markdown."""

    def internal(self, drawn: Drawn, reservation: Entry) -> dict[str, Any]:
        """What only the data tell. Not for publication."""


@dataclass(frozen=True)
class Rooms:
    """How many bytes each file of a release may take; claimed before anything is spent."""

    output: int
    card: int
    text: int
    internal: int


@dataclass(frozen=True)
class Kind:
    """One kind of release, by what is done with it."""

    card_format: str
    """What its cards call themselves."""
    schema_file: str
    """The JSON Schema of its cards, inside this room."""
    question: type[Question]
    answered: Callable[[Any, Any, Watch], Answer]
    """From a question of this kind and a source to the release."""
    job: Callable[[Any, Any, Watch], Job[Any]]
    """From a question of this kind and a source to the release that could be made of it."""
    words: Callable[[Card], str]
    """The card for people, in Markdown."""
    subject: Callable[[Card], dict[str, Any]]
    """What the card says was released, in the words of its reservation in the ledger."""
    currency: Callable[[Card], str]
    """What the parts of the budget are shares of: epsilon or rho."""
    budget_problem: Callable[[Card], str | None]
    """Why the noise on the card does not honour its budget; nothing where it does."""
    output_problem: Callable[[Card, Path], str | None]
    """Where the output's numbers are not the card's; nothing where they agree."""
    unreadable: Callable[[Card], str | None]
    """Why the data behind the card cannot be read again; nothing where they can."""
    recounted: Callable[[Card, Any, str | None, str | None], bytes]
    """The fingerprint of a source (and a table of it), counted as the card declares, rows chosen by a salt."""
