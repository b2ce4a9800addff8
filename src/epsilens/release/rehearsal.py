"""``preflight``: what a release would find in its data and in its ledger. It publishes nothing and spends nothing.

A release refuses nothing that its data hold, so that no refusal can tell of people: rows that do not fit are left out
by rule. Whoever keeps the data may see that, and should, before budget is spent on a release that leaves out half of
them. So everything that a release would do before it pays is done, and told. All of it is internal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from epsilens.errors import EpsilensError
from epsilens.notebook import brief
from epsilens.release.cards.frame import composition_so_far
from epsilens.release.kind import Kind, Question
from epsilens.release.kinds import KINDS
from epsilens.release.ledger.ledger import Ledger, Request
from epsilens.release.ledger.protocol import refuse_taken
from epsilens.release.making import request_of
from epsilens.release.terms import NOBODY

CHECK_FORMAT = "epsilens-release-check/1"


@dataclass(frozen=True, eq=False)
class Preflight:
    """What a release would find. Computed from true data: not for publication."""

    cost: dict[str, Any]
    """What the account would be charged."""
    before: dict[str, Any] | None
    """The account as it stands; nothing where the release would open it."""
    after: dict[str, Any] | None
    """The account as the release would leave it; nothing where it would be refused."""
    findings: dict[str, Any]
    """What only the data tell: rows left out by rule and column, people with too many rows, homogeneity."""
    problems: tuple[EpsilensError, ...]
    """Why the release would be refused: by its ledger, or because its files exist."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "format": CHECK_FORMAT,
            "label": "internal",
            "warning": "computed from true data, not for publication",
            "would_be_released": not self.problems,
            "problems": [str(problem) for problem in self.problems],
            "cost": self.cost,
            "account": {"before": self.before, "after": self.after},
            "findings": self.findings,
        }


def preflight(question: Question, source: Any) -> Preflight:
    """What the release that answers ``question`` would find in ``source`` and in its ledger.

    ``question`` is a ``TablesQuestion`` or a ``StatisticsQuestion``, as it would be released.
    """
    job = _kind_of(question).job(question, source, NOBODY)
    findings = job.findings()
    request, book = request_of(job), question.payment.book()
    problems: list[EpsilensError] = []
    try:
        for path in question.output.files.values():
            refuse_taken(path, question.output.force)
    except EpsilensError as problem:
        problems.append(problem)
    before, after = _account(book, request, problems)
    charged = {name: value for name, value in request.cost.to_dict().items() if name != "events"}
    return Preflight(charged, before, after, findings, tuple(problems))


def _kind_of(question: Question) -> Kind:
    return next(kind for kind in KINDS.values() if kind.question is type(question))


def _account(
    book: Ledger, request: Request, problems: list[EpsilensError]
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The account before the release and after it."""
    before = None
    account, costs = request.opening, []
    try:
        if book.path.exists():
            chain = book.chain()
            if request.account in chain.accounts:
                account, costs = chain.accounts[request.account], list(chain.costs(request.account))
                before = composition_so_far(account, costs)
        book.refuse(request)
    except EpsilensError as problem:
        problems.append(problem)
        return before, None
    assert account is not None  # otherwise the ledger refuses
    return before, composition_so_far(account, [*costs, request.cost])
