"""The small part of markdown that our own reports use, as HTML; everything in it is escaped."""

from __future__ import annotations

import re
from html import escape

_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\(&lt;(https?://.*?)&gt;\)")
_STRONG = re.compile(r"\*\*(.+?)\*\*")
_WHOLLY_EMPHATIC = re.compile(r"\*([^*].*)\*")


def rendered(text: str) -> str:
    return "".join(_block(block) for block in text.strip().split("\n\n"))


def _block(block: str) -> str:
    if block == "---":
        return "<hr>\n"
    if heading := re.match(r"(#{1,3}) (.*)$", block):
        level = len(heading[1])
        return f"<h{level}>{_inline(heading[2])}</h{level}>\n"
    lines = block.split("\n")
    if all(re.match(r"- ", line) for line in lines):
        return _list("ul", [line[2:] for line in lines])
    if all(re.match(r"\d+\. ", line) for line in lines):
        return _list("ol", [line.partition(". ")[2] for line in lines])
    return f"<p>{'<br>'.join(map(_inline, lines))}</p>\n"


def _list(tag: str, items: list[str]) -> str:
    return f"<{tag}>\n" + "".join(f"<li>{_inline(item)}</li>\n" for item in items) + f"</{tag}>\n"


def _inline(text: str) -> str:
    """Escaped first, so that nothing from outside can become markup."""
    text = escape(text, quote=False)
    text = _LINK.sub(_anchor, text)
    text = _STRONG.sub(r"<strong>\1</strong>", text)
    if footnote := _WHOLLY_EMPHATIC.fullmatch(text):
        text = f"<em>{footnote[1]}</em>"
    return text.replace("[x] ", "☑ ").replace("[ ] ", "☐ ")


def _anchor(link: re.Match[str]) -> str:
    label = link[1].replace("\\[", "[").replace("\\]", "]")
    address = link[2].replace('"', "%22")
    return f'<a href="{address}" rel="noopener noreferrer nofollow">{label}</a>'
