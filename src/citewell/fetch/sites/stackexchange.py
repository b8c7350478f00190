"""Reads Stack Exchange questions with their answers by score, through the public API."""

from __future__ import annotations

import asyncio
import re

from citewell.dialects.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
)
from citewell.dialects.json_responses import read_json_response as read_answer
from citewell.errors import RateLimited
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
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.web.addresses import is_within_domain

STACKEXCHANGE_API = SiteEndpoint(
    name="site_stackexchange",
    base_url="https://api.stackexchange.com/2.3",
    per_second=10.0,
    burst=10,
)
ENDPOINTS = (STACKEXCHANGE_API,)

_STACKEXCHANGE_DOMAINS = (
    "stackexchange.com",
    "stackoverflow.com",
    "serverfault.com",
    "superuser.com",
    "askubuntu.com",
    "mathoverflow.net",
    "stackapps.com",
)
_HOSTS_WITHOUT_QUESTIONS = {"stackexchange.com", "api.stackexchange.com", "data.stackexchange.com", "chat.stackexchange.com", "chat.stackoverflow.com"}  # fmt: skip
_MAX_SHOWN_ANSWERS = 10
_QUESTION_ID_PATTERN = re.compile(r"\d{1,12}")


class _PostOwner(ResponsePart):
    display_name: OptionalField[str] = None
    link: OptionalField[HttpLink] = None


class _StackExchangePost(ResponsePart):
    body: OptionalField[str] = None
    score: OptionalField[int] = None
    creation_date: OptionalField[int] = None
    owner: OptionalField[_PostOwner] = None
    content_license: OptionalField[str] = None


class _StackExchangeQuestion(_StackExchangePost):
    question_id: int
    title: str
    link: OptionalField[HttpLink] = None
    tags: OptionalField[TolerantItems[str]] = None
    answer_count: OptionalField[int] = None
    view_count: OptionalField[int] = None
    closed_reason: OptionalField[str] = None


class _StackExchangeAnswer(_StackExchangePost):
    answer_id: int
    question_id: OptionalField[int] = None
    is_accepted: OptionalField[bool] = None


class _QuestionList(JsonResponse):
    items: TolerantItems[_StackExchangeQuestion]
    backoff: OptionalField[float] = None


class _AnswerList(JsonResponse):
    items: TolerantItems[_StackExchangeAnswer]
    backoff: OptionalField[float] = None


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    host = at.host.removeprefix("www.") if at else ""
    if (
        at is None
        or host in _HOSTS_WITHOUT_QUESTIONS
        or not any(is_within_domain(host, one) for one in _STACKEXCHANGE_DOMAINS)
    ):
        return None
    first, second = at.find_part(0), at.find_part(1)
    if not _QUESTION_ID_PATTERN.fullmatch(second):
        return None
    if first == "a":
        return SiteRoute(url=url, kind="answer", path=second, owner=host)
    if first in {"questions", "q"}:
        wish = re.search(r"(?:^|answer-|#)(\d{1,12})$", at.fragment)
        chosen = (
            at.find_part(3)
            if _QUESTION_ID_PATTERN.fullmatch(at.find_part(3))
            else wish[1]
            if wish
            else ""
        )
        return SiteRoute(url=url, kind="question", id=second, path=chosen, owner=host)
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    number = route.id or await _look_up_question_id(route, kit)
    asked, replied = await asyncio.gather(
        _fetch_stackexchange(route, kit, f"/questions/{number}"),
        _fetch_stackexchange(
            route,
            kit,
            f"/questions/{number}/answers",
            sort="votes",
            pagesize=str(_MAX_SHOWN_ANSWERS),
        ),
    )
    question, replies = read_answer(_QuestionList, asked), read_answer(_AnswerList, replied)
    _apply_backoff(kit, question.backoff or replies.backoff)
    if not question.items:
        raise page_errors.build_soft_404_error(route.url, "no such question")
    return _build_question_page(
        route, kit, question.items[0], _rank_answers(replies.items, route.path)
    )


async def _look_up_question_id(route: SiteRoute, kit: SiteKit) -> str:
    found = read_answer(
        _AnswerList, await _fetch_stackexchange(route, kit, f"/answers/{route.path}")
    ).items
    if not found or found[0].question_id is None:
        raise page_errors.build_soft_404_error(route.url, "no such answer")
    return str(found[0].question_id)


async def _fetch_stackexchange(
    route: SiteRoute, kit: SiteKit, path: str, **more: str
) -> HttpResponse:
    params = {"site": route.owner, "filter": "withbody", "order": "desc", **more}
    response = await kit.open_upstream(STACKEXCHANGE_API).send_get(
        path, params=params, accept=(400, 404)
    )
    if response.status == 200:
        return response
    body = response.parse_json()
    name = body.get("error_name") if isinstance(body, dict) else None
    if name == "throttle_violation":
        kit.open_upstream(STACKEXCHANGE_API).pause_requests(60.0)
        raise RateLimited("The upstream asks us to slow down.", provider=STACKEXCHANGE_API.name)
    if name == "no_method":
        raise page_errors.build_soft_404_error(route.url, "no such site")
    raise RateLimited("The upstream refused this request.", provider=STACKEXCHANGE_API.name)


def _apply_backoff(kit: SiteKit, backoff: float | None) -> None:
    """Pause the upstream as long as a response asks; calls during that time can lead to a ban."""
    if backoff is not None and 0 < backoff < 3600:
        kit.open_upstream(STACKEXCHANGE_API).pause_requests(backoff)


def _rank_answers(
    replies: tuple[_StackExchangeAnswer, ...], wish: str
) -> list[_StackExchangeAnswer]:
    """Answers by score, accepted first among equals; one that the address names comes first."""
    return sorted(
        replies,
        key=lambda one: (str(one.answer_id) != wish, -(one.score or 0), not one.is_accepted),
    )


def _build_question_page(
    route: SiteRoute,
    kit: SiteKit,
    question: _StackExchangeQuestion,
    replies: list[_StackExchangeAnswer],
) -> Page:
    title = clean_markup(question.title)
    total = max(question.answer_count or 0, len(replies))
    stamp = format_epoch_time(question.creation_date)
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(title),
            _format_post_facts(question, markdown_parts.format_count(question.view_count, "view")),
            f"Closed: {markdown_parts.format_inline_text(question.closed_reason)}"
            if question.closed_reason
            else "",
            markdown_parts.convert_html_text(question.body, base=f"https://{route.owner}"),
            "Tags: " + ", ".join(map(markdown_parts.format_inline_text, question.tags))
            if question.tags
            else "",
            *(_render_stackexchange_answer(one, route) for one in replies),
            _format_licence_line(question),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="stackexchange",
        title=title,
        final_url=question.link or route.url,
        kind="forum",
        author=clean_markup(question.owner.display_name) or None if question.owner else None,
        site=route.owner,
        published=stamp,
        truncated=total > len(replies),
    )


def _render_stackexchange_answer(reply: _StackExchangeAnswer, route: SiteRoute) -> str:
    mark = ", accepted" if reply.is_accepted else ""
    head = f"## Answer ({markdown_parts.format_count(reply.score or 0, 'vote')}{mark})"
    link = markdown_parts.format_markdown_link("link", f"https://{route.owner}/a/{reply.answer_id}")
    body = markdown_parts.convert_html_text(reply.body, base=f"https://{route.owner}")
    return markdown_parts.join_blocks([head, _format_post_facts(reply, link), body])


def _format_post_facts(entry: _StackExchangePost, last: str) -> str:
    owner = entry.owner or _PostOwner()
    asked = isinstance(entry, _StackExchangeQuestion)
    return markdown_parts.join_facts(
        markdown_parts.format_count(entry.score, "vote") if asked else "",
        f"by {markdown_parts.format_markdown_link(owner.display_name, owner.link)}"
        if clean_markup(owner.display_name)
        else "",
        trim_to_date(format_epoch_time(entry.creation_date)),
        last,
    )


def _format_licence_line(question: _StackExchangeQuestion) -> str:
    name = markdown_parts.format_inline_text(question.content_license)
    return f"Contributions are licensed under {name}." if name else ""
