"""Floating-point numbers as texts, letter by letter those of DuckDB (and of Python) on every engine.

Each engine writes the fewest digits that tell a number from all others, but has its own way with large and small ones:
``1e+16`` is ``1.0E16`` to Spark, ``1000000000000000.5`` is ``1.0000000000000005e+15`` to PostgreSQL, and both write
``Infinity``. (Whole numbers above 2^53 are an exception: PostgreSQL, and Java before 19, write some of them with a
digit too many; and 5e-324 is 4.9e-324 to any Java.)
"""

from __future__ import annotations

from typing import Any

LEAST_PLAIN, MOST_PLAIN = 1e-4, 1e16
"""Others are written with an exponent."""
DIGITS = 21
"""Behind the point: the last of 17 digits of the least number that is written without an exponent."""
_ELSEWHERE = ("postgres", "pyspark")


def fraction_text(number: Any) -> Any:
    """The text of each number of a column of 64-bit floating point, in which no whole number is below 1e15."""
    import ibis

    written = number.cast("string")
    backends, _ = number._find_backends()
    if not backends or backends[0].name not in _ELSEWHERE:
        return written
    # Engines may evaluate a branch for rows that do not take it, so what is cast must fit on every row.
    size = number.abs()
    is_plain = (size >= LEAST_PLAIN) & (size < MOST_PLAIN)
    plain = is_plain.ifelse(written, ibis.null("string")).cast(f"decimal(38, {DIGITS})").cast("string")
    plain = plain.re_replace("0+$", "").re_replace("[.]$", ".0")
    # In few steps that each name the text once: Spark takes long to compile a text that is put together of many.
    other = written.replace("Infinity", "inf").lower().replace(".0e", "e")
    other = other.re_replace("e(?=[0-9])", "e+").re_replace("e-(?=[0-9]$)", "e-0")
    return plain.fill_null(other)
