"""Other people's words as markdown: HTML fragments, plain text, and the lines put around them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from citewell.fetch.markdown.text import absolute, escape, guard_line_starts
from citewell.text.invisible import visible
from citewell.text.markup import clean
from citewell.text.truncate import truncate

_ADDRESS = re.compile(r"https?://[^\s<>\"]+")
_SILENT = "style, noscript, template"


def from_html(html: str | None, *, base: str = "", without: str = "", within: str = "") -> str:
    """A fragment as markdown; `without` and `within` are CSS selectors."""
    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch import hidden
    from citewell.fetch.html.limits import tame
    from citewell.fetch.markdown.writer import write

    if not html:
        return ""
    tree = LexborHTMLParser(tame(html))
    hidden.remove(tree)
    for node in tree.css(f"{_SILENT}, {without}" if without else _SILENT):
        node.decompose()
    part = tree.css_first(within) if within else tree.body
    return write(part, base=base) if part is not None else ""


def from_text(text: str | None) -> str:
    """Plain text whose line breaks and characters read the same as markdown."""
    return broken("\n".join(escaped(line) for line in (text or "").split("\n")))


def broken(text: str) -> str:
    """Markdown whose single line breaks are meant."""
    paragraphs = re.split(r"\n[ \t]*(?:\n[ \t]*)+", text.strip())
    lines = ((line.rstrip(" \t") for line in one.split("\n")) for one in paragraphs)
    return "\n\n".join("  \n".join(one) for one in lines)


def escaped(text: str) -> str:
    """Plain text with its marks escaped; addresses in it are left alone."""
    pieces: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        pieces += [escape(text[end : match.start()]), match[0]]
        end = match.end()
    whole = "".join([*pieces, escape(text[end:])])
    return guard_line_starts(whole) if whole else ""


def inline(text: str | None) -> str:
    """A name or a title within a line of ours."""
    return escape(clean(text)).replace("[", "\\[").replace("]", "\\]")


def link(text: str | None, target: str | None) -> str:
    """A markdown link, or the bare words where there is nowhere to go."""
    words = inline(text)
    goal = absolute("", visible(target or "").strip())
    return f"[{words}]({goal})" if goal.startswith(("http://", "https://")) and words else words


def heading(text: str | None, level: int = 1) -> str:
    """Empty where there are no words for one."""
    words = inline(text)
    return f"{'#' * level} {words}" if words else ""


def facts(*parts: str | None) -> str:
    """One line of small facts; empty ones are left out."""
    return " · ".join(part for part in parts if part)


def count(number: int | None, noun: str) -> str:
    """`1 point`, `1,204 points`; empty when nobody knows."""
    if number is None:
        return ""
    return f"{number:,} {noun}" + ("" if abs(number) == 1 else "s")


def blocks(parts: Iterable[str | None]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part and part.strip())


def quoted(markdown: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in markdown.split("\n"))


def excerpt(text: str, limit: int) -> str:
    """The start of a text on one line, at most `limit` bytes."""
    return truncate(clean(text), limit).text
