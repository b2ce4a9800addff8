"""What went wrong in an engine is told in our words, never in its own."""

from __future__ import annotations

import pytest

from epsilens.table.reading.engine_errors import told

OperationalError = type("OperationalError", (Exception,), {"__module__": "psycopg"})
AdminShutdown = type("AdminShutdown", (OperationalError,), {"sqlstate": "57P01"})
DiskFull = type("DiskFull", (OperationalError,), {"sqlstate": "53100"})
NoPrivilege = type("InsufficientPrivilege", (OperationalError,), {"sqlstate": "42501"})
Conflict = type("SerializationFailure", (OperationalError,), {"sqlstate": "40001"})
IdleForTooLong = type("IdleInTransactionSessionTimeout", (OperationalError,), {"sqlstate": "25P03"})
QueryCanceled = type("QueryCanceled", (OperationalError,), {"sqlstate": "57014"})
OutOfMemoryException = type("OutOfMemoryException", (Exception,), {})
IOException = type("IOException", (Exception,), {})
InvalidInput = type("InvalidInputException", (Exception,), {"__module__": "_duckdb"})
Py4JNetworkError = type("Py4JNetworkError", (Exception,), {})


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        (AdminShutdown("terminating"), "the connection to the database was lost; run it again"),
        (OperationalError("server closed the connection unexpectedly"), "the connection to the database was lost"),
        (OperationalError("Alice is 42"), "by the engine (OperationalError)"),
        (DiskFull("x"), "the disk is full"),
        (QueryCanceled("x"), "cancelled the query"),
        (Conflict("Alice"), "cancelled the query"),
        (NoPrivilege("Alice"), "the database does not let this user read it"),
        (IdleForTooLong("x"), "the connection to the database was lost; run it again"),
        (OutOfMemoryException("x"), "does not fit in memory and could not be spilt to disk"),
        (OutOfMemoryException("this limit was set by 'max_temp_directory_size'"), "does not fit on the disk either"),
        (IOException('Could not write file "/tmp/x.tmp": No space left on device'), "the disk is full"),
        (IOException('Could not write file "/tmp/x.tmp": File too large'), "does not fit on the disk either"),
        (Py4JNetworkError("x"), "Spark has ended in the middle"),
        (
            InvalidInput('Failed to read file "/tmp/Alice": Snappy decompression failure'),
            "a file is damaged or incomplete",
        ),
        (FileNotFoundError("/tmp/Alice"), "a file was removed or renamed while it was read"),
        (InvalidInput('Cannot open file "/tmp/Alice": No such file or directory'), "removed or renamed"),
        (InvalidInput('schema mismatch in glob: "Alice"'), "names files that differ in their columns; read one kind"),
        (ValueError("Alice is 42"), "could not be read by the engine (ValueError)"),
    ],
)
def test_causes_are_told_apart_and_no_text_is_repeated(problem: Exception, says: str) -> None:
    error = told("people.csv", problem)
    assert str(error).startswith("people.csv ")
    assert says in str(error)
    assert "Alice" not in str(error)
    assert "/tmp" not in str(error)
