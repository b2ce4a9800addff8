"""How a release is made, whatever its kind: paid from its account, drawn, written with its card, committed.

The steps and their order are those of the protocol (``ledger/protocol.py``). A card is made once: when the output has
its hash, or after the commit where nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic

from epsilens.release.cards.frame import Standing
from epsilens.release.cards.indented import indented_json
from epsilens.release.cards.internal import internal_bytes
from epsilens.release.kind import Drawn, Job
from epsilens.release.ledger.chain import Chain, Entry
from epsilens.release.ledger.ledger import Request
from epsilens.release.ledger.protocol import OutputFile, publish
from epsilens.release.terms import Watch


@dataclass(frozen=True, eq=False)
class Made(Generic[Drawn]):
    """What a release left behind."""

    drawn: Drawn
    card: dict[str, Any]
    internal: dict[str, Any]
    files: dict[str, Path]
    entry: Entry
    """The reservation in the ledger."""


def made(job: Job[Drawn], watch: Watch) -> Made[Drawn]:
    """Pay for the release, draw it and write it."""
    question = job.question
    papers = _Papers(job)
    published = publish(
        question.payment.book(watch.notice),
        request_of(job),
        job.drawn,
        papers.files(),
        question.output.force,
        watch.reached,
    )
    standing = Standing(published.reservation, published.chain, published.hashes)
    return Made(
        drawn=published.drawn,
        card=papers.card(published.drawn, standing),
        internal=papers.internal(published.drawn, published.reservation),
        files=question.output.files,
        entry=published.reservation,
    )


def can_be_read_again(source: object) -> bool:
    """Whether a second scan finds the same: a stream of batches is used up by the first."""
    return not hasattr(source, "read_next_batch")


def files_dict(files: Mapping[str, Path]) -> dict[str, str]:
    """The names of the files by role, in plain values."""
    return {role: str(path) for role, path in files.items()}


def request_of(job: Job[Any]) -> Request:
    """What the release asks of the ledger."""
    payment, person, output = job.question.payment, job.question.person, job.question.output
    return Request(
        account=payment.account,
        neighbours=person.neighbours,
        cost=job.cost,
        facts={
            **job.facts(),
            "neighbours": person.neighbours,
            "unit": person.unit,
            "rows_per_person": person.max_rows_per_unit,
            "output": None if output.path is None else output.path.name,
            **({} if payment.understood is None else {"check_question": payment.understood.to_dict()}),
        },
        fingerprint=job.fingerprint,
        former_fingerprints=job.former_fingerprints,
        opening=payment.opening(person.neighbours, job.cost),
        row_salt=job.row_salt,
        recount=job.recounted if job.readable_again else None,
    )


class _Papers(Generic[Drawn]):
    """The card and the internal report of one release, each made once, and the files they go to."""

    def __init__(self, job: Job[Drawn]) -> None:
        self.job = job
        self._card: dict[str, Any] | None = None
        self._internal: dict[str, Any] | None = None

    def card(self, drawn: Drawn, standing: Standing) -> dict[str, Any]:
        if self._card is None:
            self._card = self.job.card(drawn, standing)
        return self._card

    def internal(self, drawn: Drawn, reservation: Entry) -> dict[str, Any]:
        if self._internal is None:
            self._internal = self.job.internal(drawn, reservation)
        return self._internal

    def files(self) -> list[OutputFile[Drawn]]:
        """The output and its companions, with the room they may take."""
        job, files = self.job, self.job.question.output.files
        if not files:
            return []

        def write_output(stream: BinaryIO, drawn: Drawn, _e: Entry, _c: Chain, _h: dict[str, str]) -> None:
            job.write(stream, files["output"], drawn)

        def write_card(stream: BinaryIO, drawn: Drawn, entry: Entry, chain: Chain, hashes: dict[str, str]) -> None:
            stream.write(_json(self.card(drawn, Standing(entry, chain, hashes))))

        def write_text(stream: BinaryIO, drawn: Drawn, entry: Entry, chain: Chain, hashes: dict[str, str]) -> None:
            stream.write(job.words(self.card(drawn, Standing(entry, chain, hashes))).encode())

        def write_internal(stream: BinaryIO, drawn: Drawn, entry: Entry, _c: Chain, _h: dict[str, str]) -> None:
            stream.write(internal_bytes(self.internal(drawn, entry), rooms.internal))

        rooms = job.rooms
        return [
            OutputFile("output", files["output"], write_output, rooms.output),
            OutputFile("card", files["card"], write_card, rooms.card),
            OutputFile("card-text", files["card-text"], write_text, rooms.text),
            OutputFile("internal", files["internal"], write_internal, rooms.internal, private=True),
        ]


def _json(value: dict[str, Any]) -> bytes:
    return (indented_json(value) + "\n").encode()
