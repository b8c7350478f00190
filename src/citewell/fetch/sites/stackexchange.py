"""Questions on any Stack Exchange site with their answers by score, through the public API."""

from __future__ import annotations

import asyncio
import re

from citewell.errors import RateLimited
from citewell.fetch import complaints
from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, from_epoch, or_ladder
from citewell.model.page import Page
from citewell.net.answer import Answer, Items, Link, Maybe, Part
from citewell.net.answer import read as read_answer
from citewell.net.message import Response
from citewell.text.markup import clean
from citewell.text.urls import within

API = Endpoint(
    name="site_stackexchange",
    base_url="https://api.stackexchange.com/2.3",
    per_second=10.0,
    burst=10,
)
ENDPOINTS = (API,)

_DOMAINS = (
    "stackexchange.com",
    "stackoverflow.com",
    "serverfault.com",
    "superuser.com",
    "askubuntu.com",
    "mathoverflow.net",
    "stackapps.com",
)
_NO_QUESTIONS = {"stackexchange.com", "api.stackexchange.com", "data.stackexchange.com", "chat.stackexchange.com", "chat.stackoverflow.com"}  # fmt: skip
_ANSWERS = 10
_ID = re.compile(r"\d{1,12}")


class _Owner(Part):
    display_name: Maybe[str] = None
    link: Maybe[Link] = None


class _Entry(Part):
    body: Maybe[str] = None
    score: Maybe[int] = None
    creation_date: Maybe[int] = None
    owner: Maybe[_Owner] = None
    content_license: Maybe[str] = None


class _Question(_Entry):
    question_id: int
    title: str
    link: Maybe[Link] = None
    tags: Maybe[Items[str]] = None
    answer_count: Maybe[int] = None
    view_count: Maybe[int] = None
    closed_reason: Maybe[str] = None


class _Reply(_Entry):
    answer_id: int
    question_id: Maybe[int] = None
    is_accepted: Maybe[bool] = None


class _Questions(Answer):
    items: Items[_Question]
    backoff: Maybe[float] = None


class _Replies(Answer):
    items: Items[_Reply]
    backoff: Maybe[float] = None


def matches(url: str) -> Route | None:
    at = address(url)
    host = at.host.removeprefix("www.") if at else ""
    if at is None or host in _NO_QUESTIONS or not any(within(host, one) for one in _DOMAINS):
        return None
    first, second = at.part(0), at.part(1)
    if not _ID.fullmatch(second):
        return None
    if first == "a":
        return Route(url=url, kind="answer", path=second, owner=host)
    if first in {"questions", "q"}:
        wish = re.search(r"(?:^|answer-|#)(\d{1,12})$", at.fragment)
        chosen = at.part(3) if _ID.fullmatch(at.part(3)) else wish[1] if wish else ""
        return Route(url=url, kind="question", id=second, path=chosen, owner=host)
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    number = route.id or await _question_of(route, kit)
    asked, replied = await asyncio.gather(
        _ask(route, kit, f"/questions/{number}"),
        _ask(route, kit, f"/questions/{number}/answers", sort="votes", pagesize=str(_ANSWERS)),
    )
    question, replies = read_answer(_Questions, asked), read_answer(_Replies, replied)
    _heed(kit, question.backoff or replies.backoff)
    if not question.items:
        raise complaints.gone(route.url, "no such question")
    return _page(route, kit, question.items[0], _ordered(replies.items, route.path))


async def _question_of(route: Route, kit: SiteKit) -> str:
    found = read_answer(_Replies, await _ask(route, kit, f"/answers/{route.path}")).items
    if not found or found[0].question_id is None:
        raise complaints.gone(route.url, "no such answer")
    return str(found[0].question_id)


async def _ask(route: Route, kit: SiteKit, path: str, **more: str) -> Response:
    params = {"site": route.owner, "filter": "withbody", "order": "desc", **more}
    response = await kit.upstream(API).get(path, params=params, accept=(400, 404))
    if response.status == 200:
        return response
    body = response.parsed()
    name = body.get("error_name") if isinstance(body, dict) else None
    if name == "throttle_violation":
        kit.upstream(API).rest(60.0)
        raise RateLimited("The upstream asks us to slow down.", provider=API.name)
    if name == "no_method":
        raise complaints.gone(route.url, "no such site")
    raise RateLimited("The upstream refused this request.", provider=API.name)


def _heed(kit: SiteKit, backoff: float | None) -> None:
    """Obey a wait that an answer asks for; more calls during it would get us banned."""
    if backoff is not None and 0 < backoff < 3600:
        kit.upstream(API).rest(backoff)


def _ordered(replies: tuple[_Reply, ...], wish: str) -> list[_Reply]:
    """By score, the accepted one first among equals; the one an address names leads."""
    return sorted(
        replies,
        key=lambda one: (str(one.answer_id) != wish, -(one.score or 0), not one.is_accepted),
    )


def _page(route: Route, kit: SiteKit, question: _Question, replies: list[_Reply]) -> Page:
    title = clean(question.title)
    total = max(question.answer_count or 0, len(replies))
    stamp = from_epoch(question.creation_date)
    content = prose.blocks(
        [
            prose.heading(title),
            _line(question, prose.count(question.view_count, "view")),
            f"Closed: {prose.inline(question.closed_reason)}" if question.closed_reason else "",
            prose.from_html(question.body, base=f"https://{route.owner}"),
            "Tags: " + ", ".join(map(prose.inline, question.tags)) if question.tags else "",
            *(_answer(one, route) for one in replies),
            _licence(question),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="stackexchange",
        title=title,
        final_url=question.link or route.url,
        kind="forum",
        author=clean(question.owner.display_name) or None if question.owner else None,
        site=route.owner,
        published=stamp,
        truncated=total > len(replies),
    )


def _answer(reply: _Reply, route: Route) -> str:
    mark = ", accepted" if reply.is_accepted else ""
    head = f"## Answer ({prose.count(reply.score or 0, 'vote')}{mark})"
    link = prose.link("link", f"https://{route.owner}/a/{reply.answer_id}")
    body = prose.from_html(reply.body, base=f"https://{route.owner}")
    return prose.blocks([head, _line(reply, link), body])


def _line(entry: _Entry, last: str) -> str:
    owner = entry.owner or _Owner()
    asked = isinstance(entry, _Question)
    return prose.facts(
        prose.count(entry.score, "vote") if asked else "",
        f"by {prose.link(owner.display_name, owner.link)}" if clean(owner.display_name) else "",
        day(from_epoch(entry.creation_date)),
        last,
    )


def _licence(question: _Question) -> str:
    name = prose.inline(question.content_license)
    return f"Contributions are licensed under {name}." if name else ""
