"""``--report`` and ``--publishable``: what the commands share that write a page of their answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.saving import WORDS
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.report.page.parts import Again, Page

REPORT = click.option(
    "--report",
    type=click.Path(),
    metavar="FILE",
    help="Also write a report: one .html file with words, charts and tables that needs no network.",
)
REPORT_OPTIONS = (
    REPORT,
    click.option(
        "--publishable",
        is_flag=True,
        help="Leave out of the --report whatever is computed from true data: only what was asked, what the noise "
        "guarantees and what it costs stay.",
    ),
)
"""Options of commands whose answers are internal."""


@dataclass(frozen=True)
class ReportTo:
    """Where to write a report, and whether it may be published."""

    path: str
    publishable: bool = False

    def write(self, page: Page) -> str:
        """Write it; the line that says so."""
        from epsilens.report.page.write import write_page
        from epsilens.report.words.common import report_written

        write_page(page.publishable() if self.publishable else page, self.path)
        return report_written(self.path, page.internal and not self.publishable)


def report_from(given: Mapping[str, Any]) -> ReportTo | None:
    """The report that the options ask for, refused before data are read if it could not be written."""
    path, publishable = given["report"], given.get("publishable", False)
    if path is None:
        if publishable:
            raise ParameterError("says what a report may hold: add `report=FILE`", parameter="publishable")
        return None
    from epsilens.report.page.write import check_page_path

    check_page_path(path)
    if given.get("plot") is not None and Path(path).absolute() == Path(given["plot"]).absolute():
        raise ParameterError("would replace the chart of `plot`; give them different names", parameter="report")
    return ReportTo(path, publishable)


def again(command: str) -> Again:
    """The command as it was typed, but for files it wrote, and the program that asks the same."""
    from epsilens.cli.again import command_line, given_in
    from epsilens.project import Project
    from epsilens.project.keys import ANSWERED
    from epsilens.project.saving import typed_values
    from epsilens.report.page.parts import Again
    from epsilens.report.words.addresses import safe_address

    words = click.get_current_context().meta.get(WORDS, ())
    values = typed_values(command, given_in(command, words))
    values |= {name: safe_address(values[name]) for name in ("source",) if isinstance(values.get(name), str)}
    project = Project({command: values})
    python = project.script(command) if command in ANSWERED else ""
    return Again(command_line(project, command), python)
