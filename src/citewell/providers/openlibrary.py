"""Open Library: books and their editions, by ISBN or by title; no key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import Field, RootModel, ValidationError

from citewell.citations import record_fields
from citewell.citations import record_fields as publisher_markup
from citewell.core.errors import InvalidInput, MalformedResponse, UpstreamUnavailable
from citewell.core.values.counted_words import pluralize
from citewell.core.values.paper import (
    BibliographicQuery,
    IdentifierScheme,
    Paper,
    PaperId,
    WorkAuthor,
)
from citewell.core.values.search_queries import shorten_query_text
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.routing.ports import KitProvider, Offer, ProviderSpec
from citewell.text.calendar_dates import extract_year
from citewell.text.safety.text_cleaning import clean_markup

SPEC = ProviderSpec(
    name="openlibrary",
    title="Open Library",
    homepage="https://openlibrary.org/developers/api",
    base_url="https://openlibrary.org",
    offers=frozenset({Offer.LOOKUP, Offer.MATCH}),
    max_query_chars=200,
    per_second=3.0,
    burst=10,
    rank=85,
    terms="No key; 180 requests a minute for clients that name themselves.",
    test_evidence="search: recorded answers; books by ISBN: shape-tested only",
)

_MAX_BATCH_ISBNS = 40  # ISBNs in one request; more would make the URL too long
_SEARCH_FIELDS = "key,title,subtitle,author_name,first_publish_year,publisher"
_MAX_AUTHORS = 20  # a work lists the translators and illustrators of its editions, too
_MAIN_TITLE_PATTERN = re.compile(r"[:?!;]\s|\s[-–—/]\s|\s\(")  # what follows is a subtitle
_MIN_MAIN_WORDS = 2  # words; a shorter main title is searched with its subtitle
_KEY_MARK = "ISBN:"


class _NamedPart(wire.ResponsePart):
    name: wire.OptionalField[str] = None


class _BookEdition(wire.ResponsePart):
    """One book of `/api/books`, with the names of its people and publishers."""

    title: str
    subtitle: wire.OptionalField[str] = None
    url: wire.OptionalField[wire.HttpLink] = None
    authors: wire.TolerantItems[_NamedPart] = ()
    by_statement: wire.OptionalField[str] = None
    publishers: wire.TolerantItems[_NamedPart] = ()
    publish_date: wire.OptionalField[str] = None


class _EditionsByKey(RootModel[dict[str, Any]]):
    """Books by the key that was asked for; a book that is not known has no entry."""


class _FoundWork(wire.ResponsePart):
    key: wire.OptionalField[str] = None
    title: str
    subtitle: wire.OptionalField[str] = None
    author_name: wire.TolerantItems[str] = ()
    first_publish_year: wire.OptionalField[int] = None
    publisher: wire.TolerantItems[str] = ()


class _SearchResponse(wire.JsonResponse):
    docs: wire.TolerantItems[_FoundWork]
    total: wire.OptionalField[int] = Field(default=None, alias="numFound")


class Provider(KitProvider):
    schemes = frozenset({IdentifierScheme.ISBN})
    max_batch = MappingProxyType({IdentifierScheme.ISBN: _MAX_BATCH_ISBNS})

    async def look_up_paper(self, paper_id: PaperId) -> Paper | None:
        return (await self.look_up_papers([paper_id]))[paper_id]

    async def look_up_papers(self, ids: Sequence[PaperId]) -> Mapping[PaperId, Paper | None]:
        if any(paper_id.scheme is not IdentifierScheme.ISBN for paper_id in ids):
            raise InvalidInput("Open Library can look up books by ISBN only.", provider=SPEC.name)
        keys = ",".join(f"{_KEY_MARK}{paper_id.value}" for paper_id in ids)
        response = await self._upstream.send_get(
            "/api/books", params={"bibkeys": keys, "jscmd": "data", "format": "json"}
        )
        known = _read_book_editions(response)
        return {
            paper_id: _build_edition_paper(known.get(paper_id.value), paper_id) for paper_id in ids
        }

    async def match_reference(self, query: BibliographicQuery) -> tuple[Paper, ...]:
        params = _build_search_params(query) | {
            "fields": _SEARCH_FIELDS,
            "limit": str(min(query.count, SPEC.max_results)),
        }
        response = await self._upstream.send_get("/search.json", params=params)
        answer = wire.read_json_response(_SearchResponse, response)
        found = tuple(_build_work_paper(work) for work in answer.docs[: query.count])
        return tuple(paper for paper in found if paper.title)


def _build_search_params(query: BibliographicQuery) -> dict[str, str]:
    """By title and author if they are known; a subtitle often differs between editions."""
    title = clean_markup(query.title)
    if not title:
        return {"q": shorten_query_text(clean_markup(query.text), SPEC.max_query_chars)}
    main = _MAIN_TITLE_PATTERN.split(title, maxsplit=1)[0]
    wanted = main if len(main.split()) >= _MIN_MAIN_WORDS else title
    params = {"title": shorten_query_text(wanted, SPEC.max_query_chars)}
    return params | ({"author": clean_markup(query.author)} if clean_markup(query.author) else {})


def _read_book_editions(response: HttpResponse) -> dict[str, _BookEdition]:
    """The books by their ISBN; a book that cannot be read is an error, not an absence."""
    answer = parse_json_response(_EditionsByKey, response).root
    if "error" in answer:
        message = "The upstream returned an error instead of results."
        raise UpstreamUnavailable(message, provider=SPEC.name)
    if strange := [key for key in answer if not key.startswith(_KEY_MARK)]:
        message = f"The response names {len(strange)} {pluralize(len(strange), 'book that was', 'books that were')} not asked for."
        raise MalformedResponse(message, provider=SPEC.name)
    try:
        return {
            key.removeprefix(_KEY_MARK): _BookEdition.model_validate(book)
            for key, book in answer.items()
        }
    except ValidationError:
        message = "The response has a book without a title."
        raise MalformedResponse(message, provider=SPEC.name) from None


def _build_edition_paper(book: _BookEdition | None, isbn: PaperId) -> Paper | None:
    if book is None:
        return None
    published = record_fields.parse_issued_date(book.publish_date)
    people = [author.name for author in book.authors] or [book.by_statement]
    publishers = (
        publisher_markup.clean_markup_line(publisher.name) for publisher in book.publishers
    )
    return Paper(
        title=_join_edition_title(book.title, book.subtitle),
        source=SPEC.name,
        url=book.url or f"https://openlibrary.org/isbn/{isbn.value}",
        ids={IdentifierScheme.ISBN: isbn.value},
        authors=_build_book_authors(people),
        kind="book",
        year=extract_year(published),
        published=published,
        publisher=next(filter(None, publishers), None),
    )


def _build_work_paper(work: _FoundWork) -> Paper:
    """The book that all editions have in common: its year is that of the first edition."""
    year = record_fields.parse_issued_date(str(work.first_publish_year))
    key = clean_markup(work.key)
    return Paper(
        title=_join_edition_title(work.title, work.subtitle),
        source=SPEC.name,
        url=f"https://openlibrary.org{key}" if key.startswith("/works/") else "",
        authors=_build_book_authors(list(work.author_name)),
        kind="book",
        year=extract_year(year),
        published=year,
    )


def _build_book_authors(names: Sequence[str | None]) -> tuple[WorkAuthor, ...]:
    cleaned = (publisher_markup.clean_markup_line(name).rstrip(". ") for name in names)
    return tuple(WorkAuthor(name=name) for name in cleaned if name)[:_MAX_AUTHORS]


def _join_edition_title(title: str, subtitle: str | None) -> str:
    main, under = map(publisher_markup.clean_markup_line, (title, subtitle))
    whole = f"{main}: {under}" if under and under.casefold() not in main.casefold() else main
    return record_fields.clean_title_field(whole)
