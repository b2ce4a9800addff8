"""The server of the workbench: this machine only, nothing sent anywhere, and a secret in the address."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamlit.web.server import Server

ADDRESS = "127.0.0.1"
TOKEN = "EPSILENS_APP_TOKEN"
"""The variable by which the server tells its pages the secret; it is never written anywhere."""
PROJECT = "EPSILENS_APP_PROJECT"
"""The variable with the project file to open, if one was named."""
UPLOAD_MB = 200
"""The largest upload; larger data are read from where they are."""
SCRIPT = Path(__file__).parent / "script" / "workbench.py"
OPTIONS: dict[str, object] = {
    "server.address": ADDRESS,
    "server.allowedHosts": ["localhost", ADDRESS],
    "server.headless": True,
    "server.enableCORS": True,
    "server.enableXsrfProtection": True,
    "server.enableAgentApi": False,
    "server.enableStaticServing": False,
    "server.fileWatcherType": "none",
    "server.runOnSave": False,
    "server.maxUploadSize": UPLOAD_MB,
    "server.disconnectedSessionTTL": 30,
    "server.showEmailPrompt": False,
    "browser.gatherUsageStats": False,
    "browser.serverAddress": ADDRESS,
    "client.showErrorDetails": "none",
    "client.showErrorLinks": False,
    "client.disableDataExport": True,
    "client.toolbarMode": "minimal",
    "runner.magicEnabled": False,
    "global.developmentMode": False,
    "logger.level": "error",
}
"""What is pinned; defaults of Streamlit would report usage, show error details and accept any host."""


def serve(project: str | None = None, port: int | None = None) -> None:
    """Serve the workbench until it is interrupted; the address is printed once, with its secret."""
    from streamlit.web import bootstrap

    os.environ[TOKEN] = token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    if project is not None:
        os.environ[PROJECT] = str(Path(project).absolute())
    chosen = port or _free_port()
    options = OPTIONS | {"server.port": chosen, "browser.serverPort": chosen}
    flags = {name.replace(".", "_"): value for name, value in options.items()}
    bootstrap.load_config_options(flag_options=flags)
    bootstrap._on_server_start = _say_nothing
    print(f"Epsilens is at http://{ADDRESS}:{chosen}/?token={token}", flush=True)
    print("Only this machine reaches it. Ctrl-C ends it.", flush=True)
    bootstrap.run(str(SCRIPT), False, [], flags)


def _say_nothing(server: Server) -> None:
    """Instead of Streamlit's own words, which have the address without the secret."""


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((ADDRESS, 0))
        port: int = one.getsockname()[1]
        return port
