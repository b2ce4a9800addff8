from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from epsilens.cli import app
from tests.support.signals import hear_ctrl_c
from tests.unit.cli.conftest import Run


def test_whether_it_could_start(run: Run) -> None:
    assert run("app", "--check").out == "The workbench can start.\n"


def test_what_is_missing_is_named_with_its_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "find_spec", lambda name: None if name == "streamlit" else object())
    outcome = run("app")
    assert outcome.code == 2
    assert outcome.err == "epsilens: the workbench needs streamlit; run pip install 'epsilens[app]'\n"


@pytest.mark.parametrize("port", ["0", "65536", "-1", "x"])
def test_a_port_that_cannot_be_is_refused(run: Run, port: str) -> None:
    outcome = run("app", "--port", port)
    assert outcome.code == 2
    assert outcome.err.startswith("epsilens: --port must be a")


def test_a_project_is_loaded_before_anything_is_started(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Sequence[str]] = []

    def supervised(words: Sequence[str]) -> int:
        started.append(words)
        return 0

    monkeypatch.setattr(app, "_supervised", supervised)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert run("app", "nowhere.toml").code == 2
    (tmp_path / "p.toml").write_text("[risk]\nmax_risc = 0.1\n")
    refused = run("app", "p.toml")
    assert refused.code == 2
    assert "line 2" in refused.err
    assert started == []
    (tmp_path / "p.toml").write_text("[risk]\nmax_risk = 0.1\n")
    assert run("app", "p.toml", "--port", "8600").code == 0
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(sys, "platform", "linux")
    assert run("app").code == 0
    assert run("app", "--no-browser").code == 0
    assert started == [["p.toml", "--port", "8600"], ["--show"], []]


def _waits_for_its_end(folder: Path) -> None:
    """A server that only waits until its input ends, as ours does, and then says so."""
    (folder / "epsilens_app_of_tests.py").write_text(
        "import pathlib, sys\npathlib.Path('begun').touch()\nsys.stdin.buffer.read()\npathlib.Path('ended').touch()\n"
    )


WAITING = """
import sys
from epsilens.cli import app
app.MODULE = "epsilens_app_of_tests"
sys.exit(app._supervised([]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("sign", "code"), [(signal.SIGINT, 0), (signal.SIGKILL, -signal.SIGKILL)])
def test_the_server_ends_with_whoever_started_it(tmp_path: Path, sign: signal.Signals, code: int) -> None:
    _waits_for_its_end(tmp_path)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    )
    _until(tmp_path / "begun")
    process.send_signal(sign)
    _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (code, "")
    _until(tmp_path / "ended")


def _until(path: Path) -> None:
    for _ in range(600):
        if path.exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"{path.name} did not come")


def test_a_port_that_is_taken_is_said_in_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert app._supervised(["--port", str(port)]) == 2
    assert capfd.readouterr().err == (
        f"epsilens: port {port} is taken by another program, or may not be used; take another one, or none\n"
    )
