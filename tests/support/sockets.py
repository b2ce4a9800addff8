"""What a program that is not a browser can ask of the workbench: any header, any address, no page."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from tests.support.browser import Served


@dataclass(frozen=True)
class Answer:
    """What the server answered to one request."""

    status: int
    headers: dict[str, str]
    body: bytes


def asked(served: Served, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
    """One request; a refusal is an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(served.base + path, data=body, headers=named, method=method)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return Answer(answer.status, {name.lower(): text for name, text in answer.headers.items()}, answer.read())
    except urllib.error.HTTPError as refusal:
        with refusal:
            return Answer(refusal.code, {name.lower(): text for name, text in refusal.headers.items()}, refusal.read())


def cookie_of(served: Served) -> str:
    """The cookie that a browser gets with the printed address."""
    given = asked(served, f"/?token={served.token}").headers["set-cookie"]
    return given.partition("; ")[0]


def told(
    served: Served, query: str = "", host: str = "127.0.0.1", origin: str | None = None, cookie: str | None = None
) -> bytes | None:
    """All that the server tells a socket that asks for the first page; None if it does not let it in."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect
    from websockets.typing import Origin, Subprotocol

    question = BackMsg()
    question.rerun_script.query_string = query
    answer = ForwardMsg()
    heard = b""
    try:
        with (
            socket.create_connection(("127.0.0.1", served.port)) as line,
            connect(
                f"ws://{host}:{served.port}/_stcore/stream",
                sock=line,
                origin=None if origin is None else Origin(origin),
                subprotocols=[Subprotocol("streamlit")],
                additional_headers={} if cookie is None else {"Cookie": cookie},
                max_size=None,
                proxy=None,
            ) as talk,
        ):
            talk.send(question.SerializeToString())
            while answer.WhichOneof("type") != "script_finished":
                part = talk.recv(20)
                assert isinstance(part, bytes)
                heard += part
                answer.ParseFromString(part)
    except InvalidStatus:
        return None
    return heard


def listening(port: int) -> set[str]:
    """The addresses at which anybody listens on a port, as the kernel writes them (``0100007F`` is 127.0.0.1)."""
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            host, hexadecimal = address.split(":")
            if state == "0A" and int(hexadecimal, 16) == port:
                found.add(host)
    return found
