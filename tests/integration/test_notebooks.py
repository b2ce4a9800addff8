"""The notebooks run, as marimo runs them and as Jupyter does, and both are the same notebook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

pytest.importorskip("marimo", reason="marimo is not installed (make test-integration installs it)")
pytestmark = pytest.mark.integration
NOTEBOOKS = sorted((REPOSITORY / "docs" / "notebooks").glob("*.py"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_as_a_program(notebook: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(notebook)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_jupyter_runs_the_same_notebook(notebook: Path, tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient
    from tools.handbook.notebooks import exported

    beside = notebook.with_suffix(".ipynb")
    assert beside.read_text() == exported(notebook), "python -m tools.handbook.notebooks writes them again"
    notes = nbformat.read(beside, as_version=4)
    NotebookClient(notes, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notes.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum(output.output_type == "execute_result" for output in shown) >= 3
    assert not [output for output in shown if output.output_type == "error"]
    assert "marimo" not in json.dumps(notes.cells)
