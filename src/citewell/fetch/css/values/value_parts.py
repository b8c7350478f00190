"""Splits CSS values into their words, arguments and function calls, in one pass over the text."""

from __future__ import annotations

import re
from functools import lru_cache

_STRUCTURE = re.compile(r"[(),/\s]|\"[^\"]*\"?|'[^']*'?")
_MAX_VALUE_CHARS = 4000  # longer values are cut; only hostile ones are that long
_CALL_NAME = re.compile(r"[a-z][a-z0-9-]*$|-[a-z][a-z0-9-]*$")


@lru_cache(maxsize=2048)
def split_arguments(text: str) -> tuple[str, ...]:
    """The parts between commas that are outside brackets, without surrounding spaces."""
    return tuple(part.strip() for part in _split_outside(text, ","))


@lru_cache(maxsize=4096)
def split_words(text: str) -> tuple[str, ...]:
    """The words between spaces, commas and slashes that are outside brackets."""
    if "(" not in text and "," not in text and "/" not in text:
        return tuple(text.split())
    return tuple(part for part in _split_outside(text, ", /\t\n\r\f") if part)


@lru_cache(maxsize=2048)
def parse_calls(text: str) -> tuple[tuple[str, str], ...]:
    """The function calls at the top level of a value: each name with the text in its brackets."""
    found: list[tuple[str, str]] = []
    depth = start = word = 0
    name = ""
    for match in _STRUCTURE.finditer(text[:_MAX_VALUE_CHARS]):
        char = match[0]
        if char == "(":
            if depth == 0:
                name, start = text[word : match.start()].strip(), match.end()
            depth += 1
        elif char == ")":
            depth -= 1
            if depth == 0:
                found.append((name, text[start : match.start()]))
            depth = max(0, depth)
        if depth == 0:
            word = match.end()
    if depth > 0:  # browsers close open brackets at the end of a value
        found.append((name, text[start:_MAX_VALUE_CHARS]))
    return tuple((each, inside) for each, inside in found if _CALL_NAME.match(each))


def _split_outside(text: str, separators: str) -> list[str]:
    text = text[:_MAX_VALUE_CHARS]
    parts: list[str] = []
    depth = start = 0
    for match in _STRUCTURE.finditer(text):
        char = match[0]
        if char == "(":
            depth += 1
        elif char == ")":
            depth = max(0, depth - 1)
        elif depth == 0 and char in separators:
            parts.append(text[start : match.start()])
            start = match.end()
    return [*parts, text[start:]]
