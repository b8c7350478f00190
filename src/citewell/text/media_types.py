"""Media types of texts that are stored or sent by themselves."""

from __future__ import annotations

import re

PLAIN_TEXT = "text/plain"
_MEDIA_TYPE_PATTERN = re.compile(r"[a-z]+/[a-z0-9.+_-]{1,100}")
_TEXTUAL_TYPES = ("application/json", "application/xml", "application/javascript")
_TEXTUAL_SUFFIXES = ("+json", "+xml")
_DOCUMENT_TYPES = {
    "markdown": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl-json": "application/vnd.citationstyles.csl+json",
}


def find_text_media_type(content_type: str) -> str:
    """The media type in a Content-Type header, if it is one of texts; otherwise plain text."""
    essence = content_type.partition(";")[0].strip().lower()
    if not _MEDIA_TYPE_PATTERN.fullmatch(essence):
        return PLAIN_TEXT
    textual = essence.startswith("text/") or essence in _TEXTUAL_TYPES
    return essence if textual or essence.endswith(_TEXTUAL_SUFFIXES) else PLAIN_TEXT


def find_document_media_type(form: str) -> str:
    """The media type of an export or bibliography in this format; plain text if it has none."""
    return _DOCUMENT_TYPES.get(form, PLAIN_TEXT)
