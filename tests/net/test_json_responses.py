"""Tolerant reading of other people's JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.errors import MalformedResponse, UpstreamUnavailable
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
    require_http_address,
)


class _Result(ResponsePart):
    url: HttpLink
    note: OptionalField[int] = None


class _Found(JsonResponse):
    kind: OptionalField[str] = None
    results: TolerantItems[_Result] = ()


def answer(body: Any) -> HttpResponse:
    return HttpResponse(
        status=200,
        url="https://a.example",
        headers={},
        body=json.dumps(body).encode(),
        provider="a",
    )


def test_a_broken_element_is_left_out() -> None:
    body = {"results": [{"url": "https://a.example/1"}, {"url": "nowhere"}, None, 7]}

    assert [result.url for result in read_json_response(_Found, answer(body)).results] == [
        "https://a.example/1"
    ]


def test_a_broken_detail_is_absent_and_costs_nothing_else() -> None:
    body = {"results": [{"url": "https://a.example/1", "note": "many"}]}

    assert read_json_response(_Found, answer(body)).results[0].note is None


def test_a_list_with_no_readable_element_is_another_shape() -> None:
    with pytest.raises(MalformedResponse):
        read_json_response(_Found, answer({"results": [{"link": "https://a.example/1"}]}))


@pytest.mark.parametrize("nothing", [None, []])
def test_no_list_and_an_empty_list_are_both_nothing_found(nothing: object) -> None:
    assert read_json_response(_Found, answer({"results": nothing})).results == ()


@pytest.mark.parametrize("error", ["no", {"code": 1}, True])
def test_an_error_body_is_raised_without_its_text(error: object) -> None:
    with pytest.raises(UpstreamUnavailable) as caught:
        read_json_response(_Found, answer({"results": [], "error": error}))

    assert caught.value.provider == "a"


def test_an_answer_without_any_known_field_has_a_bad_shape() -> None:
    with pytest.raises(MalformedResponse):
        read_json_response(_Found, answer({"message": "Unauthorized."}))


@pytest.mark.parametrize(
    "address",
    ["", "/path", "//host/path", "ftp://a.example", "http://", "http://[", "http://a.example/a b",
     "javascript:alert(1)", "http://a.example/\ud800", "data:text/html,x"],
)  # fmt: skip
def test_an_address_that_is_not_absolute_http_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        require_http_address(address)


def test_an_absolute_address_stays_as_it_is() -> None:
    assert require_http_address(" https://a.example/ä?b=c#d ") == "https://a.example/ä?b=c#d"
