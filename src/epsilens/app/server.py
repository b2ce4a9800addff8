"""The server of the workbench: this machine only, nothing sent anywhere, and a secret in the address."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from epsilens.app.gate import HOSTS, PARAMETER, Gate
from epsilens.app.warned import listen
from epsilens.errors import SourceError

ADDRESS = "127.0.0.1"
TOKEN = "EPSILENS_APP_TOKEN"
"""The variable by which the server tells its pages the secret; it is never written anywhere."""
PORT = "EPSILENS_APP_PORT"
PROJECT = "EPSILENS_APP_PROJECT"
"""The variable with the project file to open, if one was named."""
UPLOAD_MB = 200
"""The largest upload; larger data are read from where they are."""
LAST_SECONDS = 3
"""How long the end of the server may take before what still computes is left alone."""
SCRIPT = Path(__file__).parent / "script" / "workbench.py"
OPTIONS: dict[str, object] = {
    "server.address": ADDRESS,
    "server.allowedHosts": list(HOSTS),
    "server.baseUrlPath": "",
    "server.headless": True,
    "server.enableCORS": True,
    "server.corsAllowedOrigins": [],
    "server.enableXsrfProtection": True,
    "server.xsrfCookieSameSite": "strict",
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.scriptHealthCheckEnabled": False,
    "server.enableExpensiveMemoryStats": False,
    "server.enableWebsocketCompression": False,
    "server.customComponentBaseUrlPath": "",
    "server.trustedUserHeaders": {},
    "server.unsafeMetricsUserAttributes": [],
    "server.fileWatcherType": "none",
    "server.folderWatchList": [],
    "server.runOnSave": False,
    "server.allowRunOnSave": False,
    "server.maxUploadSize": UPLOAD_MB,
    "server.maxMessageSize": UPLOAD_MB,
    "server.disconnectedSessionTTL": 30,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "browser.serverAddress": ADDRESS,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.disableDataExport": True,
    "client.toolbarMode": "minimal",
    "client.allowedOrigins": [],
    "runner.magicEnabled": False,
    "runner.postScriptGC": False,  # after every click, while its answer waits: most of what a click takes
    "runner.fastReruns": True,
    "global.developmentMode": False,
    "logger.level": "critical",
    "logger.enableRich": False,
    "logger.hideWelcomeMessage": True,
    "secrets.files": [],
    "theme.light.primaryColor": "#0072B2",
    "theme.dark.primaryColor": "#9ECBFF",
}
"""What is pinned; defaults of Streamlit would report usage, show error details and accept any host."""


def serve(project: str | None = None, port: int | None = None, show: bool = False, with_parent: bool = False) -> None:
    """Serve the workbench until it is interrupted; the address is printed once, with its secret.

    ``show`` opens it in a browser. ``with_parent`` ends it as soon as whoever started it closes its standard input.
    """
    import uvicorn

    line = listening(port)
    chosen: int = line.getsockname()[1]
    os.environ[TOKEN] = secret = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    os.environ[PORT] = str(chosen)
    if project is not None:
        os.environ[PROJECT] = str(Path(project).absolute())
    pin(chosen)
    _say_nothing_of_data()
    address = f"http://{ADDRESS}:{chosen}/?{PARAMETER}={secret}"
    server = uvicorn.Server(
        uvicorn.Config(
            _application(secret, chosen, address, show),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="websockets-sansio",
            ws_max_size=UPLOAD_MB * 1_000_000,
            ws_ping_interval=30,
            ws_ping_timeout=30,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
    )
    if with_parent:
        threading.Thread(target=_end_with_parent, args=(server,), daemon=True).start()
    with suppress(KeyboardInterrupt), line:
        server.run(sockets=[line])
    sys.stdout.flush()
    last = threading.Timer(LAST_SECONDS, os._exit, (0,))
    last.daemon = True
    last.start()


def pin(port: int) -> None:
    """Set Streamlit's options; nothing that the user's files or variables say of them counts."""
    for name in [name for name in os.environ if name.startswith("STREAMLIT_")]:
        del os.environ[name]
    from streamlit import config
    from streamlit.web import bootstrap

    config.get_config_files = _no_files
    flags = OPTIONS | {"server.port": port, "browser.serverPort": port, "server.cookieSecret": secrets.token_hex(32)}
    bootstrap.load_config_options(flags)


def listening(port: int | None) -> socket.socket:
    """A socket that only this machine reaches, at a free port or at the one that was asked for."""
    line = socket.socket()
    if os.name != "nt":  # there it would let two programs have the same port
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        line.bind((ADDRESS, port or 0))
        line.listen(100)
    except (OSError, OverflowError):
        line.close()
        raise SourceError(
            f"port {port} is taken by another program, or may not be used", remedy="take another one, or none"
        ) from None
    return line


def _application(secret: str, port: int, address: str, show: bool) -> Any:
    import streamlit as st
    from starlette.middleware import Middleware

    from epsilens.app.problems import shown_calmly

    @asynccontextmanager
    async def started(_app: object) -> AsyncIterator[None]:
        print(f"Epsilens is at {address}", flush=True)
        print(f"Only this machine reaches it. Uploads: at most {UPLOAD_MB} MB. Ctrl-C ends it.", flush=True)
        if show:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        yield

    gate = Middleware(Gate, secret=secret, port=port)
    return st.App(SCRIPT, lifespan=started, middleware=[gate], on_script_error=shown_calmly)


def _no_files(file_name: str) -> list[str]:  # noqa: ARG001 - Streamlit calls it by this name
    return []


def _say_nothing_of_data() -> None:
    """No library logs or warns: messages may quote data. Who wants to see logs asks for them with EPSILENS_DEBUG."""
    if not os.environ.get("EPSILENS_DEBUG"):
        logging.disable(logging.CRITICAL)
    listen()


def _end_with_parent(server: Any) -> None:
    with suppress(OSError, ValueError):
        sys.stdin.buffer.read()
    server.should_exit = True
