from __future__ import annotations

import asyncio
from typing import Any

import pytest

from epsilens.app.gate import REFUSAL, Gate, cookie_name, cookie_value, is_secret

SECRET, PORT = "s3cret-of-this-start", 8600
COOKIE = f"{cookie_name(PORT)}={cookie_value(SECRET)}"
Message = dict[str, Any]


def asked(
    kind: str = "http",
    query: str = "",
    method: str = "GET",
    path: str = "/",
    host: str | None = f"127.0.0.1:{PORT}",
    **headers: str,
) -> tuple[bool, list[Message]]:
    """Whether the application was reached, and what was answered."""
    reached = False

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        nonlocal reached
        reached = True
        if kind == "http":
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
            await send({"type": "http.response.body", "body": b"inside"})

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {}

    named = {"host": host, **headers}
    scope = {
        "type": kind,
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in named.items() if value is not None],
    }
    asyncio.run(Gate(application, SECRET, PORT)(scope, receive, send))
    return reached, sent


def header(sent: list[Message], name: str) -> str:
    found: dict[bytes, bytes] = dict(sent[0]["headers"])
    return found.get(name.encode(), b"").decode()


def test_the_address_with_the_secret_is_let_in_and_gets_a_cookie_that_scripts_cannot_read() -> None:
    reached, sent = asked(query=f"token={SECRET}")
    assert reached
    assert header(sent, "set-cookie") == f"{COOKIE}; Path=/; HttpOnly; SameSite=Strict"
    assert header(sent, "x") == "y"


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "cookie",
    [COOKIE, f"_xsrf=2|a|b|1; odd; {COOKIE}", f"{COOKIE}; x=\x80", f"{cookie_name(PORT)}=tossed; {COOKIE}"],
)
def test_whoever_has_the_cookie_is_let_in(kind: str, cookie: str) -> None:
    assert asked(kind, cookie=cookie)[0]
    assert asked(kind, cookie=cookie, origin=f"http://127.0.0.1:{PORT}")[0]
    assert asked(kind, cookie=cookie, host=f"localhost:{PORT}", origin=f"http://localhost:{PORT}")[0]


PATHS = [
    "/", "/data", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/upload_file/s/f",
    "/media/abc.html", "/component/x", "/static/js/index.js", "/_stcore/stream",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST"])
def test_nobody_else_gets_anything(path: str, method: str) -> None:
    for query in ("", "token=", "token=wrong", f"token={SECRET}x", f"token={SECRET}&token=x"):
        reached, sent = asked(path=path, method=method, query=query)
        assert not reached
        assert sent[0]["status"] == 403
        assert SECRET.encode() not in sent[1]["body"]
    assert asked(path=path, method=method, cookie=f"{cookie_name(PORT)}=wrong")[0] is False
    for name, value in ((PORT + 1, SECRET), (PORT + 1, cookie_value(SECRET)), (PORT, SECRET)):
        assert asked(path=path, method=method, cookie=f"{cookie_name(name)}={value}")[0] is False


def test_an_address_with_the_secret_does_not_open_a_socket_or_upload() -> None:
    assert asked("websocket", query=f"token={SECRET}") == (False, [{"type": "websocket.close", "code": 1008}])
    assert not asked(method="PUT", query=f"token={SECRET}")[0]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("evil.example", None),
        ("127.0.0.1.evil.example", None),
        ("x@127.0.0.1", None),
        ("[::1", None),
        (None, None),
        (f"127.0.0.1:{PORT}", "http://evil.example"),
        (f"127.0.0.1:{PORT}", "null"),
        (f"127.0.0.1:{PORT}", f"http://localhost:{PORT}"),
        (f"127.0.0.1:{PORT}", f"http://127.0.0.1:{PORT + 1}"),
    ],
)
def test_pages_of_others_are_not_heard_even_with_the_secret(kind: str, host: str | None, origin: str | None) -> None:
    more = {} if origin is None else {"origin": origin}
    assert not asked(kind, host=host, cookie=COOKIE, query=f"token={SECRET}", **more)[0]


def test_a_cookie_that_other_ports_are_sent_does_not_tell_the_secret() -> None:
    assert SECRET not in header(asked(query=f"token={SECRET}")[1], "set-cookie")
    assert not asked(query=f"token={cookie_value(SECRET)}")[0]
    assert cookie_value("") == ""
    assert not is_secret("", cookie_value(""))


@pytest.mark.parametrize("site", ["same-site", "cross-site"])
def test_a_page_of_another_port_may_link_here_and_not_ask_for_parts(site: str) -> None:
    more = {"sec-fetch-site": site}
    for mode in ("no-cors", "cors", "websocket"):
        assert not asked(cookie=COOKIE, query=f"token={SECRET}", **more, **{"sec-fetch-mode": mode})[0]
    assert not asked(cookie=COOKIE, **more)[0]
    assert asked(cookie=COOKIE, **more, **{"sec-fetch-mode": "navigate"})[0]
    assert asked(cookie=COOKIE, **{"sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors"})[0]


def test_every_answer_forbids_other_addresses_and_frames() -> None:
    for sent in (asked(cookie=COOKIE)[1], asked()[1]):
        policy = header(sent, "content-security-policy")
        assert f"connect-src 'self' ws://127.0.0.1:{PORT} ws://localhost:{PORT} data: blob:" in policy
        assert "frame-ancestors 'none'" in policy
        assert "http" not in policy
        assert header(sent, "referrer-policy") == "no-referrer"


def test_what_is_neither_a_request_nor_a_socket_passes() -> None:
    assert asked("lifespan")[0]


def test_an_empty_secret_is_never_right() -> None:
    assert not is_secret("", "")
    assert not is_secret("é", SECRET)
    assert is_secret(SECRET, SECRET)


def test_a_refusal_of_a_head_has_no_body() -> None:
    assert [message["body"] for message in asked(method="HEAD")[1][1:]] == [b""]
    assert asked()[1][1]["body"] == REFUSAL
