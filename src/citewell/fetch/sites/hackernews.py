"""Reads Hacker News stories, comments, lists and user profiles through its public API."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.errors import NotFound, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    format_epoch_time,
    parse_site_address,
    trim_to_date,
)
from citewell.model.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

HACKERNEWS_API = SiteEndpoint(
    name="site_hackernews", base_url="https://hacker-news.firebaseio.com/v0", timeout=10
)
ENDPOINTS = (HACKERNEWS_API,)

_HACKERNEWS_ADDRESS = "https://news.ycombinator.com"
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
_MAX_SHOWN_COMMENTS = 10
_MAX_PARALLEL_FETCHES = 5
_ITEM_ID_PATTERN = re.compile(r"\d{1,12}")
_HACKERNEWS_USER_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,32}")


class _HackerNewsItem(ResponsePart):
    id: int
    type: OptionalField[str] = None
    by: OptionalField[str] = None
    time: OptionalField[int] = None
    title: OptionalField[str] = None
    text: OptionalField[str] = None
    url: OptionalField[HttpLink] = None
    score: OptionalField[int] = None
    descendants: OptionalField[int] = None
    parent: OptionalField[int] = None
    kids: TolerantItems[int] = ()
    parts: TolerantItems[int] = ()
    deleted: OptionalField[bool] = None
    dead: OptionalField[bool] = None

    @property
    def is_gone(self) -> bool:
        return bool(self.deleted) or (bool(self.dead) and not (self.text or self.url))


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
    asked = second or at.query.get("id", "")
    if first == "item" and _ITEM_ID_PATTERN.fullmatch(asked):
        return SiteRoute(url=url, kind="item", id=asked)
    if first == "user" and _HACKERNEWS_USER_PATTERN.fullmatch(asked):
        return SiteRoute(url=url, kind="user", id=asked)
    # The API's order does not match the later pages of a list.
    if first in _LIST_NAMES_BY_PATH and not second and at.query.get("p", "1") == "1":
        return SiteRoute(url=url, kind="list", id=_LIST_NAMES_BY_PATH[first])
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    readers = {"item": _read_hackernews_item, "user": _read_user_profile, "list": _read_story_list}
    return await readers[route.kind](route, kit)


async def _read_hackernews_item(route: SiteRoute, kit: SiteKit) -> Page | None:
    item = _require_item(
        await kit.open_upstream(HACKERNEWS_API).send_get(f"/item/{route.id}.json"), route
    )
    if item.is_gone:
        raise page_errors.build_soft_404_error(route.url, "deleted")
    options = await _fetch_hackernews_items(item.parts[:_MAX_LISTED_STORIES], kit)
    shown = await _fetch_live_comments(item.kids, kit)
    total = item.descendants if item.descendants is not None else len(item.kids)
    title = item.title or f"Comment by {item.by or 'somebody'}"
    published = format_epoch_time(item.time)
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(title),
            _format_item_line(item, total),
            markdown_parts.format_markdown_link("In reply to", _build_item_address(item.parent))
            if item.parent
            else "",
            markdown_parts.convert_html_text(item.text, base=_HACKERNEWS_ADDRESS),
            "\n".join(_format_poll_option(option) for option in options),
            f"## Comments ({len(shown)} of {total})" if shown else "",
            *(_render_hackernews_comment(one) for one in shown),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="hn",
        title=title,
        kind="forum",
        author=_clean_user_name(item.by),
        site="Hacker News",
        published=published,
        truncated=total > len(shown),
    )


async def _read_story_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    answer = (
        await kit.open_upstream(HACKERNEWS_API).send_get(f"/{route.id}stories.json")
    ).parse_json()
    ids = [one for one in answer if _is_item_id(one)] if isinstance(answer, list) else []
    stories = [
        one
        for one in await _fetch_hackernews_items(ids[:_MAX_LISTED_STORIES], kit)
        if not one.is_gone and one.title
    ]
    if not stories:
        return None
    entries = (f"{place}. {_format_story_entry(story)}" for place, story in enumerate(stories, 1))
    name = _LIST_TITLES[route.id]
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([f"# Hacker News: {name}", "\n".join(entries)]),
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
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(user.id),
            markdown_parts.join_facts(
                markdown_parts.format_count(user.karma, "karma point"),
                f"joined {trim_to_date(created)}" if created else "",
                markdown_parts.format_count(len(user.submitted), "submission"),
            ),
            markdown_parts.convert_html_text(user.about, base=_HACKERNEWS_ADDRESS),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="hn",
        title=f"Profile: {user.id}",
        kind="forum",
        author=_clean_user_name(user.id),
        site="Hacker News",
    )


async def _fetch_live_comments(kids: Sequence[int], kit: SiteKit) -> list[_HackerNewsItem]:
    """The first ten comments that are neither deleted nor dead."""
    found: list[_HackerNewsItem] = []
    waiting = list(kids[: 2 * _MAX_SHOWN_COMMENTS])
    while waiting and len(found) < _MAX_SHOWN_COMMENTS:
        batch = waiting[: _MAX_SHOWN_COMMENTS - len(found)]
        waiting = waiting[len(batch) :]
        found += [
            one
            for one in await _fetch_hackernews_items(batch, kit)
            if one.text and not one.dead and not one.is_gone
        ]
    return found


async def _fetch_hackernews_items(ids: Sequence[int], kit: SiteKit) -> list[_HackerNewsItem]:
    """The items, fetched five at a time; those that fail are left out."""
    gate = asyncio.Semaphore(_MAX_PARALLEL_FETCHES)

    async def one(number: int) -> _HackerNewsItem | None:
        async with gate:
            try:
                response = await kit.open_upstream(HACKERNEWS_API).send_get(f"/item/{number}.json")
                return _HackerNewsItem.model_validate(response.parse_json())
            except (UpstreamError, NotFound, ValidationError):
                return None

    return [item for item in await asyncio.gather(*map(one, ids)) if item is not None]


def _require_item(response: HttpResponse, route: SiteRoute) -> _HackerNewsItem:
    if response.parse_json() is None:
        raise page_errors.build_soft_404_error(route.url, "no such item")
    return parse_json_response(_HackerNewsItem, response)


def _is_item_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12


def _format_item_line(item: _HackerNewsItem, total: int) -> str:
    return markdown_parts.join_facts(
        markdown_parts.format_markdown_link(item.url, item.url) if item.url else "",
        markdown_parts.format_count(item.score, "point"),
        f"by {_format_profile_link(item.by)}" if item.by else "",
        trim_to_date(format_epoch_time(item.time)),
        markdown_parts.format_count(total, "comment"),
        "marked dead" if item.dead else "",
    )


def _format_story_entry(story: _HackerNewsItem) -> str:
    goal = story.url or _build_item_address(story.id)
    comments = markdown_parts.format_count(story.descendants, "comment")
    return markdown_parts.join_facts(
        markdown_parts.format_markdown_link(story.title, goal),
        markdown_parts.format_count(story.score, "point"),
        f"by {_format_profile_link(story.by)}" if story.by else "",
        trim_to_date(format_epoch_time(story.time)),
        markdown_parts.format_markdown_link(comments, _build_item_address(story.id))
        if comments
        else "",
    )


def _render_hackernews_comment(item: _HackerNewsItem) -> str:
    who = _format_profile_link(item.by) if item.by else "somebody"
    head = markdown_parts.join_facts(
        f"**{who}**",
        markdown_parts.format_markdown_link(
            trim_to_date(format_epoch_time(item.time)), _build_item_address(item.id)
        ),
    )
    return markdown_parts.join_blocks(
        [head, markdown_parts.convert_html_text(item.text, base=_HACKERNEWS_ADDRESS)]
    )


def _format_poll_option(item: _HackerNewsItem) -> str:
    return f"- {markdown_parts.join_facts(markdown_parts.convert_html_text(item.text, base=_HACKERNEWS_ADDRESS), markdown_parts.format_count(item.score, 'point'))}"


def _format_profile_link(user: str | None) -> str:
    known = user and _HACKERNEWS_USER_PATTERN.fullmatch(user)
    return markdown_parts.format_markdown_link(
        user, f"{_HACKERNEWS_ADDRESS}/user?id={user}" if known else None
    )


def _clean_user_name(user: str | None) -> str | None:
    return clean_markup(user) or None


def _build_item_address(number: int | None) -> str:
    return f"{_HACKERNEWS_ADDRESS}/item?id={number}"
