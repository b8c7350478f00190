"""Reads Stack Exchange questions with their answers and comments, through the public API."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from citewell.core.errors import NotFound, RateLimited, UpstreamError
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
    read_json_response,
)
from citewell.reading import page_errors
from citewell.reading.sites import find_site_name, site_kit, site_markdown
from citewell.reading.sites.site_kit import format_epoch_time, trim_to_date
from citewell.text.safety.text_cleaning import clean_markup

STACKEXCHANGE_API = site_kit.SiteEndpoint(
    name="site_stackexchange",
    base_url="https://api.stackexchange.com/2.3",
    per_second=10.0,
    burst=10,
)
ENDPOINTS = (STACKEXCHANGE_API,)

_KEY_SETTING = "STACKEXCHANGE_KEY"
_HOSTS_WITHOUT_QUESTIONS = {"stackexchange.com", "api.stackexchange.com", "data.stackexchange.com", "chat.stackexchange.com", "chat.stackoverflow.com"}  # fmt: skip
_PAGE_SIZE = 100  # the most that the API allows
_MAX_ANSWER_PAGES = 2
_MAX_COMMENT_PAGES = 3
_THROTTLE_SECONDS = 60.0
_NO_QUOTA_SECONDS = 3600.0
_MAX_PAUSE_SECONDS = 86_400.0
_POST_ID_PATTERN = re.compile(r"\d{1,12}")
_ANSWER_FRAGMENT_PATTERN = re.compile(r"(?:answer-)?(\d{1,12})")
_COMMENT_FRAGMENT_PATTERN = re.compile(r"comment(\d{1,12})_(\d{1,12})")
_DELAY_PATTERN = re.compile(r"available in (\d{1,6}) seconds")


class _PostOwner(ResponsePart):
    display_name: OptionalField[str] = None
    link: OptionalField[HttpLink] = None


class _StackExchangePost(ResponsePart):
    body: OptionalField[str] = None
    score: OptionalField[int] = None
    creation_date: OptionalField[int] = None
    owner: OptionalField[_PostOwner] = None
    content_license: OptionalField[str] = None


class StackExchangeQuestion(_StackExchangePost):
    question_id: int
    title: str
    link: OptionalField[HttpLink] = None
    tags: OptionalField[TolerantItems[str]] = None
    answer_count: OptionalField[int] = None
    view_count: OptionalField[int] = None
    closed_reason: OptionalField[str] = None

    @property
    def author(self) -> str | None:
        return clean_markup(self.owner.display_name) or None if self.owner else None


class StackExchangeAnswer(_StackExchangePost):
    answer_id: int
    question_id: OptionalField[int] = None
    is_accepted: OptionalField[bool] = None


class StackExchangeComment(_StackExchangePost):
    comment_id: int
    post_id: int


class ApiEnvelope(JsonResponse):
    """What every response has: more pages, seconds to wait, and requests left today."""

    has_more: OptionalField[bool] = None
    backoff: OptionalField[float] = None
    quota_remaining: OptionalField[int] = None


E = TypeVar("E", bound=ApiEnvelope)


class QuestionList(ApiEnvelope):
    items: TolerantItems[StackExchangeQuestion]


class AnswerList(ApiEnvelope):
    items: TolerantItems[StackExchangeAnswer]


class CommentList(ApiEnvelope):
    items: TolerantItems[StackExchangeComment]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionThread:
    """A question with what was fetched of its answers and comments."""

    host: str
    question: StackExchangeQuestion
    answers: Sequence[StackExchangeAnswer]
    comments: Mapping[int, Sequence[StackExchangeComment]] = field(default_factory=dict)  # by post
    linked_answer: str = ""
    linked_comment: str = ""
    notes: tuple[str, ...] = ()

    @property
    def total_answers(self) -> int:
        return max(self.question.answer_count or 0, len(self.answers))


def rank_answers(answers: Iterable[StackExchangeAnswer], linked: str) -> list[StackExchangeAnswer]:
    """Answers by score, accepted first among equals; the one that the address names comes first."""

    def rank(answer: StackExchangeAnswer) -> tuple[bool, int, bool]:
        return str(answer.answer_id) != linked, -(answer.score or 0), not answer.is_accepted

    return sorted({answer.answer_id: answer for answer in answers}.values(), key=rank)


def group_comments(
    comments: Iterable[StackExchangeComment],
) -> dict[int, list[StackExchangeComment]]:
    """The comments of each post, oldest first, as the site shows them."""
    unique = {comment.comment_id: comment for comment in comments}
    grouped: dict[int, list[StackExchangeComment]] = {}
    for _, comment in sorted(
        unique.items(), key=lambda pair: (pair[1].creation_date or 0, pair[0])
    ):
        grouped.setdefault(comment.post_id, []).append(comment)
    return grouped


def render_question_page(thread: QuestionThread) -> str:
    question, shown = thread.question, len(thread.answers)
    counts = f"{shown:,} of {thread.total_answers:,}"
    licence = site_markdown.format_inline_text(question.content_license)
    return site_markdown.join_blocks(
        [
            site_markdown.format_heading(question.title),
            _format_post_facts(question, site_markdown.format_count(question.view_count, "view")),
            f"Closed: {site_markdown.format_inline_text(question.closed_reason)}"
            if question.closed_reason
            else "",
            site_markdown.convert_html_text(question.body, base=f"https://{thread.host}"),
            "Tags: " + ", ".join(map(site_markdown.format_inline_text, question.tags))
            if question.tags
            else "",
            _render_post_comments(thread, question.question_id),
            f"*{counts} answers are shown.*" if shown < thread.total_answers else "",
            *(_render_stackexchange_answer(answer, thread) for answer in thread.answers),
            f"Contributions are licensed under {licence}." if licence else "",
        ]
    )


def _render_stackexchange_answer(reply: StackExchangeAnswer, thread: QuestionThread) -> str:
    mark = ", accepted" if reply.is_accepted else ""
    head = f"## Answer ({site_markdown.format_count(reply.score or 0, 'vote')}{mark})"
    link = site_markdown.format_markdown_link("link", f"https://{thread.host}/a/{reply.answer_id}")
    is_linked = str(reply.answer_id) == thread.linked_answer
    facts = _format_post_facts(reply, link)
    body = site_markdown.convert_html_text(reply.body, base=f"https://{thread.host}")
    return site_markdown.join_blocks(
        [
            head,
            site_markdown.join_facts(facts, "**the linked answer**" if is_linked else ""),
            body,
            _render_post_comments(thread, reply.answer_id),
        ]
    )


def _render_post_comments(thread: QuestionThread, post: int) -> str:
    comments = [row for row in thread.comments.get(post, ()) if (row.body or "").strip()]
    if not comments:
        return ""
    entries = (_format_comment_entry(comment, thread) for comment in comments)
    return site_markdown.join_blocks(["**Comments**", "\n".join(entries)])


def _format_comment_entry(comment: StackExchangeComment, thread: QuestionThread) -> str:
    text = site_markdown.convert_html_text(comment.body, base=f"https://{thread.host}")
    owner = comment.owner or _PostOwner()
    facts = site_markdown.join_facts(
        site_markdown.format_inline_text(owner.display_name),
        trim_to_date(format_epoch_time(comment.creation_date)),
        site_markdown.format_count(comment.score, "vote") if comment.score else "",
        "**the linked comment**" if str(comment.comment_id) == thread.linked_comment else "",
    )
    lines = f"{text} ({facts})" if facts else text
    return "- " + "\n  ".join(lines.split("\n"))


def _format_post_facts(entry: _StackExchangePost, last: str) -> str:
    owner = entry.owner or _PostOwner()
    is_question = isinstance(entry, StackExchangeQuestion)
    return site_markdown.join_facts(
        site_markdown.format_count(entry.score, "vote") if is_question else "",
        f"by {site_markdown.format_markdown_link(owner.display_name, owner.link)}"
        if clean_markup(owner.display_name)
        else "",
        trim_to_date(format_epoch_time(entry.creation_date)),
        last,
    )


def find_route(url: str) -> site_kit.SiteRoute | None:
    """The route: `id` is the question, `path` the linked answer, `name` the linked comment."""
    at = site_kit.parse_site_address(url)
    host = at.host.removeprefix("www.") if at else ""
    if at is None or host in _HOSTS_WITHOUT_QUESTIONS or find_site_name(host) != "stackexchange":
        return None
    first, second = at.find_part(0), at.find_part(1)
    if not _POST_ID_PATTERN.fullmatch(second):
        return None
    fragment = _COMMENT_FRAGMENT_PATTERN.fullmatch(at.fragment)
    comment = fragment[1] if fragment else ""
    if first == "a":
        return site_kit.SiteRoute(url=url, kind="answer", path=second, owner=host, name=comment)
    if first not in {"questions", "q"}:
        return None
    answer = _ANSWER_FRAGMENT_PATTERN.fullmatch(at.fragment)
    in_path = at.find_part(3) if first == "questions" else ""
    chosen = in_path if _POST_ID_PATTERN.fullmatch(in_path) else answer[1] if answer else ""
    post = fragment[2] if fragment and fragment[2] != second else ""
    return site_kit.SiteRoute(
        url=url, kind="question", id=second, path=chosen or post, owner=host, name=comment
    )


@site_kit.fall_back_to_ladder
async def read_page(route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> Page | None:
    reading = _QuestionReading(route, kit)
    try:
        thread = await reading.fetch_thread()
    finally:
        # Send nothing for as long as the responses ask; calls during that time can lead to a ban.
        if reading.pause_seconds > 0:
            seconds = min(reading.pause_seconds, _MAX_PAUSE_SECONDS)
            kit.open_upstream(STACKEXCHANGE_API).pause_requests(seconds)
    question = thread.question
    content = await kit.run_apart(render_question_page, thread)
    return kit.build_page(
        route,
        content=content,
        content_type="stackexchange",
        title=clean_markup(question.title),
        final_url=question.link or route.url,
        kind="forum",
        author=question.author,
        site=route.owner,
        published=site_kit.format_epoch_time(question.creation_date),
        notes=thread.notes,
        truncated=thread.total_answers > len(thread.answers),
    )


class _QuestionReading:
    """The requests for one page, and how long the API asks us to wait after them."""

    def __init__(self, route: site_kit.SiteRoute, kit: site_kit.SiteKit) -> None:
        self._route = route
        self._kit = kit
        self.pause_seconds = 0.0
        self._has_backoff: set[str] = set()  # methods that must not be called again now

    async def fetch_thread(self) -> QuestionThread:
        route = self._route
        linked = await self._fetch_linked_answer() if route.kind == "answer" else None
        if route.kind == "answer" and (linked is None or linked.question_id is None):
            raise page_errors.build_soft_404_error(route.url, "no such answer")
        number = str(linked.question_id) if linked else route.id
        questions, replies = await asyncio.gather(
            self._fetch_list(QuestionList, f"/questions/{number}"),
            self._fetch_answers(number),
        )
        if not questions.items:
            raise page_errors.build_soft_404_error(route.url, "no such question")
        is_fetched = any(str(answer.answer_id) == route.path for answer in replies)
        if route.path and linked is None and not is_fetched:
            linked = await self._fetch_optional_answer(number)
        answers = rank_answers([*replies, *([linked] if linked else [])], route.path)  # fmt: skip
        comments, notes = await self._fetch_comments(
            [questions.items[0].question_id, *(answer.answer_id for answer in answers)]
        )
        return QuestionThread(
            host=route.owner,
            question=questions.items[0],
            answers=answers,
            comments=group_comments(comments),
            linked_answer=route.path,
            linked_comment=route.name,
            notes=notes,
        )

    async def _fetch_linked_answer(self) -> StackExchangeAnswer | None:
        found = (await self._fetch_list(AnswerList, f"/answers/{self._route.path}")).items
        return found[0] if found else None

    async def _fetch_optional_answer(self, question: str) -> StackExchangeAnswer | None:
        """The linked answer, if there is one and it belongs to the question."""
        try:
            found = await self._fetch_linked_answer()
        except (UpstreamError, NotFound):
            return None
        return found if found and str(found.question_id) == question else None

    async def _fetch_answers(self, question: str) -> list[StackExchangeAnswer]:
        found: list[StackExchangeAnswer] = []
        for page in range(1, _MAX_ANSWER_PAGES + 1):
            answer = await self._fetch_list(
                AnswerList, f"/questions/{question}/answers", sort="votes", page=page
            )
            found += answer.items
            if not answer.has_more or "answers" in self._has_backoff:
                break
        return found

    async def _fetch_comments(
        self, posts: Sequence[int]
    ) -> tuple[list[StackExchangeComment], tuple[str, ...]]:
        """The comments on the posts, and a note if some are missing; a failure costs only them."""
        found: list[StackExchangeComment] = []
        named = ";".join(map(str, posts[:_PAGE_SIZE]))
        try:
            for page in range(1, _MAX_COMMENT_PAGES + 1):
                answer = await self._fetch_list(
                    CommentList, f"/posts/{named}/comments", sort="creation", page=page
                )
                found += answer.items
                if not answer.has_more:
                    return found, ()
                if "comments" in self._has_backoff:
                    break
        except (UpstreamError, NotFound) as error:
            if error.provider is None:
                raise
            return found, ("Comments could not be read.",)
        return found, (
            f"Only the newest {len(found)} {pluralize(len(found), 'comment is', 'comments are')} shown.",
        )

    async def _fetch_list(self, model: type[E], path: str, *, sort: str = "", page: int = 1) -> E:
        params = {"site": self._route.owner, "filter": "withbody", "order": "desc"}
        if sort:
            params |= {"sort": sort, "page": str(page), "pagesize": str(_PAGE_SIZE)}
        if key := self._kit.setting_values.get(_KEY_SETTING):
            params["key"] = key
        response = await self._kit.open_upstream(STACKEXCHANGE_API).send_get(
            path, params=params, accept=(400, 404)
        )
        if response.status != 200:
            self._raise_api_error(response)
        answer = read_json_response(model, response)
        self._note_limits(path.rpartition("/")[2], answer)
        return answer

    def _note_limits(self, method: str, answer: ApiEnvelope) -> None:
        if answer.backoff is not None and answer.backoff > 0:
            self._has_backoff.add(method)
            self.pause_seconds = max(self.pause_seconds, answer.backoff)
        if answer.quota_remaining is not None and answer.quota_remaining <= 0:
            self.pause_seconds = max(self.pause_seconds, _NO_QUOTA_SECONDS)

    def _raise_api_error(self, response: HttpResponse) -> None:
        body = response.parse_json()
        name = body.get("error_name") if isinstance(body, dict) else None
        if name == "throttle_violation":
            delay = _DELAY_PATTERN.search(str(body.get("error_message")))
            seconds = float(delay[1]) if delay else _THROTTLE_SECONDS
            self.pause_seconds = max(self.pause_seconds, seconds)
            raise RateLimited("The upstream asks us to slow down.", provider=STACKEXCHANGE_API.name)
        if name == "no_method":
            raise page_errors.build_soft_404_error(self._route.url, "no such site")
        raise RateLimited("The upstream refused this request.", provider=STACKEXCHANGE_API.name)
