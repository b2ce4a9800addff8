"""What goes wrong at the workbench: it is said in one sentence, nothing is lost, and nobody's values are told."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from tests.integration.conftest import Visit
from tests.integration.test_workbench import PAGES, asked_to_release, demo
from tests.support.browser import Served

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_complaints")]
KNOWN, SECRET = "What others may know about a person", "What they want to learn"
PLANTED = "Qz9planted"


def test_a_file_that_is_not_a_table_is_said_and_the_page_stays_usable(visit: Visit, tmp_path: Path) -> None:
    wrong = tmp_path / "people.csv"
    wrong.write_bytes(bytes(random.Random(16).randbytes(20_000)))
    desk = visit()
    desk.upload(wrong)
    desk.press("Open this file")
    assert desk.main.get_by_role("alert").count() == 1
    assert "not chosen yet" in desk.so_far()
    demo(desk)
    assert "500 people" in desk.says()


def test_a_column_that_does_not_fit_is_said_and_can_be_mended(visit: Visit) -> None:
    desk = visit()
    demo(desk)
    desk.write("Bins of numbers", "sex=10")
    desk.press("Use these roles")
    assert desk.main.get_by_role("alert").count() >= 1
    assert "sex" in desk.main.get_by_role("alert").first.inner_text()
    desk.go("Today's risk")
    assert desk.main.get_by_role("alert").count() >= 1
    desk.go("Data")
    desk.write("Bins of numbers", "")
    desk.press("Use these roles")
    assert desk.main.get_by_role("alert").count() == 0
    assert "500 people" in desk.says()


def test_an_account_that_cannot_pay_lets_nobody_release(visit: Visit, workbench: Served) -> None:
    desk = visit()
    demo(desk)
    desk.go("Release")
    asked_to_release(desk, "too-much.csv", epsilon="2", total="1")
    assert "cannot pay" in desk.says()
    assert desk.main.get_by_role("button", name="Release", exact=True).is_disabled()
    desk.write("Budget of this release: epsilon", "0.5")
    assert "cannot pay" not in desk.says()
    assert not (workbench.folder / "too-much.csv").exists()


def test_two_browsers_have_different_work_and_a_reload_loses_nothing(visit: Visit) -> None:
    one, other = visit(), visit()
    demo(one)
    assert "not chosen yet" in other.so_far()
    demo(other, 700)
    one.go("Today's risk")
    other.go("Today's risk")
    assert "500 people" in one.says()
    assert "700 people" in other.says()
    said = one.so_far()
    one.reload()
    assert one.so_far() == said
    assert "500 people" in one.says()
    one.press(re.compile("^Undo: "))
    assert "age" in one.so_far()
    assert "age" not in other.so_far()


def test_values_of_people_are_in_no_page_no_link_and_no_log(visit: Visit, workbench: Served, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    draw = random.Random(7)
    rows = [
        f"{PLANTED}{i},{PLANTED}-{draw.randrange(9)},{draw.choice('mf')},{draw.choice(['yes', 'no'])}"
        for i in range(300)
    ]
    people.write_text("\n".join(["name,region,sex,ill", *rows]))
    desk = visit()
    desk.upload(people)
    desk.press("Open this file")
    desk.choose(KNOWN, "region", "sex")
    desk.choose(SECRET, "ill")
    desk.press("Use these roles")
    for title in (*PAGES, "Data"):
        desk.go(title)
        shown = desk.page.content()
        assert PLANTED not in shown, title
        assert PLANTED not in desk.page.url
    desk.write("Bins of numbers", "region=10")  # values that are not numbers
    desk.press("Use these roles")
    assert desk.main.get_by_role("alert").count() >= 1
    assert PLANTED not in desk.page.content()
    assert PLANTED not in workbench.said()
