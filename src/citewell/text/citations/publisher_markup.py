"""Cleans titles and abstracts of publishers' markup: JATS, MathML and HTML, often escaped."""

from __future__ import annotations

import re
from html import unescape

from citewell.text.safety.markup_cleaning import clean_markup, extract_visible_text

# Elements that repeat a formula in another notation.
_DUPLICATE_NOTATION_PATTERN = re.compile(
    r"<(?P<tag>(?:\w+:)?(?:annotation(?:-xml)?|tex-math))\b[^<>]{0,500}>[^<]{0,4000}+(?:<(?!/(?P=tag)>)[^<]{0,400}+){0,200}+</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
_JATS_BLOCK_PATTERN = re.compile(
    r"</?(?:jats:)?(?:p|sec|list|list-item|disp-formula|disp-quote|abstract|trans-abstract|break|table|boxed-text)\b[^<>]*>",
    re.IGNORECASE,
)
_JATS_TITLE_PATTERN = re.compile(
    r"<(jats:)?title\b[^<>]{0,200}>(.{0,500}?)</(?:jats:)?title>", re.IGNORECASE | re.DOTALL
)
_ABSTRACT_LABEL_PATTERN = re.compile(
    r"^(?:abstract|summary|r[eé]sum[eé]|resumen|resumo|zusammenfassung|аннотация|摘要|要旨|抄録|초록)[\s:.：—–-]*$",
    re.IGNORECASE,
)
_ABSTRACT_OPENING_PATTERN = re.compile(r"^(?i:abstract)(?::\s*|\s+(?=[A-Z]))")
# Tags that are often escaped twice; other angle brackets may be real text.
_ESCAPED_TAG_PATTERN = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|inf|sc|scp|tt|span|font|italic|bold|roman|underline|math|mml:[a-z]+|jats:[a-z-]+|p|br|title|xref)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_MAX_MARKUP_CHARS = 100_000  # characters of markup; an abstract is shorter


def clean_markup_line(markup: str | None) -> str:
    """The markup as one line of plain text, for a title or a name; empty for None."""
    if not markup:
        return ""
    text = clean_markup(
        _JATS_BLOCK_PATTERN.sub(
            " ", _DUPLICATE_NOTATION_PATTERN.sub("", markup[:_MAX_MARKUP_CHARS])
        )
    )
    if "<" in text or "&" in text:
        text = " ".join(_ESCAPED_TAG_PATTERN.sub("", extract_visible_text(unescape(text))).split())
    return text


def clean_abstract(markup: str | None) -> str | None:
    """The abstract as plain text; section headings are kept, the heading "Abstract" is dropped."""
    if not markup:
        return None
    text = clean_markup_line(
        _JATS_TITLE_PATTERN.sub(_format_section_heading, markup[:_MAX_MARKUP_CHARS])
    )
    return _ABSTRACT_OPENING_PATTERN.sub("", text).strip() or None


def _format_section_heading(match: re.Match[str]) -> str:
    text = clean_markup_line(match[2])
    return " " if not text or _ABSTRACT_LABEL_PATTERN.match(text) else f" {text.rstrip(':. ')}: "
