"""Sentences about results are the same in a terminal, on a page and in the workbench: none says what to type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import epsilens.report.words

FOLDER = Path(epsilens.report.words.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z]")
OF_THE_TERMINAL = {"demo.py", "ledger.py"}
"""Files with what a command alone says: commands to be copied, what `ledger verify` can be given as well."""


def sentences(path: Path) -> Iterator[str]:
    """The texts of a module, without its docstrings."""
    tree = ast.parse(path.read_text())
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_no_sentence_names_an_option(path: Path) -> None:
    found = [text for text in sentences(path) if OPTION.search(text)]
    assert bool(found) == (path.name in OF_THE_TERMINAL), found
