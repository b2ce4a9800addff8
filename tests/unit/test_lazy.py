"""Names that are imported on first use, in a package of our own."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from epsilens.lazy import LaterModule, stub_homes


def package(place: Path, name: str, stub: str) -> None:
    (place / name).mkdir()
    (place / name / "__init__.py").write_text(
        "from epsilens.lazy import attach\n__getattr__, __dir__, __all__ = attach(__name__)\n"
    )
    (place / name / "__init__.pyi").write_text(stub)
    (place / name / "inner.py").write_text("value = 7\n")


def test_names_and_modules_are_found_on_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stub = "from lazily.inner import value as value\nfrom lazily import inner as inner\n"
    package(tmp_path, "lazily", stub)
    monkeypatch.syspath_prepend(str(tmp_path))
    lazily = importlib.import_module("lazily")
    assert "lazily.inner" not in sys.modules
    assert lazily.__all__ == ["inner", "value"]
    assert {"inner", "value"} <= set(dir(lazily))
    assert lazily.value == 7
    assert lazily.inner is sys.modules["lazily.inner"]
    with pytest.raises(AttributeError, match="module 'lazily' has no attribute 'other'"):
        _ = lazily.other


def test_a_stub_with_another_form_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "oddly_stubbed"
    room.mkdir()
    (room / "__init__.py").write_text("")
    (room / "__init__.pyi").write_text("from epsilens.budget import PureDP\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match="'from home import name as name' of PureDP"):
        stub_homes("oddly_stubbed")


def test_a_function_keeps_its_name_whoever_imports_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, "alike", "from alike.same import same as same\n")
    (tmp_path / "alike" / "same.py").write_text("def same() -> int:\n    return 7\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    alike = importlib.import_module("alike")
    home = importlib.import_module("alike.same")
    assert alike.same is home.same
    assert alike.same() == 7


def test_a_module_for_later_is_imported_on_first_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "heavy_one.py").write_text("def double(x):\n    return 2 * x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    heavy = LaterModule("heavy_one")
    assert "heavy_one" not in sys.modules
    assert heavy.double(4) == 8
    assert "heavy_one" in sys.modules
    with pytest.raises(AttributeError, match="has no attribute 'treble'"):
        _ = heavy.treble
