"""Databases: a URL and a table name become an Ibis table, or a line that says why not, without the password.

The databases' own messages may quote the URL or data, so they are sorted into causes and never shown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from epsilens.checks import did_you_mean
from epsilens.errors import SourceError
from epsilens.table.reading import engine_errors, postgres
from epsilens.table.reading.postgres_tables import table_called
from epsilens.table.reading.relations import duckdb_relation

EXTRAS = {"postgres": "postgres", "postgresql": "postgres", "pyspark": "spark"}
"""URL schemes whose driver is an extra of this package; other drivers come with Ibis' own extras."""

FILE_STORES = ("http", "https", "s3", "s3a", "gs", "gcs", "az", "abfs", "hf", "ftp", "file")
CONNECT_SECONDS = 10


def is_url(text: str) -> bool:
    """Whether ``text`` is a URL rather than a path."""
    return re.match(r"^[A-Za-z][A-Za-z0-9+.\-]*://", text) is not None


def scheme_of(url: str) -> str:
    """The URL's scheme in lower case."""
    return url.partition("://")[0].lower()


def is_ibis_table(source: Any) -> bool:
    """Whether ``source`` is an Ibis table expression; does not import Ibis unless someone already has."""
    if type(source).__module__.split(".")[0] != "ibis":
        return False
    import ibis.expr.types as ir

    return isinstance(source, ir.Table)


def is_in_memory(expression: Any) -> bool:
    """Whether an Ibis table is bound to no database, that is, made of in-memory data only."""
    backends, has_unbound = expression._find_backends()
    if has_unbound:
        raise SourceError("the Ibis table is not bound to a connection; take it from a connection with .table(name)")
    return not backends


def hand_over_memory_tables(expression: Any) -> None:
    """Give a connection the in-memory tables of an expression on it: a query of ours would not find them."""
    expression.get_backend()._register_in_memory_tables(expression)


def connected_table(url: str, table: str) -> Any:
    """The table of the database at ``url``, through ``ibis.connect``."""
    import ibis

    scheme = scheme_of(url)
    if scheme in FILE_STORES:
        raise SourceError(f"{scheme}:// is not read over the network; download the file and give its path")
    try:
        connection = ibis.connect(_with_timeout(url, scheme))
    except Exception as problem:
        raise _unconnected(url, scheme, problem) from None
    if scheme in {"postgres", "postgresql"}:
        session = postgres.reading_session(connection)
        found = _postgres_table(session, table)
        postgres.hold_still(session)
        return found
    return named_table(connection, table)


def attached_duckdb_table(engine: Any, url: str, table: str) -> Any:
    """The table of a DuckDB file, attached read-only to the embedded engine."""
    path = existing_file_of(url)
    try:
        quoted = str(path).replace("'", "''")
        engine.con.execute(f"ATTACH '{quoted}' AS epsilens_attached (READ_ONLY)")
    except Exception as problem:
        text = str(problem).lower()
        if "already attached" in text or "different configuration" in text:
            raise SourceError(f"{path} cannot be opened: this process has it open; close that connection") from None
        cause = "it is locked by another process" if "lock" in text else "it is not a DuckDB database"
        raise SourceError(f"{path} cannot be opened: {cause}, or written by a newer DuckDB") from None
    rows = engine.con.execute(
        "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = 'epsilens_attached'"
    ).fetchall()
    # A table may be named alone or with its schema; the schema "main" is the default and wins.
    by_name = {f"{schema}.{name}": (schema, name) for schema, name in rows}
    by_name |= {name: (schema, name) for schema, name in sorted(rows, key=lambda row: row[0] == "main")}
    if table not in by_name:
        raise no_table(table, list(by_name), len(rows))
    schema, name = (part.replace('"', '""') for part in by_name[table])
    try:
        engine.con.execute(f'CREATE TEMP VIEW epsilens_source AS SELECT * FROM epsilens_attached."{schema}"."{name}"')
        return duckdb_relation(engine, "epsilens_source")
    except Exception as problem:
        raise SourceError(f"table {table!r} cannot be opened ({type(problem).__name__})") from None


def detach(engine: Any) -> None:
    """Let go of the file of :func:`attached_duckdb_table`, so that others can write to it again."""
    engine.con.execute("DROP VIEW IF EXISTS epsilens_source")
    engine.con.execute("DETACH epsilens_attached")


def _postgres_table(session: Any, table: str) -> Any:
    try:
        found, names = table_called(session, table)
    except Exception as problem:
        if session.con.closed:
            raise engine_errors.told(f"table {table!r}", problem) from None
        return named_table(session, table)  # a database that speaks PostgreSQL's language and has other catalogues
    if found is None:
        raise no_table(table, names)
    return found


def named_table(connection: Any, table: str) -> Any:
    """``table`` or ``schema.table`` of a connection, or a line with the nearest name."""
    import ibis.common.exceptions as ibis_errors

    try:
        tables = [str(name) for name in connection.list_tables()]
    except Exception:
        tables = []
    if table in tables:
        return connection.table(table)
    schema, dot, name = table.rpartition(".")
    if dot:
        try:
            return connection.table(name, database=schema)
        except (ibis_errors.IbisError, LookupError):
            pass
        except Exception as problem:
            raise SourceError(f"table {table!r} cannot be opened ({type(problem).__name__})") from None
    raise no_table(table, tables)


def no_table(table: str, tables: list[str], count: int | None = None) -> SourceError:
    """What to say about a table that is not there; ``count`` is how many are, where some have several names."""
    where = f" among its {len(tables) if count is None else count} tables" if tables else ""
    return SourceError(f"the database has no table {table!r}{where}{did_you_mean(table, tables)}")


def _with_timeout(url: str, scheme: str) -> str:
    """The URL with a limit on how long an unreachable PostgreSQL server may keep us waiting."""
    if scheme not in {"postgres", "postgresql"} or "connect_timeout" in url:
        return url
    return f"{url}{'&' if urlsplit(url).query else '?'}connect_timeout={CONNECT_SECONDS}"


def file_of(url: str) -> Path:
    """The path in a URL such as ``duckdb:///abs/file.db``, ``duckdb://rel/file.db`` or ``duckdb://file.db``."""
    rest = url.partition("://")[2].partition("?")[0]
    return Path(unquote(rest)).expanduser()


def existing_file_of(url: str) -> Path:
    """The file in a URL, refused with how such URLs are written unless it is one."""
    path, scheme = file_of(url), scheme_of(url)
    how = f"write {scheme}://file.db for a file in this folder, {scheme}:///folder/file.db for one from the root"
    try:
        there, folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        there, folder, path = False, False, Path()
    if path == Path():
        raise SourceError(f"the {scheme} URL names no file; {how}")
    if folder:
        raise SourceError(f"{path} is a folder, not a database; {how}")
    if not there:
        raise SourceError(f"{path} does not exist; {how}")
    return path


def _unconnected(url: str, scheme: str, problem: Exception) -> SourceError:
    """Why a connection failed, in our words: driver, credentials, database, or network."""
    import ibis

    if isinstance(problem, ImportError):
        extra = EXTRAS.get(scheme)
        package = f"epsilens[{extra}]" if extra else f"ibis-framework[{scheme}]"
        return SourceError(f"the driver for {scheme}:// is not installed; run pip install '{package}'")
    known = sorted({*EXTRAS, "duckdb", "sqlite", *(point.name for point in ibis.util.backend_entry_points())})
    if scheme not in known:
        return SourceError(f"{scheme}:// is not a database that Epsilens knows{did_you_mean(scheme, known)}")
    where = _server(url)
    text = f"{type(problem).__name__} {problem}".lower()
    if any(sign in text for sign in ("password", "authentication", "access denied", "credential", "pg_hba", "role ")):
        return SourceError(f"{where} refused the user name or password")
    if "does not exist" in text or "unknown database" in text:
        return SourceError(f"{where} has no such database")
    if any(sign in text for sign in ("refused", "timeout", "timed out", "resolve", "unreachable", "could not connect")):
        return SourceError(f"{where} cannot be reached; is the address right and the server running?")
    return SourceError(f"{where} cannot be opened ({type(problem).__name__}); check the URL")


def _server(url: str) -> str:
    """The server of a URL without user, password and options."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"
    except ValueError:
        host = ""
    return f"the {scheme_of(url)} database at {host}" if host else f"the {scheme_of(url)} database"
