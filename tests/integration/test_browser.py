"""The HTML that Epsilens writes, opened in a real browser that has no network."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--virtual-time-budget=15000",
]


def test_an_html_chart_draws_itself_without_a_network(chromium: str, tmp_path: Path) -> None:
    page = tmp_path / "risk.html"
    subprocess.run([sys.executable, "-m", "epsilens", "demo", "--rows", "2000", "--plot", str(page)], check=True)
    done = subprocess.run(
        [chromium, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    drawing = re.search(r'id="vega-chart".*?<svg.*?</svg>', done.stdout, re.DOTALL)
    assert drawing is not None
    assert "without noise" in drawing[0]
    assert "epsilon, log scale" in drawing[0]
    menu = done.stdout[drawing.end() :].split("<script")[0]
    assert "Save as SVG" in menu
    assert "Editor" not in menu  # a confidential chart must not be one click away from a web site
