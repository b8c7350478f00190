"""CourtListener of the Free Law Project: decisions of US courts; a token is optional."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from dataclasses import replace
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

from citewell.core.errors import CitewellError, RateLimited, UpstreamUnavailable
from citewell.core.values.court_case import (
    CaseHits,
    CaseQuery,
    CitationMatch,
    CourtCase,
    LegalCitation,
)
from citewell.domains.law.citation_forms import build_citation_key, find_reporter_citation
from citewell.net.http.messages import HttpResponse
from citewell.net.http.rate_limit_headers import read_retry_delay
from citewell.net.upstream.json_responses import drop_negative_count, read_json_response
from citewell.providers.courtlistener import citation_batches
from citewell.providers.dialects.remembered_matches import LawRegistry
from citewell.routing.ports import KitProvider as KitProvider
from citewell.routing.ports import Offer, ProviderSpec, accept_key
from citewell.routing.upstream_refusals import build_stated_refusal

_TOKEN = "COURTLISTENER_API_TOKEN"  # noqa: S105 - the name of a setting

SPEC = ProviderSpec(
    name=citation_batches.PROVIDER_NAME,
    title="CourtListener",
    homepage="https://www.courtlistener.com/help/api/rest/",
    base_url="https://www.courtlistener.com/api/rest/v4",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"jurisdiction", "date_from", "date_to"})},
    options=(
        accept_key(
            _TOKEN,
            "Optional; looks citations up exactly and is limited by account, not by address.",
            "Authorization: Token {}",
        ),
    ),
    max_results=60,
    per_second=0.5,
    burst=10,
    rank=10,
    covers_whole_web=False,
    terms="Without a token about 100 requests a day; Free Law Project asks to be credited.",
    test_evidence="one recorded search of dockets; searches of opinions are shape-tested only",
)

_PAGE_SIZE = 20  # fixed by the upstream
_MAX_RESULT_PAGES = 3
_MAX_CURSOR_CHARS = 300
_SURE_CITATION = "347 U.S. 483"  # Brown v. Board of Education
_PROOF_KEY, _PROOF_SECONDS = "citation-search-works", 86_400.0
_MAX_REST_SECONDS = 3600.0  # the upstream may ask for a day, and yet answer the next request
_BAD_REQUEST, _TOO_MANY_REQUESTS = 400, 429
_CASE_NAME_PATTERN = re.compile(
    r"(?:^|\s)(?:v\.?|vs\.?)\s|^(?:in re|ex parte|in the matter of|matter of)\s", re.IGNORECASE
)
_MAX_NAME_WORDS = 12
_PARENTHESIS_PATTERN = re.compile(r"\([^()]{0,60}\)")
_STATED_WAIT_PATTERN = re.compile(r"available in (\d{1,6}) second")


class Provider(LawRegistry):
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"us_case"})

    def _set_up(self) -> None:
        self._has_token = bool(self._kit.find_option(_TOKEN))
        self._batches = citation_batches.CitationBatches(self._send_citations)
        # With a token, citations that are asked for together are one request; 60 a minute are allowed.
        self.lookups_at_once = 60 if self._has_token else 4

    async def search_cases(self, query: CaseQuery) -> CaseHits:
        """Cases by the citation in the query, else by name if it is a case name, else by words.

        What finds nothing is tried in the next way, and a citation that no case has is noted.
        """
        cited = find_reporter_citation(query.text)
        if cited is None:
            return await self._search_names(query)
        hits = await self._search_pages(query, {"q": _build_citation_query(cited)})
        # The words before the citation, which name the case, or else those after it.
        before, _, after = " ".join(query.text.split()).partition(cited)
        rest = before.strip(" ,;:") or _PARENTHESIS_PATTERN.sub("", after).strip(" ,;:.")
        if hits.cases or not rest:
            return hits
        hits = await self._search_names(replace(query, text=rest))
        return replace(hits, notes=(f"No case has the citation {cited}.", *hits.notes))

    async def _search_names(self, query: CaseQuery) -> CaseHits:
        words = {"q": query.text, "order_by": "score desc"}
        if not _is_case_name(query.text):
            return await self._search_pages(query, words)
        named = {"case_name": query.text, "order_by": "citeCount desc"}
        hits = await self._search_pages(query, named)
        return hits if hits.cases else await self._search_pages(query, words)

    async def _find_citation(self, citation: LegalCitation) -> CitationMatch:
        if self._has_token:
            return await self._batches.look_up_exactly(citation.normalized)
        return await self._look_up_by_search(citation)

    async def _send_citations(self, text: str) -> HttpResponse:
        """Ask citation-lookup, which needs a token and takes many citations at once."""
        response = await self._upstream.send_post(
            "/citation-lookup/",
            form={"text": text},
            accept=(_BAD_REQUEST, _TOO_MANY_REQUESTS),
        )
        self._check_refusal(response)
        return response

    async def _look_up_by_search(self, citation: LegalCitation) -> CitationMatch:
        """Search for the citation and keep the cases that have exactly it."""
        page = await self._fetch_search_page(
            {"type": "o", "q": _build_citation_query(citation.normalized)}
        )
        wanted = build_citation_key(citation.normalized)
        cases = tuple(
            case
            for case in map(citation_batches.parse_found_cluster, page.results)
            if wanted in map(build_citation_key, case.citations)
        )
        if not cases:
            await self._prove_citation_search(wanted)
        return CitationMatch(provider=SPEC.name, cases=cases)

    async def _prove_citation_search(self, wanted: str) -> None:
        """Search for a case that is surely there, at most once a day.

        Raises UpstreamUnavailable if it is not found: then the search does not find citations, and
        that it found none says nothing about the one in question.
        """
        known = build_citation_key(_SURE_CITATION)
        if wanted == known or not await self._recall_proof():
            page = await self._fetch_search_page(
                {"type": "o", "q": _build_citation_query(_SURE_CITATION)}
            )
            cases = map(citation_batches.parse_found_cluster, page.results)
            if not any(known in map(build_citation_key, case.citations) for case in cases):
                raise UpstreamUnavailable(
                    "CourtListener's search does not find cases by their citation now.",
                    provider=SPEC.name,
                )
            with suppress(CitewellError):
                await self._kit.memory.remember_fact(_PROOF_KEY, b"1", ttl=_PROOF_SECONDS)

    async def _recall_proof(self) -> bool:
        with suppress(CitewellError):
            return await self._kit.memory.recall_fact(_PROOF_KEY) is not None
        return False

    async def _search_pages(self, query: CaseQuery, asked: dict[str, str]) -> CaseHits:
        given = {
            "type": "o",
            **asked,
            "court": query.court,
            "filed_after": query.date_from,
            "filed_before": query.date_to,
        }
        params = {name: value for name, value in given.items() if value}
        cases: list[CourtCase] = []
        total = None
        for _ in range(_MAX_RESULT_PAGES):
            page = await self._fetch_search_page(params)
            cases += map(citation_batches.parse_found_cluster, page.results)
            total = page.count if total is None else total
            cursor = _find_cursor(page.next)
            if len(cases) >= query.count or not cursor:
                break
            params["cursor"] = cursor
        return CaseHits(cases=tuple(cases[: query.count]), total=drop_negative_count(total))

    async def _fetch_search_page(self, params: dict[str, str]) -> citation_batches.SearchPage:
        response = await self._send_search(params)
        if response.status == _TOO_MANY_REQUESTS and not _find_stated_wait(response):
            # Without a token, answers and refusals alternate; a refusal without a time is tried again.
            response = await self._send_search(params)
        self._check_refusal(response)
        return read_json_response(citation_batches.SearchPage, response)

    async def _send_search(self, params: dict[str, str]) -> HttpResponse:
        return await self._upstream.send_get(
            "/search/",
            params=params,
            accept=(_BAD_REQUEST, _TOO_MANY_REQUESTS),
        )

    def _check_refusal(self, response: HttpResponse) -> None:
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        if response.status == _TOO_MANY_REQUESTS:
            wait = _find_stated_wait(response)
            limited = RateLimited(
                "CourtListener's limit of requests is used up."
                + ("" if self._has_token else f" A free token in {_TOKEN} has a limit of its own."),
                provider=SPEC.name,
                retry_after=wait,
                detail="HTTP 429",
                http_status=_TOO_MANY_REQUESTS,
            )
            self._upstream.pause_requests(min(limited.retry_after or 0.0, _MAX_REST_SECONDS))
            raise limited


def _is_case_name(text: str) -> bool:
    return (
        _CASE_NAME_PATTERN.search(text) is not None
        and len(text.split()) <= _MAX_NAME_WORDS
        and not set('":()').intersection(text)
    )


def _build_citation_query(citation: str) -> str:
    plain = "".join(" " if sign in '"\\()' else sign for sign in citation)
    return f'citation:("{" ".join(plain.split())}")'


def _find_cursor(address: str | None) -> str | None:
    """The cursor of the next page; its address is built anew, so no other host is asked."""
    try:
        cursors = parse_qs(urlsplit(address or "").query).get("cursor", ())
    except ValueError:
        return None
    return next((cursor for cursor in cursors if len(cursor) <= _MAX_CURSOR_CHARS), None)


def _find_stated_wait(response: HttpResponse) -> float | None:
    """Seconds until the limit ends, from the headers or from the words of the refusal."""
    stated = read_retry_delay(response.headers, now=time.time)
    if stated is not None:
        return stated
    match = _STATED_WAIT_PATTERN.search(response.body[:1000].decode("utf-8", "replace"))
    return float(match[1]) if match else None
