"""What all pages share: escaping, headers, and errors for browsers and programs."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from citewell.server.pages.page_frame import ERROR_HANDLERS, SafeMarkup, build_element, join_markup
from tests.requirements import requires
from tests.server.seen_pages import BROWSER, SeenPage

HOSTILE = "<script>alert(1)</script>\" onload='x"


@requires("http.pages_closed")
def test_a_page_lets_nothing_run_but_its_own_style_and_script(client: TestClient) -> None:
    first, second = client.get("/"), client.get("/")

    policy = first.headers["content-security-policy"]
    page = SeenPage(first.text)
    nonces = set(page.list_values("nonce"))
    assert len(nonces) == 1
    assert f"script-src 'nonce-{nonces.pop()}'" in policy
    assert policy != second.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert page.list_values("style") == []
    assert [name for _, name, _ in page.attributes if name.startswith("on")] == []
    assert page.list_values("src") == []
    assert first.headers["cache-control"] == "no-store"
    assert first.headers["x-frame-options"] == "DENY"


def test_everything_put_into_an_element_is_escaped() -> None:
    made = build_element("p", HOSTILE, build_element("b", HOSTILE), title=HOSTILE, hidden=True)

    page = SeenPage(made)
    assert page.tags == ["p", "b"]
    assert page.text == HOSTILE * 2
    assert page.list_values("title") == [HOSTILE]
    assert join_markup(("<", SafeMarkup("<br>"), None)) == "&lt;<br>"


@requires("http.error_pages")
@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [("GET", "/nothing", 404, "not_found"), ("POST", "/", 405, "method_not_allowed")],
)
def test_errors_are_pages_for_browsers_and_json_for_programs(
    method: str, path: str, status: int, code: str, client: TestClient
) -> None:
    seen = client.request(method, path, headers=BROWSER)
    read = client.request(method, path, headers={"accept": "application/json"})

    assert (seen.status_code, read.status_code) == (status, status)
    assert seen.headers["content-type"].startswith("text/html")
    assert "/" in SeenPage(seen.text).list_values("href")
    assert read.json()["error"]["code"] == code
    if status == 405:
        assert "GET" in seen.headers["allow"]


@requires("http.error_pages")
@pytest.mark.parametrize("accept", ["text/html", "application/json"])
def test_what_went_wrong_inside_stays_in_the_log(
    accept: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(_: Request) -> Response:
        raise RuntimeError("the secret " + HOSTILE)

    app = Starlette(routes=[Route("/", fail)], exception_handlers=dict(ERROR_HANDLERS))

    response = TestClient(app, raise_server_exceptions=False).get("/", headers={"accept": accept})

    assert response.status_code == 500
    assert "secret" not in response.text
    assert "the secret" in caplog.text
