"""A Reddit post with its comments: read from HTML pages, and written as markdown and forum signals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from citewell.core.values.scrape_results import ForumComment, ForumSignals
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import format_epoch_time, normalize_iso_time, trim_to_date
from citewell.reading.sites.site_markdown import RenderedThread, ThreadComment
from citewell.text.addresses import is_web_address
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

REDDIT_ADDRESS = "https://www.reddit.com"
COMMUNITY_NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{2,32}")
REMOVED_BODIES = frozenset({"", "[deleted]", "[removed]", "[ Removed by Reddit ]"})
_COMMENT_PATH_PATTERN = re.compile(r"/([a-z0-9]{2,12})/?$")
_COUNT_PATTERN = re.compile(r"\d{1,7}")
_MAX_PAGE_COMMENTS = 2000
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


# Threads on the pages of old.reddit.com and www.reddit.com.


def parse_old_thread(html: str) -> RedditThread | None:
    """The thread; None if the page shows none, such as a bot wall, a login or another layout."""
    tree = site_markdown.parse_site_html(html)
    post = tree.css_first("#siteTable .thing.link")
    if post is None or post.css_first("a.title") is None:
        return None
    found: list[RedditComment] = []
    places: dict[int, int] = {}  # the place in `found` of each comment's element
    unsent = 0
    for node in tree.css(".commentarea .thing")[:_MAX_PAGE_COMMENTS]:
        parent = _find_parent_thing(node)
        above = places.get(parent.mem_id, -1) if parent is not None else -1
        classes = site_markdown.find_node_attribute(node, "class").split()
        if "comment" in classes:
            places[node.mem_id] = len(found)
            found.append(_build_old_comment(node, found[above].depth + 1 if above >= 0 else 0))
        elif "morechildren" in classes or "morerecursion" in classes:
            # How many comments a `load more comments (12 replies)` link stands for; at least one.
            match = _COUNT_PATTERN.search(node.text(separator=" ")[:200])
            count = max(1, int(match[0])) if match else 1
            if above >= 0:
                known = found[above].unsent_replies
                found[above] = replace(found[above], unsent_replies=known + count)
            else:
                unsent += count
    return RedditThread(post=_build_old_post(post), comments=tuple(found), unsent_comments=unsent)


def _find_parent_thing(node: LexborNode) -> LexborNode | None:
    parent = node.parent
    while parent is not None:
        if "thing" in site_markdown.find_node_attribute(parent, "class").split():
            return parent
        parent = parent.parent
    return None


def _build_old_post(node: LexborNode) -> RedditPost:
    title = node.css_first("a.title")
    body = node.css_first(".usertext-body .md")
    target = site_markdown.find_node_attribute(node, "data-url")
    own = not is_web_address(target) or "/comments/" in target
    flair = node.css_first(".linkflairlabel")
    labels = (
        "spoiler" if site_markdown.find_node_attribute(node, "data-spoiler") == "true" else "",
        "NSFW" if site_markdown.find_node_attribute(node, "data-nsfw") == "true" else "",
        clean_markup(flair.text()) if flair is not None else "",
    )
    stamp = site_markdown.find_node_attribute(node, "data-timestamp")
    seconds = int(stamp) / 1000 if stamp.isascii() and stamp.isdigit() and len(stamp) < 16 else None
    return RedditPost(
        title=clean_markup(title.text()) if title is not None else "",
        author=clean_markup(site_markdown.find_node_attribute(node, "data-author")) or "[deleted]",
        html=(body.html or "") if body is not None else "",
        labels=tuple(filter(None, labels)),
        score=parse_number_attribute(node, "data-score"),
        comments=parse_number_attribute(node, "data-comments-count"),
        created=format_epoch_time(seconds) or _find_entry_time(node),
        community=clean_markup(site_markdown.find_node_attribute(node, "data-subreddit")),
        link=None if own else target,
        permalink=build_reddit_permalink(site_markdown.find_node_attribute(node, "data-permalink")),
    )


def _build_old_comment(node: LexborNode, depth: int) -> RedditComment:
    entry = _find_own_entry(node)
    body = entry.css_first(".usertext-body .md") if entry is not None else None
    score = entry.css_first(".score.unvoted") if entry is not None else None
    return RedditComment(
        id=site_markdown.find_node_attribute(node, "data-fullname").removeprefix("t1_").lower(),
        author=clean_markup(site_markdown.find_node_attribute(node, "data-author")) or "[deleted]",
        html=(body.html or "") if body is not None else "",
        plain_text=clean_markup(body.text(separator=" ")) if body is not None else "",
        score=parse_number_attribute(score, "title") if score is not None else None,
        created=_find_entry_time(entry) if entry is not None else None,
        permalink=build_reddit_permalink(site_markdown.find_node_attribute(node, "data-permalink")),
        depth=depth,
        pinned="stickied" in site_markdown.find_node_attribute(node, "class").split(),
    )


def _find_own_entry(node: LexborNode) -> LexborNode | None:
    """The part of a comment's element that is not its replies."""
    child = node.child
    while child is not None:
        if "entry" in site_markdown.find_node_attribute(child, "class").split():
            return child
        child = child.next
    return None


def _find_entry_time(node: LexborNode) -> str | None:
    stamp = node.css_first("time[datetime]")
    return (
        normalize_iso_time(site_markdown.find_node_attribute(stamp, "datetime"))
        if stamp is not None
        else None
    )


# Reads a thread from the custom elements of a page of www.reddit.com.


def find_reddit_post(html: str) -> RedditPost | None:
    """The post; None if the page shows none, such as a bot wall, a login or another layout."""
    node = site_markdown.parse_site_html(html).css_first("shreddit-post[post-title]")
    if node is None:
        return None
    body = node.css_first('[slot="text-body"]')
    target = site_markdown.find_node_attribute(node, "content-href")
    own = not target or "/comments/" in target
    labels = ("spoiler" if "spoiler" in node.attributes else "", "NSFW" if "nsfw" in node.attributes else "")  # fmt: skip
    return RedditPost(
        title=clean_markup(site_markdown.find_node_attribute(node, "post-title")),
        author=clean_markup(site_markdown.find_node_attribute(node, "author")),
        html=(body.html or "") if body is not None else "",
        labels=tuple(filter(None, labels)),
        score=parse_number_attribute(node, "score"),
        comments=parse_number_attribute(node, "comment-count"),
        created=normalize_iso_time(site_markdown.find_node_attribute(node, "created-timestamp")),
        community=clean_markup(
            site_markdown.find_node_attribute(node, "subreddit-prefixed-name")
        ).removeprefix("r/"),
        link=None if own else target,
        permalink=build_reddit_permalink(site_markdown.find_node_attribute(node, "permalink")),
    )


def read_reddit_comments(html: str) -> tuple[RedditComment, ...]:
    found: list[RedditComment] = []
    for node in site_markdown.parse_site_html(html).css("shreddit-comment[author]"):
        body = _find_comment_body(node)
        if body is None:
            continue
        named = site_markdown.find_node_attribute(node, "thingid").removeprefix("t1_").lower()
        path_end = site_markdown.find_node_attribute(node, "permalink")[-40:].lower()
        in_path = _COMMENT_PATH_PATTERN.search(path_end)
        found.append(
            RedditComment(
                id=named or (in_path[1] if in_path else ""),
                author=clean_markup(site_markdown.find_node_attribute(node, "author"))
                or "[deleted]",
                html=body.html or "",
                plain_text=clean_markup(body.text(separator=" ")),
                score=parse_number_attribute(node, "score"),
                created=normalize_iso_time(site_markdown.find_node_attribute(node, "created")),
                permalink=build_reddit_permalink(
                    site_markdown.find_node_attribute(node, "permalink")
                ),
                depth=max(0, parse_number_attribute(node, "depth")),
            )
        )
    return tuple(found)


def _find_comment_body(node: LexborNode) -> LexborNode | None:
    """The comment's own text element, not that of a reply nested in it."""
    for body in node.css('[slot="comment"]'):
        parent = body.parent
        while parent is not None and parent.tag != "shreddit-comment":
            parent = parent.parent
        if parent is not None and parent.mem_id == node.mem_id:
            return body
    return None


def parse_number_attribute(node: LexborNode, name: str) -> int:
    text = site_markdown.find_node_attribute(node, name).strip()
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 12 else 0
