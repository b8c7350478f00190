"""Searches and readings of one round, through whatever ports the server has; failures are noted."""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from citewell.errors import CitewellError, NotFound, Refused
from citewell.model.page import Page
from citewell.model.search import Hit
from citewell.services.research import kinds
from citewell.services.research.material import OWN, Lead, Leads, Plan, Reading, Readings
from citewell.services.web.merge import fuse
from citewell.text import language, urls

PER_OWNER = 3  # pages of one registered domain
OWNERS = 3  # different ones at least, where the searches found so many
_COUNT = 10  # results of one search
_AT_ONCE = 6  # pages read at a time


class Finder(Protocol):
    """Anything that finds pages: web, news, papers, the user's library."""

    @property
    def name(self) -> str: ...

    async def search(self, query: str, *, count: int) -> Sequence[Hit]: ...


class PageReader(Protocol):
    async def read(self, url: str) -> Page: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The world as the engine sees it."""

    finders: tuple[Finder, ...]
    reader: PageReader
    reputation: Callable[[str], str | None] = lambda _host: None  # high, mixed, low or unknown


async def search_round(
    plan: Plan,
    ports: Ports,
    *,
    queries: Sequence[str] | None = None,
    known: Iterable[str] = (),
    count: int = _COUNT,
) -> Leads:
    """Every query to every finder at once, merged by reciprocal rank; pages in `known` are left out."""
    asked = tuple(plan.queries if queries is None else queries)
    calls = [(finder, query) for query in asked for finder in ports.finders]
    answers = await asyncio.gather(*(_ask(finder, query, count) for finder, query in calls))
    lists = [answer for answer in answers if not isinstance(answer, str)]
    seen = {urls.key(url) for url in known}
    ranked = (one for one in fuse(lists) if urls.key(one.hit.url) not in seen)
    leads = tuple(_lead(one.hit, one.weight) for one in ranked)
    notes = tuple(dict.fromkeys(answer for answer in answers if isinstance(answer, str)))
    return Leads(found=leads, searched=asked, notes=notes)


async def _ask(finder: Finder, query: str, count: int) -> Sequence[Hit] | str:
    try:
        return await finder.search(query, count=count)
    except CitewellError as error:
        return f"{finder.name} could not be searched: {error}"


def _lead(hit: Hit, weight: float) -> Lead:
    return Lead(
        url=urls.clean(hit.url),
        title=hit.title,
        snippet=hit.snippet,
        published=hit.published.isoformat() if hit.published else None,
        weight=round(weight, 9),
    )


def choose(leads: Leads, *, most: int, read: Iterable[str] = ()) -> tuple[Lead, ...]:
    """The pages to read next: few of each owner, several owners, the best first."""
    if most <= 0:
        return ()
    held = Counter(kinds.owner(url) for url in read)
    kept: list[Lead] = []
    for lead in leads.found:
        owner = kinds.owner(lead.url)
        if held[owner] < PER_OWNER:
            held[owner] += 1
            kept.append(lead)
    return tuple(_spread(kept, most))


def _spread(leads: list[Lead], most: int) -> list[Lead]:
    """The first `most`, the last of which give way to other owners when there are too few."""
    chosen, spare = leads[:most], leads[most:]
    owners = Counter(kinds.owner(lead.url) for lead in chosen)
    for lead in spare:
        if len(owners) >= OWNERS:
            break
        owner = kinds.owner(lead.url)
        place = _repeated(chosen, owners)
        if owner not in owners and place is not None:
            owners[kinds.owner(chosen.pop(place).url)] -= 1
            owners[owner] += 1
            chosen.append(lead)
    return chosen


def _repeated(chosen: list[Lead], owners: Counter[str]) -> int | None:
    """The lowest page of an owner that has another."""
    places = (at for at in reversed(range(len(chosen))) if owners[kinds.owner(chosen[at].url)] > 1)
    return next(places, None)


async def fetch_round(leads: Iterable[Lead], ports: Ports, *, at_once: int = _AT_ONCE) -> Readings:
    """Each page, or why it could not be read, in the order given."""
    gate = asyncio.Semaphore(at_once)

    async def one(lead: Lead) -> Reading:
        async with gate:
            return await fetch(lead, ports)

    return Readings(pages=tuple(await asyncio.gather(*(one(lead) for lead in leads))))


async def fetch(lead: Lead, ports: Ports) -> Reading:
    """One page; a failure is a reading without text that says why."""
    try:
        page = await ports.reader.read(lead.url)
    except CitewellError as error:
        return Reading(url=lead.url, title=lead.title, state=_state(error), reason=str(error))
    return reading(lead, page, reputation=ports.reputation(urls.host(page.final_url)))


def reading(lead: Lead, page: Page, *, reputation: str | None = None) -> Reading:
    text = page.content
    return Reading(
        url=lead.url if lead.url.startswith(OWN) else urls.clean(page.final_url or lead.url),
        title=page.title or lead.title,
        text=text,
        language=language.detect(text) or page.language,
        published=page.published or lead.published,
        retrieved_at=page.fetched_at.isoformat() if page.fetched_at else None,
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        reputation=reputation,
        page_kind=page.kind,
    )


def _state(error: CitewellError) -> str:
    if isinstance(error, Refused):
        return "refused"
    return "never_existed" if isinstance(error, NotFound) else "unreachable"
