"""Builds the markdown of site pages: text, facts, and trees of comments as nested quotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from citewell.reading.markdown import markdown_text
from citewell.text.safety.text_cleaning import clean_markup, extract_visible_text
from citewell.text.truncation import truncate_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_WEB_ADDRESS_PATTERN = re.compile(r"https?://[^\s<>\"]+")
_UNSHOWN_SELECTOR = "style, noscript, template"

MAX_THREAD_COMMENTS = 1000
_MAX_QUOTE_DEPTH = 10  # deeper replies are shown at this depth, with their level in words


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadComment:
    """One comment of a thread whose comments are listed in page order, each before its replies."""

    depth: int
    head: str  # the line above its text, as markdown
    html: str = ""
    markdown: str = ""  # used if there is no HTML
    unsent_replies: int = 0  # replies below it that the site counts but did not send
    is_linked: bool = False  # the comment that the address names

    @property
    def is_empty(self) -> bool:
        return not self.html and not self.markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedThread:
    markdown: str
    shown: int
    total: int  # with those that the site did not send


def render_comment_thread(
    comments: Sequence[ThreadComment],
    *,
    base: str,
    limit: int = MAX_THREAD_COMMENTS,
    unsent_comments: int = 0,
) -> RenderedThread:
    """The thread as markdown.

    If there are more comments than `limit`, those of the upper levels are kept, so that every
    branch is begun; a linked comment and those above it are always kept. `unsent_comments` are
    comments of the first level that the site counts but did not send.
    """
    wanted = _drop_bare_placeholders(comments)
    kept = _choose_comments(wanted, limit)
    omitted = _count_omitted_replies(wanted, kept)
    blocks: list[str] = []
    open_counts: list[tuple[int, int]] = []  # depth and number of replies to report, innermost last
    for place, comment in enumerate(wanted):
        if place not in kept:
            continue
        while open_counts and open_counts[-1][0] > comment.depth:
            blocks.append(_render_omission(*open_counts.pop()))
        blocks.append(_render_thread_comment(comment, base))
        if missing := omitted[place] + comment.unsent_replies:
            open_counts.append((comment.depth + 1, missing))
    blocks += [_render_omission(*counted) for counted in reversed(open_counts)]
    first_level = omitted[_ROOT_PLACE] + unsent_comments
    blocks += [_render_omission(0, first_level)] if first_level else []
    shown = sum(1 for place in kept if not wanted[place].is_empty)
    total = sum(1 for comment in wanted if not comment.is_empty)
    unsent = unsent_comments + sum(comment.unsent_replies for comment in wanted)
    return RenderedThread(markdown=join_blocks(blocks), shown=shown, total=total + unsent)


_ROOT_PLACE = -1


def _drop_bare_placeholders(comments: Sequence[ThreadComment]) -> list[ThreadComment]:
    """The comments without those that were deleted and have no replies."""
    kept: list[ThreadComment] = []
    for comment in reversed(comments):
        has_reply = bool(kept) and kept[-1].depth > comment.depth
        if not comment.is_empty or comment.unsent_replies or has_reply:
            kept.append(comment)
    kept.reverse()
    return kept


def _find_parent_places(comments: Sequence[ThreadComment]) -> list[int]:
    """For each comment the place of the comment it replies to; -1 on the first level."""
    parents: list[int] = []
    branch: list[int] = []
    for place, comment in enumerate(comments):
        while branch and comments[branch[-1]].depth >= comment.depth:
            branch.pop()
        parents.append(branch[-1] if branch else _ROOT_PLACE)
        branch.append(place)
    return parents


def _choose_comments(comments: Sequence[ThreadComment], limit: int) -> frozenset[int]:
    parents = _find_parent_places(comments)
    kept: set[int] = set()
    for place, comment in enumerate(comments):
        if comment.is_linked:
            while place != _ROOT_PLACE:
                kept.add(place)
                place = parents[place]  # noqa: PLW2901 - climbs to the first level
    by_level = sorted(range(len(comments)), key=lambda place: comments[place].depth)
    for place in by_level:
        if len(kept) >= limit:
            break
        if parents[place] == _ROOT_PLACE or parents[place] in kept:
            kept.add(place)
    return frozenset(kept)


def _count_omitted_replies(comments: Sequence[ThreadComment], kept: frozenset[int]) -> Counter[int]:
    """How many comments are left out below each kept comment, by its place."""
    counts: Counter[int] = Counter()
    parents = _find_parent_places(comments)
    owners: list[int] = []  # the nearest kept comment above each comment
    for place, parent in enumerate(parents):
        owner = parent if parent == _ROOT_PLACE or parent in kept else owners[parent]
        owners.append(owner)
        if place not in kept and not comments[place].is_empty:
            counts[owner] += 1
    return counts


def _render_thread_comment(comment: ThreadComment, base: str) -> str:
    body = convert_html_text(comment.html, base=base) or comment.markdown
    level = f"level {comment.depth + 1}" if comment.depth > _MAX_QUOTE_DEPTH else ""
    mark = "**the linked comment**" if comment.is_linked else ""
    head = join_facts(comment.head, level, mark)
    return _quote_by_depth(join_blocks([head, body]), comment.depth)


def _render_omission(depth: int, count: int) -> str:
    noun = "reply" if depth else "comment"
    plural = "replies" if depth else "comments"
    return _quote_by_depth(f"*{count:,} more {noun if count == 1 else plural} not shown*", depth)


def _quote_by_depth(markdown: str, depth: int) -> str:
    prefix = "> " * min(depth, _MAX_QUOTE_DEPTH)
    return "\n".join(f"{prefix}{line}".rstrip() for line in markdown.split("\n"))


# Builds the markdown of site pages from HTML fragments, plain text and short facts.


def parse_site_html(html: str) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    from citewell.reading.html.markup_limits import limit_markup

    return LexborHTMLParser(limit_markup(html))


def list_node_texts(tree: LexborHTMLParser | LexborNode, selector: str) -> list[str]:
    """The cleaned text of each element that a CSS selector finds, each text once."""
    texts = (clean_markup(node.text()) for node in tree.css(selector))
    return list(dict.fromkeys(text for text in texts if text))


def find_node_attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def convert_html_text(
    html: str | None, *, base: str = "", without: str = "", within: str = ""
) -> str:
    """An HTML fragment as markdown. CSS selectors: `without` drops nodes, `within` picks the part."""
    from citewell.reading import hidden_text
    from citewell.reading.markdown.markdown_writer import render_markdown

    if not html:
        return ""
    tree = parse_site_html(html)
    hidden_text.remove_hidden_text(tree)
    for node in tree.css(f"{_UNSHOWN_SELECTOR}, {without}" if without else _UNSHOWN_SELECTOR):
        node.decompose()
    part = tree.css_first(within) if within else tree.body
    return render_markdown(part, base=base) if part is not None else ""


def convert_plain_text(text: str | None) -> str:
    """Plain text as markdown: characters escaped, line breaks kept."""
    return keep_line_breaks(
        "\n".join(escape_around_addresses(line) for line in (text or "").split("\n"))
    )


def keep_line_breaks(text: str) -> str:
    """Markdown with its single line breaks turned into hard breaks."""
    paragraphs = re.split(r"\n[ \t]*(?:\n[ \t]*)+", text.strip())
    lines = ([line.rstrip(" \t") for line in text.split("\n")] for text in paragraphs)
    return "\n\n".join(map("  \n".join, lines))


def escape_around_addresses(text: str) -> str:
    """Plain text with markdown characters escaped, except in web addresses."""
    pieces: list[str] = []
    end = 0
    for match in _WEB_ADDRESS_PATTERN.finditer(text):
        pieces += [markdown_text.escape_markdown(text[end : match.start()]), match[0]]
        end = match.end()
    whole = "".join([*pieces, markdown_text.escape_markdown(text[end:])])
    return markdown_text.escape_line_starts(whole) if whole else ""


def format_inline_text(text: str | None) -> str:
    """A name or title, escaped for use within a line of markdown."""
    return markdown_text.escape_markdown(clean_markup(text)).replace("[", "\\[").replace("]", "\\]")


def format_markdown_link(text: str | None, target: str | None) -> str:
    """A markdown link, or only its text if the target is no web address."""
    words = format_inline_text(text)
    goal = markdown_text.resolve_link("", extract_visible_text(target or "").strip())
    return f"[{words}]({goal})" if goal.startswith(("http://", "https://")) and words else words


def format_heading(text: str | None, level: int = 1) -> str:
    """A markdown heading; "" if the text is empty."""
    words = format_inline_text(text)
    return f"{'#' * level} {words}" if words else ""


def join_facts(*parts: str | None) -> str:
    """The parts on one line, separated by dots; empty ones are left out."""
    return " · ".join(part for part in parts if part)


def format_count(number: int | None, noun: str) -> str:
    """`1 point` or `1,204 points`; "" if the number is None."""
    if number is None:
        return ""
    return f"{number:,} {noun}" + ("" if abs(number) == 1 else "s")


def format_poll_choice(label: str | None, votes: int | None) -> str:
    return f"- {join_facts(format_inline_text(label), format_count(votes, 'vote'))}"


def join_blocks(parts: Iterable[str | None]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part and part.strip())


def quote_markdown(markdown: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def trim_excerpt(text: str, limit: int) -> str:
    """The start of a text on one line, at most `limit` bytes."""
    return truncate_text(clean_markup(text), limit).text
