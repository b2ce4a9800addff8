"""Project files: what is wrong is told with its line and the nearest name, what is right is written as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.errors import EpsilensError, SourceError
from epsilens.project.keys import COMMANDS, KEYS
from epsilens.project.project import Project
from epsilens.project.toml_file import check_place, lines_of, read_text, sections_of, text_with, write_text

GOOD = """# ours
schema = 1

[data] # where
source = "people.csv"   # the file
quasi_identifiers = [
  "age",  # known
  "sex",
]
sensitive = "income"

[data.universe]
sex = ["f", "m"]

[posterior.release]
rho = [0.1]
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[choose]\nmax_risc = 0.3",
            r"'p.toml', line 2: there is no key 'max_risc' in \[choose\]; did you mean 'max_r",
        ),
        ("[data]\n\n[choos]\na = 1", r"line 3: there is no section \[choos\]; did you mean 'choose'\?"),
        ('[choose]\nmax_risk = ["a"]', r"line 2: 'max_risk' in \[choose\] must be a number, got a list"),
        ("[data]\nsource = 3", r"line 2: 'source' in \[data\] must be a file name in quotes, got a number"),
        ("[release]\nconsistent = 'yes'", "must be true or false, got text"),
        ("[data]\nbins = 2026-01-01", "got a date or a time"),
        ("[data]\nepsilons = [1]", r"line 2: there is no key 'epsilons' in \[data\]; it belongs to \[noise\]"),
        ("[assess]\nplot = 'c.svg'", "line 2: .* what a run prints, draws or writes is not part of a project"),
        ("source = 'a.csv'", r"line 1: 'source' stands in no section; put it below \[data\]"),
        ("[posterior.relase]\nrho = [1]", r"line 1: there is no section \[posterior.relase\]; did you mean 'release'"),
        ("[posterior.release]\nrho = true", r"line 2: 'rho' in \[posterior.release\] must be a number, or a list"),
        ("data = 3", "'data'|must be a section"),
        ("[data]\na = 1\na = 2", "line 3: this stands in the file twice"),
        ("[data]\n[data]", "line 2, column .*: this stands in the file twice"),
        ("[data\n", "line 1, column 6: is not TOML"),
        ("[data]\nsource = ", "line 2(, column 10)?: is not TOML"),
        ("schema = 2", r"line 1: the project was written by a newer Epsilens \(schema 2, known up to 1\); update"),
        ("schema = 'x'", "schema must be a whole number"),
        ('[data]\nwhere = """\n[choose]\nx=1"""\nsorce = 1', "line 5: there is no key 'sorce'"),
        ("[data]\nquasi_identifiers = [\n 'source = 1', # [\n]\nsorce = 1", "line 5: there is no key 'sorce'"),
        ("x" * 9000 + " = " + "[" * 5000, "is not TOML|nests too deeply"),
    ],
)
def test_errors_say_the_line_and_the_nearest_name(text: str, said: str) -> None:
    with pytest.raises(EpsilensError, match=said) as refused:
        sections_of(text, "p.toml")
    assert "\n" not in str(refused.value)


def test_what_cannot_be_a_project_is_refused(tmp_path: Path) -> None:
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"[data]\nsource = '\xff'")
    with pytest.raises(SourceError, match="line 2 is not UTF-8 text"):
        read_text(binary)
    with pytest.raises(SourceError, match="Is a directory"):
        read_text(tmp_path)
    with pytest.raises(SourceError, match="No such file or directory; any command writes one with save"):
        read_text(tmp_path / "none.toml")
    with pytest.raises(SourceError, match="No such file"):
        read_text("a\0b")
    with (tmp_path / "large.toml").open("wb") as stream:
        stream.truncate((1 << 24) + 1)
    with pytest.raises(SourceError, match="larger than 16 MiB"):
        read_text(tmp_path / "large.toml")


def test_lines_are_found_whatever_stands_between() -> None:
    lines = lines_of(GOOD)
    assert lines["schema",] == 2
    assert lines["data", "source"] == 5
    assert lines["data", "sensitive"] == 10
    assert lines["data", "universe", "sex"] == 13
    assert lines["posterior", "release", "rho"] == 16


def test_a_file_keeps_its_comments_and_its_order() -> None:
    sections = sections_of(GOOD, "p.toml")
    assert sections["posterior release"] == {"rho": [0.1]}
    assert text_with(sections, GOOD) == GOOD
    changed = {**sections, "data": {**sections["data"], "sensitive": "disease"}, "choose": {"max_risk": 0.05}}
    text = text_with(changed, GOOD)
    assert sections_of(text, "p.toml") == changed
    assert text.startswith(GOOD[: GOOD.index("income")].rstrip('"').rstrip())
    assert "# known" in text
    fewer = {"data": {"source": "other.csv"}}
    assert sections_of(text_with(fewer, text), "p.toml") == fewer
    assert 'source = "other.csv"   # the file' in text_with(fewer, text)


def test_a_file_without_a_version_gets_one() -> None:
    assert text_with({"data": {"source": "a"}}, "[data]\nsource = 'b'\n").startswith("schema = 1\n[data]\n")


@pytest.mark.parametrize(
    "before",
    [
        'data.source = "a"\n[choose]\nmax_risk = 1\n',
        'data = {source = "a"}\n',
        '["posterior single"]\nrho = 1\n[posterior.release]\nrho = [1]\n',
        "posterior.release.rho = [1]\n",
        "[posterior]\nrelease = {rho = [1]}\n",
        '[data]\nuniverse.sex = ["f"]\n[data.bins]\nage = 5\n',
        "[assess]\n[data]\n",
    ],
)
def test_whichever_way_a_file_is_written_it_is_added_to(before: str) -> None:
    old = sections_of(before, "p.toml")
    further = {"data": {**old.get("data", {}), "table": "t", "source": "b"}, "posterior release": {"rho": [2]}}
    new = {**old, **further, "choose": {"max_risk": 0.5}}
    assert sections_of(text_with(new, before), "p.toml") == new


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    write_text(tmp_path / "p.toml", "a")
    assert (tmp_path / "p.toml").stat().st_mode & 0o077 == 0
    with pytest.raises(SourceError, match="cannot write"):
        write_text(tmp_path / "none" / "p.toml", "a")
    assert [path.name for path in tmp_path.iterdir()] == ["p.toml"]


@pytest.mark.parametrize(
    ("name", "said"),
    [("p.txt", "must end in .toml"), ("folder.toml", "is a folder"), ("none/p.toml", "does not exist")],
)
def test_places_are_checked_beforehand(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(EpsilensError, match=said):
        check_place(tmp_path / name)


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
NUMBER = st.one_of(st.integers(-(2**62), 2**62), st.floats(allow_nan=False, allow_infinity=False))
SCALAR = st.one_of(TEXT, NUMBER)
OF_KIND = {
    "flag": st.booleans(),
    "names": st.lists(TEXT, min_size=1, max_size=3),
    "universe": st.dictionaries(TEXT.filter(bool), st.lists(TEXT, max_size=2), min_size=1, max_size=2),
    "zeros": st.lists(st.dictionaries(TEXT.filter(bool), TEXT, min_size=1, max_size=2), min_size=1, max_size=2),
    "by_column": st.dictionaries(TEXT.filter(bool), st.one_of(SCALAR, st.lists(SCALAR, max_size=2)), min_size=1),
    **dict.fromkeys(("number", "fraction", "whole", "word"), SCALAR),
    **dict.fromkeys(("numbers", "fractions", "wholes", "alpha", "texts"), st.lists(SCALAR, min_size=1, max_size=3)),
}


@st.composite
def sections(draw: st.DrawFn) -> dict[str, dict[str, object]]:
    """Sections of a few keys each."""
    found = {}
    for name in draw(st.lists(st.sampled_from(["data", "noise", "ledger", *COMMANDS]), min_size=1, max_size=4)):
        keys = draw(st.lists(st.sampled_from(sorted(KEYS[name])), min_size=1, max_size=4, unique=True))
        found[name] = {key: draw(OF_KIND.get(KEYS[name][key], TEXT)) for key in keys}
    return found


@settings(max_examples=20, deadline=None, database=None)
@given(before=sections(), after=sections())
def test_whatever_is_written_is_read_again(before: dict, after: dict) -> None:  # type: ignore[type-arg]
    text = Project(before).to_toml()
    assert sections_of(text, "p.toml") == before
    assert sections_of(text_with(after, text), "p.toml") == after


def test_a_link_stays_one_and_a_folder_that_is_closed_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link.toml").symlink_to(tmp_path / "behind.toml")
    write_text(tmp_path / "link.toml", "schema = 1\n")
    assert (tmp_path / "link.toml").is_symlink()
    assert (tmp_path / "behind.toml").read_text() == "schema = 1\n"
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(SourceError, match="cannot write into folder"):
        check_place(tmp_path / "new.toml")
