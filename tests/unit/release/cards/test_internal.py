from __future__ import annotations

import json
import math
import warnings

import numpy as np

from epsilens.errors import DataError
from epsilens.release.cards.internal import internal_bytes, room_of_names, told_or_why


def test_what_cannot_be_computed_says_why_and_never_fails_or_warns() -> None:
    def refused() -> None:
        raise DataError("has a single value")

    def warned() -> float:
        warnings.warn("a division by zero", RuntimeWarning, stacklevel=2)
        return 1.0

    assert told_or_why(refused) == {"not_computed": "has a single value"}
    assert told_or_why(lambda: 1 / 0) == {"not_computed": "ZeroDivisionError"}
    assert told_or_why(warned) == 1.0


def test_the_size_of_a_report_does_not_tell_what_is_in_it() -> None:
    reports = [{}, {"a": math.nan, "b": np.int64(3)}, {"a": [1.5] * 20, "c": ("x", None, True)}]
    found = [internal_bytes(report, 1_000) for report in reports]
    assert {len(text) for text in found} == {1_000}
    assert json.loads(found[1]) == {"a": None, "b": 3}
    assert json.loads(found[2])["c"] == ["x", None, True]
    assert len(internal_bytes({"a": "x" * 1_000}, 1_000)) == 2_000


def test_names_have_room_however_they_are_spelt() -> None:
    names = ["a" * 3_000, 'q"\n\x01', "é" * 50, None]
    assert room_of_names(*names) >= len(json.dumps([name for name in names if name], ensure_ascii=False).encode())
    assert room_of_names(None) == 0
