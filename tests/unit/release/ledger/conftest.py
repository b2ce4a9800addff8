"""A ledger with three committed releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.release.ledger.ledger import Ledger
from tests.support.ledgers import request_for


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    book = Ledger(tmp_path / "b.db", wait=0.3)
    for _ in range(3):
        entry, _ = book.reserve(request_for())
        book.commit(entry, {"hashes": {}})
    return book
