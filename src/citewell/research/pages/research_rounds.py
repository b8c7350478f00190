"""Searches and reads the pages of one round; a failure becomes a note or an empty reading."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.core.errors import CitewellError, NotFound, RefusedByPolicy
from citewell.core.values.citation_checks import PAGE_DEAD
from citewell.core.values.page import Page
from citewell.core.values.search_queries import LIBRARY_ID_PREFIX, SearchHit
from citewell.jobs.step_values import PageLead, PageLeads, PageReading, PageReadings, ResearchPlan
from citewell.research.claims import source_kinds
from citewell.search.ranked_results import fuse_rankings
from citewell.text import addresses
from citewell.text.language import detection

MAX_PAGES_PER_OWNER = 3  # pages of one registered domain
MIN_PAGE_OWNERS = 3  # different owners at least, if the searches found so many
_RESULTS_PER_SEARCH = 10  # results of one search
_MAX_CONCURRENT_READS = 6  # pages read at a time


class PageFinder(Protocol):
    """Something that finds pages for a query: web, papers or the user's library."""

    @property
    def name(self) -> str: ...

    async def find_pages(self, query: str, *, count: int) -> Sequence[SearchHit]: ...


class ResearchPageReader(Protocol):
    async def read_page(self, url: str) -> Page: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchPorts:
    """The searches, the reader and the reputation lookup that the engine uses."""

    finders: tuple[PageFinder, ...]
    reader: ResearchPageReader
    reputation: Callable[[str], str | None] = lambda _host: None  # high, mixed, low or unknown


async def search_round(
    plan: ResearchPlan,
    ports: ResearchPorts,
    *,
    queries: Sequence[str] | None = None,
    known: Iterable[str] = (),
    count: int = _RESULTS_PER_SEARCH,
) -> PageLeads:
    """Send every query to every finder at once and merge by reciprocal rank, without pages in `known`.

    A finder that fails becomes one note, with the reason of its first failure.
    """

    async def search_finder(finder: PageFinder, query: str) -> Sequence[SearchHit] | str:
        try:
            return await finder.find_pages(query, count=count)
        except CitewellError as error:
            return f"{finder.name} could not be searched: {error}"

    asked = tuple(plan.queries if queries is None else queries)
    calls = [(finder, query) for query in asked for finder in ports.finders]
    answers = await asyncio.gather(*(search_finder(finder, query) for finder, query in calls))
    lists = [answer for answer in answers if not isinstance(answer, str)]
    seen = {addresses.build_page_key(url) for url in known}
    ranked = (
        ranking
        for ranking in fuse_rankings(lists)
        if addresses.build_page_key(ranking.hit.url) not in seen
    )
    leads = tuple(_build_page_lead(item.hit, item.weight) for item in ranked)
    notes: dict[str, str] = {}
    for (finder, _), answer in zip(calls, answers, strict=True):
        if isinstance(answer, str):
            notes.setdefault(finder.name, answer)
    return PageLeads(found=leads, searched=asked, notes=tuple(notes.values()))


def _build_page_lead(hit: SearchHit, weight: float) -> PageLead:
    return PageLead(
        url=addresses.strip_tracking(hit.url),
        title=hit.title,
        snippet=hit.snippet,
        published=hit.published.isoformat() if hit.published else None,
        weight=round(weight, 9),
    )


def choose_leads(
    leads: PageLeads, *, max_pages: int, already_read: Iterable[str] = ()
) -> tuple[PageLead, ...]:
    """The pages to read next, best first: few of one owner, and of several owners if possible."""
    if max_pages <= 0:
        return ()
    held = Counter(source_kinds.identify_source_owner(url) for url in already_read)
    kept: list[PageLead] = []
    for lead in leads.found:
        owner = source_kinds.identify_source_owner(lead.url)
        if held[owner] < MAX_PAGES_PER_OWNER:
            held[owner] += 1
            kept.append(lead)
    return tuple(_spread_owners(kept, max_pages))


def _spread_owners(leads: list[PageLead], most: int) -> list[PageLead]:
    """The first `most` leads; the last ones are replaced if they come from too few owners."""
    chosen, spare = leads[:most], leads[most:]
    owners = Counter(source_kinds.identify_source_owner(lead.url) for lead in chosen)
    for lead in spare:
        if len(owners) >= MIN_PAGE_OWNERS:
            break
        owner = source_kinds.identify_source_owner(lead.url)
        place = _find_repeated_owner(chosen, owners)
        if owner not in owners and place is not None:
            owners[source_kinds.identify_source_owner(chosen.pop(place).url)] -= 1
            owners[owner] += 1
            chosen.append(lead)
    return chosen


def _find_repeated_owner(chosen: list[PageLead], owners: Counter[str]) -> int | None:
    """The index of the last page whose owner has another page."""
    places = (
        at
        for at in reversed(range(len(chosen)))
        if owners[source_kinds.identify_source_owner(chosen[at].url)] > 1
    )
    return next(places, None)


async def fetch_round(
    leads: Iterable[PageLead], ports: ResearchPorts, *, at_once: int = _MAX_CONCURRENT_READS
) -> PageReadings:
    """Each page, or a reading that says why it could not be read, in the order given."""
    gate = asyncio.Semaphore(at_once)

    async def read_lead(lead: PageLead) -> PageReading:
        async with gate:
            return await fetch_page_reading(lead, ports)

    return PageReadings(pages=tuple(await asyncio.gather(*(read_lead(lead) for lead in leads))))


async def fetch_page_reading(lead: PageLead, ports: ResearchPorts) -> PageReading:
    """One page; a failure gives a reading without text, with the reason."""
    try:
        page = await ports.reader.read_page(lead.url)
    except CitewellError as error:
        state = PAGE_DEAD if isinstance(error, NotFound) else "unreachable"
        return PageReading(
            url=lead.url,
            title=lead.title,
            state="refused" if isinstance(error, RefusedByPolicy) else state,
            reason=str(error),
            is_private=lead.url.startswith(LIBRARY_ID_PREFIX),
        )
    return build_page_reading(
        lead, page, reputation=ports.reputation(addresses.extract_host(page.final_url))
    )


def build_page_reading(lead: PageLead, page: Page, *, reputation: str | None = None) -> PageReading:
    text = page.content
    own = lead.url.startswith(LIBRARY_ID_PREFIX)
    return PageReading(
        url=lead.url if own else addresses.strip_tracking(page.final_url or lead.url),
        title=page.title or lead.title,
        text=text,
        language=detection.detect_language(text) or page.language,
        published=page.published or lead.published,
        retrieved_at=page.fetched_at.isoformat() if page.fetched_at else None,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        reputation=reputation,
        page_kind=page.kind,
        is_private=own,
        address=page.opens_at if own else "",
        source_type=source_kinds.name_page_type(page),
    )
