"""Floating-point numbers as texts, letter by letter those of DuckDB (and of Python) on every engine.

Each engine writes the fewest digits that tell a number from all others, but has its own way with large and small ones:
``1e+16`` is ``1.0E16`` to Spark, ``1000000000000000.5`` is ``1.0000000000000005e+15`` to PostgreSQL, and both write
``Infinity``. (Whole numbers above 2^53 are an exception: PostgreSQL, and Java before 19, write some of them with a
digit too many; and 5e-324 is 4.9e-324 to any Java.)
"""

from __future__ import annotations

from typing import Any

MOST_PLAIN = 16
"""Numbers from 10 to this power on are written with an exponent."""
_ELSEWHERE = ("postgres", "pyspark")


def fraction_text(number: Any) -> Any:
    """The text of each number of a column of 64-bit floating point, in which no whole number is below 1e15."""
    import ibis

    written = number.cast("string")
    backends, _ = number._find_backends()
    engine = backends[0].name if backends else "duckdb"
    if engine not in _ELSEWHERE:
        return written
    power = written.re_extract("[eE]([+-]?[0-9]+)$", 1).nullif("").cast("int64")
    digits = written.re_replace("[eE].*$", "").re_replace("[-.]", "").re_replace("0+$", "")
    sign = (number < 0).ifelse("-", "")
    # Places count from 0, and engines may look at rows that need none.
    ahead = (ibis.greatest(ibis.least(power.fill_null(0), MOST_PLAIN - 1), 0) + 1).cast("int32")
    padded = digits + ibis.literal("0" * MOST_PLAIN)
    plain = padded.left(ahead) + "." + digits.substr(ahead).nullif("").fill_null("0")
    small = ibis.literal("0.000") + digits
    exponent = (power < 0).ifelse("e-", "e+") + (power.abs() < 10).ifelse("0", "") + power.abs().cast("string")
    scientific = (digits.left(1) + "." + digits.substr(1)).re_replace("[.]$", "") + exponent
    return ibis.cases(
        (number == float("inf"), "inf"),
        (number == float("-inf"), "-inf"),
        (power.isnull(), written),
        ((power >= 0) & (power < MOST_PLAIN), sign + plain),
        (power == -4, sign + small),
        else_=sign + scientific,
    )
