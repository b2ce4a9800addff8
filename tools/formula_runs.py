"""A pytest plugin (``-p tools.formula_runs``) that notes which test file executes which formula, for tools/formulas.py.

While the package is imported, one line is put in front of the body of every function whose docstring states a formula:
it notes the running test file, and whether the call came from the test itself. So the price is one short call for each
execution of one of some 170 functions, a few seconds over the whole suite, where tracing every line or every call makes
the suite half as slow again or worse.

- A class that states a formula counts as executed when one of its methods runs that is neither a property nor written
  with double underscores; one without such methods, when an object of it is made.
- "From the test itself" means that the nearest caller that is ours lies in ``tests/``: generated ``__init__``, SciPy
  and the like in between do not count.
- What runs while nothing is tested (imports, collection) is not noted, and memories (``lru_cache``) are cleared
  whenever another file's turn comes, so that a file's record does not depend on which ran before it.
- Tests of verdicts on print are no tests of formulas: they run all of them, change some, and share the rows that they
  computed, so that what one of their files runs depends on which of them ran before it.

The record is written only after a run that passed; with pytest-xdist the workers' notes are merged.
"""

from __future__ import annotations

import ast
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from inspect import signature
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from tools.formulas import PACKAGE, RECORD, Documented, digest, documented, modules

HOOK = "__formula_ran__"
"""The name under which a module of the package finds :meth:`Notes.ran`."""

VERDICTS = "reproduce/"
"""Where the tests of verdicts on print are."""

Pairs = dict[str, set[str]]


class Notes:
    """Which test files ran which formulas."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.sources = digest(root)
        self.direct: Pairs = defaultdict(set)
        self.reached: Pairs = defaultdict(set)
        self.skipped: set[str] = set()
        self.test: str | None = None
        self._ours = (f"{root / PACKAGE}/", tests := f"{root / 'tests'}/")
        self._tests = tests

    def turn(self, test: str | None) -> None:
        """From here on ``test`` is running."""
        if test is not None and test.startswith(VERDICTS):
            test = None
        if test is not None and test != self.test:
            forget_results()
        self.test = test

    def ran(self, home: str) -> None:
        """A formula is being executed."""
        test = self.test
        if test is None or test in self.direct[home]:
            return
        self.reached[home].add(test)
        frame = sys._getframe(2)
        while frame and not frame.f_code.co_filename.startswith(self._ours):
            frame = frame.f_back  # type: ignore[assignment]
        if frame and frame.f_code.co_filename.startswith(self._tests):
            self.direct[home].add(test)

    def name(self, path: Path) -> str:
        """The name of a test file: ``posterior/single``, or ``golden/posterior`` outside of tests/unit."""
        inside = path.relative_to(self.root / "tests").with_suffix("")
        return inside.with_name(inside.name.removeprefix("test_")).as_posix().removeprefix("unit/")

    def as_record(self) -> dict[str, Any]:
        """The notes as plain lists."""
        return {
            "sources": self.sources,
            "direct": {home: sorted(tests) for home, tests in sorted(self.direct.items()) if tests},
            "reached": {home: sorted(tests) for home, tests in sorted(self.reached.items()) if tests},
            "skipped": sorted(self.skipped),
        }

    def add(self, record: dict[str, Any]) -> None:
        """Add another process's notes."""
        for mine, theirs in ((self.direct, record["direct"]), (self.reached, record["reached"])):
            for home, tests in theirs.items():
                mine[home].update(tests)
        self.skipped.update(record["skipped"])


def forget_results() -> None:
    """Clear what functions of the package remember of earlier calls.

    What takes no arguments computes no formula: it loads scripts and sets up libraries, which takes seconds.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith(PACKAGE.name):
            for value in list(vars(module).values()):
                if callable(clear := getattr(value, "cache_clear", None)) and signature(value).parameters:
                    clear()


class NotingLoader(SourceFileLoader):
    """Loads a module of the package with a note in front of every formula."""

    def __init__(self, fullname: str, path: str, module: str, ran: Callable[[str], None]) -> None:
        super().__init__(fullname, path)
        self._module = module
        self._ran = ran

    def get_code(self, fullname: str) -> CodeType:
        """The code with its notes, never from or into a cache."""
        path = self.get_filename(fullname)
        return compile(noted(self.get_data(path), self._module), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with the hook in place."""
        vars(module)[HOOK] = self._ran
        super().exec_module(module)


class NotingFinder(MetaPathFinder):
    """Finds the modules of the package that state formulas."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._homes = {
            path: module for module, path in modules(notes.root) if "Source:" in path.read_text(encoding="utf-8")
        }

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own specification, with our loader."""
        if not fullname.startswith(f"{PACKAGE.name}."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or (module := self._homes.get(Path(spec.origin))) is None:
            return None
        spec.loader = NotingLoader(fullname, spec.origin, module, self._notes.ran)
        return spec


def noted(text: bytes, module: str) -> ast.Module:
    """The syntax tree of a module with a note in front of every formula."""
    tree = ast.parse(text)
    for name, node, docstring in documented(tree):
        if "Source:" in docstring:
            _note(node, f"{module}.{name}")
    return ast.fix_missing_locations(tree)


def _note(node: Documented, home: str) -> None:
    if isinstance(node, ast.FunctionDef):
        note = ast.parse(f"{HOOK}({home!r})").body
        after = 1 if ast.get_docstring(node) is not None else 0
        node.body[after:after] = [ast.copy_location(line, node) for line in note]
        return
    methods = [member for member in node.body if isinstance(member, ast.FunctionDef)]
    plain = [method for method in methods if not method.name.startswith("__") and not method.decorator_list]
    for method in plain:
        _note(method, home)
    if not plain:
        making = f"def __new__(cls, *_, **__):\n    {HOOK}({home!r})\n    return super().__new__(cls)"
        node.body += [ast.copy_location(line, node) for line in ast.parse(making).body]


class Plugin:
    """Notes through a session, and its record at the end."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fixtures included, this is the turn of the test's file."""
        self.notes.turn(self.notes.name(item.path))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A file of which something is skipped does not show all that it runs."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.notes.skipped.add(self.notes.name(self.notes.root / report.nodeid.split("::")[0]))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of pytest-xdist is done."""
        if record := getattr(node, "workeroutput", {}).get("formulas"):
            self.notes.add(record)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """A worker hands its notes over; whoever has all of them writes them down, if everything passed."""
        self.notes.test = None
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["formulas"] = self.notes.as_record()
            return
        path = self.notes.root / RECORD
        path.unlink(missing_ok=True)
        if exitstatus == pytest.ExitCode.OK:
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(self.notes.as_record(), indent=1) + "\n")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before anything imports the package."""
    notes = Notes(early_config.rootpath)
    sys.meta_path.insert(0, NotingFinder(notes))
    early_config.pluginmanager.register(Plugin(notes), "formula-runs")
