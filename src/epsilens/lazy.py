"""Public names that are imported on first use, from the one list that a package keeps of them: its stub.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` names each public thing and its home, in the form that type
checkers and editors read anyway: ``from epsilens.table import Schema as Schema``. :func:`attach` reads the same lines,
so that what is checked and what is found cannot differ, and ``import epsilens`` imports nothing.

The idea is that of ``lazy_loader.attach_stub`` (Scientific Python, SPEC 1). It is not used itself because it takes
relative imports only and looks for the stub beside ``__file__``, which an archive does not have; what is left is this.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose stub says where its public names live."""
    homes = stub_homes(package)
    of_the_name_of_its_home = {name for name, home in homes.items() if home == f"{package}.{name}"}
    if of_the_name_of_its_home:

        class Room(ModuleType):
            """A package in which ``local`` is a function, though it lives in a module of that name.

            Whoever imports such a module would otherwise put it in the place of what is public: Python makes every
            module that was imported an attribute of its package.
            """

            def __setattr__(self, name: str, value: Any) -> None:
                if name in of_the_name_of_its_home and isinstance(value, ModuleType):
                    value = getattr(value, name)
                super().__setattr__(name, value)

        sys.modules[package].__class__ = Room

    def found(name: str) -> Any:
        module = sys.modules[package]
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
        home = homes[name]
        value = importlib.import_module(f"{package}.{name}" if home == package else home)
        if home != package:
            value = getattr(value, name)
        setattr(module, name, value)
        return value

    def listed() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return found, listed, sorted(homes)


def stub_homes(package: str) -> dict[str, str]:
    """The public names of a package and where each lives; a module of the package itself lives in the package."""
    stub = pkgutil.get_data(package, "__init__.pyi")
    homes: dict[str, str] = {}
    for statement in ast.parse(stub or b"").body:
        if isinstance(statement, ast.ImportFrom):
            for name in statement.names:
                if statement.level or statement.module is None or name.asname != name.name:
                    raise ImportError(f"the stub of {package} must say 'from home import name as name' of {name.name}")
                homes[name.name] = statement.module
    return homes


class LaterModule:
    """A module of a large library under its own name, imported when something of it is first used.

    ``special = LaterModule("scipy.special")`` stands where ``from scipy import special`` would, in modules that many
    commands load and few ask for a special function: SciPy takes longer to import than a small table to read.
    """

    def __init__(self, name: str) -> None:
        self.__dict__["__name__"] = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(importlib.import_module(self.__dict__["__name__"]), name)
        self.__dict__[name] = value
        return value
