"""The whole journey at the workbench, in a real browser: from a file to a release, by somebody who writes no code."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.integration.conftest import Visit
from tests.support.browser import Served, picture, too_wide, tree
from tests.support.desk import Desk

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_complaints")]

PAGES = [
    "Today's risk",
    "The dial",
    "Choose a budget",
    "Compare",
    "The Bayesian adversary",
    "Attackers who know less",
    "Release",
    "Take away",
]


@dataclass
class Looks:
    """What is wrong with how pages look, collected so that one page does not hide the next."""

    found: list[str] = field(default_factory=list)

    def at(self, desk: Desk, name: str) -> None:
        """What holds of every page."""
        picture(desk.page, name)
        if desk.main.get_by_role("heading", level=1).count() != 1:
            self.found.append(f"{name}: there is not one heading of the first level")
        if "INTERNAL" not in desk.says():
            self.found.append(f"{name}: does not say INTERNAL")
        self.found += [f"{name}: {one}" for one in (*desk.findings(), *too_wide(desk.page))]


@pytest.fixture
def looks() -> Iterator[Looks]:
    looks = Looks()
    yield looks
    assert looks.found == []


def opened(desk: Desk, people: Path) -> None:
    """A file of people, uploaded, with the roles of its columns."""
    desk.tab("Upload a file")
    desk.upload(people)
    desk.press("Open this file")
    desk.choose("What others may know about a person", "block_group", "age", "sex", "race")
    desk.choose("What they want to learn", "disease")
    desk.write("Bins of numbers", "age=10")
    desk.press("Use these roles")


def demo(desk: Desk, people: int = 500) -> None:
    """So many people of the demo, with few cells: everything about them is quick."""
    desk.tab("The demo population")
    desk.write("How many people", str(people))
    desk.press("Open the demo population")
    desk.choose("What others may know about a person", "sex", "race")
    desk.write("Bins of numbers", "")
    desk.press("Use these roles")


def test_the_whole_journey_on_people_of_a_file(
    visit: Visit, workbench: Served, people: Path, looks: Looks, tmp_path: Path
) -> None:
    desk = visit()
    before = tree(workbench.home, workbench.folder)
    looks.at(desk, "01-data-empty")
    opened(desk, people)
    desk.unfold("Values that harm")
    desk.write("Values of disease that harm, one per line", "cancer")
    desk.press("These values harm")
    assert "2,000 people" in desk.says()
    assert "cancer" in desk.so_far()
    looks.at(desk, "02-data")

    desk.go("Today's risk")
    assert "2,000 people" in desk.says()
    looks.at(desk, "03-today")

    desk.go("The dial")
    dial = desk.main.get_by_role("slider", name="Budget")
    text = dial.get_attribute("aria-valuetext")
    dial.focus()
    desk.page.keyboard.press("ArrowLeft")
    assert dial.get_attribute("aria-valuetext") != text
    looks.at(desk, "04-dial")
    desk.press(re.compile("^Take epsilon"))
    taken = re.search(r"for the release: epsilon = (\S+)\.", desk.says())
    assert taken is not None
    assert taken[1] in desk.so_far()

    desk.go("Choose a budget")
    desk.write("Highest risk, in per cent", "5")
    looks.at(desk, "05-choose")
    assert desk.main.get_by_role("button", name=re.compile("^Take epsilon")).count() > 0

    desk.go("Compare")
    desk.choose("Kinds of noise", "Laplace noise", "discrete Laplace noise (whole numbers)")
    looks.at(desk, "06-compare")

    desk.go("The Bayesian adversary")
    assert "expected posterior" in desk.says()
    looks.at(desk, "07-adversary")

    desk.go("Attackers who know less")
    looks.at(desk, "08-knowledge")

    desk.go("Release")
    looks.at(desk, "09-release-empty")
    asked_to_release(desk, "released.csv")
    desk.press("Dry run")
    looks.at(desk, "10-dry-run")
    assert tree(workbench.home, workbench.folder) == before  # nobody has asked for a file so far

    checked(desk)
    desk.mark(re.compile("^Create the ledger"))
    looks.at(desk, "11-release-ready")
    desk.press("Release")
    assert "Released." in desk.says()
    looks.at(desk, "12-released")
    made = {Path(path).name for path in tree(workbench.folder)}
    assert {"budget.db", "released.csv"} <= made

    desk.reload()
    assert "This release is made" in desk.says()  # and not made again

    desk.go("Take away")
    looks.at(desk, "13-take-away")
    taken_away(desk, people, workbench, tmp_path)


def asked_to_release(desk: Desk, name: str, epsilon: str = "0.5", total: str = "1") -> None:
    """Everything that a release needs, but the answer to its question."""
    desk.choose("Columns to publish together", "sex", "disease")
    desk.press(re.compile("^Fill in the values"))
    desk.write("Budget of this release: epsilon", epsilon)
    desk.mark("each row is another person")
    desk.write("File to write", name)
    desk.write("Ledger file", "budget.db")
    desk.write("Account of these people", "survey")
    desk.write("Total of the account: epsilon", total)


def checked(desk: Desk) -> None:
    """The question before a release: a wrong answer first, then the right one, 100 / (1 + exp(0.5))."""
    release = desk.main.get_by_role("button", name="Release", exact=True)
    for answer in ("62", "38"):
        assert release.is_disabled()
        desk.mark(answer)
        desk.press("This is my answer")
    assert desk.main.get_by_role("button", name="This is my answer").count() == 0


def taken_away(desk: Desk, people: Path, workbench: Served, folder: Path) -> None:
    """Downloads: what the workbench, the command and the program say is the same, to the digit."""
    name, project = desk.download("Project file")
    (folder / name).write_bytes(project)
    (folder / people.name).write_bytes(people.read_bytes())
    _, told = desk.download("JSON: assess")
    _, command = desk.download("Command")
    _, program = desk.download("Python program")
    (folder / "assess.py").write_bytes(program)
    words = command.decode().strip().removeprefix("epsilens ")
    by_command = subprocess.run(
        f"{sys.executable} -m epsilens {words} --json", shell=True, cwd=folder, capture_output=True, check=True
    )
    by_program = subprocess.run([sys.executable, "assess.py"], cwd=folder, capture_output=True, check=True)
    assert json.loads(by_command.stdout) == json.loads(told)
    assert json.loads(by_program.stdout) == json.loads(told)
    _, table = desk.download("Published table")
    assert table == (workbench.folder / "released.csv").read_bytes()
    assert {row["sex"] for row in csv.DictReader(table.decode().splitlines())} == {"female", "male"}
    _, page = desk.download("Report: assess")
    assert page.startswith(b"<!DOCTYPE html>")


def test_every_page_can_be_read_in_the_dark(visit: Visit) -> None:
    desk = visit(color_scheme="dark")
    demo(desk)
    found = {"Data": desk.findings()}
    for title in PAGES:
        desk.go(title)
        found[title] = desk.findings()
    assert {title: all_of for title, all_of in found.items() if all_of} == {}
