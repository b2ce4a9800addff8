"""``epsilens app``: the workbench, in a browser on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from epsilens.cli.options import whole_number
from epsilens.errors import ParameterError, SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

NEEDS = ("streamlit", "uvicorn", "fsspec")
"""What the extra ``app`` brings."""
MODULE = "epsilens.app"
"""What is run as a process of its own: the command line does not know the workbench."""
LARGEST_PORT = 65_535
GRACE_SECONDS = 8
"""How long the server may take to end before it is ended."""


@click.command("app")
@click.argument("project", required=False, type=click.Path())
@click.option("--port", callback=whole_number, metavar="N", help="Where it listens.  [default: a free port]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--check", is_flag=True, help="Only say whether it could start, and end.")
def command(project: str | None, port: int | None, no_browser: bool, check: bool) -> None:
    """Open the workbench: Epsilens in a browser, for people who never write commands.

    Only this machine reaches it, and only with the address that is printed, which ends in a secret. Data that are
    uploaded stay in memory. Nothing is sent anywhere, and nothing is written unless you ask for it. Ctrl-C ends it.

    \b
    Examples:
      epsilens app
      epsilens app --port 8600 --no-browser
    """
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        raise SourceError(f"the workbench needs {' and '.join(missing)}", remedy="run pip install 'epsilens[app]'")
    if port is not None and not 1 <= port <= LARGEST_PORT:
        raise ParameterError(f"must be a whole number from 1 to {LARGEST_PORT}", parameter="port", got=port)
    if project is not None:
        from epsilens.project import Project

        Project.load(project)
    if check:
        click.echo("The workbench can start.")
        return
    words = [*([project] if project is not None else ()), *(("--port", str(port)) if port is not None else ())]
    code = _supervised([*words, *(() if no_browser or not _has_screen() else ("--show",))])
    if code != 0:
        raise click.exceptions.Exit(code)


def _supervised(words: Sequence[str]) -> int:
    """Run the server until it ends or somebody interrupts us. It ends with us, however we end.

    It is a process of its own that reads from us: as soon as we are gone, it finds the end of its input.
    """
    arguments = [sys.executable, "-m", MODULE, "--with-parent", *words]
    alone = {"start_new_session": True} if os.name != "nt" else {}  # Ctrl-C is ours to hand on
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, **alone) as server:  # type: ignore[call-overload]
        try:
            return int(server.wait())
        except KeyboardInterrupt:
            return 0  # which is how it is ended
        finally:
            with suppress(OSError):
                server.stdin.close()
            try:
                server.wait(GRACE_SECONDS)
            except (subprocess.TimeoutExpired, KeyboardInterrupt):
                server.kill()


def _has_screen() -> bool:
    """Whether somebody could see a browser that is opened here; one in the terminal would be in the way."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
