"""Write docs/formulas.md from the docstrings: paper, place, function, departure from print, tests.

A docstring that states a formula has a line ``Source: P0 Eq. (14)``. A formula that no test mentions is an error.
``--check`` compares instead of writing.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "formulas.md"
HEADER = """# Where each formula lives

Generated from the docstrings by `tools/formulas.py`; do not edit. P0 to P4 are the papers of
[departures.md](departures.md), which also explains each departure from print.

"""
Documented = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, order=True)
class Formula:
    """One line of the page."""

    paper: str
    place: str
    home: str
    departures: tuple[str, ...]
    tests: tuple[str, ...]

    def row(self) -> str:
        """The line in Markdown."""
        departs = ", ".join(f"[{d}](departures.md#{d.lower()})" for d in self.departures) or "-"
        return f"| {self.paper} | {self.place} | `{self.home}` | {departs} | {', '.join(self.tests)} |"


def documented(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(qualified name, docstring) of every function, class and method."""
    for node in tree.body:
        if isinstance(node, Documented):
            yield node.name, ast.get_docstring(node) or ""
            if isinstance(node, ast.ClassDef):
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        yield f"{node.name}.{member.name}", ast.get_docstring(member) or ""


def formulas() -> list[Formula]:
    """Every formula of the package."""
    tests = {path.relative_to(ROOT): path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    found = []
    for path in sorted((ROOT / "src" / "epsilens").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "src" / "epsilens").with_suffix("").parts)
        for name, docstring in documented(ast.parse(path.read_text())):
            for source in re.findall(r"Source:\s*([^\n]+)", docstring):
                paper, _, place = source.strip().rstrip(".").partition(" ")
                departures = tuple(dict.fromkeys(re.findall(r"\bP\d-\w+", docstring)))
                word = re.compile(rf"\b{name.rsplit('.', 1)[-1]}\b")
                users = tuple(test.stem.removeprefix("test_") for test, text in tests.items() if word.search(text))
                found.append(Formula(paper, place.replace("|", "\\|"), f"{module}.{name}", departures, users))
    return sorted(found)


def main() -> None:
    """Write or check the page."""
    entries = formulas()
    if untested := [entry.home for entry in entries if not entry.tests]:
        sys.exit(f"formulas without a test: {', '.join(untested)}")
    rows = [
        "| paper | place | function | departs | tests |",
        "|---|---|---|---|---|",
        *(entry.row() for entry in entries),
    ]
    page = HEADER + "\n".join(rows) + "\n"
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        sys.exit("docs/formulas.md is out of date: run python tools/formulas.py")
    print(f"{len(entries)} formulas, each with a test")


if __name__ == "__main__":
    main()
