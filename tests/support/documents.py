"""Pages of the handbook as what they tell a reader to do: blocks of code, in their order, with the output they show.

- ``console``: lines behind ``$`` are commands, what follows them is what they print. A reader may be shown less:
  ``...`` stands for anything, and blanks and line ends do not count, since pages are narrow. A quotation right below a
  block is what its commands print, too. ``Exit code 2`` on a line of its own: what a command ends with, if not 0.
- ``python``: programs of one page go on with each other's names; an ``output`` block below is what they print.
- ``<!-- file: NAME -->`` above a block: it is that file. ``<!-- data: NAME -->``: the page needs a file of real data.
- ``text`` is no code: a picture in letters, or a form to fill in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.conftest import REPOSITORY

LANGUAGES = ("console", "python", "output", "toml", "json", "text")
"""Of blocks that tell a reader something; directives of Sphinx stand in braces."""
_FENCE = re.compile(
    r"^(?P<indent> *)(?P<marks>`{3,}|:{3,})(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=indent)(?P=marks) *$", re.S | re.M
)
_QUOTED = re.compile(r"\s*((?:^>.*\n?)+)", re.M)
_NAMED = re.compile(r"<!-- file: (\S+) -->\s*$")
_DATA = re.compile(r"<!-- data: (\S+) -->")


def documents() -> list[str]:
    """README and all pages of the handbook, by their place in the repository."""
    pages = sorted((REPOSITORY / "docs").rglob("*.md"))
    return ["README.md", *(path.relative_to(REPOSITORY).as_posix() for path in pages)]


@dataclass
class Command:
    """What is typed, and what is shown of what it prints."""

    line: str
    shown: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Block:
    """A block of code."""

    language: str
    text: str
    line: int
    name: str | None = None
    """The file that it is."""
    quoted: str = ""
    """The quotation right below it."""

    @property
    def commands(self) -> list[Command]:
        """Of a console: its commands, those over several lines as one."""
        found: list[Command] = []
        going_on = False
        for line in self.text.splitlines():
            if going_on:
                found[-1].line += " " + line.strip().removesuffix("\\").strip()
            elif line.startswith("$ "):
                found.append(Command(line[2:].strip().removesuffix("\\").strip()))
            else:
                assert found, f"line {self.line}: output without a command"
                found[-1].shown.append(line)
                continue
            going_on = line.rstrip().endswith("\\")
        return found


def blocks(page: str) -> list[Block]:
    """The blocks of a page, directives left out."""
    return list(_blocks((REPOSITORY / page).read_text()))


def _blocks(text: str) -> Iterator[Block]:
    for found in _FENCE.finditer(text):
        language = found["language"].strip()
        if language.startswith("{"):
            yield from _blocks(found["text"])  # a note may hold a program
            continue
        inside = "\n".join(line.removeprefix(found["indent"]) for line in found["text"].splitlines())
        name = _NAMED.search(text[: found.start()])
        quoted = _QUOTED.match(text, found.end())
        yield Block(
            language=language,
            text=inside,
            line=text[: found.start()].count("\n") + 1,
            name=name[1] if name else None,
            quoted=re.sub(r"^> ?", "", quoted[1], flags=re.M) if quoted else "",
        )


def data_of(page: str) -> list[str]:
    """The files of real data that a page needs."""
    return _DATA.findall((REPOSITORY / page).read_text())


def not_shown(shown: str, printed: str) -> str | None:
    """The first part of what a page shows that was not printed after what comes before it; None if all of it was."""
    rest = _even(printed)
    for part in re.split(r"(?:^|\s)\.\.\.(?=\s|$)", shown):
        wanted = _even(part)
        place = rest.find(wanted)
        if place < 0:
            return wanted
        rest = rest[place + len(wanted) :]
    return None


def _even(text: str) -> str:
    """Without what depends on the width of a page, and without marks of Markdown."""
    return " ".join(re.sub(r"[*`│┃]", " ", text).split())
