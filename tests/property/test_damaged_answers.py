"""One damaged node in an answer: the provider returns values or raises UpstreamError, nothing else."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.core.errors import UpstreamError
from citewell.core.values.paper import IntegrityNotice, OpenCopy, Paper
from citewell.core.values.search_queries import FoundImage, SearchHit
from citewell.routing.ports import Offer
from tests.contract.domain_offers import DOMAIN_OFFERS
from tests.contract.recordings import (
    METHODS,
    Item,
    Recording,
    encode,
    offers,
    path,
    recording,
    replay,
)

OFFERS = [(name, offer) for name, offer in offers(METHODS) if path(name, offer).is_file()]
JSON = [
    (name, offer) for name, offer in OFFERS if "body" in recording(name, offer).data["response"]
]
DROP = object()
REPLACEMENTS = [
    DROP, None, "", "text", "http://[", "https://a.example/\ud800", "javascript:alert(1)", "//example.org", "\ud800", "\x00",
    7, -1, 10**40, -1.5, float("nan"), float("inf"), True, False, [], {}, [None], [[]], {"a": 1},
    "<b>&#x0;&lt;", "99999999999 years ago", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00",
]  # fmt: skip

DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")

Place = tuple[str | int, ...]


def places(node: Any, here: Place = ()) -> Iterator[Place]:
    yield here
    children: Any = ()
    if isinstance(node, dict):
        children = node.items()
    elif isinstance(node, list):
        children = enumerate(node)
    for key, child in children:
        yield from places(child, (*here, key))


def damaged(body: Any, place: Place, value: Any) -> Any:
    if not place:
        return None if value is DROP else value
    whole = copy.copy(body)  # and below it only what leads to the place: the rest is shared
    key, *rest = place
    if rest or value is not DROP:
        whole[key] = damaged(body[key], tuple(rest), value) if rest else value
    else:
        del whole[key]
    return whole


def broken_text(text: str, start: int, length: int, put: str) -> bytes:
    start %= len(text)
    return (text[:start] + put + text[start + length :]).encode("utf-8", "surrogatepass")


def bodies(record: Recording) -> st.SearchStrategy[bytes]:
    response = record.data["response"]
    if "text" in response:
        return st.builds(
            broken_text,
            st.just(response["text"]),
            st.integers(0, 10_000),
            st.integers(0, 400),
            st.sampled_from(["", "<", '"', "<div>", "</a>", "&uddg=", "%", "\ud800", "result__a"]),
        )
    body = response["body"]
    return st.builds(
        lambda place, value: encode([damaged(body, place, value)])[1:-1],
        st.sampled_from(list(places(body))),
        st.sampled_from(REPLACEMENTS),
    )


def check(item: Item) -> None:
    repr(item).encode()
    about = next((one for one in DOMAIN_OFFERS.values() if isinstance(item, one.kind)), None)
    if about is not None:
        about.check(item)
        return
    if isinstance(item, SearchHit):
        _check_named(item.title, item.url)
        assert item.score is None or 0 <= item.score <= 1
        assert item.published is None or item.published.tzinfo is not None
    elif isinstance(item, FoundImage):
        _check_named(item.title, item.link)
    elif isinstance(item, Paper):
        _check_paper(item)
    elif isinstance(item, IntegrityNotice):
        assert item.source
        assert item.date is None or DATE.fullmatch(item.date)
    elif isinstance(item, OpenCopy):
        _check_named("a copy", item.url)
    else:
        assert item is True


def _check_named(title: str, address: str) -> None:
    parts = urlsplit(address)
    assert parts.scheme in {"http", "https"}
    assert parts.hostname
    assert isinstance(title, str)
    assert title
    f"{title} {address}".encode()


def _check_paper(paper: Paper) -> None:
    if paper.url:
        _check_named("a paper", paper.url)
    f"{paper.title} {paper.abstract} {paper.venue} {paper.pages} {paper.ids}".encode()
    assert all(person.name and person.name.encode() for person in paper.authors)
    assert all(value and value.encode() for value in paper.ids.values())
    assert paper.year is None or 1000 <= paper.year < 2200
    assert paper.published is None or DATE.fullmatch(paper.published)
    assert all(
        count is None or count >= 0 for count in (paper.citation_count, paper.reference_count)
    )
    for place in paper.copies:
        check(place)
    for notice in paper.events:
        check(notice)


@pytest.mark.parametrize(
    ("name", "offer"), OFFERS, ids=[f"{name}-{offer}" for name, offer in OFFERS]
)
def test_a_damaged_answer_gives_values_or_an_upstream_error(name: str, offer: Offer) -> None:
    record = recording(name, offer)

    # The strategy is built once a recording: drawn by `st.data()`, it would be built for each example.
    @settings(
        max_examples=100,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(body=bodies(record))
    def check_body(body: bytes) -> None:
        try:
            found = replay(record, body)
        except UpstreamError as error:
            str(error).encode()
            return

        for item in found:
            check(item)

    check_body()


@pytest.mark.parametrize(("name", "offer"), JSON, ids=[f"{name}-{offer}" for name, offer in JSON])
def test_an_address_that_cannot_be_written_down_reaches_nobody(name: str, offer: Offer) -> None:
    record = recording(name, offer)
    body = record.data["response"]["body"]
    links = [place for place in places(body) if str(_at(body, place)).startswith("http")]

    unlinked = offer is Offer.REGISTRY or offer in DOMAIN_OFFERS or name == "rfceditor"
    assert links or unlinked
    for place in links:
        try:
            found = replay(record, encode(damaged(body, place, "https://a.example/\ud800")))
        except UpstreamError:
            continue
        for item in found:
            check(item)


def _at(body: Any, place: Place) -> Any:
    for key in place:
        body = body[key]
    return body


def test_one_broken_element_does_not_cost_the_others() -> None:
    record = recording("brave", Offer.WEB)
    body = damaged(record.data["response"]["body"], ("web", "results", 0, "url"), 7)

    found = replay(record, encode(body))

    assert [item.title[-1] for item in found if isinstance(item, SearchHit)] == ["2", "3"]
