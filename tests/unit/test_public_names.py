"""One list of public names per package: the stub, what is found at run time, and the rooms agree."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

import epsilens as el
from epsilens.lazy import stub_homes

PACKAGE = Path(el.__file__).parent
LAZY = ["epsilens", *(f"epsilens.{path.parent.name}" for path in sorted(PACKAGE.glob("*/__init__.pyi")))]
INSIDE = {"__main__", "app", "arrays", "checks", "cli", "lazy", "notebook", "reproduce", "threads", "version"}
"""Modules that nobody's code is meant to import from; every other one is a room, and public."""
PROMISED = [
    "ApproxDP",
    "BudgetChoice",
    "Composition",
    "Covariance",
    "CovarianceMatrix",
    "DiscreteGaussianNoise",
    "DiscreteLaplaceNoise",
    "EpsilensError",
    "EpsilensWarning",
    "FrequencyTable",
    "GaussianNoise",
    "Hierarchy",
    "LaplaceNoise",
    "Ledger",
    "Mean",
    "PooledCovariance",
    "PooledVariance",
    "ProbabilisticDP",
    "Proportion",
    "Proportions",
    "PureDP",
    "Quantiles",
    "ReleasedStatistics",
    "RiskCurve",
    "RiskProfile",
    "Schema",
    "Variance",
    "ZCDP",
    "__version__",
    "assess",
    "assess_publication",
    "average",
    "avoidance",
    "calibrate",
    "capped_profile",
    "choose_budget",
    "choose_delta",
    "compare",
    "compose",
    "compose_parallel",
    "constant_profile",
    "diagnose",
    "frontier_points",
    "homogeneity",
    "iso_risk",
    "lever_effects",
    "posterior",
    "profile_budget",
    "profile_noise",
    "profile_rho",
    "read_table",
    "release_statistics",
    "release_table",
    "risk_curve",
    "sensitivity",
    "utility",
    "verify_card",
    "worst_case_of",
]
ROOMS = [
    *("accounting", "avoidance", "choice", "homogeneity", "noise", "posterior", "release", "report", "sensitivity"),
    *("table", "utility", "homogeneity.repeated", "homogeneity.published", "release.statistics"),
]


def run(*arguments: str, path: Path | None = None) -> str:
    environment = os.environ | {"PYTHONPATH": str(path or PACKAGE.parent)}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_promised_name_is_there() -> None:
    assert set(PROMISED) <= set(importlib.import_module("epsilens").__all__)


@pytest.mark.parametrize("package", LAZY)
def test_stub_and_package_agree_and_every_name_is_found(package: str) -> None:
    module, homes = importlib.import_module(package), stub_homes(package)
    assert set(module.__all__) - {"__version__"} == set(homes)
    for name, home in homes.items():
        value = getattr(module, name)
        assert value is (importlib.import_module(f"{package}.{name}") if home == package else vars_of(home)[name])
    assert set(homes) <= set(dir(module))


def vars_of(home: str) -> dict[str, object]:
    module = importlib.import_module(home)
    return {name: getattr(module, name) for name in module.__all__} if hasattr(module, "__all__") else vars(module)


@pytest.mark.parametrize("package", LAZY)
def test_the_initialiser_of_a_lazy_package_holds_no_second_list(package: str) -> None:
    tree = ast.parse((PACKAGE.parent / package.replace(".", "/") / "__init__.py").read_text())
    imported = [statement for statement in tree.body if isinstance(statement, ast.ImportFrom)]
    assert "epsilens.lazy" in {statement.module for statement in imported}
    assert len(imported) <= 2  # the version may have a home of its own


@pytest.mark.parametrize("package", LAZY)
def test_no_lazy_name_is_hidden_by_a_module_of_the_same_name(package: str) -> None:
    # importing such a module would put it in the place of the function, whoever was first
    modules = {info.name for info in pkgutil.iter_modules(importlib.import_module(package).__path__)}
    alike = [name for name, home in stub_homes(package).items() if name in modules and home != package]
    assert [name for name in alike if stub_homes(package)[name] != f"{package}.{name}"] == []
    if alike:
        code = (
            f"import importlib, sys; room = importlib.import_module({package!r}); names = {alike}\n"
            f"whole = [importlib.import_module(f'{package}.{{name}}') for name in names]\n"
            "print(all(getattr(room, name) is vars(sys.modules[f'{room.__name__}.{name}'])[name] for name in names))"
        )
        assert run("-c", code) == "True"


def test_names_at_the_top_come_from_the_lists_of_their_rooms() -> None:
    for name, home in stub_homes("epsilens").items():
        if home not in ("epsilens", "epsilens.budget", "epsilens.errors"):
            assert name in importlib.import_module(home).__all__, f"{home} does not list {name}"


def test_every_room_is_public_so_that_a_new_one_cannot_be_left_out() -> None:
    rooms = {info.name for info in pkgutil.iter_modules(el.__path__)} - INSIDE
    assert rooms == {name for name, home in stub_homes("epsilens").items() if home == "epsilens"}


@pytest.mark.parametrize("room", ROOMS)
def test_every_name_that_a_room_lists_is_there(room: str) -> None:
    module = importlib.import_module(f"epsilens.{room}")
    names = getattr(module, "__all__", [])
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(module, name) is not None


@pytest.mark.parametrize("room", ROOMS)
def test_a_function_is_not_hidden_by_its_module(room: str) -> None:
    module = importlib.import_module(f"epsilens.{room}")
    for name in getattr(module, "__all__", []):
        if isinstance(value := getattr(module, name), ModuleType):
            assert not inspect.isfunction(vars(value).get(name)), f"{room}.{name}"


def test_rooms_are_reachable_without_anything_else_imported_before() -> None:
    rooms = [name for name, home in stub_homes("epsilens").items() if home == "epsilens"]
    code = f"import epsilens as el; print(all(getattr(el, room).__name__ for room in {rooms[::-1]}))"
    assert run("-c", code) == "True"


def test_importing_the_package_imports_no_room() -> None:
    code = (
        "import sys, epsilens; print(sorted(m for m in sys.modules if m.startswith(('epsilens.', 'numpy', 'scipy'))))"
    )
    assert set(ast.literal_eval(run("-c", code))) <= {"epsilens.lazy", "epsilens.version"}


def test_an_unknown_name_is_refused_as_usual() -> None:
    with pytest.raises(AttributeError, match=r"module 'epsilens' has no attribute 'releese'"):
        el.releese  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec("from epsilens.choice import nothing")


def test_a_star_import_brings_every_name() -> None:
    found: dict[str, object] = {}
    exec("from epsilens import *", found)
    assert set(importlib.import_module("epsilens").__all__) <= set(found)


def test_the_package_works_from_an_archive_and_without_docstrings(tmp_path: Path) -> None:
    archive = tmp_path / "epsilens.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for path in PACKAGE.rglob("*.py*"):
            if path.suffix in (".py", ".pyi"):
                packed.write(path, path.relative_to(PACKAGE.parent))
    code = "import epsilens as el; print(el.__file__, el.calibrate('laplace', el.PureDP(0.5)), el.choice.RiskCurve)"
    found = run("-OO", "-c", code, path=archive)
    place = f"{archive}{os.sep}epsilens{os.sep}__init__.py"
    assert found == f"{place} LaplaceNoise(scale=2.0) <class 'epsilens.choice.curve.RiskCurve'>"


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").read_text() == ""
