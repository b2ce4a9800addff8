"""CSV files: their header and delimiter, read by DuckDB as text, and what is wrong with one that DuckDB refuses.

DuckDB's own messages quote the offending line, that is, people's data. So they are never shown: when DuckDB gives up,
the file is read once more by Python's csv module, which either finds the line at fault (reported by number) or can
read the file after all (mixed line ends, for example) and then feeds the engine itself.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from epsilens.errors import SourceError
from epsilens.table.reading.held_files import HeldFile

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_LINES = 50
BATCH_ROWS = 50_000
BLOCK_BYTES = 1 << 20
LONGEST_LINE = 1 << 24
"""Characters. A file without line ends is not a table, and reading one whole could take all memory."""
File = Path | HeldFile


@dataclass(frozen=True)
class Dialect:
    """What the first lines of a CSV file say: its delimiter, its header, and the blank lines above it.

    ``skip`` is the number of these lines, ``None`` where DuckDB would miscount them.
    """

    delimiter: str
    header: tuple[str, ...]
    skip: int | None = field(default=0, compare=False)


def unique_names(names: Sequence[str], place: str = "the table", wanted: Collection[str] = ()) -> list[str]:
    """Column names stripped of blanks, refused where one repeats: nobody could tell which of them is meant.

    There is one exception, because tables of counts are published so: a name that stands twice, for a label and for its
    count. The second is called ``<name>_1``, and who wants a column of that name knows of it. Columns without a name
    cannot be asked for, so they may be as many as they like.
    """
    stripped = [str(name).strip() for name in names]
    for name, times in Counter(stripped).items():
        if times > 1 and name and (times > 2 or f"{name}_1" not in wanted):
            raise SourceError(
                f"{place} has {times} columns named {name!r}",
                remedy="give each a name of its own, or, where one of two holds the counts of the other, name it in "
                "`count`",
            )
    return numbered_names(stripped)


def numbered_names(names: Sequence[str]) -> list[str]:
    """The names, those that repeat with a number."""
    seen: set[str] = set()
    unique = []
    for name in names:
        candidate, number = name, 0
        while candidate in seen:
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate)
        unique.append(candidate)
    return unique


def dialect_of(path: File, wanted: Sequence[str] = (), may_be_empty: bool = False) -> Dialect:
    """The delimiter and header of a CSV file, which must have at least one record, unless it ``may_be_empty``.

    Where some delimiter gives the header all ``wanted`` columns it is that one, whatever the records look like.
    """
    with _opened(path) as stream:
        try:
            blank, lines = _first_lines(_lines(stream, path))
        except UnicodeDecodeError:
            raise _not_utf8(path) from None
        except (OSError, EOFError, zlib.error):
            raise SourceError(f"{path} cannot be read: it is damaged or not what its name says") from None
    if not lines:
        raise SourceError(f"{path} is empty; a header line and at least one record are needed")
    sample = lines[:1] if may_be_empty else lines  # whoever takes any records is not to depend on them
    same_end = len({line[len(line.rstrip("\r\n")) :] for line in (*blank, lines[0])}) == 1
    csv.field_size_limit(LONGEST_LINE)
    try:
        found = _of_header(lines[0], wanted) or _most_regular(sample)
    except csv.Error:
        raise SourceError(f"{path}: its first lines cannot be parsed as CSV") from None
    dialect = replace(found, skip=len(blank) if same_end or not blank else None)
    if len(lines) == 1 and not may_be_empty:
        raise SourceError(f"{path} has a header with {len(dialect.header)} columns but no records")
    return dialect


def common_dialect(paths: Sequence[File], wanted: Sequence[str] = (), may_be_empty: bool = False) -> Dialect:
    """The dialect of several files, which must all have the same header and delimiter."""
    dialects = [dialect_of(path, wanted, may_be_empty) for path in paths]
    first = dialects[0]
    for path, other in zip(paths, dialects, strict=True):
        if other != first:
            raise SourceError(
                f"{path} has another header or delimiter than {paths[0]} ({len(other.header)} and {len(first.header)} "
                "columns); files read together must have the same columns in the same order"
            )
    return first if len({dialect.skip for dialect in dialects}) == 1 else replace(first, skip=None)


def suits_duckdb(paths: Sequence[File], dialect: Dialect) -> bool:
    """Whether DuckDB reads the files right or refuses them. What it would read wrong is left to :func:`text_batches`.

    That is a header at a place it cannot be told, quoted fields behind two blanks, whose quotes it takes for text,
    quotes behind a closing one, and line ends of two kinds. Of lines that have nothing of the kind, both make the same:
    which of them reads a file may hang on a single line, and must not change what becomes of the others.
    """
    return dialect.skip is not None and not any(_has_odd_lines(path, dialect.delimiter) for path in paths)


def scan_sql(paths: Sequence[File], dialect: Dialect) -> str:
    """The DuckDB query that reads the files as text; columns ``c0``, ``c1``, ..., for DuckDB ignores case in names."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(dialect.header)))
    files = ", ".join(literal(verbatim(path)) for path in paths)
    return (
        f"SELECT * FROM read_csv([{files}], auto_detect=false, delim={literal(dialect.delimiter)}, "
        f"quote='\"', escape='\"', header=true, skip={dialect.skip}, columns={{{columns}}}, "
        f"null_padding=false, strict_mode=true, max_line_size={LONGEST_LINE}, buffer_size={2 * LONGEST_LINE})"
    )


def refuse_malformed(paths: Sequence[File], dialect: Dialect) -> None:
    """A :class:`SourceError` for the first line that is not what the header promises; silence if there is none."""
    for path in paths:
        for _ in _records(path, dialect):
            pass


def text_batches(paths: Sequence[File], dialect: Dialect) -> Iterator[pa.RecordBatch]:
    """The files' records as Arrow batches of text, read by Python: slower than DuckDB but more forgiving."""
    import pyarrow as pa

    width = len(dialect.header)
    schema = pa.schema([(f"c{i}", pa.string()) for i in range(width)])
    rows: list[list[str]] = []
    for path in paths:
        for record in _records(path, dialect):
            rows.append(record)
            if len(rows) == BATCH_ROWS:
                yield _batch(rows, schema)
                rows = []
    if rows:
        yield _batch(rows, schema)


def _batch(rows: list[list[str]], schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    arrays = [pa.array([row[i] for row in rows], pa.string()) for i in range(len(schema))]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _records(path: File, dialect: Dialect) -> Iterator[list[str]]:
    """The records below the header, each of the header's width, or a SourceError with the line number."""
    expected = len(dialect.header)
    csv.field_size_limit(LONGEST_LINE)
    with _opened(path) as stream:
        reader = csv.reader(_lines(stream, path), delimiter=dialect.delimiter, skipinitialspace=True)
        start, in_header = 1, True
        try:
            for record in reader:
                line, start = start, reader.line_num + 1
                if not record:  # a blank line is not a record, unless a single column is what is missing there
                    if expected > 1 or in_header:
                        continue
                    record = [""]
                if in_header:  # which lines of blanks may precede
                    in_header = not dialect.delimiter.join(record).strip()
                    continue
                # Delimiters at the end of a line are harmless; DuckDB allows them too.
                while len(record) > expected and not record[-1].strip():
                    record.pop()
                if len(record) != expected:
                    raise SourceError(f"{path} line {line}: expected {expected} fields, found {len(record)}")
                yield record
        except UnicodeDecodeError:
            raise _not_utf8(path) from None
        except csv.Error:
            raise SourceError(f"{path} line {start}: cannot be parsed as CSV") from None
        except (OSError, EOFError, zlib.error):
            raise SourceError(f"{path} cannot be read: it is damaged or not what its name says") from None
        if _quote_left_open(path, dialect):
            raise SourceError(f"{path}: a quoted field is never closed; a quote character is missing")


def _quote_left_open(path: File, dialect: Dialect) -> bool:
    """Whether the file ends inside a quoted field, which csv swallows silently unless strict."""
    with _opened(path) as stream:
        reader = csv.reader(stream, delimiter=dialect.delimiter, skipinitialspace=True, strict=True)
        try:
            for _ in reader:
                pass
        except csv.Error as problem:
            return "unexpected end" in str(problem)
    return False


def _of_header(line: str, wanted: Sequence[str]) -> Dialect | None:
    """The dialect in which the header has all ``wanted`` columns, if there is one."""
    for delimiter in DELIMITERS if wanted else ():
        names = tuple(name.strip() for name in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True)))
        repeated = {f"{name}_1" for name, times in Counter(names).items() if times > 1}
        if set(wanted) <= {*names, *repeated}:
            return Dialect(delimiter, names)
    return None


def _most_regular(lines: Sequence[str]) -> Dialect:
    """The delimiter whose fields agree with the header on most of the first lines; then the one with most columns."""
    best: tuple[float, int] = (-1.0, 0)
    chosen = Dialect(",", (lines[0].strip(),))
    for delimiter in DELIMITERS:
        records = list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
        width = len(records[0])
        agreeing = sum(len(record) == width for record in records) / len(records)
        if width > 1 and (agreeing, width) > best:
            best = (agreeing, width)
            chosen = Dialect(delimiter, tuple(name.strip() for name in records[0]))
    return chosen


def _opened(path: File) -> IO[str]:
    try:
        if _is_gzipped(path):
            return io.TextIOWrapper(_gunzipped(path), encoding="utf-8-sig", newline="")
        return path.open(encoding="utf-8-sig", newline="")
    except OSError as problem:
        raise unreadable(path, problem) from None


def _gunzipped(path: File) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=path.open("rb")) if isinstance(path, HeldFile) else gzip.GzipFile(path)


def _is_gzipped(path: File) -> bool:
    return path.suffix.lower() == ".gz"


def unreadable(path: File, problem: OSError) -> SourceError:
    """What to say about a file that the operating system does not let us read."""
    if isinstance(problem, FileNotFoundError):
        return SourceError(f"{path} does not exist")
    if isinstance(problem, IsADirectoryError):
        return SourceError(f"{path} is a directory; name a file, or files with a pattern such as {path}/*.csv")
    if isinstance(problem, PermissionError):
        return SourceError(f"{path} cannot be read: permission denied")
    return SourceError(f"{path} cannot be read: {problem.strerror or type(problem).__name__}")


def _not_utf8(path: File) -> SourceError:
    return SourceError(f"{path} is not UTF-8 text; save it as UTF-8 (in Excel 'CSV UTF-8'), or convert it with iconv")


def _lines(stream: IO[str], path: File) -> Iterator[str]:
    """The lines of a file, refused where one is so long that it is none, or holds the NUL of a binary file."""
    number = 0
    while line := stream.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise SourceError(f"{path} line {number}: longer than {LONGEST_LINE:,} characters, so this is not a table")
        if "\0" in line:
            raise SourceError(f"{path} line {number}: holds a NUL character; save the file as UTF-8 text")
        yield line


def _first_lines(stream: Iterable[str]) -> tuple[list[str], list[str]]:
    """The blank lines above the header, and the first lines that hold something."""
    blank: list[str] = []
    lines: list[str] = []
    for line in stream:
        if not lines and not line.strip():
            blank.append(line)
        elif line.strip("\r\n"):
            lines.append(line)
        if len(lines) == SAMPLE_LINES:
            break
    return blank, lines


def _has_odd_lines(path: File, delimiter: str) -> bool:
    """Whether two blanks or more stand between the start of a field and a quote, any blanks between two quotes, or a
    carriage return in a file whose first line ends without.
    """
    odd = re.compile(rb'[\r\n%b]  +"|" +"' % re.escape(delimiter).encode())
    rest = b"\n"
    try:
        with _gunzipped(path) if _is_gzipped(path) else path.open("rb") as stream:
            first = stream.readline(LONGEST_LINE)
            returns = first.endswith(b"\r\n") or not first.endswith(b"\n")
            stream.seek(0)
            while block := stream.read(BLOCK_BYTES):
                if not returns and b"\r" in block:
                    return True
                if b'"' in block:  # which is found out several times as fast as where blanks stand before one
                    block = rest + block
                    if b' "' in block and odd.search(block):
                        return True
                blanks = len(block) - len(block.rstrip(b" ")) if block.endswith(b" ") else 0
                rest = rest + block if blanks == len(block) else block[len(block) - blanks - 1 :]
    except (OSError, EOFError, zlib.error):
        raise SourceError(f"{path} cannot be read: it is damaged or not what its name says") from None
    return False


def literal(text: str) -> str:
    """A DuckDB string literal."""
    return "'" + text.replace("'", "''") + "'"


def verbatim(path: File) -> str:
    """A path that DuckDB takes as it stands: pattern characters in a file's own name are quoted."""
    if isinstance(path, HeldFile):
        return path.address
    return "".join(f"[{character}]" if character in "*?[" else character for character in str(path))
