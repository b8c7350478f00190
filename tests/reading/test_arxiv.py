"""Papers of arXiv."""

from __future__ import annotations

import pytest

from citewell.core.errors import ContentEmpty, NotFound
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.reading.sites.arxiv import parse_arxiv_paper
from tests.exchanges import Exchange, load_exchanges
from tests.reading.site_answers import ATOM, arxiv
from tests.reading.site_bench import Reply, page, read

PAPER = "https://arxiv.org/abs/2401.00001v2"


API = "export.arxiv.org/api/query"


def test_a_paper_keeps_its_reference_list() -> None:
    found = page(PAPER, arxiv())

    assert "As in [[1]" in found.content
    assert "## References\n\n- [1] A. Mariner. Long waves of the sea, 1999." in found.content


def test_a_paper_has_its_record_and_its_full_text() -> None:
    found = page(PAPER, arxiv())

    assert found.author == "Example Author, Second Author"
    assert found.published == "2024-01-01T00:00:00+00:00"
    assert "[doi:10.5555/tides.1](https://doi.org/10.5555/tides.1)" in found.content
    assert "We measure $h_{max}$ of tides." in found.content
    assert "The sea moves with $h_{max}$." in found.content
    assert "menu" not in found.content
    assert found.quality == "complete"


def test_without_a_full_text_the_abstract_is_given_and_flagged() -> None:
    found = page(PAPER, {API: ATOM})

    assert found.quality == "partial"
    assert "no PDF reader is available" in found.notes[0]
    assert "[PDF](https://arxiv.org/pdf/2401.00001v2)" in found.content


def test_the_pdf_is_read_when_a_reader_is_at_hand() -> None:
    asked: list[str] = []

    async def document(url: str) -> Page:
        asked.append(url)
        return Page(url=url, final_url=url, content="The whole paper.", content_type="pdf")

    found = page(PAPER, {API: ATOM}, read_document=document)

    assert asked == ["https://arxiv.org/pdf/2401.00001v2"]
    assert "## Full text\n\nThe whole paper." in found.content
    assert found.quality == "complete"


def test_a_pdf_that_cannot_be_read_costs_only_the_full_text() -> None:
    async def document(url: str) -> Page:
        raise ContentEmpty("It is a scan.")

    found = page(PAPER, {API: ATOM}, read_document=document)

    assert found.quality == "partial"
    assert "It is a scan." in found.notes[0]


def test_a_feed_with_a_document_type_is_not_parsed() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa">]>' + ATOM.partition("?>")[2]

    assert read(PAPER, {API: bomb}) is None


FEEDS = load_exchanges("export.arxiv.org")


@pytest.mark.parametrize("feed", FEEDS, ids=str)
def test_a_feed_is_a_paper_or_none(feed: Exchange) -> None:
    response = HttpResponse(status=feed.status, url="", headers={}, body=feed.text.encode())

    paper = parse_arxiv_paper(response)

    if "<entry>" not in feed.text or feed.status == 400:
        assert paper is None
        return
    assert paper is not None
    assert paper.title
    assert paper.abstract
    assert paper.authors
    assert paper.published is not None
    assert paper.subjects


@pytest.mark.parametrize("feed", FEEDS[:3], ids=str)
def test_an_answer_without_the_paper_is_not_found(feed: Exchange) -> None:
    answer = Reply(status=feed.status, body=feed.body)
    found = "physics/0201001v1" in feed.text

    if found:
        read_page = page("https://arxiv.org/abs/physics/0201001v1", {API: answer})
        assert read_page.title.startswith("Words for the motion")
    else:
        with pytest.raises(NotFound):
            read(PAPER, {API: answer})
