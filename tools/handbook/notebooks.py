"""The notebooks of the handbook for Jupyter: ``python -m tools.handbook.notebooks`` writes an ``.ipynb`` beside each.

They are written as marimo notebooks, which are plain Python. marimo exports them; what only marimo needs is left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "notebooks"
_OF_MARIMO = "import marimo as mo"


def exported(notebook: Path) -> str:
    """The notebook for Jupyter, cells in the order of the page, without outputs."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "notebook.ipynb")
        words = ["--quiet", "export", "ipynb", str(notebook), "--sort", "top-down", "--output", str(target)]
        subprocess.run([sys.executable, "-m", "marimo", *words], capture_output=True, check=True)
        made = json.loads(target.read_text())
    cells: list[dict[str, Any]] = [cell for cell in made["cells"] if "".join(cell["source"]).strip() != _OF_MARIMO]
    for number, cell in enumerate(cells):
        cell |= {"id": f"cell-{number}", "metadata": {}}
    plain = {"cells": cells, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(plain, indent=1, ensure_ascii=False) + "\n"


_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def main() -> None:
    """Write all of them."""
    for notebook in sorted(FOLDER.glob("*.py")):
        notebook.with_suffix(".ipynb").write_text(exported(notebook))


if __name__ == "__main__":
    main()
