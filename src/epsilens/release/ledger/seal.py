"""The seal on a content: a digest that only the keeper of its salt can compare."""

from __future__ import annotations

import hashlib
import hmac


def sealed(fingerprint: bytes, salt: str) -> str:
    """HMAC-SHA-256 of a content fingerprint under a secret salt.

    An unsalted digest would let anybody test guesses of the data, and an equal digest on two cards would tell that
    nothing changed between two releases. So every release has a salt of its own, which the ledger keeps.
    """
    return hmac.new(bytes.fromhex(salt), fingerprint, hashlib.sha256).hexdigest()
