"""Tells the format of a draft by its name and its text."""

from __future__ import annotations

import re
from pathlib import PurePath

DRAFT_FORMATS = ("markdown", "plain", "html", "latex", "docx", "odt", "pdf")
_FORMATS_BY_SUFFIX = {
    ".md": "markdown", ".markdown": "markdown", ".mdown": "markdown", ".qmd": "markdown",
    ".rmd": "markdown", ".mkd": "markdown", ".mdx": "markdown", ".txt": "", ".text": "",
    ".html": "html", ".htm": "html", ".xhtml": "html", ".tex": "latex", ".ltx": "latex",
    ".latex": "latex", ".docx": "docx", ".odt": "odt", ".pdf": "pdf",
}  # fmt: skip
_HTML_START_PATTERN = re.compile(
    r"\s{0,200}(?:<!--|<!doctype html|<html|<head|<body|<article|<section|<div|<h[1-6]|<p)\b",
    re.IGNORECASE,
)
_HTML_TAG_PATTERN = re.compile(r"</(?:p|h[1-6]|li|a|sup|div)>", re.IGNORECASE)
_LATEX_PATTERN = re.compile(
    r"\\(?:documentclass|begin\s?\{(?:document|thebibliography|abstract)\}|(?:sub)*section\*?\s?\{"
    r"|chapter\*?\s?\{|(?:auto|paren|text|foot)?cite[a-z]{0,6}\*?\s?[\[{]|bibliography\s?\{)"
)
_MARKDOWN_PATTERN = re.compile(
    r"^#{1,6} \S|\]\(https?://|\*\*\S|^\[\^[^\]\s]{1,60}\]:|\[-?@[\w:]|^> \S|^\|[^\n]{1,2000}\|$|^```",
    re.MULTILINE,
)
_LOOK_CHARS = 200_000
_MIN_TAGS = 3


def detect_draft_format(text: str, name: str = "") -> str:
    """Which of DRAFT_FORMATS a text is in; "plain" if it has no sign of another."""
    named = _FORMATS_BY_SUFFIX.get(PurePath(name).suffix.lower(), "")
    if named:
        return named
    head = text[:_LOOK_CHARS]
    tags = len(_HTML_TAG_PATTERN.findall(head))
    if _HTML_START_PATTERN.match(head) and tags >= 1:
        return "html"
    if _LATEX_PATTERN.search(head):
        return "latex"
    if _MARKDOWN_PATTERN.search(head):
        return "markdown"
    return "html" if tags >= _MIN_TAGS else "plain"
