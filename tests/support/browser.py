"""The workbench as a process of its own, and a real browser that notes whatever it asks for.

Every request and every socket is recorded: one that leaves this machine fails the test that made it. Pages are checked
with axe, and pictures of them are kept where ``EPSILENS_PICTURES`` names a folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.signals import hear_ctrl_c

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PICTURES = "EPSILENS_PICTURES"
"""The variable that names a folder for pictures; without it none are kept."""
SIZES = {"1280": (1280, 900), "400": (400, 900), "zoomed": (640, 450)}
"""Width and height in CSS pixels; 200 % zoom halves those of a window."""
LENGTH = """() => Math.max(...["html", '[data-testid="stMain"]'].map(
    (one) => document.querySelector(one)?.scrollHeight ?? 0))"""
BEYOND = """() => ["html", '[data-testid="stMain"]'].map((one) => document.querySelector(one)).filter(
    (one) => one !== null && one.scrollWidth > one.clientWidth + 1).map(
    (one) => `${one.tagName} is ${one.scrollWidth} wide in ${one.clientWidth}`).join(", ")"""
PROBED = r"/\w+/_stcore/(health|host-config)$"
"""Where Streamlit's page looks for its server first, when another page than the first one is loaded."""
LONELY = """
import fcntl, os, socket, struct, sys
with socket.socket() as one:  # SIOCSIFFLAGS: the loopback interface is up and running
    fcntl.ioctl(one.fileno(), 0x8914, struct.pack("16sh14s", b"lo", 0x1 | 0x40, b""))
os.execv(sys.argv[1], sys.argv[1:])
"""
SETTLED = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    const state = app === null ? {} : app.dataset;
    return state.testScriptState === "notRunning" && state.testConnectionState === "CONNECTED";
}"""


@dataclass(frozen=True)
class Served:
    """A workbench that is running."""

    process: subprocess.Popen[bytes]
    address: str
    """As it was printed, with its secret."""
    home: Path
    folder: Path
    """Where it was started."""
    log: Path

    @property
    def base(self) -> str:
        """The address without a path and without the secret."""
        return "{0.scheme}://{0.netloc}".format(urlsplit(self.address))

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(urlsplit(self.address).port or 0)

    @property
    def token(self) -> str:
        """The secret."""
        return self.address.split("token=")[1]

    def page(self, name: str = "", **query: str) -> str:
        """The address of a page, with the secret."""
        more = "".join(f"&{key}={value}" for key, value in query.items())
        return f"{self.base}/{name}?token={self.token}{more}"

    def said(self) -> str:
        """Whatever the process has written."""
        return self.log.read_text(errors="replace")


@contextmanager
def serving(
    root: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    before: tuple[str, ...] = (),
    program: tuple[str, ...] = ("-m", "epsilens", "app", "--no-browser"),
) -> Iterator[Served]:
    """Start the workbench in an empty home and an empty folder below ``root``; end it by its id.

    ``before`` is put before the command: what runs it somewhere else.
    """
    home, folder, log = root / "home", root / "folder", root / "log.txt"
    for one in (home, folder):
        one.mkdir(parents=True, exist_ok=True)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("STREAMLIT_", "EPSILENS_APP"))}
    own |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    sources = Path(__file__).resolve().parents[2] / "src"
    own["PYTHONPATH"] = os.pathsep.join(filter(None, [str(sources), own.get("PYTHONPATH", "")]))
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*before, sys.executable, *program, *arguments],
            cwd=folder,
            env=own | dict(environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=hear_ctrl_c,
        )
        try:
            yield Served(process, _printed_address(process, log), home, folder, log)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _printed_address(process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(600):
        said = log.read_text(errors="replace")
        if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", said):
            return found[0]
        if process.poll() is not None:
            raise AssertionError(f"the workbench ended with {process.returncode}: {said}")
        time.sleep(0.1)
    raise AssertionError(f"the workbench printed no address within a minute: {log.read_text(errors='replace')}")


def reachable(served: Served, seconds: float = 60) -> Served:
    """The same workbench, once it answers."""
    import socket

    for _ in range(int(seconds * 10)):
        try:
            socket.create_connection(("127.0.0.1", served.port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return served
    raise AssertionError(f"nothing listens at {served.base}: {served.said()}")


@dataclass
class Seen:
    """What a browser asked for and complained of."""

    requests: list[str] = field(default_factory=list)
    sockets: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    asked: int = 0
    """How often a page asked the workbench to run."""
    answered: int = 0
    """How often the workbench said that it has finished."""
    is_waiting: bool = False

    def outside(self, base: str) -> list[str]:
        """Whatever was asked of anybody but the workbench; ``data:`` and ``blob:`` are the page itself."""
        host = urlsplit(base).netloc
        return [
            url
            for url in [*self.requests, *self.sockets]
            if urlsplit(url).scheme not in ("data", "blob", "about", "chrome") and urlsplit(url).netloc != host
        ]


def watched(context: Any) -> Seen:
    """Note all that pages of a browser's context ask for."""
    seen = Seen()

    def listen(socket: Any) -> None:
        seen.sockets.append(socket.url)
        socket.on("framesent", lambda sent: _note_question(seen, sent))
        socket.on("framereceived", lambda received: _note_answer(seen, received))

    def watch(page: Any) -> None:
        page.on("websocket", listen)
        page.on("console", lambda message: _note(seen, message))
        page.on("pageerror", lambda error: seen.complaints.append(f"{error}"))

    context.on("request", lambda request: seen.requests.append(request.url))
    context.on("page", watch)
    return seen


def _note(seen: Seen, message: Any) -> None:
    place = message.location.get("url", "")
    if message.type == "error" and not re.search(PROBED, place):
        seen.complaints.append(f"{message.text} ({message.location.get('url', '')})")


def _note_question(seen: Seen, sent: bytes | str) -> None:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    message = BackMsg()
    if isinstance(sent, bytes):
        message.ParseFromString(sent)
        if message.WhichOneof("type") == "rerun_script":
            seen.asked += 1
            seen.is_waiting = True


def _note_answer(seen: Seen, received: bytes | str) -> None:
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    message = ForwardMsg()
    if isinstance(received, bytes):
        message.ParseFromString(received)
        early = ForwardMsg.FINISHED_EARLY_FOR_RERUN
        if message.WhichOneof("type") == "script_finished" and message.script_finished != early:
            seen.answered += 1
            seen.is_waiting = False


def settled(page: Any, timeout: float = 60_000) -> None:
    """Wait until the server has answered all that was asked and the page shows it."""
    page.wait_for_function(SETTLED, timeout=timeout)


def serious_findings(page: Any) -> list[str]:
    """What axe calls serious or critical on a page, with the first element of each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])} in all)"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def picture(page: Any, name: str) -> None:
    """Keep pictures of a whole page at every size, where somebody asked for pictures."""
    folder = os.environ.get(PICTURES)
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    for size, (width, height) in SIZES.items():
        with sized(page, width, height):
            page.set_viewport_size({"width": width, "height": max(height, min(page.evaluate(LENGTH), 12_000))})
            page.wait_for_timeout(400)
            page.screenshot(path=Path(folder) / f"{name}-{size}.png")


@contextmanager
def sized(page: Any, width: int, height: int) -> Iterator[None]:
    """A window of another size for a while."""
    before = page.viewport_size
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(250)  # charts follow the width of the window with a delay
    yield
    page.set_viewport_size(before)
    page.wait_for_timeout(100)


def too_wide(page: Any) -> list[str]:
    """The narrow sizes at which a page has to be scrolled sideways to be read (WCAG 1.4.10, reflow)."""
    found = []
    for size, (width, height) in list(SIZES.items())[1:]:
        with sized(page, width, height):
            if beyond := page.evaluate(BEYOND):
                found.append(f"{size}: {beyond}")
    return found


def tree(*folders: Path) -> dict[str, bytes]:
    """Every file below some folders with its content."""
    return {str(path): path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def lonely(*command: str) -> tuple[str, ...]:
    """Words to put before a command: it runs in a network namespace that has a loopback interface and no route."""
    rootless = () if os.geteuid() == 0 else ("--map-root-user",)
    return ("unshare", "--net", *rootless, sys.executable, "-c", LONELY, *command)


def beside(process: int, program: str, folder: Path) -> Path:
    """A program, written into ``folder``, that starts ``program`` in the network namespace of a process."""
    words = ["nsenter", "--target", str(process), "--net"]
    if os.geteuid() != 0:
        words += ["--user", "--preserve-credentials"]
    script = folder / "beside"
    script.write_text(f'#!/bin/sh\nexec {" ".join(words)} {program} "$@"\n')
    script.chmod(0o755)
    return script
