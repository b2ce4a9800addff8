"""CSV files: dialects, headers, quotes, and the line that is at fault."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.table.reading import csv_files as csvfiles
from epsilens.table.reading.cells import read_cells
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import SCHEMA, TOKEN, assert_expected, csv_text, refusal


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_dialects(tmp_path: Path, delimiter: str, blank: str, end: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(csv_text(delimiter, blank, end).encode())
    assert_expected(read_table(path, SCHEMA))


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.tsv", "A.CSV", "odd [1] 'name'*.csv", "a.csv.gz"])
def test_csv_names_and_byte_order_mark(tmp_path: Path, name: str) -> None:
    content = b"\xef\xbb\xbf" + csv_text().encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert_expected(read_table(str(tmp_path / name), SCHEMA))


def test_csv_without_final_line_end_and_with_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(csv_text().replace("\n", "\n\n").rstrip())
    assert_expected(read_table(path, SCHEMA))


def test_csv_with_mixed_line_ends_is_read_by_python_instead(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    first, *rest = csv_text().splitlines()
    path.write_bytes("\n".join([first, "\r\n".join(rest[:2]), *rest[2:], ""]).encode())
    assert_expected(read_table(path, SCHEMA))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("above", ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", " \t\n", "\n \r\n", "\r\n\n", "\ufeff\n"])
def test_blank_lines_above_the_header_make_nobody_of_it(tmp_path: Path, above: str, end: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes((above + csv_text(end=end)).encode())
    assert_expected(read_table(path, SCHEMA))
    path.write_bytes((above + csv_text(blank="  ", end=end)).encode())  # which Python reads
    assert_expected(read_table(path, SCHEMA))


def test_blank_lines_above_the_header_may_differ_between_files(tmp_path: Path) -> None:
    first, *rest = csv_text().splitlines(keepends=True)
    (tmp_path / "a.csv").write_text(first + rest[0])
    (tmp_path / "b.csv").write_text("\n\n" + first + "".join(rest[1:]))
    assert_expected(read_table(tmp_path / "*.csv", SCHEMA))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_quotes_behind_several_blanks_are_quotes(tmp_path: Path, name: str) -> None:
    def written(text: str) -> Path:
        (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return tmp_path / name

    assert read_table(written('a,y\nx,  "p"\nz,q\nx,p\n'), Schema(["a"], "y")).labels == ("p", "q")
    assert read_table(written('a,y\nx,  "p, ""q"""\nz,q\n'), Schema(["a"], "y")).labels == ('p, "q"', "q")
    assert read_table(written('a,y\n   "x, z",p\nz,q\n'), Schema(["a"], "y")).cells()["a"] == ["x, z", "z"]
    # Here the parts of the quoted field would fill the place of the missing one.
    path = written(f'a,b,y\nx,1,p\nz,    "{TOKEN}, {TOKEN}"\n')
    assert refusal(path, Schema(["a"], "y")) == f"{path} line 3: expected 3 fields, found 2"
    assert read_table(written('a,y\nx,"""p"""\nz,"q  "\n'), Schema(["a"], "y")).labels == ('"p"', "q")


def test_detached_quotes_are_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    monkeypatch.setattr(csvfiles, "BLOCK_BYTES", 2)
    for blanks in range(7):
        path.write_text(f'a,y\nx,{" " * blanks}"p"\nz,q\n')
        assert csvfiles.suits_duckdb([path], csvfiles.dialect_of(path)) == (blanks < 2)
    for blanks in range(7):  # a quote and another one, with blocks of blanks and of none of either between
        path.write_text(f'a,y\nx,"p"{" " * blanks}"\nz,qqqq\n')
        odd = csvfiles._has_odd_lines(path, ",")
        assert odd == (blanks > 0)


def test_csv_fields_may_hold_quotes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('a,b\n"x ""y""\nz",1\nw,2\n')
    assert read_table(path, Schema(["a"], "b")).cells() == {"a": ["w", 'x "y"\nz']}


def test_column_names_that_differ_in_case_only(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,A,b\n1,x,u\n2,x,v\n")
    assert read_table(path, Schema(["A"], "b")).n_cells == 1
    assert read_table(path, Schema(["a"], "b")).n_cells == 2


def test_repeated_names_are_refused_but_for_a_label_and_its_count() -> None:
    with pytest.raises(SourceError, match="the table has 2 columns named 'FF'; give each a name of its own"):
        csvfiles.unique_names([" FF", "FF ", "a"])
    assert csvfiles.unique_names([" FF", "FF ", "a"], wanted={"FF_1"}) == ["FF", "FF_1", "a"]
    with pytest.raises(SourceError, match="3 columns named 'FF'"):
        csvfiles.unique_names(["FF", "FF", "FF"], wanted={"FF_1"})
    assert csvfiles.unique_names(["a", "", " ", "A"]) == ["a", "", "_1", "A"]


def test_a_file_without_a_header_does_not_show_a_record_that_repeats_a_value(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{TOKEN},{TOKEN},x\n1,2,3\n")
    assert "is the first line a header" in refusal(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        ("code,place,ill\n1,2,3\n".encode("utf-16"), "is not UTF-8 text"),
        (b"code,place,ill\n1,\xff,3\n", "is not UTF-8 text"),
        (b"code,place,ill\n1,\0,3\n", "line 2: holds a NUL character"),
        (b"code,place,ill\n" + b"1,2,3\n" * 100 + b'1,\0"",3\n"', "line 102: holds a NUL character"),
        (b"code,place,ill\n1," + b"x" * (1 << 24) + b",3\n", "line 2: longer than 16,777,216 characters"),
        (b"x" * (1 << 24), "line 1: longer than"),
    ],
    ids=["empty", "blank", "utf16", "latin1", "nul", "late nul", "long line", "no line end"],
)
def test_what_is_not_a_table_is_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    assert said in refusal(path)


def test_a_field_above_the_limit_of_csv_is_read(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    long = "x" * 200_000
    path.write_text(f'code,place,ill\n1,{long},y\n1,b,n\n2,"{long}",y\n')
    assert read_table(path, SCHEMA).n_records == 3
    path.write_text(f'code,place,ill\n1,{long},y\n1,  "{long}",n\n')  # which Python reads itself
    assert read_table(path, SCHEMA).n_cells == 1


def test_patterns_with_different_headers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "part0.csv").write_text("code,place,ill\n1,2,3\n")
    (tmp_path / "part1.csv").write_text("code,ill,place\n1,2,3\n")
    with pytest.raises(SourceError, match=r"part1\.csv has another header"):
        read_table(tmp_path / "part*.csv", SCHEMA)


@pytest.mark.parametrize("fields", ["1,2", "1,2,3,4", f"{TOKEN},2", f"1,{TOKEN},3,4,5"])
def test_ragged_csv_names_the_line_and_the_numbers_of_fields(tmp_path: Path, fields: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'code,place,ill\n"{TOKEN}\n{TOKEN}",b,c\n\n{fields}\n1,2,3\n')
    assert refusal(path) == f"{path} line 5: expected 3 fields, found {fields.count(',') + 1}"


def test_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'code,place,ill\n1,2,3\n1,2,"{TOKEN}\n4,5,6\n')
    assert "a quoted field is never closed" in refusal(path)


def test_csv_that_is_not_utf8(tmp_path: Path) -> None:
    late = "code,place,ill\n" + f"1,2,{TOKEN}\n" * 20_000
    for name, content in {"a.csv": f"code,place,ill\n1,é{TOKEN},3\n", "b.csv": late + f"1,é{TOKEN},3\n"}.items():
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        assert "is not UTF-8 text" in refusal(tmp_path / name)
    (tmp_path / "c.csv").write_bytes(csv_text().encode("utf-16"))
    assert "is not UTF-8 text" in refusal(tmp_path / "c.csv")


def test_permission_is_said_so_even_as_root(tmp_path: Path) -> None:
    assert "permission denied" in str(csvfiles.unreadable(tmp_path, PermissionError(13, "Permission denied")))


ODD_LINES = ['  "u"', "u,", '"u" "u"', '"" "u"', "u\r", "u,,", " ", "", '" u "', "u,\r"]


@pytest.mark.parametrize("odd", ODD_LINES)
@pytest.mark.parametrize("width", [1, 2])
def test_a_line_does_not_change_what_becomes_of_the_others(tmp_path: Path, odd: str, width: int) -> None:
    """Neither by itself nor because of it does another reader make something else of the same line."""
    path, beside = tmp_path / "people.csv", ["u", "", " u", "u ", '"u"', ' "u"', '"u,w"', 'u"w', "u,", "u,,", '""']
    head, columns = ("s", ["s"]) if width == 1 else ("a,s", ["a", "s"])
    before = "" if width == 1 else "x,"

    def people(*lines: str) -> dict[tuple[str, ...], int]:
        path.write_bytes("\n".join([head, *(before + line for line in lines), ""]).encode())
        found = read_cells(path, Schema(columns), misfits="leave-out")
        levels = [[found.domain.levels[j][code] for j, code in enumerate(row)] for row in found.codes]
        return {tuple(row): int(n) for row, n in zip(levels, found.counts, strict=True)}

    without, alone, together = Counter(people(*beside)), Counter(people(odd)), Counter(people(*beside, odd))
    assert together == without + alone
    dialect = csvfiles.dialect_of(path, columns, may_be_empty=True)
    csvfiles.refuse_malformed([path], dialect)
    assert sum(batch.num_rows for batch in csvfiles.text_batches([path], dialect)) == len(beside) + 1
