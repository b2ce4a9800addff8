"""What a ledger says: balances, entries, what is whole and what was swept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from epsilens.errors import EpsilensError
from epsilens.report.words.common import BLANK, Block, Grid, Heading, Note, Text, Verdict, counted, joined

if TYPE_CHECKING:
    from epsilens.accounting.account import Account
    from epsilens.accounting.cost import Cost
    from epsilens.release.ledger.chain import Chain, Entry
    from epsilens.release.ledger.statement import Statement, Swept
    from epsilens.release.verified_ledger import LedgerVerified


def balance_words(account: Mapping[str, Any]) -> str:
    """What an account has spent and what is left; its name comes before it."""
    total, spent, left = spent_words(account["total"]), spent_words(account["spent"]), left_words(account["left"])
    made = counted(account["releases"], "release")
    if "plan" in account:
        made = f"{account['releases']} of {counted(sum(row['releases'] for row in account['plan']), 'planned release')}"
    return f"{spent} spent of {total}, {left} left ({account['composition']}, {account['neighbours']}; {made})"


def promise_lines(account: Mapping[str, Any]) -> list[str]:
    """How an account counts, when that holds, and what is left of its plan."""
    from epsilens.accounting.account import Account
    from epsilens.accounting.cost import Cost
    from epsilens.accounting.plan import cost_words

    kept = Account.from_dict(account)
    if kept.unplanned:
        left = account["left_by_adding_up"]
        within = "one release has no epsilon to add: nothing" if left is None else left_words(left)
        return [
            f"opened without a plan by an earlier version; {kept.rule} does not hold for budgets chosen after seeing "
            f"outputs, so that all releases must stay within the total by adding up as well ({within} left)"
        ]
    return [
        f"{kept.rule}: {kept.words}",
        *(
            f"  {row['releases']} x {cost_words(Cost.from_dict(row['cost']))}: {row['used']} used, "
            f"{row['releases'] - row['used']} left"
            for row in account.get("plan", ())
        ),
    ]


def standing_blocks(account: Account, costs: Sequence[Cost], asked: Cost | None, opens: bool = False) -> list[Block]:
    """An account beside a release that asks for some of it: total, spent, left, asked and left afterwards, exactly.

    ``opens`` says that the release would open the account. Amounts are decimals as they were written, never rounded.
    """
    from epsilens.accounting.amounts import digits

    limits, spent, left = account.limits, account.spent(costs), account.left(costs)
    made = counted(len(costs), "release")
    rows = [("total", limits), (f"spent by {made}", spent), ("left", left)]
    verdict: list[Block] = []
    if asked is not None:
        try:
            asks = account.spent([asked])
            rows.append(("this release asks for", asks))
            account.admit(costs, asked)
            rows.append(("left afterwards", account.left([*costs, asked])))
            verdict = [Verdict("ok", "good", "the account can pay for this release")]
        except EpsilensError as problem:
            verdict = [Verdict("no", "bad", f"the account cannot pay for this release: {problem}")]
    shown = [(name, *(digits(amounts[key]) for key in limits)) for name, amounts in rows]
    title = f"Account {account.name!r}{' (this release would open it)' if opens else ''}"
    return [Grid(title, ("", *limits), shown, words=1), *verdict, Note(f"{account.rule}: {account.words}")]


def unfinished_blocks(statement: Statement, account: str) -> list[Block]:
    """Releases of an account that were paid for and never written, as after a crash: whoever comes back is told."""
    chain = statement.chain
    left = [
        entry
        for entry in chain.entries
        if entry.kind == "reserve" and entry.body["account"] == account and not chain.commit_of(entry.body["release"])
    ]
    if not left:
        return []
    places = joined(list(dict.fromkeys(str(entry.body.get("output") or "memory") for entry in left)), most=5)
    said = "was paid for and is" if len(left) == 1 else "were paid for and are"
    return [
        Verdict(
            "warning",
            "bad",
            f"{counted(len(left), 'release')} (to {places}) {said} not finished: interrupted, or still under way. What "
            "was reserved counts as spent; to release again spends again.",
        )
    ]


def entries_grid(statement: Statement) -> Grid:
    """Every entry of a ledger as a table."""
    return Grid("Entries", ("entry", "time (UTC)", "kind", "account", "what"), entry_rows(statement), words=5)


def statement_blocks(statement: Statement) -> list[Block]:
    """Accounts with what is left, and entry by entry what was spent: exact numbers are long, so each has its line."""
    blocks: list[Block] = []
    for account in statement.accounts:
        blocks += [Heading(account["account"]), Text(balance_words(account), indent=2)]
        blocks += [Note(line) for line in promise_lines(account)]
    blocks.append(BLANK)
    for entry, time, kind, name, what in entry_rows(statement):
        blocks += [Text(f"{entry:>4}  {time}  {kind:<7}  {name}"), Text(what, indent=6)]
    return [*blocks, Note(f"head {statement.chain.head}", indent=0)]


def entry_rows(statement: Statement) -> list[tuple[str, str, str, str, str]]:
    """Each entry: its number, time, kind, account, and what it is in a few words."""
    return [
        (
            str(entry.number),
            entry.body["time"],
            entry.kind,
            entry.body["account"],
            _what(statement.chain, entry),
        )
        for entry in statement.chain.entries
    ]


def verified_lines(verified: LedgerVerified) -> list[str]:
    """That every hash holds, what that leaves open, and what the accounts have left."""
    beyond = "" if verified.cards else " (rows cut off together with the head show only against a card: --card)"
    entries = len(verified.statement.chain.entries)
    return [
        f"{verified.ledger}: {counted(entries, 'entry', 'entries')}, every hash holds{beyond}.",
        *(
            f"  {account['account']}: {left_words(account['left'])} left of {spent_words(account['total'])}"
            f"{_places(account)}"
            for account in verified.statement.accounts
        ),
    ]


def swept_lines(swept: Swept) -> list[str]:
    """Which temporary files were removed, and what stays spent."""
    from epsilens.release.ledger.leftovers import told

    if not swept.leftovers:
        return ["No release left a temporary file."]
    return [*(f"  {found.path}" for found in swept.leftovers), f"{told(list(swept.leftovers))}."]


def spent_words(amounts: Mapping[str, str]) -> str:
    """``epsilon 0.5, delta 0.000001``; what is 0 goes without saying, unless it is all there is."""
    return left_words({name: value for name, value in amounts.items() if value != "0"} or amounts)


def left_words(amounts: Mapping[str, str]) -> str:
    """``epsilon 0, delta 0.000001``: where nothing is left, that is what matters."""
    return ", ".join(f"{name} {amounts[name]}" for name in ("epsilon", "rho", "delta") if name in amounts)


def _places(account: Mapping[str, Any]) -> str:
    """How many places of a plan are left; nothing where there is none."""
    if "plan" not in account:
        return ""
    planned = sum(row["releases"] for row in account["plan"])
    return f", {planned - account['releases']} of {counted(planned, 'planned release')}"


def _what(chain: Chain, entry: Entry) -> str:
    body = entry.body
    if entry.kind == "open":
        planned = sum(row["releases"] for row in body.get("plan", ()))
        plan = f", a plan of {counted(planned, 'release')}" if planned else ""
        return f"total {spent_words(body['total'])}, {body['composition']}, {body['neighbours']}{plan}"
    if entry.kind == "commit":
        return f"release {body['release']} is written"
    cost = spent_words({name: body["cost"][name] for name in ("epsilon", "delta", "rho") if body["cost"][name]})
    state = "" if chain.commit_of(body["release"]) else " (not committed; counts as spent)"
    said = f"release {body['release']}: {body.get('mechanism', '')} {cost} to {body.get('output') or 'memory'}{state}"
    return f"{said}{understood_words(body.get('check_question'))}"


def understood_words(told: Mapping[str, Any] | None) -> str:
    """Whether whoever released was asked what the budget means; nothing where the ledger does not say."""
    if told is None:
        return ""
    if not told["asked"]:
        return ", check question turned off"
    return f", check question answered at try {told['tries']}"
