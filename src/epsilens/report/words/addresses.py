"""Addresses of databases as they are told to people: without the password, wherever it stands."""

from __future__ import annotations

import re

MASK = "***"
_USER = re.compile(r"(?<=://)([^/@:\s'\"]*):[^\s'\"]*(?=@)")
"""``user:password@``, up to the last ``@``: a password may have marks in it that an address should not."""
_OPTION = re.compile(r"([?&;](?:[a-z_]*password|passwd|pwd|[a-z_]*token|[a-z_]*secret)=)[^&;\s'\"]*", re.IGNORECASE)
"""``?password=...`` behind an address."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*://\S+")


def without_passwords(text: str) -> str:
    """The text with every password of an address masked; whatever else stands in it stays as it is."""
    return _ADDRESS.sub(lambda found: _OPTION.sub(rf"\g<1>{MASK}", _USER.sub(rf"\1:{MASK}", found[0])), text)


def safe_address(source: str) -> str:
    """A whole address, masked whatever its password is made of; a path stays as it is."""
    scheme, mark, rest = source.partition("://")
    who, at, where = rest.rpartition("@")
    if not mark or not at or ":" not in who:
        return without_passwords(source)
    return without_passwords(f"{scheme}://{who.partition(':')[0]}:{MASK}@{where}")


def has_password(source: str) -> bool:
    """Whether an address tells a password."""
    return safe_address(source) != source
