"""Answers of five scholarly indexes, and XML damaged in every way: values or our errors."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.core.errors import MalformedResponse, UpstreamError
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    NoticeKind,
    Paper,
    PaperQuery,
)
from citewell.routing.ports import Offer
from tests.contract.recordings import recording, replay
from tests.exchanges import PUBMED_ARTICLES, Exchange, load_exchanges
from tests.providers.desk import Desk, Reply, paper_id

XML = [("arxiv", Offer.PAPERS), ("arxiv", Offer.LOOKUP), ("pubmed", Offer.PAPERS), ("pubmed", Offer.INTEGRITY)]  # fmt: skip


def _exchanges() -> list[Exchange]:
    """Those of Semantic Scholar about papers; authors are not asked for, lists elsewhere."""
    every = load_exchanges("api.semanticscholar.org")
    return [one for one in every if "/graph/v1/paper/" in one.url and one.method == "GET"]


def _asked(exchange: Exchange) -> Any:
    """What a provider makes of an exchange, asked by the method that would have led to it."""
    path = unquote(urlsplit(exchange.url).path).partition("/paper/")[2]
    desk = Desk("semanticscholar", {"": Reply(body=exchange.body, status=exchange.status)})
    if path == "search/match":
        return desk.ask("match_reference", BibliographicQuery(title="x"))
    if path.startswith("search"):
        return desk.ask("search_papers", PaperQuery(text="x", count=2000)).papers
    if path.endswith("/references"):
        return desk.ask(
            "list_cited_papers", paper_id("doi", path.removesuffix("/references")), count=100
        )
    return desk.ask("look_up_paper", paper_id("doi", path.removeprefix("DOI:")))


@pytest.mark.parametrize("exchange", _exchanges(), ids=lambda one: unquote(one.url)[38:90])
def test_what_semantic_scholar_says_of_papers_is_read_whole(exchange: Exchange) -> None:
    found = _asked(exchange)

    if exchange.status == 404:
        assert found == ()
        return
    said = exchange.body
    papers = found if isinstance(found, tuple) else (found,)
    assert len(papers) == len(said.get("data", (said,)))
    fields = parse_qs(urlsplit(exchange.url).query)["fields"][0].split(",")
    for paper in papers:
        assert paper.title
        assert IdentifierScheme.S2 in paper.ids or not paper.url
        assert bool(paper.authors) == ("authors" in fields)


@pytest.mark.parametrize("file", PUBMED_ARTICLES, ids=lambda file: file.stem)
def test_every_article_of_pubmed_is_whole(file: Path) -> None:
    desk = Desk("pubmed", {"/efetch.fcgi": file.read_text(encoding="utf-8")})

    paper = desk.ask("look_up_paper", paper_id("pmid", file.stem))

    assert paper.ids[IdentifierScheme.PMID] == file.stem
    assert paper.doi
    assert paper.doi == paper.doi.lower()
    assert paper.title
    assert not paper.title.endswith(".")
    assert "<" not in paper.title
    assert all(author.family or author.organisation for author in paper.authors)
    assert paper.venue
    assert 2013 <= paper.year <= 2025
    assert paper.published.startswith(str(paper.year))
    assert all(event.kind is NoticeKind.CORRECTION for event in paper.events)


@pytest.mark.parametrize("exchange", load_exchanges("export.arxiv.org"), ids=str)
def test_every_feed_of_arxiv_is_read(exchange: Exchange) -> None:
    asked = parse_qs(urlsplit(exchange.url).query)
    desk = Desk("arxiv", {"": Reply(body=exchange.body, status=exchange.status)})

    if "id_list" in asked:
        paper = desk.ask("look_up_paper", paper_id("arxiv", asked["id_list"][0].removesuffix("v1")))
        assert (paper is None) == (asked["id_list"][0] in {"abc", "0000.0000"})
        return
    found = desk.ask("search_papers", PaperQuery(text="testing", count=200))

    assert len(found.papers) == int(asked["max_results"][0])
    assert found.total == 1881
    for paper in found.papers:
        assert paper.title
        assert paper.authors
        assert paper.abstract
        assert paper.year
        assert paper.pdf_url.startswith("https://arxiv.org/pdf/")
        assert not paper.events


def test_europe_pmc_tells_of_every_notice_about_a_retracted_paper() -> None:
    [exchange] = load_exchanges("www.ebi.ac.uk")
    desk = Desk("europepmc", {"/search": exchange.body})

    events = desk.ask("list_notices", paper_id("doi", "10.5555/walls.1998.1"))

    assert [(event.kind, event.date) for event in events] == [
        (NoticeKind.RETRACTION, "2004-03-06"),
        (NoticeKind.RETRACTION, "2010-02-06"),
        (NoticeKind.CONCERN, "2011-11"),
    ]


def _elements(root: ET.Element) -> list[ET.Element]:
    return list(root.iter())


def _damage(text: str, place: int, how: str, words: str) -> bytes:
    """The document with one element dropped, emptied, doubled, renamed, refilled or stripped."""
    root = ET.fromstring(text)
    parents = {child: parent for parent in root.iter() for child in parent}
    every = _elements(root)
    node = every[place % len(every)]
    parent = parents.get(node)
    if how == "empty":
        node.clear()
    elif how == "rename":
        node.tag = "Unheard-of"
    elif how == "refill":
        node.text = words
    elif how == "strip":
        node.attrib.clear()
    elif parent is not None:
        parent.append(copy.deepcopy(node)) if how == "double" else parent.remove(node)
    return ET.tostring(root, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "offer"), XML, ids=[f"{name}-{offer}" for name, offer in XML])
@settings(
    max_examples=150,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(
    place=st.integers(0, 400),
    how=st.sampled_from(["drop", "empty", "rename", "double", "refill", "strip"]),
    words=st.sampled_from(["", "text", "0", "-1", "9" * 400, "²", "<b>", "10.1/x", "1998 Dec-1999", "31 February", "\u200b", "Ω"]),
)  # fmt: skip
def test_damaged_xml_gives_values_or_an_upstream_error(
    name: str, offer: Offer, place: int, how: str, words: str
) -> None:
    record = recording(name, offer)
    body = _damage(record.data["response"]["text"], place, how, words)

    try:
        found = replay(record, body)
    except UpstreamError:
        return

    for item in found:
        repr(item).encode()
        if isinstance(item, Paper):
            assert item.title
            assert item.url.startswith("https://")
            assert item.year is None or 1000 <= item.year < 2200


BOMB = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">'
    ']><x>&b;</x>'
)  # fmt: skip
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>'


@pytest.mark.parametrize(("name", "offer"), XML, ids=[f"{name}-{offer}" for name, offer in XML])
@pytest.mark.parametrize("body", [BOMB, OUTSIDE, "<a>" * 100_000, "<a" + " b='c'" * 9 + ">"])
def test_xml_that_grows_or_reaches_out_is_refused(name: str, offer: Offer, body: str) -> None:
    with pytest.raises(MalformedResponse) as caught:
        replay(recording(name, offer), body.encode())

    assert "hostname" not in str(caught.value)
