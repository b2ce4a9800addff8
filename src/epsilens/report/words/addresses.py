"""Addresses of databases as they may be shown: without the password that somebody typed into them."""

from __future__ import annotations

import re

_BEFORE_THE_SERVER = re.compile(r"(?<=://)([^/@:\s]*):[^\s'\"]*(?=@)")
_AMONG_THE_OPTIONS = re.compile(r"(?i)([?&](?:password|passwd|pwd|token)=)[^&\s'\"]+")


def without_passwords(text: str) -> str:
    """The text, in which every password of an address is three stars; a password may have any sign of ``@:/`` in it."""
    return _AMONG_THE_OPTIONS.sub(r"\1***", _BEFORE_THE_SERVER.sub(r"\1:***", text))
