from __future__ import annotations

import threading
import warnings

import pytest

from epsilens.app.warned import heard, listen
from epsilens.errors import EpsilensWarning


def test_ours_are_heard_in_the_thread_that_caused_them_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def warn() -> None:
        for _ in range(2):
            warnings.warn(EpsilensWarning("mind this"), stacklevel=1)
        warnings.warn("a value of somebody", stacklevel=1)

    with warnings.catch_warnings():
        listen()
        with heard() as outer, heard() as said:
            warn()
            other = threading.Thread(target=warn)
            other.start()
            other.join()
        warn()
    assert said == ["mind this"]
    assert outer == []
    assert capsys.readouterr() == ("", "")
