"""Plain text and markdown: decoded, with its line ends and control characters put right."""

from __future__ import annotations

import re

from citewell.fetch.charset import decode
from citewell.fetch.documents.document import Parsed

_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_ESCAPES = re.compile("\x1b\\[[0-9;?]*[ -/]*[@-~]")  # colours of a terminal
_OVERSTRUCK = re.compile("[^\n]\x08")  # bold and underline of a line printer


def clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    if "\x08" in text:
        text = _OVERSTRUCK.sub("", text)
    return _CONTROLS.sub("", _ESCAPES.sub("", text))


def read_text(body: bytes, content_type: str) -> Parsed:
    return Parsed(markdown=clean(decode(body, content_type=content_type).text))


def read_markdown(body: bytes, content_type: str) -> Parsed:
    text = clean(decode(body, content_type=content_type or "charset=utf-8").text)
    heading = re.search(r"^#\s+(.+?)\s*#*$", text, re.MULTILINE)
    return Parsed(markdown=text, title=heading[1] if heading else None)
