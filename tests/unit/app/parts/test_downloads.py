"""Things to take away."""

from __future__ import annotations

from epsilens.app.parts.downloads import OUR_MISTAKE, Download
from epsilens.errors import DataError


def download(make: object, internal: bool = True) -> Download:
    return Download("x", "X", "x.txt", "text/plain", "An x.", internal, make)  # type: ignore[arg-type]


def test_bytes_are_made_when_they_are_asked_for() -> None:
    made = []

    def make() -> bytes:
        made.append(1)
        return b"x"

    one = download(make)
    assert made == []
    assert one.made() == b"x"
    assert (one.mark, download(make, internal=False).mark) == ("INTERNAL", "PUBLISHABLE")


def test_a_file_that_cannot_be_made_says_why_and_nothing_of_the_data() -> None:
    def refused() -> bytes:
        raise DataError("column 'age' is not there")

    def broken() -> bytes:
        raise RuntimeError("Ana Muster, 42")

    assert download(refused).made() == b"column 'age' is not there\n"
    assert download(broken).made().decode() == f"{OUR_MISTAKE}\n"
