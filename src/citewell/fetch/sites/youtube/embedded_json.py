"""Finds the JSON that YouTube's pages carry in their scripts, and walks through it within limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_MAX_TRIES = 4  # the name also stands in other scripts of a page
_MAX_NODES = 300_000


def find_embedded_object(html: str, name: str) -> dict[str, Any] | None:
    """The first JSON object that a script gives to the variable `name`; None if there is none."""
    place = 0
    tries = 0
    while tries < _MAX_TRIES and (place := html.find(name, place)) >= 0:
        place += len(name)
        # Both `var name = {` and `window["name"] = {` are in use.
        rest = html[place : place + 20].lstrip("\"'] \t")
        if not rest.startswith("="):
            continue
        start = html.find("{", place, place + 20)
        tries += 1
        value = _decode_object(html, start) if start >= 0 else None
        if value:
            return value
    return None


def parse_json_object(body: str) -> dict[str, Any] | None:
    """The JSON object in a response; None if it is something else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _decode_object(html: str, start: int) -> dict[str, Any] | None:
    try:
        value, _ = json.JSONDecoder().raw_decode(html, start)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def get_nested(value: object, *path: str) -> Any:
    """What stands at the path of keys; None if any of them is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def list_nested(value: object, *path: str) -> list[Any]:
    """The list at the path of keys; empty if there is none."""
    found = get_nested(value, *path)
    return found if isinstance(found, list) else []


def walk_objects(value: object) -> Iterator[dict[str, Any]]:
    """Every object within the value, in the order of the text."""
    waiting = [value]
    seen = 0
    while waiting and seen < _MAX_NODES:
        node = waiting.pop()
        seen += 1
        if isinstance(node, dict):
            yield node
            waiting.extend(reversed(node.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def find_nested_object(value: object, name: str) -> dict[str, Any]:
    """The first object under the key `name`, however deep; empty if there is none."""
    found = (node[name] for node in walk_objects(value) if isinstance(node.get(name), dict))
    return next(found, {})


def read_text_value(value: object) -> str:
    """The words in any of the shapes that YouTube gives to a text; "" if there are none."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict):
        return ""
    for name in ("simpleText", "content"):
        if isinstance(value.get(name), str):
            return str(value[name])
    runs = (get_nested(run, "text") for run in list_nested(value, "runs"))
    return "".join(run for run in runs if isinstance(run, str))
