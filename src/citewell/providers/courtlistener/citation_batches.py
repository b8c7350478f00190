"""Looks citations up exactly, those that are asked for at the same time in one request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import AliasChoices, Field, RootModel

from citewell.core.errors import MalformedResponse, RateLimited
from citewell.core.values.court_case import CitationMatch, CourtCase
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream import json_responses as wire
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.calendar_dates import parse_partial_date
from citewell.text.safety.text_cleaning import clean_markup

PROVIDER_NAME = "courtlistener"
_SITE = "https://www.courtlistener.com"
_PATH_PATTERN = r"^/[\w.~%-][\w.~%/-]*$"  # on the site, and never //host


class _OpinionPart(wire.ResponsePart):
    snippet: wire.OptionalField[str] = None


class FoundCluster(wire.ResponsePart):
    """A cluster of opinions as the search returns it."""

    case_name: Annotated[str, Field(validation_alias="caseName")]
    # Dockets, which another kind of search returns, have their own address.
    absolute_url: Annotated[
        str,
        Field(
            pattern=_PATH_PATTERN,
            validation_alias=AliasChoices("absolute_url", "docket_absolute_url"),
        ),
    ]
    case_name_full: wire.OptionalField[str] = Field(default=None, validation_alias="caseNameFull")
    cluster_id: wire.OptionalField[int] = None
    citation: wire.OptionalField[wire.TolerantItems[str]] = None
    court: wire.OptionalField[str] = None
    court_id: wire.OptionalField[str] = None
    court_citation_string: wire.OptionalField[str] = None
    date_filed: wire.OptionalField[str] = Field(default=None, validation_alias="dateFiled")
    docket_number: wire.OptionalField[str] = Field(default=None, validation_alias="docketNumber")
    cite_count: wire.OptionalField[int] = Field(default=None, validation_alias="citeCount")
    status: wire.OptionalField[str] = None
    judge: wire.OptionalField[str] = None
    syllabus: wire.OptionalField[str] = None
    opinions: wire.OptionalField[wire.TolerantItems[_OpinionPart]] = None
    recap_documents: wire.OptionalField[wire.TolerantItems[_OpinionPart]] = None


class SearchPage(wire.JsonResponse):
    results: wire.TolerantItems[FoundCluster]
    count: wire.OptionalField[int] = None
    next: wire.OptionalField[str] = None


class _ReporterPlace(wire.ResponsePart):
    volume: str | int
    reporter: str
    page: str | int


class StoredCluster(wire.ResponsePart):
    """A cluster of opinions as citation-lookup returns it; it does not name the court."""

    case_name: str
    absolute_url: Annotated[str, Field(pattern=_PATH_PATTERN)]
    case_name_full: wire.OptionalField[str] = None
    id: wire.OptionalField[int] = None
    docket_id: wire.OptionalField[int] = None
    citations: wire.OptionalField[wire.TolerantItems[_ReporterPlace]] = None
    date_filed: wire.OptionalField[str] = None
    citation_count: wire.OptionalField[int] = None
    precedential_status: wire.OptionalField[str] = None
    judges: wire.OptionalField[str] = None


def parse_found_cluster(cluster: FoundCluster) -> CourtCase:
    texts = cluster.opinions or cluster.recap_documents or ()
    snippets = (clean_markup(text.snippet) for text in texts)
    url = _SITE + cluster.absolute_url
    return CourtCase(
        name=clean_markup(cluster.case_name) or url,
        url=url,
        source=PROVIDER_NAME,
        citations=_clean_citations(cluster.citation or ()),
        court=clean_markup(cluster.court) or None,
        court_id=clean_markup(cluster.court_id) or None,
        court_label=clean_markup(cluster.court_citation_string) or None,
        date_filed=parse_partial_date(cluster.date_filed or "") or None,
        docket_number=clean_markup(cluster.docket_number) or None,
        citation_count=wire.drop_negative_count(cluster.cite_count),
        status=clean_markup(cluster.status) or None,
        judge=clean_markup(cluster.judge) or None,
        snippet=next(filter(None, snippets), "") or clean_markup(cluster.syllabus),
        full_name=clean_markup(cluster.case_name_full) or None,
        ids={} if cluster.cluster_id is None else {"cluster": str(cluster.cluster_id)},
    )


def parse_stored_cluster(cluster: StoredCluster) -> CourtCase:
    url = _SITE + cluster.absolute_url
    ids = {"cluster": cluster.id, "docket": cluster.docket_id}
    return CourtCase(
        name=clean_markup(cluster.case_name) or url,
        url=url,
        source=PROVIDER_NAME,
        citations=_clean_citations(
            f"{place.volume} {place.reporter} {place.page}" for place in cluster.citations or ()
        ),
        date_filed=parse_partial_date(cluster.date_filed or "") or None,
        citation_count=wire.drop_negative_count(cluster.citation_count),
        status=clean_markup(cluster.precedential_status) or None,
        judge=clean_markup(cluster.judges) or None,
        full_name=clean_markup(cluster.case_name_full) or None,
        ids={name: str(number) for name, number in ids.items() if number is not None},
    )


def _clean_citations(citations: Iterable[str]) -> tuple[str, ...]:
    cleaned = (clean_markup(citation) for citation in citations)
    return tuple(dict.fromkeys(citation for citation in cleaned if citation))


SendCitations = Callable[[str], Awaitable[HttpResponse]]  # one text with citations in it

_GATHER_SECONDS = 0.05  # how long a request waits for more citations
_MAX_BATCH_CITATIONS = 100  # the upstream takes 250, and 60 a minute
_SEPARATOR = ".\n\n"  # so that no citation takes anything from its neighbour
_FOUND, _SEVERAL, _UNKNOWN_REPORTER, _LATER = 200, 300, 400, 429  # statuses inside the list


class _LookedUpCitation(wire.ResponsePart):
    status: int
    start_index: wire.OptionalField[int] = None
    clusters: wire.OptionalField[wire.TolerantItems[StoredCluster]] = None


class _LookupAnswer(RootModel[list[_LookedUpCitation]]):
    pass


@dataclass(slots=True)
class _OpenBatch:
    """Citations that wait to be sent together; `waiting` counts the callers."""

    citations: list[str] = field(default_factory=list)
    waiting: int = 0
    is_sent: bool = False


_BatchAnswer = asyncio.Task[Mapping[str, _LookedUpCitation]]


class CitationBatches:
    """A user without membership may send five requests a minute: each takes all that is asked for."""

    def __init__(self, send: SendCitations) -> None:
        self._send = send
        self._open: tuple[_OpenBatch, _BatchAnswer] | None = None

    async def look_up_exactly(self, citation: str) -> CitationMatch:
        batch, answer = self._join_batch(citation)
        batch.waiting += 1
        try:
            answers = await asyncio.shield(answer)
        finally:
            batch.waiting -= 1
            if not batch.waiting and not answer.done():
                answer.cancel()  # nobody wants it any more
                batch.is_sent = True
        return _build_citation_match(answers.get(citation))

    def _join_batch(self, citation: str) -> tuple[_OpenBatch, _BatchAnswer]:
        if self._open is not None:
            batch, answer = self._open
        if self._open is None or batch.is_sent or len(batch.citations) >= _MAX_BATCH_CITATIONS:
            batch = _OpenBatch()
            answer = asyncio.create_task(self._send_citation_batch(batch))
            self._open = batch, answer
        if citation not in batch.citations:
            batch.citations.append(citation)
        return batch, answer

    async def _send_citation_batch(self, batch: _OpenBatch) -> Mapping[str, _LookedUpCitation]:
        await asyncio.sleep(_GATHER_SECONDS)
        batch.is_sent = True
        response = await self._send(_SEPARATOR.join(batch.citations))
        found = parse_json_response(_LookupAnswer, response).root
        return _sort_answers(batch.citations, found)


def _sort_answers(
    citations: list[str], found: list[_LookedUpCitation]
) -> Mapping[str, _LookedUpCitation]:
    """Each answer by the citation at whose place in the text it stands; the first of several counts."""
    answers: dict[str, _LookedUpCitation] = {}
    start = 0
    for citation in citations:
        end = start + len(citation)
        here = (
            match
            for match in found
            if len(citations) == 1
            or (match.start_index is not None and start <= match.start_index < end)
        )
        if (answer := next(here, None)) is not None:
            answers[citation] = answer
        start = end + len(_SEPARATOR)
    if len(citations) > 1 and found and not answers:
        raise MalformedResponse("The places of the citations are missing.", provider=PROVIDER_NAME)
    return answers


def _build_citation_match(answer: _LookedUpCitation | None) -> CitationMatch:
    if answer is None:  # the upstream saw no citation there
        return CitationMatch(provider=PROVIDER_NAME, is_reporter_known=False)
    if answer.status == _LATER:
        raise RateLimited("CourtListener asks us to slow down.", provider=PROVIDER_NAME)
    cases: tuple[CourtCase, ...] = ()
    if answer.status in {_FOUND, _SEVERAL}:
        cases = tuple(map(parse_stored_cluster, answer.clusters or ()))
        if not cases:
            raise MalformedResponse("The found cases are missing.", provider=PROVIDER_NAME)
    return CitationMatch(
        provider=PROVIDER_NAME, cases=cases, is_reporter_known=answer.status != _UNKNOWN_REPORTER
    )
