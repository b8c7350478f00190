"""Reads Hacker News threads, lists and user profiles through its public APIs.

A thread comes whole in one response of the search index. If the index fails or does not know the
item yet, a part of the thread is read item by item from Hacker News's own API.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from pydantic import ValidationError

from citewell.core.errors import NotFound, UpstreamError
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse as HttpResponse
from citewell.net.upstream.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading import page_errors
from citewell.reading.sites import site_markdown
from citewell.reading.sites.hackernews import hackernews_items
from citewell.reading.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    format_epoch_time,
    parse_site_address,
    trim_to_date,
)
from citewell.text.safety.text_cleaning import clean_markup

HACKERNEWS_INDEX = SiteEndpoint(
    name="site_hackernews_index", base_url="https://hn.algolia.com/api/v1", timeout=15
)
HACKERNEWS_API = SiteEndpoint(
    name="site_hackernews", base_url="https://hacker-news.firebaseio.com/v0", timeout=10
)
ENDPOINTS = (HACKERNEWS_INDEX, HACKERNEWS_API)

_LIST_NAMES_BY_PATH = {
    "": "top",
    "news": "top",
    "newest": "new",
    "best": "best",
    "ask": "ask",
    "show": "show",
    "jobs": "job",
}
_LIST_TITLES = {
    "top": "Top stories",
    "new": "New stories",
    "best": "Best stories",
    "ask": "Ask HN",
    "show": "Show HN",
    "job": "Jobs",
}
_MAX_LISTED_STORIES = 20
_MAX_FALLBACK_COMMENTS = 50  # requests, one for each comment, if the index fails
_MAX_PARALLEL_FETCHES = 5
_MAX_THREAD_BYTES = 16 * 2**20  # bytes; the largest threads have about 5 MB
_ITEM_ID_PATTERN = re.compile(r"\d{1,12}")


class _HackerNewsUser(ResponsePart):
    id: str
    karma: OptionalField[int] = None
    about: OptionalField[str] = None
    created: OptionalField[int] = None
    submitted: TolerantItems[int] = ()


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None or at.host != "news.ycombinator.com" or len(at.parts) > 2:
        return None
    first, second = at.find_part(0), at.find_part(1)
    number = second or at.query.get("id", "")
    if first == "item" and _ITEM_ID_PATTERN.fullmatch(number):
        # A link to a comment within its discussion names the comment in the fragment.
        chosen = at.fragment if _ITEM_ID_PATTERN.fullmatch(at.fragment) else ""
        return SiteRoute(url=url, kind="item", id=number, path=chosen)
    if first == "user" and hackernews_items.HACKERNEWS_USER_PATTERN.fullmatch(number):
        return SiteRoute(url=url, kind="user", id=number)
    # The API's order does not match the later pages of a list.
    if first in _LIST_NAMES_BY_PATH and not second and at.query.get("p", "1") == "1":
        return SiteRoute(url=url, kind="list", id=_LIST_NAMES_BY_PATH[first])
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    readers = {"item": _read_hackernews_item, "user": _read_user_profile, "list": _read_story_list}
    return await readers[route.kind](route, kit)


async def _read_hackernews_item(route: SiteRoute, kit: SiteKit) -> Page | None:
    thread = await _fetch_indexed_thread(route, kit) or await _fetch_thread_items(route, kit)
    item = thread.item
    if item.is_gone:
        raise page_errors.build_soft_404_error(route.url, "deleted")
    rendered = await kit.run_apart(
        hackernews_items.render_hackernews_thread, thread, linked=route.path
    )
    return kit.build_page(
        route,
        content=rendered.markdown,
        content_type="hn",
        title=hackernews_items.name_item(item),
        kind="forum",
        author=clean_markup(item.by) or None,
        site="Hacker News",
        published=format_epoch_time(item.time),
        truncated=rendered.total > rendered.shown,
    )


async def _fetch_indexed_thread(
    route: SiteRoute, kit: SiteKit
) -> hackernews_items.HackerNewsThread | None:
    """The whole thread; None if the index fails, or does not have the item, which may be new."""
    try:
        response = await kit.open_upstream(HACKERNEWS_INDEX).send_get(
            f"/items/{route.id}", max_bytes=_MAX_THREAD_BYTES, retry=False
        )
        return hackernews_items.parse_indexed_thread(response.parse_json())
    except (UpstreamError, NotFound):
        return None


async def _fetch_thread_items(route: SiteRoute, kit: SiteKit) -> hackernews_items.HackerNewsThread:
    """The upper levels of the thread, read item by item."""
    response = await kit.open_upstream(HACKERNEWS_API).send_get(f"/item/{route.id}.json")
    if response.parse_json() is None:
        raise page_errors.build_soft_404_error(route.url, "no such item")
    item = parse_json_response(hackernews_items.HackerNewsItem, response)
    found: dict[int, hackernews_items.HackerNewsItem] = {}
    waiting = list(item.kids)
    while waiting and len(found) < _MAX_FALLBACK_COMMENTS:
        batch = waiting[: _MAX_FALLBACK_COMMENTS - len(found)]
        items = await _fetch_hackernews_items(batch, kit)
        waiting = [*waiting[len(batch) :], *(kid for comment in items for kid in comment.kids)]
        found.update((comment.id, comment) for comment in items)
        if not items:
            break
    options = await _fetch_hackernews_items(item.parts[:_MAX_LISTED_STORIES], kit)
    return hackernews_items.build_thread_of_items(item, found, options=options)


async def _read_story_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await kit.open_upstream(HACKERNEWS_API).send_get(f"/{route.id}stories.json")
    answer = response.parse_json()
    numbers = (
        [number for number in answer if type(number) is int] if isinstance(answer, list) else []
    )
    ids = [number for number in numbers if 0 < number < 10**12]
    items = await _fetch_hackernews_items(ids[:_MAX_LISTED_STORIES], kit)
    stories = [story for story in items if not story.is_gone and story.title]
    if not stories:
        return None
    name = _LIST_TITLES[route.id]
    entries = (
        f"{place}. {hackernews_items.format_story_entry(story)}"
        for place, story in enumerate(stories, 1)
    )
    return kit.build_page(
        route,
        content=(f"# Hacker News: {name}", "\n".join(entries)),
        content_type="hn",
        title=f"Hacker News: {name}",
        kind="listing",
        site="Hacker News",
        truncated=len(ids) > len(stories),
    )


async def _read_user_profile(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await kit.open_upstream(HACKERNEWS_API).send_get(f"/user/{route.id}.json")
    if response.parse_json() is None:
        raise page_errors.build_soft_404_error(route.url, "no such user")
    user = parse_json_response(_HackerNewsUser, response)
    created = format_epoch_time(user.created)
    about = await kit.run_apart(
        site_markdown.convert_html_text, user.about, base=hackernews_items.HACKERNEWS_ADDRESS
    )
    facts = site_markdown.join_facts(
        site_markdown.format_count(user.karma, "karma point"),
        f"joined {trim_to_date(created)}" if created else "",
        site_markdown.format_count(len(user.submitted), "submission"),
    )
    return kit.build_page(
        route,
        content=(site_markdown.format_heading(user.id), facts, about),
        content_type="hn",
        title=f"Profile: {user.id}",
        kind="forum",
        author=clean_markup(user.id) or None,
        site="Hacker News",
    )


async def _fetch_hackernews_items(
    ids: Sequence[int], kit: SiteKit
) -> list[hackernews_items.HackerNewsItem]:
    """The items, fetched five at a time; those that fail are left out."""
    gate = asyncio.Semaphore(_MAX_PARALLEL_FETCHES)

    async def fetch_item(number: int) -> hackernews_items.HackerNewsItem | None:
        async with gate:
            try:
                response = await kit.open_upstream(HACKERNEWS_API).send_get(f"/item/{number}.json")
                return hackernews_items.HackerNewsItem.model_validate(response.parse_json())
            except (UpstreamError, NotFound, ValidationError):
                return None

    return [item for item in await asyncio.gather(*map(fetch_item, ids)) if item is not None]
