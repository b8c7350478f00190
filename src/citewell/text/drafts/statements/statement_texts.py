"""The text of a statement: a part of the draft without marks of citations and markup."""

from __future__ import annotations

import html
import re

from citewell.text.drafts.draft_views import ABBREVIATION_DOT, SUBJECT_MARK
from citewell.text.references.formats.latex_text import convert_latex_text

# Not before a decimal without a zero: "an AUC of .696".
_SPACE_BEFORE_STOP_PATTERN = re.compile(r"(?<!\s)\s++(?!\.\d)([.,;:!?。，；：！？)）\]])")
_OPEN_SPACE_PATTERN = re.compile(r"([(\[（])\s++")
_EMPTY_BRACKETS_PATTERN = re.compile(
    r"\([\s,;.–-]{0,80}\)|（[\s,;，；]{0,80}）|\[[\s,;.–-]{0,80}\]"
)
# What is left of "(TechCrunch, https://…)" without its address.
_NAMED_BRACKETS_PATTERN = re.compile(
    r"\s?\((?:see |vgl\. |voir |véase )?[A-Z][\w.&’'-]{0,40}(?: (?:of|the|and|&|[A-Z][\w.&’'-]{0,40})){0,6}[,;:]\s?\)"
)
_DOUBLED_STOP_PATTERN = re.compile(r"([,;:])(?:\s?[,;:])+")
_STOP_BEFORE_END_PATTERN = re.compile(r"[,;:]\s?(?=[.!?](?:\s|\Z))")
_LEAD_PATTERN = re.compile(
    r"[\s,;:，；、。.)\]–—]{0,20}(?:(?:and|but|und|aber|et|mais|y|pero)\s)?[\s,;:]{0,5}",
    re.IGNORECASE,
)
_TRAIL_CHARS = " ,;:，；、([（"
_WIDE_SPACE_PATTERN = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff，。；：！？、])\s+(?=[\u3040-\u30ff\u4e00-\u9fff，。；：！？、])")  # fmt: skip


def clean_statement(said: str, draft_format: str) -> str:
    """The words on one line, as a reader sees them; for LaTeX and HTML with their characters."""
    text = said.replace(SUBJECT_MARK, " ").replace(ABBREVIATION_DOT, ".")
    if draft_format == "latex":
        text = convert_latex_text(text)
    elif "&" in text:
        text = html.unescape(text)
    text = _EMPTY_BRACKETS_PATTERN.sub("", " ".join(text.split()))
    text = _NAMED_BRACKETS_PATTERN.sub("", text)
    text = _SPACE_BEFORE_STOP_PATTERN.sub(r"\1", text)
    text = _OPEN_SPACE_PATTERN.sub(r"\1", text)
    text = _WIDE_SPACE_PATTERN.sub("", text)
    text = _STOP_BEFORE_END_PATTERN.sub("", _DOUBLED_STOP_PATTERN.sub(r"\1", text))
    return " ".join(text.split())


def clean_clause(said: str, draft_format: str) -> str:
    """The words of a clause, without what joins it to the clause before it."""
    text = clean_statement(said, draft_format)
    lead = _LEAD_PATTERN.match(text)
    return (text[lead.end() :] if lead else text).rstrip(_TRAIL_CHARS)
