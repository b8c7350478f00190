from __future__ import annotations

import pytest

from citewell.core.errors import RefusedByPolicy, UpstreamUnavailable
from citewell.net.http.file_downloads import build_redirect_request
from citewell.net.http.messages import HttpRequest, RedirectPolicy
from citewell.net.url_grammar import parse_url

START = "https://example.org/start"
ASKED = HttpRequest(
    url=START,
    headers={"Authorization": "Bearer k3y", "X-Plain": "kept"},
    secret_headers={"X-Key": "k3y"},
)


def onward(
    location: str | None, request: HttpRequest = ASKED, status: int = 302
) -> HttpRequest | None:
    return build_redirect_request(request, parse_url(request.url), status=status, location=location)


def expect_redirect(location: str, request: HttpRequest = ASKED, status: int = 302) -> HttpRequest:
    followed = onward(location, request, status)
    assert followed is not None
    return followed


def test_the_same_origin_keeps_everything() -> None:
    followed = expect_redirect("https://EXAMPLE.org:443/next")

    assert followed.headers == ASKED.headers
    assert followed.secret_headers == ASKED.secret_headers


@pytest.mark.parametrize(
    "location",
    ["http://example.org/start", "https://example.org:8443/", "https://www.example.org/", "//example.com/"],
)  # fmt: skip
def test_another_scheme_port_or_host_gets_no_secret(location: str) -> None:
    followed = expect_redirect(location)

    assert followed.secret_headers == {}
    assert followed.headers == {"X-Plain": "kept"}


@pytest.mark.parametrize(
    ("status", "location"), [(200, "/a"), (304, "/a"), (300, "/a"), (302, None), (302, "")]
)
def test_what_is_no_redirect_is_final(status: int, location: str | None) -> None:
    assert onward(location, status=status) is None


def test_a_redirect_is_final_when_none_is_wanted() -> None:
    assert onward("/a", request=HttpRequest(url=START, redirects=RedirectPolicy.NONE)) is None


@pytest.mark.parametrize("location", ["http://[bad/", "https://[::1"])
def test_a_place_that_is_none_is_the_upstreams_failure(location: str) -> None:
    with pytest.raises(UpstreamUnavailable):
        onward(location)


@pytest.mark.parametrize(
    "location", ["javascript:alert(1)", "http://a\tb.org/", "https://user@example.org/"]
)
def test_a_place_outside_the_grammar_is_refused(location: str) -> None:
    with pytest.raises(RefusedByPolicy):
        onward(location)


def test_a_head_request_stays_one() -> None:
    request = HttpRequest(url=START, method="HEAD")

    assert expect_redirect("/a", request, status=303).method == "HEAD"
