"""Looks citations up exactly, those that are asked for at the same time in one request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from pydantic import RootModel

from citewell.dialects.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.errors import MalformedResponse, RateLimited
from citewell.model.domains.court_case import CitationMatch, CourtCase
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.providers.courtlistener.case_clusters import (
    PROVIDER_NAME,
    StoredCluster,
    parse_stored_cluster,
)

SendCitations = Callable[[str], Awaitable[HttpResponse]]  # one text with citations in it

_GATHER_SECONDS = 0.05  # how long a request waits for more citations
_MAX_BATCH_CITATIONS = 100  # the upstream takes 250, and 60 a minute
_SEPARATOR = ".\n\n"  # so that no citation takes anything from its neighbour
_FOUND, _SEVERAL, _UNKNOWN_REPORTER, _LATER = 200, 300, 400, 429  # statuses inside the list


class _LookedUpCitation(ResponsePart):
    status: int
    start_index: OptionalField[int] = None
    clusters: OptionalField[TolerantItems[StoredCluster]] = None


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
            one
            for one in found
            if len(citations) == 1
            or (one.start_index is not None and start <= one.start_index < end)
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
