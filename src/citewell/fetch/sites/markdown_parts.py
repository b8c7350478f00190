"""Builds the markdown of site pages from HTML fragments, plain text and short facts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from citewell.fetch.markdown.markdown_text import escape_line_starts, escape_markdown, resolve_link
from citewell.text.safety.invisible_characters import extract_visible_text
from citewell.text.safety.markup_cleaning import clean_markup
from citewell.text.truncation import truncate_text

_WEB_ADDRESS_PATTERN = re.compile(r"https?://[^\s<>\"]+")
_UNSHOWN_SELECTOR = "style, noscript, template"


def convert_html_text(
    html: str | None, *, base: str = "", without: str = "", within: str = ""
) -> str:
    """An HTML fragment as markdown. CSS selectors: `without` drops nodes, `within` picks the part."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch import hidden_text
    from citewell.fetch.html.markup_limits import limit_markup
    from citewell.fetch.markdown.markdown_writer import render_markdown

    if not html:
        return ""
    tree = LexborHTMLParser(limit_markup(html))
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
    lines = ((line.rstrip(" \t") for line in one.split("\n")) for one in paragraphs)
    return "\n\n".join("  \n".join(one) for one in lines)


def escape_around_addresses(text: str) -> str:
    """Plain text with markdown characters escaped, except in web addresses."""
    pieces: list[str] = []
    end = 0
    for match in _WEB_ADDRESS_PATTERN.finditer(text):
        pieces += [escape_markdown(text[end : match.start()]), match[0]]
        end = match.end()
    whole = "".join([*pieces, escape_markdown(text[end:])])
    return escape_line_starts(whole) if whole else ""


def format_inline_text(text: str | None) -> str:
    """A name or title, escaped for use within a line of markdown."""
    return escape_markdown(clean_markup(text)).replace("[", "\\[").replace("]", "\\]")


def format_markdown_link(text: str | None, target: str | None) -> str:
    """A markdown link, or only its text if the target is no web address."""
    words = format_inline_text(text)
    goal = resolve_link("", extract_visible_text(target or "").strip())
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


def join_blocks(parts: Iterable[str | None]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part and part.strip())


def quote_markdown(markdown: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def trim_excerpt(text: str, limit: int) -> str:
    """The start of a text on one line, at most `limit` bytes."""
    return truncate_text(clean_markup(text), limit).text
