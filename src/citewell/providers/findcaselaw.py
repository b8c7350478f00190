"""Find Case Law of the UK's National Archives: judgments by neutral citation or by words; no key."""

from __future__ import annotations

import re
from typing import ClassVar
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from citewell.core.errors import MalformedResponse
from citewell.core.values import court_case
from citewell.core.values.counted_words import pluralize
from citewell.domains.law.citation_forms import build_citation_key
from citewell.net.upstream.json_responses import require_http_address
from citewell.net.upstream.xml_responses import extract_element_text, read_xml_tree
from citewell.providers.dialects.remembered_matches import LawRegistry
from citewell.routing.ports import Offer, ProviderSpec
from citewell.routing.upstream_refusals import build_stated_refusal
from citewell.text.calendar_dates import parse_partial_date
from citewell.text.data_tables import load_words

SPEC = ProviderSpec(
    name="findcaselaw",
    title="Find Case Law",
    homepage="https://nationalarchives.github.io/ds-find-caselaw-docs/public",
    base_url="https://caselaw.nationalarchives.gov.uk",
    offers=frozenset({Offer.CASES, Offer.CITATIONS}),
    applied_arguments={Offer.CASES: frozenset({"jurisdiction"})},
    max_results=50,
    per_second=2.0,
    burst=10,
    rank=20,
    covers_whole_web=False,
    terms="1,000 requests in five minutes; Open Justice Licence, which excludes bulk analysis.",
)

_SITE = "https://caselaw.nationalarchives.gov.uk/"
_ATOM = "{http://www.w3.org/2005/Atom}"
_TNA = "{https://caselaw.nationalarchives.gov.uk}"
_OPEN_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_PAGE_SIZE = 50
_BAD_REQUEST = 400
_MAX_FEED_BYTES = 4 * 2**20
_NEUTRAL_CITATION_PATTERN = re.compile(
    r"\[\d{4}\] {1,3}(?P<court>[A-Z]{2,6})(?: {1,3}(?:Civ|Crim))? {1,3}\d{1,5}\b(?: {1,3}\([A-Za-z]{1,10}\))?"
)


class Provider(LawRegistry):
    citation_kinds: ClassVar[frozenset[str]] = frozenset({"uk_neutral"})

    async def search_cases(self, query: court_case.CaseQuery) -> court_case.CaseHits:
        """The judgment that the query cites, else judgments by relevance.

        The feed has no filter by day, so days are compared here.
        """
        if cited := _NEUTRAL_CITATION_PATTERN.search(query.text):
            citation = court_case.LegalCitation(kind="uk_neutral", normalized=cited.group())
            if cases := (await self.look_up_citation(citation)).cases:
                return court_case.CaseHits(cases=cases[: query.count])
        has_days = bool(query.date_from or query.date_to)
        params = {"query": query.text, "per_page": str(_PAGE_SIZE if has_days else query.count)}
        if query.court:
            params["court"] = query.court
        feed = await self._fetch_judgment_feed(params)
        found = _parse_entries(feed)
        kept = [case for case in found if _has_asked_day(case, query)]
        return court_case.CaseHits(
            cases=tuple(kept[: query.count]),
            total=None if has_days else _parse_total(feed),
            notes=(
                f"Days were compared for the first {len(found)} {pluralize(len(found), 'judgment')}.",
            )
            if has_days and len(found) >= _PAGE_SIZE
            else (),
        )

    async def _find_citation(self, citation: court_case.LegalCitation) -> court_case.CitationMatch:
        parts = _NEUTRAL_CITATION_PATTERN.match(citation.normalized)
        if parts is None or parts["court"] not in load_words(
            __package__, "findcaselaw", "covered_courts"
        ):
            return court_case.CitationMatch(provider=SPEC.name, is_reporter_known=False)
        # Judgments that cite this one are found as well, but none is older than itself.
        quoted = '"' + citation.normalized.replace('"', " ") + '"'
        feed = await self._fetch_judgment_feed({"query": quoted, "order": "date", "per_page": "20"})
        wanted = build_citation_key(citation.normalized)
        cases = tuple(
            case
            for case in _parse_entries(feed)
            if wanted in map(build_citation_key, case.citations)
        )
        return court_case.CitationMatch(provider=SPEC.name, cases=cases)

    async def _fetch_judgment_feed(self, params: dict[str, str]) -> Element:
        response = await self._upstream.send_get(
            "/atom.xml", params=params, accept=(_BAD_REQUEST,), max_bytes=_MAX_FEED_BYTES
        )
        if response.status == _BAD_REQUEST:
            raise build_stated_refusal(response)
        feed = read_xml_tree(response)
        if feed.tag != f"{_ATOM}feed":
            raise MalformedResponse("Expected an Atom feed.", provider=SPEC.name)
        return feed


def _parse_entries(feed: Element) -> list[court_case.CourtCase]:
    """The entries that have an address; none of several having one means another format."""
    entries = feed.findall(f"{_ATOM}entry")
    cases = [case for case in map(_parse_entry, entries) if case is not None]
    if entries and not cases:
        raise MalformedResponse("No entry of the feed has an address.", provider=SPEC.name)
    return cases


def _parse_entry(entry: Element) -> court_case.CourtCase | None:
    url = _find_page_address(entry)
    if url is None:
        return None
    identifiers = entry.findall(f"{_TNA}identifier")
    citations = tuple(
        text
        for identifier in identifiers
        if identifier.get("type") == "ukncn"
        and (text := extract_element_text(identifier) or (identifier.get("value") or "").strip())
    )
    uri = extract_element_text(entry, f"{_TNA}uri")
    return court_case.CourtCase(
        name=extract_element_text(entry, f"{_ATOM}title").replace("<", "") or url,
        url=url,
        source=SPEC.name,
        citations=citations,
        court=extract_element_text(entry, f"{_ATOM}author/{_ATOM}name") or None,
        date_filed=parse_partial_date(extract_element_text(entry, f"{_ATOM}published")) or None,
        snippet=extract_element_text(entry, f"{_ATOM}summary"),
        ids={"uri": uri} if uri else {},
    )


def _find_page_address(entry: Element) -> str | None:
    """The address of the judgment's page: the alternate link that is no XML and no PDF."""
    for link in entry.findall(f"{_ATOM}link"):
        kind = link.get("type", "text/html")
        if link.get("rel", "alternate") != "alternate" or kind != "text/html":
            continue
        try:
            address = require_http_address(urljoin(_SITE, link.get("href", "")))
            address.encode()
        except ValueError:
            continue
        return address
    return None


def _parse_total(feed: Element) -> int | None:
    stated = extract_element_text(feed, f"{_OPEN_SEARCH}totalResults")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 10 else None


def _has_asked_day(case: court_case.CourtCase, query: court_case.CaseQuery) -> bool:
    day = case.date_filed
    if day is None:
        return not (query.date_from or query.date_to)
    return (query.date_from or "") <= day <= (query.date_to or "9999")


# The courts that send their judgments here; those of Scotland and Northern Ireland do not.
