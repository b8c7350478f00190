"""The loopback double does what was observed of SearXNG, so that the other tests mean something."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.internet.apis import searxng as double
from tests.internet.serve import Internet

FINE = {
    "User-Agent": "research/1.0 (+https://example.org)",
    "Accept": "text/html,application/json",
    "Accept-Language": "en",
    "Accept-Encoding": "gzip",
}


def ask(
    internet: Internet,
    path: str = "/search",
    *,
    headers: dict[str, str] | None = None,
    body: bytes | None = None,
    **params: str,
) -> tuple[int, str, str, bytes]:
    """Status, media type, Location and body; redirects are not followed."""
    connection = http.client.HTTPConnection("127.0.0.1", internet.port, timeout=5)
    try:
        target = f"/searxng{path}?{urlencode(params)}"
        connection.request(
            "POST" if body else "GET", target, body, FINE if headers is None else headers
        )
        answer = connection.getresponse()
        kind = (answer.getheader("content-type") or "").partition(";")[0]
        return answer.status, kind, answer.getheader("location") or "", answer.read()
    finally:
        connection.close()


def test_json_that_is_off_is_a_403_page(internet: Internet) -> None:
    double.behave(internet.world, json=False)

    assert ask(internet, q="battery", format="json")[:2] == (403, "text/html")
    assert ask(internet, q="", format="json")[:2] == (403, "text/html")


@pytest.mark.parametrize(
    "wrong",
    [{"q": ""}, {"time_range": "hour"}, {"pageno": "0"}, {"safesearch": "3"}, {"language": "english!!"}, {"language": "zh-Hans-CN"}],
)  # fmt: skip
def test_wrong_parameters_are_a_400_in_json(internet: Internet, wrong: dict[str, Any]) -> None:
    status, kind, _, body = ask(internet, **({"q": "battery", "format": "json"} | wrong))

    assert (status, kind) == (400, "application/json")
    assert json.loads(body)["error"]


def test_an_unknown_format_is_a_page(internet: Internet) -> None:
    assert ask(internet, q="battery", format="yaml")[:2] == (200, "text/html")


def test_an_unknown_category_gives_general_results(internet: Internet) -> None:
    body = json.loads(ask(internet, q="battery", format="json", categories="gossip")[3])

    assert body["results"][0]["category"] == "general"


def test_a_key_value_result_has_no_address(internet: Internet) -> None:
    body = json.loads(ask(internet, q="battery", format="json")[3])

    assert body["results"][-1]["url"] is None


def test_a_query_at_the_root_is_sent_to_search(internet: Internet) -> None:
    status, _, location, _ = ask(internet, "/", q="battery")

    assert (status, location) == (308, "/searxng/search?q=battery")


def test_a_double_bang_leaves_for_another_site(internet: Internet) -> None:
    status, _, location, _ = ask(internet, q="!!g secret", format="json")

    assert (status, location) == (302, "https://www.google.com/search?q=secret")


def test_a_lone_double_bang_leaves_for_the_first_result(internet: Internet) -> None:
    assert ask(internet, q="!! battery")[0] == 302


@pytest.mark.parametrize(
    ("text", "words"), [("!al x", "x"), (":de x", "x"), ("<3 x", "x"), ("!zzz x", "!zzz x")]
)
def test_commands_are_taken_out_of_the_query(text: str, words: str) -> None:
    assert double.parse(text).words == words


def test_a_json_body_gets_the_start_page(internet: Internet) -> None:
    headers = FINE | {"Content-Type": "application/json"}

    status, kind, _, body = ask(internet, headers=headers, body=b'{"q": "battery"}')

    assert (status, kind) == (200, "text/html")
    assert b"main_index" in body


@pytest.mark.parametrize(
    "headers",
    [
        FINE | {"User-Agent": "python-requests/2.32"},
        FINE | {"User-Agent": "curl/8.5.0"},
        FINE | {"Accept": "application/json"},
        FINE | {"Accept-Language": ""},
        FINE | {"Accept-Encoding": "identity"},
    ],
)
def test_the_limiter_turns_unmannerly_clients_away(
    internet: Internet, headers: dict[str, str]
) -> None:
    double.behave(internet.world, limiter=True)

    assert ask(internet, q="battery", headers=headers)[0] == 429
    assert ask(internet, "/healthz", headers=headers)[0] == 200


def test_the_limiter_allows_four_api_calls(internet: Internet) -> None:
    double.behave(internet.world, limiter=True)

    statuses = [ask(internet, q="battery", format="json")[0] for _ in range(5)]

    assert statuses == [200, 200, 200, 200, 429]
