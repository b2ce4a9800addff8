from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.visits import (
    button,
    errors,
    labelled,
    open_path,
    told,
    upload,
    visited,
    work_of,
)

TOKEN = "zqx31337"
"""A person's value."""
PEOPLE = "age,sex,disease\n" + "".join(f"{20 + i},{'fm'[i % 2]},{('none', 'flu')[i % 3 == 0]}\n" for i in range(40))


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    return visited(monkeypatch)


def test_the_demo_is_open_with_its_roles_and_the_structure_is_shown(page: Any) -> None:
    button(page, "Open the demo").click().run()
    assert errors(page) == []
    assert labelled(page, "multiselect", "What others may know").value == ["block_group", "age", "sex", "race"]
    assert "5,000 people in 295 cells" in page.success[0].value
    assert dict(work_of(page).project.section("data"))["source"] == "people.csv"


def test_a_file_is_uploaded_and_its_suggestions_are_confirmed_and_undone(page: Any) -> None:
    upload(page, "people.csv.gz", gzip.compress(PEOPLE.encode()))
    assert errors(page) == []
    assert not page.success
    assert labelled(page, "multiselect", "What they want").value == ["disease"]
    assert labelled(page, "text_input", "Bins").value == "age=10"
    button(page, "Use these roles").click().run()
    assert "40 people in 8 cells" in page.success[0].value
    work = work_of(page)
    assert work.project.section("data")["bins"] == {"age": "10"}
    button(page, "Undo").click().run()
    assert not work.is_described
    assert labelled(page, "multiselect", "What they want").value == ["disease"]
    button(page, "Redo").click().run()
    assert work.is_described


def test_levels_of_an_upload_are_those_of_the_same_file(page: Any, tmp_path: Path) -> None:
    (tmp_path / "here.csv").write_text(PEOPLE)
    upload(page, "here.csv", PEOPLE.encode())
    button(page, "Use these roles").click().run()
    held = work_of(page).table()
    open_path(page, tmp_path / "here.csv")
    work = work_of(page)
    assert not work.is_held
    assert work.is_described  # the columns are there, so their roles stay
    assert held.cells() == work.table().cells()


BAD = {
    "binary": ("photo.csv", bytes(range(256)) * 40, "UTF-8"),
    "nothing": ("empty.csv", b"", "is empty"),
    "header": ("header.csv", b"age,sex\n", "no records"),
    "latin": ("latin.csv", f"age,sex\n20,\xff{TOKEN}\n".encode("latin-1"), "UTF-8"),
    "utf16": ("wide.csv", "age,sex\n20,f\n".encode("utf-16"), "UTF-8"),
    "ragged": ("ragged.csv", f"age,sex\n20,f\n21,{TOKEN},x,y\n22,f\n".encode(), "line 3"),
    "twice": ("twice.csv", b"age,age,age,sex\n1,2,3,f\n", "columns named"),
    "parquet": ("cut.parquet", b"PAR1" + TOKEN.encode() + b"PAR1", "cut.parquet"),
    "gz": ("cut.csv.gz", gzip.compress(PEOPLE.encode() * 9)[:60], "damaged"),
}


def test_whatever_cannot_be_read_is_said_and_changes_nothing(page: Any) -> None:
    button(page, "Open the demo").click().run()
    before = work_of(page).project
    for name, content, says in BAD.values():
        upload(page, name, content)
        (said,) = errors(page)
        assert says in said, said
        assert TOKEN not in told(page)
        assert work_of(page).project == before
        assert page.success
    for path, says in (("nowhere.csv", "does not exist"), ("", "No path"), ("sqlite://none.db", "needs table")):
        open_path(page, path)
        (said,) = errors(page)
        assert says in said, said
        assert work_of(page).project == before


def test_one_row_and_columns_that_are_all_unique_can_be_read(page: Any) -> None:
    upload(page, "one.csv", b"age,sex,disease\n20,f,flu\n")
    assert errors(page) == []
    lines = "".join(f"{i},n{i},m{i}@x,{i}.5\n" for i in range(50))
    upload(page, "unique.csv", f"key,surname,email,score\n{lines}".encode())
    assert errors(page) == []
    assert labelled(page, "multiselect", "What others may know").value == []
    button(page, "Use these roles").click().run()
    assert errors(page) == []
    assert "Confirm the roles" in page.info[-1].value


def test_two_thousand_columns_are_listed_in_part_and_can_be_chosen(page: Any) -> None:
    names = [f"c{i}" for i in range(1_997)] + ["age", "sex", "disease"]
    rows = [[str(i * j % 5) for i in range(2_000)] for j in range(3)]
    text = "\n".join(",".join(line) for line in [names, *rows])
    upload(page, "wide.csv", text.encode())
    assert errors(page) == []
    assert len(labelled(page, "multiselect", "What others may know").options) == 2_000
    button(page, "Use these roles").click().run()
    assert "3 people" in page.success[0].value


def test_rows_and_values_are_shown_to_whoever_asks_and_to_nobody_else(page: Any) -> None:
    upload(page, "planted.csv", (PEOPLE + f"{61},{TOKEN}f,{TOKEN}\n" * 2).encode())
    button(page, "Use these roles").click().run()
    assert errors(page) == []
    assert TOKEN not in told(page)
    button(page, "I may see people\\'s data\\: list the values").click().run()
    assert TOKEN in labelled(page, "multiselect", "Values of disease").options
    button(page, "I may see people's data: show the rows").click().run()
    assert "The first 5 rows" in told(page)


def test_values_that_harm_are_typed_and_refused_where_nobody_has_them(page: Any) -> None:
    upload(page, "people.csv", PEOPLE.encode())
    button(page, "Use these roles").click().run()
    labelled(page, "text_area", "Values of disease").set_value("flu")
    button(page, "These values harm").click().run()
    assert errors(page) == []
    assert work_of(page).project.section("data")["harmful"] == {"disease": ["flu"]}
    assert work_of(page).table().harm is not None
    labelled(page, "text_area", "Values of disease").set_value("flux")
    button(page, "These values harm").click().run()
    assert "did you mean 'flu'" in errors(page)[0]


def test_a_universe_is_typed_or_read_from_the_data(page: Any) -> None:
    upload(page, "people.csv", PEOPLE.encode())
    button(page, "Use these roles").click().run()
    labelled(page, "text_area", "Values by column").set_value('{"sex": ["f", "m", "x"]')
    button(page, "Declare these").click().run()
    assert "not JSON" in errors(page)[0]
    labelled(page, "text_area", "Values by column").set_value('{"sex": ["f", "m", "x"], "age": {"from": 0, "to": 80}}')
    button(page, "Declare these").click().run()
    assert errors(page) == []
    assert work_of(page).project.section("data")["universe"]["sex"] == ["f", "m", "x"]
    button(page, "Undo").click().run()
    button(page, "Read the values").click().run()
    assert errors(page) == []
    assert work_of(page).project.section("data")["universe"]["disease"] == ["flu", "none"]
    assert "40 people in 8 cells" in page.success[0].value


def test_rows_are_chosen_and_missing_values_declared(page: Any) -> None:
    upload(page, "people.csv", (PEOPLE + "?,f,none\n").encode())
    labelled(page, "text_input", "Texts that mean").set_value("?")
    labelled(page, "text_area", "Only rows").set_value("sex=f")
    labelled(page, "selectbox", "What becomes").set_value("drop")
    button(page, "Read these rows").click().run()
    assert labelled(page, "text_input", "Bins").value == "age=10"  # age is a number now
    button(page, "Use these roles").click().run()
    assert errors(page) == []
    assert "20 people in 4 cells" in page.success[0].value
    assert work_of(page).project.section("data")["where"] == ["sex=f"]


def test_a_column_that_is_not_there_is_named_and_the_page_stays_usable(page: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "p.toml").write_text(
        '[data]\nsource = "people.csv"\nquasi_identifiers = ["age", "sexx"]\nsensitive = ["disease"]\n'
    )
    labelled(page, "text_input", "Or its path").set_value("p.toml")
    button(page, "Open the project").click().run()
    assert "sexx" in page.warning[0].value
    assert "sexx" in errors(page)[-1]
    labelled(page, "multiselect", "What others may know").set_value(["age", "sex"])
    button(page, "Use these roles").click().run()
    assert errors(page) == []
    assert page.success


def test_a_project_is_saved_opened_and_says_when_its_data_have_changed(page: Any, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    open_path(page, "people.csv")
    button(page, "Use these roles").click().run()
    labelled(page, "text_input", "Save to").set_value("p.toml")
    button(page, "Save").click().run()
    assert "p.toml" in page.success[0].value.replace("\\", "")
    button(page, "Save").click().run()
    assert "exists" in errors(page)[0]
    (tmp_path / "people.csv").write_text(PEOPLE + "33,f,none\n")
    labelled(page, "text_input", "Or its path").set_value("p.toml")
    button(page, "Open the project").click().run()
    assert "have changed since" in page.warning[0].value
    assert work_of(page).saved_as == "p.toml"


def test_a_wrong_project_file_is_told_with_its_line(page: Any) -> None:
    labelled(page, "file_uploader", "Open a project").set_value(("p.toml", b"[data]\nsuorce = 'x.csv'\n", "text/plain"))
    page.run()
    button(page, "Open this project").click().run()
    (said,) = errors(page)
    assert "line 2" in said
    assert "source" in said
    labelled(page, "file_uploader", "Open a project").set_value(("p.toml", b"\xff\xfe", "text/plain"))
    page.run()
    button(page, "Open this project").click().run()
    assert "UTF-8" in errors(page)[0]


def test_a_table_of_counts_is_opened_with_its_count_column(page: Any) -> None:
    text = "age,sex,income,income\n20,f,low,3\n30,f,high,2\n20,m,low,4\n"
    upload(page, "counts.csv", text.encode())
    assert errors(page) == []
    assert labelled(page, "selectbox", "Column of counts").value == "income_1"
    button(page, "Use these roles").click().run()
    assert errors(page) == []
    assert "9 people" in page.success[0].value


def test_what_was_typed_is_refused_where_it_makes_no_sense(page: Any) -> None:
    upload(page, "people.csv", PEOPLE.encode())
    before = work_of(page).project
    labelled(page, "text_input", "Bins").set_value("age=wide")
    button(page, "Use these roles").click().run()
    assert len(errors(page)) == 1
    assert work_of(page).project == before


def test_a_universe_in_a_file(page: Any) -> None:
    upload(page, "people.csv", PEOPLE.encode())
    button(page, "Use these roles").click().run()
    declared = json.dumps({"sex": ["f", "m", "d"]}).encode()
    labelled(page, "file_uploader", "Or a JSON").set_value(("u.json", io.BytesIO(declared).getvalue(), "text/plain"))
    page.run()
    button(page, "Declare what this file").click().run()
    assert errors(page) == []
    assert work_of(page).project.section("data")["universe"] == {"sex": ["f", "m", "d"]}
