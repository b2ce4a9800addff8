"""Checking a release card: its form, its arithmetic, the output, the ledger's chain, and the data behind it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epsilens.accounting.amounts import decimal, digits
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import DataError, EpsilensError, ParameterError, SourceError
from epsilens.release.card_files import read_card
from epsilens.release.kind import Kind
from epsilens.release.kinds import KINDS
from epsilens.release.ledger.chain import Chain, Entry
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.protocol import file_hash
from epsilens.release.ledger.seal import sealed
from epsilens.release.ledger.statement import balance, left_by_adding_up
from epsilens.table.json_files import bytes_of, parsed
from epsilens.table.reading.sources import refuse_table


@dataclass(frozen=True)
class Check:
    """One question about a card: answered yes, no, or not asked."""

    what: str
    holds: bool | None
    words: str


class _Failed(Exception):  # noqa: N818 - an answer, not an error
    """The answer no, with its reason."""


class _Unanswered(Exception):  # noqa: N818 - an answer, not an error
    """No answer, with what it would take to give one."""


@dataclass(frozen=True)
class CardQuestion:
    """Which card is to be verified, and against what."""

    card: str | Path
    data: Any = None
    ledger: str | Path | None = None
    output: str | Path | None = None
    """The output file; the one beside the card where nothing is said."""
    table: str | None = None
    """The table to read, where the data are a database."""

    def __post_init__(self) -> None:
        if self.table is not None and self.data is None:
            raise ParameterError("names a table of the data", parameter="table", remedy="say where they are (`data`)")


@dataclass(frozen=True)
class CardAnswer:
    """Every check of a card: it holds if none has failed, and all that was asked was answered."""

    question: CardQuestion
    checks: tuple[Check, ...]

    @property
    def failed(self) -> list[str]:
        """What does not hold, in words."""
        return list(failures(self.checks))

    @property
    def problem(self) -> EpsilensError | None:
        """Why the card must not be relied on; nothing where it may."""
        if failed := self.failed:
            return EpsilensError(f"the card {self.question.card} does not hold: {'; '.join(failed)}")
        unanswered = [check.words for check in self.checks if check.what == "data" and check.holds is None]
        if self.question.data is not None and unanswered:
            return EpsilensError(f"the data were not compared (`data`, `ledger`): {unanswered[0]}")
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        rows = [{"check": check.what, "holds": check.holds, "words": check.words} for check in self.checks]
        return {"ok": not self.failed, "checks": rows}


def card_answer(question: CardQuestion) -> CardAnswer:
    """The answer to *does this card hold?*"""
    checks = verify_card(question.card, question.data, question.ledger, question.output, question.table)
    return CardAnswer(question, tuple(checks))


def verify_card(
    path: str | Path,
    data: Any = None,
    ledger: str | Path | None = None,
    output: str | Path | None = None,
    table: str | None = None,
) -> list[Check]:
    """Every check of a card; ``data`` and ``ledger`` are compared where they are given.

    The sealed digest of the data can be recomputed only with the salt, which the ledger keeps, and which the internal
    assessment beside the card has too. Where rows of people were drawn, the ledger alone knows which: it is needed.
    A file that was named and cannot be read is an error, not a failed check: it says nothing about the card.
    """
    place = Path(path)
    if data is not None:
        refuse_table(data, table)
    card, raw = read_card(place)
    checks = [Check("form", True, "the card fits its schema")]
    checks.append(_answer("budget", lambda: _budget(card)))
    written = Path(output) if output is not None else _beside(card, place)
    if written is None:
        checks.append(Check("output", None, "the output is not here; name it to compare its hash"))
    else:
        checks.append(_answer("output", lambda: _output(card, written)))
    entry: Entry | None = None
    if ledger is None:
        checks.append(Check("ledger", None, "no ledger was given"))
    else:
        chain = Ledger(ledger).chain()
        checks.append(_answer("ledger", lambda: _ledger(card, chain)))
        if chain.ledger == card["ledger"]["id"]:
            entry = _entry(card, chain)
            checks.append(_answer("commit", lambda: _commit(card, raw, chain)))
            checks.append(_answer("composition", lambda: _composition(card, chain)))
        else:  # one failure is enough: another ledger knows nothing of this release
            checks += [
                Check(what, None, "only the ledger of the release can tell") for what in ("commit", "composition")
            ]
    if data is None:
        checks.append(Check("data", None, "no data were given"))
    else:
        salt, row_salt = _salt(card, place, entry), None if entry is None else entry.row_salt
        checks.append(_answer("data", lambda: _data(card, data, table, salt, row_salt)))
    return checks


def card_head(path: str | Path, chain: Chain) -> str:
    """Refuse a chain that does not hold the head printed on a card: rows were cut off, or it is another ledger."""
    card, _ = read_card(Path(path))
    try:
        return _ledger(card, chain)
    except _Failed as problem:
        raise EpsilensError(f"the ledger does not match the card {path}: {problem}") from None


def _kind(card: Mapping[str, Any]) -> Kind:
    """The kind of release that the card is of; ``read_card`` lets no other through."""
    return KINDS[card["format"]]


def _answer(what: str, question: Any) -> Check:
    try:
        return Check(what, True, question())
    except _Failed as problem:
        return Check(what, False, str(problem))
    except _Unanswered as problem:
        return Check(what, None, str(problem))
    except SourceError:  # a file that the caller named, not the card
        raise
    except (ArithmeticError, EpsilensError, KeyError, TypeError, ValueError):
        # Whatever a tampered card makes a check stumble over, the check has failed.
        return Check(what, False, "the card holds values that no release writes, so it was changed")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _Failed(otherwise)


def _budget(card: Mapping[str, Any]) -> str:
    """The noise honours each part of the budget, according to OpenDP; the parts together honour the release's price."""
    kind = _kind(card)
    problem = kind.budget_problem(card)
    _expect(problem is None, str(problem))
    cost = card["budget"]["cost"]
    _expect(_asked_covers(card["budget"]["asked"], cost), "the price is not the one of the budget that was asked for")
    currency = kind.currency(card)
    return f"the noise honours {currency} {cost[currency]} in all, by OpenDP's own account"


def _asked_covers(asked: Mapping[str, Any], cost: Mapping[str, Any]) -> bool:
    """Whether the price is that of the budget asked for."""
    if asked["kind"] == PureDP.__name__:
        return digits(decimal(float(asked["epsilon"]))) == str(cost["epsilon"])
    if asked["kind"] == ZCDP.__name__:
        return digits(decimal(float(asked["rho"]))) == str(cost["rho"])
    within = ZCDP.within(ApproxDP(asked["epsilon"], asked["delta"])).rho
    same = all(digits(decimal(float(asked[name]))) == str(cost[name]) for name in ("epsilon", "delta"))
    return same and bool(abs(float(cost["rho"]) - within) <= 1e-9 * within)


def _beside(card: Mapping[str, Any], place: Path) -> Path | None:
    if card["output"] is None:
        return None
    named = place.parent / Path(card["output"]["file"]).name
    return named if named.is_file() else None


def _output(card: Mapping[str, Any], path: Path) -> str:
    _expect(card["output"] is not None, "the release was not written to a file")
    try:
        found = file_hash(path)
    except OSError as problem:
        raise SourceError(f"cannot read the output {path}: {problem.strerror or type(problem).__name__}") from None
    _expect(found == card["output"]["sha256"], f"the output {path} is not the one that was released")
    differing = _kind(card).output_problem(card, path)
    _expect(differing is None, str(differing))
    return "the output is the one that was released"


def _entry(card: Mapping[str, Any], chain: Chain) -> Entry | None:
    number = card["ledger"]["entry"]
    return chain.entries[number - 1] if number <= len(chain.entries) else None


def _ledger(card: Mapping[str, Any], chain: Chain) -> str:
    """The head that the card prints is in the chain, and its entry is this release's reservation."""
    printed = card["ledger"]
    _expect(chain.ledger == printed["id"], "the ledger is another one than the card names")
    entry = _entry(card, chain)
    if entry is None:
        raise _Failed(
            f"the ledger ends at entry {len(chain.entries)}, the card is entry {printed['entry']}: rows were cut off"
        )
    _expect(entry.hash == printed["head"], f"entry {entry.number} is not the one that the card was made from")
    cost = {name: value for name, value in entry.body["cost"].items() if name != "events"}
    same = (
        entry.kind == "reserve"
        and entry.body["release"] == card["release"]["id"]
        and entry.body["account"] == card["release"]["account"] == card["composition"]["account"]
        and cost == card["budget"]["cost"]
        and entry.body["mechanism"] == card["mechanism"]["name"]
        and entry.body["neighbours"] == card["mechanism"]["neighbours"]
        and entry.body["content"] == card["content"]["sealed_sha256"]
        and _same_subject(card, entry)
    )
    _expect(same, f"entry {entry.number} does not say what the card says")
    return f"entry {entry.number} of {len(chain.entries)} is this release, and every hash before and after it holds"


def _same_subject(card: Mapping[str, Any], entry: Entry) -> bool:
    """Whether entry and card name the same tables or statistics, and the same people."""
    same = all(entry.body.get(name) == told for name, told in _kind(card).subject(card).items())
    unit = card["unit"]
    people = (entry.body["unit"], entry.body["rows_per_person"])
    return same and people == (unit["column"], unit["max_rows_per_person"])


def _commit(card: Mapping[str, Any], raw: bytes, chain: Chain) -> str:
    """The ledger knows that the release was written, and this very card."""
    commit = chain.commit_of(card["release"]["id"])
    if commit is None:
        raise _Failed("the release has no commit: it crashed before its end, or the last rows were cut off")
    hashes = commit.body.get("hashes", {})
    if card["output"] is not None:
        _expect(hashes.get("output") == card["output"]["sha256"], "the ledger knows another output than the card")
    if "card" in hashes:
        _expect(hashes["card"] == hashlib.sha256(raw).hexdigest(), "the card was changed after the release")
    return f"entry {commit.number} confirms that the release was written with this card"


def _composition(card: Mapping[str, Any], chain: Chain) -> str:
    printed = card["composition"]
    account = chain.accounts.get(printed["account"])
    if account is None:
        raise _Failed("the ledger has no such account")
    costs = chain.costs(account.name, before=card["ledger"]["entry"] + 1)
    now = balance(account, costs)
    if "left_by_adding_up" in printed:
        now["left_by_adding_up"] = left_by_adding_up(account, costs)
    wrong = [
        name
        for name in {**now, **printed}
        if name not in ("spent", "left", "converted") and now.get(name) != printed.get(name)
    ]
    wrong = sorted(wrong + account.denied(printed["spent"], printed["left"], costs))
    _expect(not wrong, f"the account's {', '.join(wrong)} were otherwise at that time, by the ledger")
    overspent = account.overspent(costs)
    _expect(overspent is None, f"the account was overspent: {overspent}")
    return f"what was spent and left follows from {len(costs)} {'entry' if len(costs) == 1 else 'entries'}"


def _salt(card: Mapping[str, Any], place: Path, entry: Entry | None) -> str | None:
    if entry is not None and entry.body.get("release") == card["release"]["id"]:
        return str(entry.body["salt"])
    name = place.name.removesuffix(".card.json")
    try:
        internal = parsed(bytes_of(place.with_name(f"{name}.internal.json")))
        return str(internal["content"]["salt"]) if internal["release"] == card["release"]["id"] else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _data(card: Mapping[str, Any], data: Any, table: str | None, salt: str | None, row_salt: str | None) -> str:
    kind = _kind(card)
    if (unreadable := kind.unreadable(card)) is not None:
        raise _Unanswered(unreadable)
    if card["unit"]["column"] is not None and row_salt is None:
        raise _Unanswered(
            "rows of people were drawn at random, and the ledger of the release alone can draw the same again; give it"
        )
    if salt is None:
        raise _Unanswered("the digest is sealed; give the ledger, or keep the internal assessment beside the card")
    try:
        fingerprint = kind.recounted(card, data, table, row_salt)
    except DataError as problem:
        said = problem.spelt(_in_words)  # the reader of a card cannot change how its data were declared
        raise _Failed(f"the data cannot be counted as the card declares: {said}") from None
    try:
        found = sealed(fingerprint, salt)
    except ValueError:
        raise _Failed("the salt is damaged") from None
    _expect(found == card["content"]["sealed_sha256"], "the data are not the ones that were released")
    return "the data are the ones that were released"


def _in_words(name: str, value: str | None) -> str:
    """A parameter as a plain word."""
    return " ".join([name.replace("_", " "), *([value] if value else [])])


def failures(checks: Sequence[Check]) -> Iterator[str]:
    """What failed, in words."""
    return (f"{check.what}: {check.words}" for check in checks if check.holds is False)
