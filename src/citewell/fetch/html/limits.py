"""Bound a page's size and nesting before it is parsed, because the parser does not."""

from __future__ import annotations

import re

MAX_CHARACTERS = 10_000_000
MAX_DEPTH = 200
# The parser reopens every unclosed formatting element in every paragraph that follows.
MAX_FORMATTING = 24

_VOID = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()
)
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())
_RAW_TEXT = frozenset("script style textarea title xmp iframe noembed noframes".split())
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>|<!--")
_BAD = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0e-\x1f\ufffe\uffff]")


def tame(html: str) -> str:
    """The page without lone surrogates, no longer and no deeper than the limits allow."""
    html = html[:MAX_CHARACTERS]
    if _BAD.search(html):
        html = _BAD.sub("", html)
    return _flatten(html) if _may_be_deep(html) else html


def _may_be_deep(html: str) -> bool:
    """A cheap upper bound: how far opening tags ever run ahead of closing ones."""
    depth = 0
    for piece in html.split("</"):
        depth += piece.count("<")
        if depth > MAX_DEPTH:
            return True
        depth -= 1
    return False


def _flatten(html: str) -> str:
    """Leave out the tags, not the text, that would nest deeper than allowed."""
    kept: list[str] = []
    stack: list[str] = []
    open_formatting = 0
    dropped: dict[str, int] = {}
    end = position = 0
    while (tag := _TAG.search(html, position)) is not None:
        position = tag.end()
        name = (tag.group(2) or "").lower()
        if not name:
            position = _after(html, "-->", position)
        elif tag.group(1):
            if dropped.get(name):
                dropped[name] -= 1
                kept.append(html[end : tag.start()])
                end = position
            elif name in stack[-MAX_DEPTH:]:
                open_formatting -= _close(stack, name)
        elif name in _RAW_TEXT:
            position = _after(html, f"</{name}", position)
        elif name not in _VOID and not tag.group(3).endswith("/"):
            formatting = name in _FORMATTING
            if len(stack) >= MAX_DEPTH or (formatting and open_formatting >= MAX_FORMATTING):
                dropped[name] = dropped.get(name, 0) + 1
                kept.append(html[end : tag.start()])
                end = position
            else:
                stack.append(name)
                open_formatting += formatting
    kept.append(html[end:])
    return "".join(kept)


def _close(stack: list[str], name: str) -> int:
    """Pop up to and including the named tag; how many formatting elements went with it."""
    gone = 0
    while stack:
        top = stack.pop()
        gone += top in _FORMATTING
        if top == name:
            break
    return gone


def _after(html: str, mark: str, start: int) -> int:
    found = html.find(mark, start)
    return len(html) if found < 0 else found
