"""Somebody at the workbench: they read labels, click, type, and wait for the answer, as everybody does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.browser import Seen, serious_findings, settled

BROKEN = "Something went wrong inside Epsilens"
IN_FORM = "(control) => control.closest('[data-testid=\"stForm\"]') !== null"


class Desk:
    """A page of the workbench in a browser; controls are found by their labels alone."""

    def __init__(self, page: Any, seen: Seen, patience: float = 60) -> None:
        """``patience`` is how many seconds an answer may take."""
        self.page, self.seen, self.patience = page, seen, patience

    @property
    def main(self) -> Any:
        """What is on the page besides the names of pages."""
        return self.page.get_by_role("main")

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Do something, and wait for the answer to it."""
        asked = self.seen.asked
        yield
        self._until(lambda: self.seen.asked > asked)
        answered = self.seen.answered
        self._until(lambda: self.seen.answered > answered or not self.seen.is_waiting)
        self.settle()

    def _until(self, there: Callable[[], bool]) -> None:
        for _ in range(int(self.patience * 50)):
            if there():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"there is no answer after {self.patience} seconds: {self.says()}")

    def settle(self) -> None:
        """Wait until nothing is under way; that something went wrong inside is never the answer."""
        settled(self.page, 1_000 * self.patience)
        self.page.wait_for_timeout(60)
        settled(self.page, 1_000 * self.patience)
        assert BROKEN not in self.says(), self.says()

    def says(self) -> str:
        """All that can be read on the page, without what is folded away."""
        said: str = self.main.inner_text()
        return said

    def so_far(self) -> str:
        """What every page says of the choices so far."""
        said: str = self.main.get_by_label("Choices so far").inner_text()
        return said

    def go(self, title: str) -> None:
        """Another page, by its name."""
        with self.answered():
            self.page.get_by_role("link", name=title, exact=True).click()

    def press(self, name: str | re.Pattern[str]) -> None:
        """A button."""
        with self.answered():
            self.main.get_by_role("button", name=name, exact=isinstance(name, str)).first.click()

    def tab(self, name: str) -> None:
        """A tab of the page, which asks nobody."""
        self.main.get_by_role("tab", name=name, exact=True).click()

    def unfold(self, name: str) -> None:
        """What is folded away, which asks nobody."""
        self.main.get_by_text(name, exact=True).first.click()

    def pick(self, label: str, option: str) -> None:
        """One of several options."""
        box = self.main.get_by_role("combobox", name=label, exact=True)
        if box.input_value() != option:
            with self._waiting(box):
                self._option(box, option)

    def choose(self, label: str, *options: str) -> None:
        """Just these options."""
        box = self.main.get_by_role("combobox", name=label, exact=True)
        box.wait_for()
        for option in options:
            if option not in self.chosen(label):
                with self._waiting(box):
                    self._option(box, option)
                    self.page.keyboard.press("Escape")
        for option in self.chosen(label):
            if option not in options:
                with self._waiting(box):
                    self._group(label).get_by_role("button", name=f"Remove {option}", exact=True).click()

    @contextmanager
    def _waiting(self, control: Any) -> Iterator[None]:
        """Wait for the answer, unless the control is part of a form, which asks once its button is pressed."""
        if control.evaluate(IN_FORM):
            yield
            self.page.wait_for_timeout(60)
        else:
            with self.answered():
                yield

    def _option(self, box: Any, option: str) -> None:
        box.click()
        box.fill(option)
        self.page.get_by_role("option", name=option, exact=True).first.click()

    def _group(self, label: str) -> Any:
        """A box with what is chosen in it."""
        box = self.main.get_by_role("combobox", name=label, exact=True)
        return box.locator("xpath=ancestor::*[@role='group'][1]")

    def chosen(self, label: str) -> list[str]:
        """The options that are chosen."""
        names = [one.get_attribute("aria-label") for one in self._group(label).get_by_role("button").all()]
        return [name.removeprefix("Remove ") for name in names if name and name.startswith("Remove ")]

    def write(self, label: str, text: str) -> None:
        """Into a field, and on to the next one."""
        field = self.main.get_by_label(label, exact=True).first
        field.wait_for()
        if field.input_value() == text:
            return
        with self._waiting(field):
            field.fill(text)
            field.press("Tab")

    def mark(self, name: str | re.Pattern[str], within: Any = None) -> None:
        """One of several answers, or a box."""
        place = self.main if within is None else within
        found = place.get_by_role("radio", name=name, exact=isinstance(name, str)).or_(
            place.get_by_role("checkbox", name=name, exact=isinstance(name, str))
        )
        with self._waiting(found.first):
            found.first.click(force=True)  # its label lies above it

    def upload(self, path: Path, label: str | re.Pattern[str] = "Upload") -> None:
        """Give a file to the page."""
        with self.answered():
            with self.page.expect_file_chooser() as chooser:
                self.main.get_by_role("button", name=label, exact=True).first.click()
            chooser.value.set_files(path)

    def download(self, name: str) -> tuple[str, bytes]:
        """The name and the content of a file that a button gives."""
        with self.page.expect_download(timeout=60_000) as given:
            self.main.get_by_role("button", name=name, exact=True).click()
        return given.value.suggested_filename, Path(given.value.path()).read_bytes()

    def reload(self) -> None:
        """Load the page again."""
        self.page.reload()
        self.settle()

    def findings(self) -> list[str]:
        """What axe finds serious."""
        return serious_findings(self.page)
