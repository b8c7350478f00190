"""Questions, answers and comments of Stack Exchange, and a whole question page as markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from citewell.net.upstream.json_responses import (
    HttpLink,
    JsonResponse,
    OptionalField,
    ResponsePart,
    TolerantItems,
)
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import format_epoch_time, trim_to_date
from citewell.text.safety.text_cleaning import clean_markup


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
