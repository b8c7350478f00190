"""Titles and abstracts out of the markup that publishers deposit: JATS, MathML, HTML, often escaped."""

from __future__ import annotations

import re
from html import unescape

from citewell.text.markup import clean, visible

# What says the same again in another notation.
_TWICE = re.compile(
    r"<(?P<tag>(?:\w+:)?(?:annotation(?:-xml)?|tex-math))\b[^<>]{0,500}>.{0,4000}?</(?P=tag)>",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = re.compile(
    r"</?(?:jats:)?(?:p|sec|list|list-item|disp-formula|disp-quote|abstract|trans-abstract|break|table|boxed-text)\b[^<>]*>",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"<(jats:)?title\b[^<>]{0,200}>(.{0,500}?)</(?:jats:)?title>", re.IGNORECASE | re.DOTALL
)
_LABELS = re.compile(
    r"^(?:abstract|summary|r[eé]sum[eé]|resumen|resumo|zusammenfassung|аннотация|摘要|要旨|抄録|초록)[\s:.：—–-]*$",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?i:abstract)(?::\s*|\s+(?=[A-Z]))")
# Marks that come escaped once too often; other angle brackets may be meant.
_ESCAPED = re.compile(
    r"</?(?:i|b|u|em|strong|sub|sup|inf|sc|scp|tt|span|font|italic|bold|roman|underline|math|mml:[a-z]+|jats:[a-z-]+|p|br|title|xref)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_LONGEST = 100_000  # characters of markup; an abstract is shorter


def line(markup: str | None) -> str:
    """One line of plain text, for a title or a name."""
    if not markup:
        return ""
    text = clean(_BLOCK.sub(" ", _TWICE.sub("", markup[:_LONGEST])))
    if "<" in text or "&" in text:
        text = " ".join(_ESCAPED.sub("", visible(unescape(text))).split())
    return text


def abstract(markup: str | None) -> str | None:
    """The abstract as plain text, its sections' headings kept and its own left out."""
    if not markup:
        return None
    text = line(_HEADING.sub(_heading, markup[:_LONGEST]))
    return _OPENING.sub("", text).strip() or None


def _heading(match: re.Match[str]) -> str:
    text = line(match[2])
    return " " if not text or _LABELS.match(text) else f" {text.rstrip(':. ')}: "
