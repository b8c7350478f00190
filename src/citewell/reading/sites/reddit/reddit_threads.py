"""A Reddit post with its comments, whichever way it was read, as markdown and forum signals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.core.values.scrape_results import ForumComment, ForumSignals
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import trim_to_date
from citewell.reading.sites.site_markdown import RenderedThread, ThreadComment
from citewell.text.safety.text_cleaning import clean_markup

REDDIT_ADDRESS = "https://www.reddit.com"
COMMUNITY_NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{2,32}")
REMOVED_BODIES = frozenset({"", "[deleted]", "[removed]", "[ Removed by Reddit ]"})
_SPOILER_SELECTOR = ".md-spoiler-text, shreddit-spoiler"
_MAX_TOP_COMMENTS = 5
_TOP_COMMENT_BYTES = 500  # bytes of a top comment
_FEW_UPVOTES = 20
_FEW_UPVOTES_NOTE = (
    "Fewer than 20 upvotes: such a small count is easily faked by vote manipulation and says"
    " little about what the community thinks."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditPost:
    title: str
    author: str
    score: int
    comments: int
    created: str | None
    community: str
    html: str = ""
    markdown: str = ""  # used if there is no HTML
    extras: tuple[str, ...] = ()  # markdown blocks: a poll, a gallery, the post that was shared
    labels: tuple[str, ...] = ()  # spoiler, NSFW, the flair
    link: str | None = None
    permalink: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditComment:
    author: str
    plain_text: str
    score: int | None
    id: str = ""
    html: str = ""
    created: str | None = None
    permalink: str | None = None
    depth: int = 0
    pinned: bool = False
    unsent_replies: int = 0

    @property
    def is_removed(self) -> bool:
        return self.plain_text.strip() in REMOVED_BODIES and "<img" not in self.html


@dataclass(frozen=True, slots=True, kw_only=True)
class RedditThread:
    post: RedditPost
    comments: tuple[RedditComment, ...] = ()  # in page order, each before its replies
    unsent_comments: int = 0  # comments of the first level that Reddit counts and did not send

    @property
    def is_deleted(self) -> bool:
        text = clean_markup(self.post.html or self.post.markdown)
        is_gone = self.post.author == "[deleted]" and text in REMOVED_BODIES - {""}
        return is_gone and not self.comments


def render_reddit_thread(thread: RedditThread, *, linked: str = "") -> RenderedThread:
    """The page as markdown; the comment with the id `linked` is marked."""
    post = thread.post
    replies = site_markdown.render_comment_thread(
        [_build_thread_comment(comment, linked) for comment in thread.comments],
        base=REDDIT_ADDRESS,
        unsent_comments=thread.unsent_comments,
    )
    total = max(post.comments, replies.total)
    markdown = site_markdown.join_blocks(
        [
            site_markdown.format_heading(post.title),
            _format_post_line(post),
            site_markdown.format_markdown_link(post.link, post.link) if post.link else "",
            site_markdown.convert_html_text(mark_spoilers(post.html), base=REDDIT_ADDRESS)
            or post.markdown,
            *post.extras,
            f"## Comments ({replies.shown:,} of {total:,})" if replies.shown else "",
            replies.markdown,
        ]
    )
    return RenderedThread(markdown=markdown, shown=replies.shown, total=total)


def _build_thread_comment(comment: RedditComment, linked: str) -> ThreadComment:
    is_linked = bool(linked) and comment.id == linked
    if comment.is_removed and not is_linked:
        head = "*a deleted comment*"
        return ThreadComment(depth=comment.depth, head=head, unsent_replies=comment.unsent_replies)
    head = site_markdown.join_facts(
        f"**u/{site_markdown.format_inline_text(comment.author)}**",
        site_markdown.format_count(comment.score, "point"),
        site_markdown.format_markdown_link(trim_to_date(comment.created), comment.permalink),
        "pinned" if comment.pinned else "",
    )
    return ThreadComment(
        depth=comment.depth,
        head=head,
        html=mark_spoilers(comment.html),
        markdown=site_markdown.convert_plain_text(comment.plain_text),
        unsent_replies=comment.unsent_replies,
        is_linked=is_linked,
    )


def mark_spoilers(html: str) -> str:
    """The HTML with spoilers in brackets; a reader of the site has to click to see them."""
    if "spoiler" not in html:
        return html
    tree = site_markdown.parse_site_html(html)
    for node in tree.css(_SPOILER_SELECTOR):
        node.insert_before("[spoiler: ")
        node.insert_after("]")
    return (tree.body.html or "") if tree.body is not None else html


def build_forum_signals(post: RedditPost, comments: Sequence[RedditComment]) -> ForumSignals:
    """Votes, comment count and top comments, with a note if the votes are few."""
    ranked = sorted(
        (comment for comment in comments if not comment.pinned and not comment.is_removed),
        key=lambda comment: -(comment.score or 0),
    )
    top = tuple(
        ForumComment(
            author=comment.author,
            score=comment.score or 0,
            body=site_markdown.trim_excerpt(comment.plain_text, _TOP_COMMENT_BYTES),
            permalink=comment.permalink,
            created=comment.created,
        )
        for comment in ranked[:_MAX_TOP_COMMENTS]
    )
    return ForumSignals(
        platform="reddit",
        upvotes=post.score,
        comments=post.comments,
        date_published=post.created,
        author_name=post.author or None,
        credibility_note=_FEW_UPVOTES_NOTE if post.score < _FEW_UPVOTES else None,
        top_comments=top or None,
    )


def _format_post_line(post: RedditPost) -> str:
    name = post.community
    return site_markdown.join_facts(
        site_markdown.format_markdown_link(f"r/{name}", f"{REDDIT_ADDRESS}/r/{name}")
        if COMMUNITY_NAME_PATTERN.fullmatch(name)
        else "",
        f"by u/{site_markdown.format_inline_text(post.author)}" if post.author else "",
        trim_to_date(post.created),
        site_markdown.format_count(post.score, "point"),
        site_markdown.format_count(post.comments, "comment"),
        *map(site_markdown.format_inline_text, post.labels),
    )


def build_reddit_permalink(path: str | None) -> str | None:
    """The address of a permalink, which Reddit gives as a path; None if it is something else."""
    cleaned = clean_markup(path)
    return f"{REDDIT_ADDRESS}{cleaned}" if cleaned.startswith(("/r/", "/user/")) else None
