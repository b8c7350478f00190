"""Wikipedia, arXiv, Stack Exchange and Google Patents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citewell.errors import ContentEmpty, NotFound
from citewell.fetch.sites.arxiv import parse_arxiv_paper
from citewell.model.page import Page
from citewell.net.http.messages import HttpResponse
from tests.exchanges import Exchange, load_exchanges
from tests.requirements import requires
from tests.unit.fetch.site_answers import ATOM, SE, arxiv, patents, stackexchange, wikipedia
from tests.unit.fetch.site_bench import Bench, Reply, Web, page, read

ARTICLE = "https://en.wikipedia.org/wiki/Tide"
PAPER = "https://arxiv.org/abs/2401.00001v2"
QUESTION = "https://stackoverflow.com/questions/11/how"
API = "export.arxiv.org/api/query"


def test_an_article_keeps_tables_and_infobox_and_loses_its_furniture() -> None:
    found = page(ARTICLE, wikipedia())

    assert found.title == "Tide"
    assert "| Period | 12 h 25 min |" in found.content
    assert "| Place | Metres |\n| --- | --- |\n| Bay | 12 |" in found.content
    assert (
        "[rise and fall](https://en.wikipedia.org/wiki/Sea_level) of sea levels." in found.content
    )
    for word in ("Everything else", "[edit]", "Rise and fall\n"):
        assert word not in found.content
    assert found.published == "2026-09-01T01:02:03+00:00"


@requires("scrape_page.references")
def test_an_article_keeps_its_references_where_they_are_cited_and_at_its_end() -> None:
    found = page(ARTICLE, wikipedia())

    assert "of sea levels.[^1]" in found.content
    assert "## References\n\n[^1]: Reddy, M. *A long reference*. 2001." in found.content


def test_a_paper_keeps_its_reference_list() -> None:
    found = page(PAPER, arxiv())

    assert "As in [[1]" in found.content
    assert "## References\n\n- [1] A. Mariner. Long waves of the sea, 1999." in found.content


def test_the_edition_of_the_address_is_asked() -> None:
    web = Web(wikipedia())

    found = Bench(web=web).read("https://de.wikipedia.org/wiki/Gezeiten")

    assert found is not None
    assert found.language == "de"
    assert set(web.asked) == {"de.wikipedia.org/w/api.php"}


def test_a_title_with_a_slash_and_escapes_is_asked_as_it_is() -> None:
    web = Web(wikipedia())

    Bench(web=web).read("https://en.wikipedia.org/wiki/AC%2FDC_(S%C3%A3o)")

    assert dict(web.sent[0].params)["page"] == "AC/DC_(São)"


def test_a_missing_article_is_not_found() -> None:
    answer = {"error": {"code": "missingtitle", "info": "The page you specified doesn't exist."}}

    with pytest.raises(NotFound):
        read(ARTICLE, {"en.wikipedia.org/w/api.php": answer})


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


def test_answers_come_by_score_with_their_code() -> None:
    found = page(QUESTION, stackexchange())

    assert found.title == 'How do I compute "tides"?'
    assert "```py\nfor h in x:\n    print(h)\n```" in found.content
    assert found.content.index("Answer (8 votes)") < found.content.index(
        "Answer (2 votes, accepted)"
    )
    assert "CC BY-SA 4.0" in found.content
    assert found.published == "2020-09-13T12:26:40+00:00"
    assert not found.truncated


def test_the_answer_an_address_names_comes_first() -> None:
    found = page("https://stackoverflow.com/a/21", stackexchange())

    assert found.content.index("Answer (2 votes, accepted)") < found.content.index(
        "Answer (8 votes)"
    )


def test_the_host_is_named_to_the_api() -> None:
    web = Web(stackexchange())

    Bench(web=web).read("https://cooking.stackexchange.com/questions/11/x")

    assert {dict(one.params)["site"] for one in web.sent} == {"cooking.stackexchange.com"}


def test_a_question_that_is_gone_is_not_found() -> None:
    nothing = {"items": [], "has_more": False}

    with pytest.raises(NotFound):
        read(QUESTION, {f"{SE}/questions/11": nothing, f"{SE}/questions/11/answers": nothing})


def test_a_throttled_api_leaves_the_page_to_the_ladder() -> None:
    body = {
        "error_id": 502,
        "error_name": "throttle_violation",
        "error_message": "too many requests",
    }
    answers = dict.fromkeys(stackexchange(), Reply(status=400, body=body))

    assert read(QUESTION, answers) is None


def test_a_patent_has_its_facts_claims_and_text() -> None:
    found = page("https://patents.google.com/patent/US1234567B2/en", patents())

    assert found.author == "Example Inventor"
    assert found.published == "2020-06-02"
    assert "- Original assignee: Example Company\n- Filed: 2018-01-05" in found.content
    assert "- Status: Active" in found.content
    assert "## Abstract\n\nA gauge for tides." in found.content
    assert "## Claims\n\n1. A gauge comprising a float." in found.content
    assert "## Description\n\nThe gauge has a float." in found.content


def test_a_patent_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read("https://patents.google.com/patent/US9999999B9/en", {})


def test_a_wall_in_place_of_a_patent_is_left_to_the_ladder() -> None:
    wall = {"patents.google.com/patent/US1234567B2/en": "<html><body>unusual traffic</body></html>"}

    assert read("https://patents.google.com/patent/US1234567B2/en", wall) is None


def test_a_page_can_be_copied_with_its_signals() -> None:
    found = page(ARTICLE, wikipedia())

    assert replace(found, seconds=1.5).notes == found.notes
