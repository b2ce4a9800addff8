"""The folder of a reproduction: all rows as JSON, one page, and every figure as a file."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from epsilens.errors import SourceError
from epsilens.report.page.parts import Again
from epsilens.report.whole_files import whole_file

if TYPE_CHECKING:
    from epsilens.reproduce.question import Answer

JSON_FILE, PAGE_FILE, FIGURES = "reproduction.json", "reproduction.html", "figures"


def check_folder(path: str | os.PathLike[str]) -> Path:
    """The folder, made if it is not there; refused before any work where nothing could be written into it."""
    if not os.fspath(path):
        raise SourceError("the name of the folder is empty; . is the one you are in")
    folder = Path(path)
    try:
        for needed in (folder, folder / FIGURES):
            needed.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SourceError(f"cannot make the folder {str(needed)!r}: {problem.strerror}; choose another place") from None
    for file in (folder / PAGE_FILE, folder / JSON_FILE):
        if file.is_dir():
            raise SourceError(f"cannot write {str(file)!r}: a folder has that name; choose another place")
    if not os.access(folder, os.W_OK):
        raise SourceError(f"cannot write into folder {str(folder)!r}; choose another place")
    return folder


def write_folder(answer: Answer, folder: Path, again: Again | None = None) -> list[str]:
    """Write everything; the names of the files, in the order in which somebody looks at them."""
    from epsilens.report.charts.common import save_chart
    from epsilens.report.charts.reproduce import drawing_chart
    from epsilens.report.page.write import write_page
    from epsilens.report.pages.reproduce import page_of

    figures = []
    for drawing in answer.drawings:
        name = re.sub(r"[^a-z0-9]+", "-", f"{drawing.paper} {drawing.place}".lower()).strip("-")
        path = folder / FIGURES / f"{name}.svg"
        shown = replace(drawing, says=f"{drawing.says} Internal.") if answer.internal else drawing
        save_chart(drawing_chart(shown), path, answer.internal)
        figures.append(str(path))
    write_page(page_of(answer, again), folder / PAGE_FILE)
    with whole_file(folder / JSON_FILE, 0o644) as partial:
        partial.write_text(json.dumps(answer.to_dict(), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    return [str(folder / PAGE_FILE), str(folder / JSON_FILE), *figures]
