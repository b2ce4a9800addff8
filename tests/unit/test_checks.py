"""Checks of single values."""

from __future__ import annotations

import pytest

from epsilens.checks import whole
from epsilens.errors import ParameterError


def test_whole() -> None:
    assert whole("n", 3.0) == 3
    for bad in (2.5, "x", float("inf"), None):
        with pytest.raises(ParameterError, match="whole number"):
            whole("n", bad)
    with pytest.raises(ParameterError, match=">= 1"):
        whole("n", 0, 1)
