"""What the workbench keeps to itself: from other machines, from other pages in the browser, and from its own errors."""

from __future__ import annotations

import re
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Visit
from tests.support.browser import Served, reachable, serious_findings, serving, settled, tree
from tests.support.sockets import asked, cookie_of, listening, told

pytestmark = pytest.mark.integration
INSIDE = b"INTERNAL"  # every page has it
SECRET = "Xq7Zplantedvalue"
PATHS = [
    "/",
    "/app/static/main.py",
    "/static/../main.py",
    "/static/..%2f..%2fmain.py",
    "/app/static/%2e%2e/server.py",
    "/component/epsilens/main.py",
    "/_stcore/bidi-components/epsilens/../main.py",
    "/_stcore/health",
    "/media/main.py",
]
HOSTILE_FILE = """
[server]
address = "0.0.0.0"
allowedHosts = []
enableXsrfProtection = false
enableAgentApi = true
enableStaticServing = true
[browser]
gatherUsageStats = true
[client]
showErrorDetails = "full"
"""
HOSTILE = {
    "STREAMLIT_SERVER_ADDRESS": "0.0.0.0",
    "STREAMLIT_SERVER_PORT": "1",
    "STREAMLIT_SERVER_ENABLE_XSRF_PROTECTION": "false",
    "STREAMLIT_SERVER_ENABLE_CORS": "false",
    "STREAMLIT_SERVER_ENABLE_AGENT_API": "true",
    "STREAMLIT_SERVER_ENABLE_STATIC_SERVING": "true",
    "STREAMLIT_SERVER_BASE_URL_PATH": "elsewhere",
    "STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS": '["http://evil.example"]',
    "STREAMLIT_SERVER_ALLOWED_HOSTS": '["evil.example"]',
    "STREAMLIT_BROWSER_GATHER_USAGE_STATS": "true",
    "STREAMLIT_CLIENT_SHOW_ERROR_DETAILS": "full",
    "STREAMLIT_CLIENT_SHOW_ERROR_LINKS": "true",
    "STREAMLIT_CLIENT_DISABLE_DATA_EXPORT": "false",
    "STREAMLIT_CLIENT_TOOLBAR_MODE": "developer",
    "STREAMLIT_LOGGER_LEVEL": "debug",
    "STREAMLIT_GLOBAL_DEVELOPMENT_MODE": "true",
}
BROKEN = f"""
import epsilens.app.pages.data as page
from epsilens.app.server import serve
def broken(work):
    ages = ["{SECRET}"]
    raise ValueError(f"the age of {{ages[0]}} is not a number")
page.page = broken
serve()
"""


def test_only_this_machine_reaches_it(workbench: Served) -> None:
    assert listening(workbench.port) == {"0100007F"}


@pytest.fixture(scope="module")
def cookie(workbench: Served) -> str:
    return cookie_of(workbench)


def test_whoever_has_the_secret_is_let_in(workbench: Served, cookie: str) -> None:
    heard = told(workbench, f"token={workbench.token}", cookie=cookie)
    assert heard is not None
    assert INSIDE in heard


def test_the_cookie_which_every_port_of_this_machine_is_sent_shows_nothing_by_itself(
    workbench: Served, cookie: str
) -> None:
    stolen = cookie.partition("=")[2]
    for query in ("", "work=x", f"token={stolen}", f"work={stolen}"):
        heard = told(workbench, query, cookie=cookie)
        assert heard is not None
        assert INSIDE not in heard
        assert b"epsilens app" in heard


def test_the_cookie_is_for_this_machine_and_not_for_scripts(workbench: Served) -> None:
    given = asked(workbench, f"/?token={workbench.token}").headers["set-cookie"]
    assert "HttpOnly" in given
    assert "SameSite=Strict" in given


@pytest.mark.parametrize("query", ["", "token=", "token=wrong", "work=x", "token=wrong&work=x", "token=%F0%9F%98%80"])
def test_without_the_secret_there_is_nothing(workbench: Served, query: str) -> None:
    for wrong in (None, "epsilens=wrong", f"epsilens_{workbench.port}=wrong", f"epsilens_{workbench.port}="):
        assert told(workbench, query, cookie=wrong) is None
    for path in PATHS:
        answer = asked(workbench, f"{path}?{query}")
        assert answer.status == 403
        assert workbench.token.encode() not in answer.body
        assert b"script" not in answer.body  # not even the frame of a page


def test_the_work_of_somebody_needs_the_secret_too(workbench: Served, visit: Visit) -> None:
    name = re.search(r"work=([^&]+)", visit().page.url)
    assert name is not None
    assert told(workbench, f"work={name[1]}") is None


def test_the_secret_does_not_stay_in_view(workbench: Served, visit: Visit) -> None:
    assert workbench.token not in visit().page.url


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("evil.example", None),
        ("127.0.0.1.evil.example", None),
        ("evil.example", "http://evil.example"),
        ("127.0.0.1", "http://evil.example"),
        ("127.0.0.1", "http://127.0.0.1:1"),
        ("127.0.0.1", "http://localhost:8501"),
        ("127.0.0.1", "https://share.streamlit.io"),
        ("127.0.0.1", "null"),
    ],
)
def test_pages_of_others_are_not_heard_even_with_the_secret(
    workbench: Served, cookie: str, host: str, origin: str | None
) -> None:
    assert told(workbench, f"token={workbench.token}", host, origin, cookie) is None


def test_no_page_of_anybody_else_may_steer_it_or_show_it(workbench: Served, cookie: str) -> None:
    assert b"streamlit" not in asked(workbench, "/_stcore/host-config", Cookie=cookie).body
    assert asked(workbench, "/", Cookie=cookie, Origin="http://evil.example").status == 403
    answer = asked(workbench, "/", Cookie=cookie)
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_the_browser_is_told_to_ask_nobody_else(workbench: Served, cookie: str) -> None:
    policy = asked(workbench, "/", Cookie=cookie).headers["content-security-policy"]
    addresses = {word.rstrip(";") for word in policy.split() if "://" in word}
    assert addresses == {f"ws://127.0.0.1:{workbench.port}", f"ws://localhost:{workbench.port}"}
    assert asked(workbench, "/", Cookie=cookie).headers["referrer-policy"] == "no-referrer"


def test_uploads_of_other_pages_are_refused(workbench: Served, cookie: str) -> None:
    for method in ("PUT", "DELETE"):
        for more in ({}, {"X_Xsrftoken": "2|a|b|1"}, {"Cookie": cookie}, {"Cookie": cookie, "X_Xsrftoken": "2|a|b|1"}):
            assert asked(workbench, "/_stcore/upload_file/session/file", method, b"x", **more).status == 403


@pytest.mark.parametrize("path", ["_stcore/agent/interact", "_stcore/agent/mcp"])
def test_programs_do_not_steer_it(workbench: Served, cookie: str, path: str) -> None:
    answer = asked(workbench, f"/{path}", "POST", b"{}", Content_Type="application/json", Cookie=cookie)
    assert answer.status in (400, 403)
    assert b"not_available" in answer.body


@pytest.mark.parametrize("path", PATHS)
def test_no_file_is_served(workbench: Served, cookie: str, path: str) -> None:
    assert b"epsilens" not in asked(workbench, path, Cookie=cookie).body.lower()


def test_what_counts_its_caches_has_no_names_of_data(workbench: Served, visit: Visit, cookie: str) -> None:
    visit()
    assert workbench.token.encode() not in asked(workbench, "/_stcore/metrics", Cookie=cookie).body


def test_the_secret_is_printed_and_nowhere_else(workbench: Served, visit: Visit) -> None:
    visit()
    assert workbench.said().count(workbench.token) == 1
    assert all(workbench.token.encode() not in content for content in tree(workbench.home, workbench.folder).values())


def test_a_page_without_the_secret_says_where_it_is(workbench: Served, browser: Any) -> None:
    for address in (workbench.base, f"{workbench.base}/?token=wrong", f"{workbench.base}/release?token={SECRET}"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        assert "epsilens app" in page.locator("body").inner_text()
        assert serious_findings(page) == []
        assert "INTERNAL" not in page.content()
        assert SECRET not in page.content()
        context.close()


def test_what_the_users_environment_says_of_streamlit_does_not_count(tmp_path: Path) -> None:
    for folder in (tmp_path / "folder" / ".streamlit", tmp_path / "home" / ".streamlit"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text(HOSTILE_FILE)
    with serving(tmp_path, environment=HOSTILE) as served:
        reachable(served)
        assert listening(served.port) == {"0100007F"}
        cookie = cookie_of(served)
        heard = told(served, f"token={served.token}", cookie=cookie)
        assert heard is not None
        assert INSIDE in heard
        assert told(served, "", "evil.example", cookie=cookie) is None
        assert told(served, "", origin="http://evil.example", cookie=cookie) is None
        assert asked(served, "/_stcore/upload_file/session/file", "PUT", b"x", Cookie=cookie).status == 403
        assert asked(served, "/_stcore/agent/interact", "POST", b"{}", Cookie=cookie).status == 403
        assert b"streamlit as st" not in asked(served, "/app/static/main.py", Cookie=cookie).body
        assert served.said().count("\n") == 2  # the address and who reaches it


def test_it_ends_with_the_command_that_started_it(tmp_path: Path) -> None:
    for end in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with serving(tmp_path / end.name) as served:
            reachable(served)
            served.process.send_signal(end)
            served.process.wait(20)
            assert is_gone(served)
            assert "Traceback" not in served.said()


def is_gone(served: Served, seconds: float = 20) -> bool:
    for _ in range(int(10 * seconds)):
        if not listening(served.port):
            return True
        time.sleep(0.1)
    return False


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(AssertionError, match="ended with 2") as refused, serving(tmp_path, "--port", str(port)):
            pass
    assert str(port) in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_two_workbenches_at_once_are_two(tmp_path: Path, workbench: Served, cookie: str) -> None:
    with serving(tmp_path) as other:
        reachable(other)
        assert other.token != workbench.token
        assert told(other, cookie=cookie) is None
        assert told(other, cookie=cookie.replace(str(workbench.port), str(other.port))) is None


def test_nothing_is_written_unless_somebody_asks(workbench: Served, visit: Visit, people: Path) -> None:
    before = tree(workbench.home, workbench.folder)
    visit().reload()
    assert tree(workbench.home, workbench.folder) == before


def test_an_error_nobody_thought_of_has_no_value_of_people_in_the_page_or_the_log(tmp_path: Path, browser: Any) -> None:
    with serving(tmp_path, program=("-c", BROKEN)) as served:
        context = browser.new_context()
        page = context.new_page()
        page.goto(reachable(served).address)
        settled(page)
        assert page.get_by_role("alert").count() == 1
        assert SECRET not in page.content()
        assert page.get_by_role("link").filter(has_text=re.compile("google|chatgpt|copy", re.IGNORECASE)).count() == 0
        assert [link for link in page.evaluate("[...document.links].map(a => a.href)") if served.base not in link] == []
        context.close()
        assert SECRET not in served.said()
