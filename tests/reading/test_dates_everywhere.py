"""A day written in any common language is read at every place where a date is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest
from selectolax.lexbor import LexborHTMLParser

from citewell.citations.record_fields import parse_issued_date
from citewell.citations.references import parse_bibliography
from citewell.core.values.search_queries import SearchHit
from citewell.reading.documents.document_text import DocumentLimits, DocumentRequest
from citewell.reading.documents.readers_by_kind import read_document_request
from citewell.reading.metadata.page_metadata import read_page_metadata
from citewell.search.ranked_results import add_publication_date
from citewell.text.calendar_dates import parse_provider_date
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import DATE_UNIT
from tests.documents import docx, packed

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
WRITTEN = (
    "3 maart 2021", "March 3, 2021", "3 March 2021", "3 mars 2021", "3. März 2021", "3 de marzo de 2021",
    "3 marzo 2021", "3 de março de 2021", "3 marca 2021", "3. března 2021", "3 марта 2021", "3 березня 2021",
    "3 marts 2021", "3 Mart 2021", "3. maaliskuuta 2021", "3 Maret 2021", "3 martie 2021",
)  # fmt: skip


def in_page(html: str) -> str | None:
    return read_page_metadata(LexborHTMLParser(html)).published


def in_document(body: bytes, content_type: str = "") -> str | None:
    request = DocumentRequest(
        body, "https://example.org/file", content_type, DocumentLimits(), None
    )
    return read_document_request(request).created


def in_hit(text: str) -> str | None:
    hit = SearchHit(url="https://example.org/", title="A title", snippet=f"{text} — Words.")
    found = add_publication_date(hit, now=NOW).published
    return found.date().isoformat() if found else None


def in_provider_answer(text: str) -> str | None:
    found = parse_provider_date(text, now=NOW)
    return found.date().isoformat() if found else None


def in_sentence(text: str) -> str | None:
    days = [
        one.low for one in extract_quantities(f"Signed on {text} here.") if one.unit == DATE_UNIT
    ]
    return date.fromordinal(int(days[0])).isoformat() if days else None


def in_reference(text: str, form: str) -> str | None:
    return parse_bibliography(text, format=form).references[0].published


def in_book(text: str) -> str | None:
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f'<dc:title>A book</dc:title><dc:date>{text}</dc:date></metadata><manifest><item id="c" href="c.xhtml"'
        ' media-type="application/xhtml+xml"/></manifest><spine><itemref idref="c"/></spine></package>'
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:c"><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
        "b.opf": package,
        "c.xhtml": "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>Text.</p></body></html>",
    }
    return in_document(packed(parts, stored=("mimetype",)))


def in_properties(text: str) -> str | None:
    core = f'<p xmlns:dc="http://purl.org/dc/terms/"><dc:created>{text}</dc:created></p>'
    return in_document(docx(parts={"docProps/core.xml": core}))


def in_feed(text: str) -> str | None:
    feed = f"<rss><channel><title>F</title><item><title>E</title><pubDate>{text}</pubDate></item></channel></rss>"
    return in_document(feed.encode(), "application/rss+xml")


def in_json_feed(text: str) -> str | None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "F",
        "items": [{"title": "E", "date_published": text}],
    }
    return in_document(json.dumps(feed).encode(), "application/feed+json")


def in_mail(text: str) -> str | None:
    mail = (
        f"From: someone@example.org\r\nSubject: Report\r\nDate: {text}\r\n\r\nThe text of the mail."
    )
    return in_document(mail.encode(), "message/rfc822")


PLACES: dict[str, Callable[[str], str | None]] = {
    "byline": lambda text: in_page(f'<p class="byline-date">{text}</p>'),
    "meta": lambda text: in_page(f'<meta name="date" content="{text}">'),
    "citation": lambda text: in_page(f'<meta name="citation_publication_date" content="{text}">'),
    "json-ld": lambda text: in_page(f'<script type="application/ld+json">{{"@type": "Article", "datePublished": "{text}"}}</script>'),
    "feed": in_feed,
    "json feed": in_json_feed,
    "mail": in_mail,
    "office": in_properties,
    "book": in_book,
    "provider": in_provider_answer,
    "snippet": in_hit,
    "sentence": in_sentence,
    "registry": parse_issued_date,
    "bibtex": lambda text: in_reference(f"@misc{{k, title={{T}}, date={{{text}}}}}", "bibtex"),
    "ris": lambda text: in_reference(f"TY  - JOUR\nTI  - T\nDA  - {text}\nER  - \n", "ris"),
    "csl": lambda text: in_reference(json.dumps([{"title": "T", "issued": {"raw": text}}]), "csl-json"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", WRITTEN)
def test_a_written_day_is_read_at_every_place(place: str, text: str) -> None:
    assert PLACES[place](text) == "2021-03-03"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "text", ["3 marble 2021", "Marchand 3, 2021", "31 februari 2021", "12 out of 2021"]
)
def test_what_only_resembles_a_day_is_no_day_at_any_place(place: str, text: str) -> None:
    assert len(PLACES[place](text) or "") < len("2021-03-03")
