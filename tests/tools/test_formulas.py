"""The page of formulas says what docstrings say and what tests run, and its check notices when it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tools.formulas import Formula, Run, UntrueError

from tests.conftest import REPOSITORY
from tools import formulas

MODULE = '''
from dataclasses import dataclass
from functools import cached_property, lru_cache


def doubled(x):
    """Twice x.

    Source: P0 Definition 10, Eq. (11).
    Departs from print (P0-1): there it is three times.
    """
    return 2 * x


def remembered(x):
    """Source: Cao & Karras (2012). An old one, really."""
    return x


@lru_cache
def through(x):
    return remembered(x)


@dataclass(frozen=True)
class Made:
    """Source: P0 Definition 6."""

    x: int


class Law:
    """Source: Kazan and Reiter 2024, section 3."""

    def __init__(self):
        self.x = 1

    @cached_property
    def name(self):
        return "law"

    def cdf(self):
        return self.x
'''
TESTS = {
    "unit/rooms/test_sums.py": """
        from epsilens.rooms.sums import Law, Made, doubled, through

        def test_the_formula_itself():
            assert doubled(2) == 4

        def test_through_something_that_remembers():
            assert through(1) == 1

        def test_objects():
            assert Made(1).x == 1
            assert Law().name == "law"
    """,
    "unit/test_other.py": """
        from epsilens.rooms import sums

        def test_through_something_that_remembers_already():
            assert sums.through(1) == 1

        def test_by_a_library():
            assert sorted([1, 2], key=sums.doubled) == [1, 2]
            assert sums.Law().cdf() == 1
    """,
    "unit/reproduce/test_print.py": """
        from epsilens.rooms import sums

        def test_a_verdict():
            assert sums.doubled(2) == sums.remembered(4)
    """,
    "golden/test_numbers.py": """
        import pytest

        def test_without_its_data():
            pytest.skip("no data")
    """,
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A repository with four formulas."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n",
        "docs/departures.md": "### P0-1\nTwice, not three times.\n",
        "src/epsilens/__init__.py": "",
        "src/epsilens/rooms/__init__.py": "",
        "src/epsilens/rooms/sums.py": MODULE,
        **{f"tests/{name}": "\n".join(line[8:] for line in text.splitlines()) + "\n" for name, text in TESTS.items()},
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def exit_code(root: Path, *words: str) -> int:
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{REPOSITORY}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # a change of one digit within a second would not be seen
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.formula_runs", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True).returncode


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@pytest.mark.parametrize("words", [(), ("-p", "xdist", "-n", "2", "--dist", "loadfile")])
def test_what_ran_is_on_the_page(small: Path, words: tuple[str, ...]) -> None:
    assert exit_code(small, *words) == 0
    assert formulas.main(small) == "4 formulas, all of them run by tests, 3 of them called by a test itself"
    rows = (small / formulas.PAGE).read_text().removeprefix(formulas.HEADER).splitlines()
    assert rows == [
        "| P0 | Definition 6 | `rooms.sums.Made` | - | rooms/sums |",
        "| P0 | Definition 10, Eq. (11) | `rooms.sums.doubled` | [P0-1](departures.md#p0-1) | rooms/sums, other |",
        "| Cao & Karras (2012) | - | `rooms.sums.remembered` | - | through rooms/sums, other |",
        "| Kazan and Reiter 2024 | section 3 | `rooms.sums.Law` | - | other |",
    ]
    assert formulas.main(small, check=True)


def test_a_removed_and_a_renamed_test_are_noticed(small: Path) -> None:
    assert exit_code(small) == 0
    formulas.main(small)
    change(small / "tests/unit/test_other.py", "sums.Law().cdf() == 1", "True")
    with pytest.raises(UntrueError, match=r"other sources than these: run make unit again"):
        formulas.main(small, check=True)
    assert exit_code(small) == 0
    with pytest.raises(UntrueError, match=r"rooms\.sums\.Law: no test in other calls it"):
        formulas.main(small, check=True)
    with pytest.raises(UntrueError, match=r"rooms\.sums\.Law: no test runs it"):
        formulas.main(small)
    (small / "tests/unit/test_other.py").rename(small / "tests/unit/test_others.py")
    assert exit_code(small) == 0
    with pytest.raises(UntrueError, match=r"doubled: no test in other calls it\n.*doubled: others calls it and is not"):
        formulas.main(small, check=True)


def test_a_run_that_fails_leaves_no_record(small: Path) -> None:
    assert exit_code(small) == 0
    change(small / "tests/unit/test_other.py", "sums.Law().cdf() == 1", "sums.Law().cdf() == 2")
    assert exit_code(small) == 1
    with pytest.raises(UntrueError, match="make unit writes it"):
        formulas.main(small, check=True)


def test_a_changed_docstring_and_a_changed_row_are_noticed(small: Path) -> None:
    assert exit_code(small) == 0
    formulas.main(small)
    change(small / formulas.PAGE, "Definition 6", "Definition 7")
    with pytest.raises(UntrueError, match=r"missing: .*Definition 6.*\nno docstring says: .*Definition 7"):
        formulas.main(small, check=True)


def test_claims_for_files_of_which_something_was_skipped_stand() -> None:
    run = Run({"a.f": frozenset({"a"})}, {"a.f": frozenset({"a", "b"})}, frozenset({"golden/numbers"}))
    assert list(run.faults("a.f", "a, golden/numbers")) == []
    assert list(run.faults("a.f", "a, b")) == ["a.f: no test in b calls it"]
    assert list(run.faults("a.f", "through b")) == ["a.f: a calls it and is not listed"]
    assert list(run.faults("a.g", "through golden/numbers")) == []
    assert list(run.faults("a.g", "")) == ["a.g: no test runs it"]


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Source: P0 Eqs. (13), (S1); P1 Eq. (3.2).", ("P0", "Eqs. (13), (S1); P1 Eq. (3.2)")),
        ("Source: P0 Eq. (2). It implies the other.", ("P0", "Eq. (2)")),
        ("Source: Cao & Karras (2012). A homogeneous cell never does.", ("Cao & Karras (2012)", "-")),
        ("Source: Xu et al. (2007). pyCANON sorts\nthem.", ("Xu et al. (2007)", "-")),
        (
            "Source: Kazan and Reiter 2024, with\nits own loss.\nAssumes all.",
            ("Kazan and Reiter 2024", "with its own loss"),
        ),
        ("Source: P3 section 6 (Hay et al. 2010 give bounds).", ("P3", "section 6 (Hay et al. 2010 give bounds)")),
        ("Nothing of the kind.", None),
    ],
)
def test_a_reference_stays_whole(docstring: str, expected: tuple[str, str] | None) -> None:
    assert formulas.source(docstring) == expected


def test_numbers_sort_by_size() -> None:
    places = ["Definitions 4 and 5", "Definition 6", "Definition 10", "Eq. (2)", "Eqs. (13) and (14)"]
    shuffled = [Formula("P0", place, "a.f", ()) for place in reversed(places)]
    assert [formula.place for formula in sorted(shuffled, key=Formula.key)] == places
    assert sorted([Formula("Cao 2012", "-", "a", ()), Formula("P4", "-", "a", ())], key=Formula.key)[0].paper == "P4"


@pytest.mark.parametrize(
    ("label", "complaint"),
    [
        ("Assumption: none.", "'Assumption:'"),
        ("Departure: a small one.", "'Departure:'"),
        ("Reference: P0.", "'Reference:'"),
        ("Departs from print: somewhere.", "'Departs from print'"),
        ("Departs from print (P9-1): there.", "cites P9-1, unknown to docs/departures.md"),
    ],
)
def test_other_labels_are_listed(small: Path, label: str, complaint: str) -> None:
    assert formulas.other_labels(small) == []
    change(small / "src/epsilens/rooms/sums.py", "there it is three times.", f"there it is three times.\n    {label}")
    (found,) = formulas.other_labels(small)
    assert found.startswith("src/epsilens/rooms/sums.py:6 doubled: ")
    assert complaint in found
    with pytest.raises(UntrueError, match="doubled"):
        formulas.main(small)
