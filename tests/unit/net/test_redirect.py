from __future__ import annotations

import pytest

from citewell.errors import Refused, Unavailable
from citewell.net.message import Redirects, Request
from citewell.net.redirect import follow
from citewell.net.target import read_url

START = "https://example.org/start"
ASKED = Request(
    url=START,
    headers={"Authorization": "Bearer k3y", "X-Plain": "kept"},
    secret_headers={"X-Key": "k3y"},
)


def onward(location, request=ASKED, status=302):
    return follow(request, read_url(request.url), status=status, location=location)


def test_the_same_origin_keeps_everything():
    followed = onward("https://EXAMPLE.org:443/next")

    assert followed.headers == ASKED.headers
    assert followed.secret_headers == ASKED.secret_headers


@pytest.mark.parametrize(
    "location",
    ["http://example.org/start", "https://example.org:8443/", "https://www.example.org/", "//example.com/"],
)  # fmt: skip
def test_another_scheme_port_or_host_gets_no_secret(location):
    followed = onward(location)

    assert followed.secret_headers == {}
    assert followed.headers == {"X-Plain": "kept"}


@pytest.mark.parametrize(
    ("status", "location"), [(200, "/a"), (304, "/a"), (300, "/a"), (302, None), (302, "")]
)
def test_what_is_no_redirect_is_final(status, location):
    assert onward(location, status=status) is None


def test_a_redirect_is_final_when_none_is_wanted():
    assert onward("/a", request=Request(url=START, redirects=Redirects.NONE)) is None


@pytest.mark.parametrize("location", ["http://[bad/", "https://[::1"])
def test_a_place_that_is_none_is_the_upstreams_failure(location):
    with pytest.raises(Unavailable):
        onward(location)


@pytest.mark.parametrize(
    "location", ["javascript:alert(1)", "http://a\tb.org/", "https://user@example.org/"]
)
def test_a_place_outside_the_grammar_is_refused(location):
    with pytest.raises(Refused):
        onward(location)


def test_a_head_request_stays_one():
    assert onward("/a", request=Request(url=START, method="HEAD"), status=303).method == "HEAD"
