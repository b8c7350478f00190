"""Pages of Google Patents: kept, tried kind by kind, and told from other pages."""

from __future__ import annotations

import pytest

from citewell.core.errors import (
    Blocked,
    InvalidInput,
    MalformedResponse,
)
from citewell.domains.patents.patent_records import PatentQuery
from citewell.net.http.messages import HttpRequest, HttpResponse
from tests.providers.patent_desk import WORDS, Memory, ask, recorded, reply


def test_a_page_that_was_read_is_kept() -> None:
    memory, asked = Memory(), PatentQuery(numbers=("US10100001B2",), count=1)

    first, _sent = ask("googlepatents", asked, lambda _request: recorded("googlepatents"), memory)
    again, sent = ask("googlepatents", asked, lambda _request: reply("", 500), memory)

    assert again == first
    assert first.patents[0].family_id == "50000001"
    assert not sent


def test_a_kept_page_of_another_version_is_read_again() -> None:
    memory, asked = Memory(), PatentQuery(numbers=("US10100001B2",), count=1)
    memory.facts["US10100001B2"] = b'{"number": 7}'

    found, sent = ask("googlepatents", asked, lambda _request: recorded("googlepatents"), memory)

    assert len(found.patents) == len(sent) == 1


def test_kinds_are_tried_until_a_page_exists() -> None:
    def answer(request: HttpRequest) -> HttpResponse:
        return recorded("googlepatents") if "B2" in request.url else reply("gone", 404)

    asked = PatentQuery(numbers=("US10100001B1", "US10100001B2"), count=1)

    found, sent = ask("googlepatents", asked, answer)

    assert [patent.number for patent in found.patents] == ["US10100001B2"]
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("<html><body>Our systems have detected unusual traffic</body></html>", Blocked),
        ("<html><body>Welcome</body></html>", MalformedResponse),
        ("", MalformedResponse),
        ("\x00\xff<<<<", MalformedResponse),
    ],
)
def test_another_page_in_place_of_a_patent_is_an_error(page: str, error: type[Exception]) -> None:
    asked, memory = PatentQuery(numbers=("US10100001B2",), count=1), Memory()

    with pytest.raises(error):
        ask("googlepatents", asked, lambda _request: reply(page), memory)

    assert not memory.facts


def test_google_patents_is_not_searched_by_words() -> None:
    with pytest.raises(InvalidInput, match="by number"):
        ask("googlepatents", WORDS, lambda _request: reply(""))


def test_a_script_on_a_page_is_not_part_of_a_title() -> None:
    page = '<span itemprop="title">Gauge <script>alert(1)</script><b>x</b></span>'

    found, _sent = ask(
        "googlepatents",
        PatentQuery(numbers=("EP1000000A1",), count=1),
        lambda _request: reply(page),
    )

    assert found.patents[0].title == "Gauge x"
    assert found.patents[0].number == "EP1000000A1"


def test_the_number_of_a_cited_patent_is_not_the_page_s_own() -> None:
    page = (
        '<meta name="DC.title" content="Gauge">'
        '<meta name="citation_patent_publication_number" content="US:10100001:B2">'
        '<span itemprop="publicationNumber">US5000000A</span>'
        '<dd itemprop="directAssociations"><span itemprop="publicationNumber">US20170100001A1</span></dd>'
    )

    found, _sent = ask(
        "googlepatents",
        PatentQuery(numbers=("US10100001B2",), count=1),
        lambda _request: reply(page),
    )

    assert found.patents[0].number == "US10100001B2"
    assert found.patents[0].also_published_as == ("US20170100001A1",)
