"""Tolerant reading of other people's JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.errors import BadShape, Unavailable
from citewell.net.answer import Answer, Items, Link, Maybe, Part, absolute, read
from citewell.net.message import Response


class _Result(Part):
    url: Link
    note: Maybe[int] = None


class _Found(Answer):
    kind: Maybe[str] = None
    results: Items[_Result] = ()


def answer(body: Any) -> Response:
    return Response(
        status=200,
        url="https://a.example",
        headers={},
        body=json.dumps(body).encode(),
        provider="a",
    )


def test_a_broken_element_is_left_out() -> None:
    body = {"results": [{"url": "https://a.example/1"}, {"url": "nowhere"}, None, 7]}

    assert [result.url for result in read(_Found, answer(body)).results] == ["https://a.example/1"]


def test_a_broken_detail_is_absent_and_costs_nothing_else() -> None:
    body = {"results": [{"url": "https://a.example/1", "note": "many"}]}

    assert read(_Found, answer(body)).results[0].note is None


def test_a_list_with_no_readable_element_is_another_shape() -> None:
    with pytest.raises(BadShape):
        read(_Found, answer({"results": [{"link": "https://a.example/1"}]}))


@pytest.mark.parametrize("nothing", [None, []])
def test_no_list_and_an_empty_list_are_both_nothing_found(nothing: object) -> None:
    assert read(_Found, answer({"results": nothing})).results == ()


@pytest.mark.parametrize("error", ["no", {"code": 1}, True])
def test_an_error_body_is_raised_without_its_text(error: object) -> None:
    with pytest.raises(Unavailable) as caught:
        read(_Found, answer({"results": [], "error": error}))

    assert caught.value.provider == "a"


def test_an_answer_without_any_known_field_has_a_bad_shape() -> None:
    with pytest.raises(BadShape):
        read(_Found, answer({"message": "Unauthorized."}))


@pytest.mark.parametrize(
    "address",
    ["", "/path", "//host/path", "ftp://a.example", "http://", "http://[", "http://a.example/a b",
     "javascript:alert(1)", "http://a.example/\ud800", "data:text/html,x"],
)  # fmt: skip
def test_an_address_that_is_not_absolute_http_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        absolute(address)


def test_an_absolute_address_stays_as_it_is() -> None:
    assert absolute(" https://a.example/ä?b=c#d ") == "https://a.example/ä?b=c#d"
