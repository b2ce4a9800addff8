"""Nobody gets anything of the workbench without its secret: no page, no socket, no upload, no file to download.

The address that the command prints has the secret. Whoever opens it gets a cookie, which scripts cannot read and which
pages of others cannot send, and every request after that must present it. Nothing is asked of any other machine: a
policy in every answer forbids it to the browser.

Browsers send cookies to every port of a machine: another program on this machine, whose page somebody opens, is told
ours. So the cookie is not the secret, nor does the secret follow from it, and it lets nobody see anything by itself: a
session must also name the secret or a work, which stand in addresses of this port only (``access``).
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

HOSTS = ("127.0.0.1", "localhost")
"""Names by which this machine calls itself; a page of somebody else's that points its own name here is not heard."""
PARAMETER = "token"
ADVICE = "This page needs the address that `epsilens app` printed: it ends in a secret. Copy the whole of it."
REFUSAL = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Epsilens</title></head>'
    f"<body><main><h1>Epsilens</h1><p>{ADVICE.replace('`', '')}</p></main></body></html>"
).encode()
POLICY = (
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' {sockets} data: blob:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
)
"""Streamlit and Vega need scripts and styles in the page; addresses elsewhere they do not get."""
HEADERS = (
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
OTHERS = ("same-site", "cross-site")
"""What a browser says of a request that a page of another origin makes; another port of this machine is one."""


def cookie_name(port: int) -> str:
    """Cookies do not tell ports apart, so two workbenches need two names."""
    return f"epsilens_{port}"


def cookie_value(secret: str) -> str:
    """What the cookie says: that somebody had the secret, not what it is."""
    return hmac.new(secret.encode(), b"epsilens cookie", hashlib.sha256).hexdigest() if secret else ""


def is_secret(given: str, secret: str) -> bool:
    """Whether the secret was given; takes as long for a near miss as for a far one."""
    return bool(secret) and hmac.compare_digest(given.encode(), secret.encode())


@dataclass(frozen=True)
class Gate:
    """In front of the whole application."""

    app: Application
    secret: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what presents the secret, refuse the rest."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = list(scope["headers"])
        asked = _values(headers, b"host")
        if len(asked) != 1 or _host(asked[0]) not in HOSTS or not _of_ours(headers, asked[0]):
            await self._refuse(scope, send)
        elif any(is_secret(given, cookie_value(self.secret)) for given in self._cookies(headers)):
            await self.app(scope, receive, _with_headers(send, *self._headers))
        elif scope["type"] == "http" and scope["method"] == "GET" and is_secret(_given(scope), self.secret):
            cookie = f"{cookie_name(self.port)}={cookie_value(self.secret)}; Path=/; HttpOnly; SameSite=Strict"
            await self.app(scope, receive, _with_headers(send, *self._headers, (b"set-cookie", cookie.encode())))
        else:
            await self._refuse(scope, send)

    @property
    def _headers(self) -> Headers:
        sockets = " ".join(f"ws://{host}:{self.port}" for host in HOSTS)
        return ((b"content-security-policy", POLICY.format(sockets=sockets).encode()), *HEADERS)

    async def _refuse(self, scope: Scope, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store"), *self._headers]
        headers.append((b"content-length", str(len(REFUSAL)).encode()))
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else REFUSAL})

    def _cookies(self, headers: Headers) -> list[str]:
        """Those of our name among the cookies of all programs of this machine, which may have set some of it too."""
        parts = (part.partition("=") for text in _values(headers, b"cookie") for part in text.split(";"))
        return [value.strip() for name, _, value in parts if name.strip() == cookie_name(self.port)]


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _host(text: str) -> str:
    try:
        parts = urlsplit(f"//{text}")
        return "" if parts.username or parts.path else (parts.hostname or "")
    except ValueError:
        return ""


def _of_ours(headers: Headers, host: str) -> bool:
    """Whether a page of ours asks, or no page at all, which has to have the cookie all the same.

    Pictures and scripts that a page of others asks for have no origin; there the browser says whose page it is. A link
    to the workbench may stand anywhere.
    """
    origins, modes = _values(headers, b"origin"), _values(headers, b"sec-fetch-mode")
    if any(one in OTHERS for one in _values(headers, b"sec-fetch-site")) and modes != ["navigate"]:
        return False
    return not origins or (len(origins) == 1 and origins[0] == f"http://{host}")


def _given(scope: Scope) -> str:
    values = parse_qs(scope["query_string"].decode("latin-1")).get(PARAMETER, [])
    return values[0] if len(values) == 1 else ""


def _with_headers(send: Send, *more: tuple[bytes, bytes]) -> Send:
    async def sent(message: Any) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sent
