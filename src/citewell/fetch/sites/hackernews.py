"""Hacker News by its public API: a story or comment with its best replies, the lists, the users."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from citewell.errors import NotFound, UpstreamError
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, from_epoch, or_ladder
from citewell.model.page import Page
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.markup import clean

API = Endpoint(name="site_hackernews", base_url="https://hacker-news.firebaseio.com/v0", timeout=10)
ENDPOINTS = (API,)

_SITE = "https://news.ycombinator.com"
_LISTS = {
    "": "top",
    "news": "top",
    "newest": "new",
    "best": "best",
    "ask": "ask",
    "show": "show",
    "jobs": "job",
}
_NAMES = {
    "top": "Top stories",
    "new": "New stories",
    "best": "Best stories",
    "ask": "Ask HN",
    "show": "Show HN",
    "job": "Jobs",
}
_LISTED = 20
_COMMENTS = 10
_PARALLEL = 5
_ID = re.compile(r"\d{1,12}")
_USER = re.compile(r"[A-Za-z0-9_-]{1,32}")


class _Item(Part):
    id: int
    type: Maybe[str] = None
    by: Maybe[str] = None
    time: Maybe[int] = None
    title: Maybe[str] = None
    text: Maybe[str] = None
    url: Maybe[Link] = None
    score: Maybe[int] = None
    descendants: Maybe[int] = None
    parent: Maybe[int] = None
    kids: Items[int] = ()
    parts: Items[int] = ()
    deleted: Maybe[bool] = None
    dead: Maybe[bool] = None

    @property
    def gone(self) -> bool:
        return bool(self.deleted) or (bool(self.dead) and not (self.text or self.url))


class _User(Part):
    id: str
    karma: Maybe[int] = None
    about: Maybe[str] = None
    created: Maybe[int] = None
    submitted: Items[int] = ()


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None or at.host != "news.ycombinator.com" or len(at.parts) > 2:
        return None
    first, second = at.part(0), at.part(1)
    asked = second or at.query.get("id", "")
    if first == "item" and _ID.fullmatch(asked):
        return Route(url=url, kind="item", id=asked)
    if first == "user" and _USER.fullmatch(asked):
        return Route(url=url, kind="user", id=asked)
    # Later pages of a list are not in the API's order.
    if first in _LISTS and not second and at.query.get("p", "1") == "1":
        return Route(url=url, kind="list", id=_LISTS[first])
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    readers = {"item": _read_item, "user": _read_user, "list": _read_list}
    return await readers[route.kind](route, kit)


async def _read_item(route: Route, kit: SiteKit) -> Page | None:
    item = _whole(await kit.upstream(API).get(f"/item/{route.id}.json"), route)
    if item.gone:
        raise complaints.gone(route.url, "deleted")
    options = await _items(item.parts[:_LISTED], kit)
    shown = await _alive(item.kids, kit)
    total = item.descendants if item.descendants is not None else len(item.kids)
    title = item.title or f"Comment by {item.by or 'somebody'}"
    published = from_epoch(item.time)
    content = prose.blocks(
        [
            prose.heading(title),
            _line(item, total),
            prose.link("In reply to", _link(item.parent)) if item.parent else "",
            prose.from_html(item.text, base=_SITE),
            "\n".join(_option(option) for option in options),
            f"## Comments ({len(shown)} of {total})" if shown else "",
            *(_comment(one) for one in shown),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="hn",
        title=title,
        kind="forum",
        author=_name(item.by),
        site="Hacker News",
        published=published,
        truncated=total > len(shown),
    )


async def _read_list(route: Route, kit: SiteKit) -> Page | None:
    answer = (await kit.upstream(API).get(f"/{route.id}stories.json")).parsed()
    ids = [one for one in answer if _is_id(one)] if isinstance(answer, list) else []
    stories = [one for one in await _items(ids[:_LISTED], kit) if not one.gone and one.title]
    if not stories:
        return None
    entries = (f"{place}. {_entry(story)}" for place, story in enumerate(stories, 1))
    name = _NAMES[route.id]
    return kit.page(
        route,
        content=prose.blocks([f"# Hacker News: {name}", "\n".join(entries)]),
        content_type="hn",
        title=f"Hacker News: {name}",
        kind="listing",
        site="Hacker News",
        truncated=len(ids) > len(stories),
    )


async def _read_user(route: Route, kit: SiteKit) -> Page | None:
    response = await kit.upstream(API).get(f"/user/{route.id}.json")
    if response.parsed() is None:
        raise complaints.gone(route.url, "no such user")
    user = parse(_User, response)
    created = from_epoch(user.created)
    content = prose.blocks(
        [
            prose.heading(user.id),
            prose.facts(
                prose.count(user.karma, "karma point"),
                f"joined {day(created)}" if created else "",
                prose.count(len(user.submitted), "submission"),
            ),
            prose.from_html(user.about, base=_SITE),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="hn",
        title=f"Profile: {user.id}",
        kind="forum",
        author=_name(user.id),
        site="Hacker News",
    )


async def _alive(kids: Sequence[int], kit: SiteKit) -> list[_Item]:
    """The first ten comments that are still there."""
    found: list[_Item] = []
    waiting = list(kids[: 2 * _COMMENTS])
    while waiting and len(found) < _COMMENTS:
        batch = waiting[: _COMMENTS - len(found)]
        waiting = waiting[len(batch) :]
        found += [
            one for one in await _items(batch, kit) if one.text and not one.dead and not one.gone
        ]
    return found


async def _items(ids: Sequence[int], kit: SiteKit) -> list[_Item]:
    """Each item that can be had, five at a time; one that fails costs only itself."""
    gate = asyncio.Semaphore(_PARALLEL)

    async def one(number: int) -> _Item | None:
        async with gate:
            try:
                response = await kit.upstream(API).get(f"/item/{number}.json")
                return _Item.model_validate(response.parsed())
            except (UpstreamError, NotFound, ValidationError):
                return None

    return [item for item in await asyncio.gather(*map(one, ids)) if item is not None]


def _whole(response: Response, route: Route) -> _Item:
    if response.parsed() is None:
        raise complaints.gone(route.url, "no such item")
    return parse(_Item, response)


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**12


def _line(item: _Item, total: int) -> str:
    return prose.facts(
        prose.link(item.url, item.url) if item.url else "",
        prose.count(item.score, "point"),
        f"by {_profile(item.by)}" if item.by else "",
        day(from_epoch(item.time)),
        prose.count(total, "comment"),
        "marked dead" if item.dead else "",
    )


def _entry(story: _Item) -> str:
    goal = story.url or _link(story.id)
    comments = prose.count(story.descendants, "comment")
    return prose.facts(
        prose.link(story.title, goal),
        prose.count(story.score, "point"),
        f"by {_profile(story.by)}" if story.by else "",
        day(from_epoch(story.time)),
        prose.link(comments, _link(story.id)) if comments else "",
    )


def _comment(item: _Item) -> str:
    who = _profile(item.by) if item.by else "somebody"
    head = prose.facts(f"**{who}**", prose.link(day(from_epoch(item.time)), _link(item.id)))
    return prose.blocks([head, prose.from_html(item.text, base=_SITE)])


def _option(item: _Item) -> str:
    return (
        f"- {prose.facts(prose.from_html(item.text, base=_SITE), prose.count(item.score, 'point'))}"
    )


def _profile(user: str | None) -> str:
    known = user and _USER.fullmatch(user)
    return prose.link(user, f"{_SITE}/user?id={user}" if known else None)


def _name(user: str | None) -> str | None:
    return clean(user) or None


def _link(number: int | None) -> str:
    return f"{_SITE}/item?id={number}"
