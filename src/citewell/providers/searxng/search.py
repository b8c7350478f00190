"""One search on one instance: JSON where it is offered, its page where not, as many pages as asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from citewell.errors import (
    AuthRequired,
    Blocked,
    RateLimited,
    Refused,
    Unavailable,
    UpstreamError,
)
from citewell.model.search import Query
from citewell.net.message import Response
from citewell.net.paging import Page, gather
from citewell.providers.searxng.answer import Answer, Result, read_json
from citewell.providers.searxng.capabilities import Almanac, Capabilities
from citewell.providers.searxng.door import Door
from citewell.providers.searxng.failure import SETTINGS_LINE, JsonDisabled
from citewell.providers.searxng.health import Health
from citewell.providers.searxng.instance import Instance
from citewell.providers.searxng.page import read_page
from citewell.providers.searxng.query import language
from citewell.text.urls import key

_PATH = "/search"
_OWN_PAGES = 5
_PUBLIC_PAGES = 2  # a public instance's limiter allows four API calls an hour


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """Everything one instance had to say."""

    instance: Instance
    results: tuple[Result, ...] = ()
    total: int | None = None
    unresponsive: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    lacking: bool = False  # it has no engines for the category


@dataclass(slots=True, kw_only=True)
class _Run:
    """What builds up while pages arrive."""

    instance: Instance
    query: Query
    capabilities: Capabilities | None
    seen: set[str] = field(default_factory=set)
    unresponsive: dict[str, str] = field(default_factory=dict)
    strangers: int = 0  # results of a category nobody asked for
    capped: bool = False  # the last page we allow ourselves had something new


class Searcher:
    def __init__(self, door: Door, *, health: Health, almanac: Almanac) -> None:
        self._door = door
        self._health = health
        self._almanac = almanac

    async def probe(self, instance: Instance) -> None:
        """Learn whether it speaks JSON by a request without words.

        The format is checked before the query, so an empty one gets 400 in JSON or 403, no engine
        is asked, and a stranger that cannot help never learns what the user wants to know.
        """
        try:
            response = await self._door.ask(instance, _PATH, {"q": "", "format": "json"})
        except (UpstreamError, Refused):
            self._health.failed(instance)
            return
        if response.status == 403 or (response.status in {200, 400} and _is_json(response)):
            self._health.learnt_json(instance, on=response.status != 403)
        elif isinstance(error := self._door.complaint(response, instance), RateLimited):
            self._health.limited(instance, error.retry_after or 0.0)
        else:
            self._health.failed(instance)

    async def search(self, instance: Instance, query: Query, params: Mapping[str, str]) -> Harvest:
        capabilities = await self._capabilities(instance, query)
        if capabilities and query.category not in capabilities.categories:
            return Harvest(
                instance=instance, notes=(_lacks(instance, query, capabilities),), lacking=True
            )
        run = _Run(instance=instance, query=query, capabilities=capabilities)

        pages = _OWN_PAGES if instance.own else _PUBLIC_PAGES

        async def fetch(number: int) -> Page[Result]:
            answer = await self._page(instance, {**params, "pageno": str(number + 1)})
            page = _take(answer, run)
            run.capped = page.more and number + 1 == pages
            return page

        gathered = await gather(fetch, count=query.count, pages=pages)
        return Harvest(
            instance=instance,
            results=gathered.items,
            total=gathered.total,
            unresponsive=tuple(run.unresponsive.items()),
            notes=(*gathered.notes, *self._notes(run, len(gathered.items))),
            lacking=not gathered.items and run.strangers > 0,
        )

    async def _capabilities(self, instance: Instance, query: Query) -> Capabilities | None:
        if query.category == "general" and query.language is None:
            return None
        return await self._almanac.of(instance)

    async def _page(self, instance: Instance, params: Mapping[str, str]) -> Answer:
        if self._health.speaks_json(instance) is False:
            return await self._html(instance, params)
        response = await self._door.ask(instance, _PATH, {**params, "format": "json"})
        if response.status == 403:
            self._health.learnt_json(instance, on=False)
            return await self._html(instance, params)
        self._check(response, instance)
        if response.content_type == "text/html":
            return read_page(response)
        answer = read_json(response)
        self._health.learnt_json(instance, on=True)
        return answer

    async def _html(self, instance: Instance, params: Mapping[str, str]) -> Answer:
        try:
            response = await self._door.ask(instance, _PATH, params)
            self._check(response, instance)
            return read_page(response)
        except (AuthRequired, Blocked, Unavailable) as error:
            raise JsonDisabled.at(instance, detail=error.detail or error.message) from error

    def _check(self, response: Response, instance: Instance) -> None:
        error = self._door.complaint(response, instance)
        if isinstance(error, RateLimited):
            self._health.limited(instance, error.retry_after or 0.0)
        if error is not None:
            raise error

    def _notes(self, run: _Run, found: int) -> list[str]:
        notes, at, query = [], run.instance.url, run.query
        if self._health.speaks_json(run.instance) is False:
            notes.append(
                f"{at} has JSON switched off, so its page was read; `{SETTINGS_LINE}` in settings.yml gives scores and dates too."
            )
        if run.strangers:
            why = (
                "" if found else f" {at} has no working engines for the category {query.category}."
            )
            notes.append(f"{run.strangers} results of other categories were left out.{why}")
        if query.time_range == "hour":
            notes.append("SearXNG has no range of an hour; a day was asked for.")
        if (
            (wanted := language(query))
            and run.capabilities
            and not run.capabilities.speaks(wanted, query.category)
        ):
            notes.append(
                f"No engine of {at} lists the language {wanted}; it may have been ignored."
            )
        if run.capped and found < query.count:
            notes.append(f"{at} was asked for no further pages: {found} of {query.count} results.")
        return notes


def _take(answer: Answer, run: _Run) -> Page[Result]:
    """What of a page is new and was asked for."""
    run.unresponsive.update(dict(answer.unresponsive))
    fresh = []
    for result in answer.results:
        if key(result.url) in run.seen:
            continue
        run.seen.add(key(result.url))
        if _belongs(result, run):
            fresh.append(result)
        else:
            run.strangers += 1
    return Page(items=tuple(fresh), more=bool(fresh), total=answer.total)


def _belongs(result: Result, run: _Run) -> bool:
    """An instance without engines for a category answers with its default one, and does not say so."""
    wanted = run.query.category
    if wanted == "general":
        return True
    if run.capabilities:
        return run.capabilities.covers(result, wanted)
    return result.category != "general"


def _is_json(response: Response) -> bool:
    return response.content_type == "application/json"


def _lacks(instance: Instance, query: Query, capabilities: Capabilities) -> str:
    offered = ", ".join(sorted(capabilities.categories)) or "none"
    return f"{instance.url} has no engines for the category {query.category}; it has: {offered}."
