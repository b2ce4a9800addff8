from __future__ import annotations

from epsilens.release.ledger.seal import sealed


def test_the_same_content_looks_the_same_under_one_salt_only() -> None:
    salt, another = "00" * 32, "01" * 32
    assert sealed(b"people", salt) == sealed(b"people", salt)
    assert sealed(b"people", salt) != sealed(b"people", another)
    assert sealed(b"people", salt) != sealed(b"others", salt)
