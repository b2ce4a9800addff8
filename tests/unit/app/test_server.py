from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from epsilens.app.server import ADDRESS, OPTIONS, UPLOAD_MB, listening
from epsilens.errors import SourceError

SAID = """
import json, os, sys
from epsilens.app.server import OPTIONS, pin
pin(8600)
from streamlit import config
names = [*OPTIONS, "server.port", "server.sslCertFile", "server.cookieSecret", "server.maxWidgetStateSize"]
from starlette.formparsers import MultiPartParser
options = {name: config.get_option(name) for name in names}
print(json.dumps(options | {"held in memory": MultiPartParser.spool_max_size}))
"""


def pinned(folder: Path, home: Path, **variables: str) -> dict[str, object]:
    """Streamlit's options as a server that is started in ``folder`` has them."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    done = subprocess.run(
        [sys.executable, "-c", SAID],
        cwd=folder,
        env=own | {"HOME": str(home)} | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_nothing_that_the_user_has_set_counts(tmp_path: Path) -> None:
    hostile = (
        '[server]\naddress = "0.0.0.0"\nallowedHosts = []\nenableXsrfProtection = false\nsslCertFile = "x.pem"\n'
        'enableAgentApi = true\ncorsAllowedOrigins = ["http://evil.example"]\nmaxUploadSize = 9000\n'
        'maxWidgetStateSize = 9\ncookieSecret = "known"\n'
        '[browser]\ngatherUsageStats = true\n[client]\nshowErrorDetails = "full"\nshowErrorLinks = true\n'
    )
    for folder in (tmp_path, tmp_path / "home"):
        (folder / ".streamlit").mkdir(parents=True)
        (folder / ".streamlit" / "config.toml").write_text(hostile)
    variables = {
        "STREAMLIT_SERVER_COOKIE_SECRET": "known",
        "STREAMLIT_SERVER_ADDRESS": "0.0.0.0",
        "STREAMLIT_SERVER_SSL_CERT_FILE": "y.pem",
    }
    found = pinned(tmp_path, tmp_path / "home", **variables)
    assert {name: found[name] for name in OPTIONS} == OPTIONS
    assert (found["server.port"], found["server.sslCertFile"], found["server.maxWidgetStateSize"]) == (8600, None, 25)
    assert len(str(found["server.cookieSecret"])) == 64
    assert found["held in memory"] > 1_048_576 * UPLOAD_MB  # type: ignore[operator]


def test_every_pin_is_an_option_that_streamlit_has() -> None:
    from streamlit import config

    assert set(OPTIONS) <= set(config._config_options_template)
    assert OPTIONS["browser.gatherUsageStats"] is False
    assert OPTIONS["server.address"] == ADDRESS


def test_only_this_machine_reaches_it_and_a_port_that_is_taken_is_said() -> None:
    with listening(None) as line:
        host, port = line.getsockname()
        assert host == ADDRESS
        with pytest.raises(SourceError, match=f"port {port} is taken by another program"):
            listening(port)
    with pytest.raises(SourceError, match="port 70000"):
        listening(70_000)
    with socket.socket() as free:
        free.bind((ADDRESS, 0))
        port = free.getsockname()[1]
    with listening(port) as line:
        assert line.getsockname()[1] == port
