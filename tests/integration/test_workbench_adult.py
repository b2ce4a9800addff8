"""The workbench on the Adult table: the journey of a table of counts, and how long a browser waits."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.integration.conftest import Visit
from tests.support.browser import Served, picture
from tests.support.desk import Desk
from tests.support.stopwatch import Line, keep, repaints, round_trip, tell, watch

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("no_complaints")]
COLUMNS = ["age", "relationship", "education", "race", "sex", "hours-per-week"]
PAGES = ["Today's risk", "Choose a budget", "Compare", "Attackers who know less", "Release", "Take away", "Data"]


@pytest.fixture
def adult(visit: Visit, workbench: Served, data_dir: Path) -> Desk:
    """The table, opened by its path from where the workbench was started."""
    shutil.copy(data_dir / "adultcount.csv", workbench.folder)
    desk = visit()
    desk.tab("A path or a database")
    desk.write("Path, pattern or address", "adultcount.csv")
    desk.press("Open")
    desk.choose("What others may know about a person", *COLUMNS)
    desk.choose("What they want to learn", "income")
    desk.write("Bins of numbers", "")
    desk.pick("Column of counts", "income_1")
    desk.press("Use these roles")
    return desk


def test_the_journey_on_adult_and_what_a_browser_waits_for(adult: Desk) -> None:
    desk = adult
    assert re.search(r"[\d,]+ people in [\d,]+ cells", desk.says())
    print(desk.says()[-300:])

    desk.go("The dial")
    dial = desk.main.get_by_role("slider", name="Budget")
    asked = desk.seen.asked
    for taken in repaints(dial):
        keep("Dial to repaint", {"painted": taken})
    assert desk.seen.asked == asked  # all answers are in the page: nobody is asked
    picture(desk.page, "20-adult-dial")
    desk.press(re.compile("^Take epsilon"))
    assert "for the release" in desk.says()

    for title in PAGES:  # whatever is computed is computed now
        desk.go(title)
    line = Line(desk.page)
    watch(desk.page)
    for title in PAGES:
        desk.go("The dial")
        waited(desk, line)
        desk.go(title)
        keep(title, waited(desk, line))
    desk.go("The dial")
    waited(desk, line)
    for key in ("ArrowLeft", "ArrowRight", "ArrowRight"):
        desk.main.get_by_role("slider", name="Budget").focus()
        desk.page.keyboard.press(key)
        desk.press(re.compile("^Take epsilon"))
        keep("Take a budget", waited(desk, line))
    tell()


def waited(desk: Desk, line: Line) -> dict[str, float]:
    """Milliseconds of the last click: until the server has said all, and until all of it is painted."""
    return {"server": line.taken(), "painted": round_trip(desk.page)}
