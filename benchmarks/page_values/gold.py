"""Reads fields.txt: the fields asked of each page, and which values are right."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from citewell.text.calendar_dates import SENTENCE_DATE_PATTERN, parse_matched_date

HALVES = ("seen", "unseen")
NOT_STATED = "-"
_FIELDS = Path(__file__).with_name("fields.txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedField:
    name: str
    type: str
    description: str
    right: tuple[str, ...]  # any of them, NOT_STATED for null

    @property
    def is_stated(self) -> bool:
        return NOT_STATED not in self.right

    def declare(self) -> dict[str, Any]:
        items = {"items": {"type": "string"}} if self.type == "array" else {}
        return {"type": self.type, "description": self.description, **items}

    def accepts(self, value: Any) -> bool:
        return any(self._is_same(value, one) for one in self.right)

    def _is_same(self, value: Any, right: str) -> bool:
        if value is None or right == NOT_STATED:
            return value is None and right == NOT_STATED
        if self.type == "boolean":
            return bool(value) == (right == "true")
        if self.type in {"integer", "number"}:
            return abs(float(value) - float(right)) < 1e-6
        if self.type == "array":
            return _is_most_of(value, right.strip("[]").split("; "))
        return _is_same_text(str(value), right)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPage:
    id: str
    half: str
    fields: tuple[AskedField, ...]

    def schema(self) -> dict[str, Any]:
        return {"type": "object", "properties": {one.name: one.declare() for one in self.fields}}


def list_asked_pages() -> tuple[AskedPage, ...]:
    """The pages in order; two of the seen half, two of the unseen one, and so on."""
    blocks = _FIELDS.read_text("utf-8").split("# ")[1:]
    return tuple(_parse_block(block, HALVES[place // 2 % 2]) for place, block in enumerate(blocks))


def _parse_block(block: str, half: str) -> AskedPage:
    name, *lines = block.strip().splitlines()
    return AskedPage(id=name.strip(), half=half, fields=tuple(map(_parse_line, lines)))


def _parse_line(line: str) -> AskedField:
    name, kind, description, right = line.split(" | ")
    return AskedField(
        name=name, type=kind, description=description, right=tuple(right.strip().split(" ;; "))
    )


def load_page(folder: Path, page_id: str) -> tuple[bytes, str]:
    """The page's bytes and address; `folder` is the one that has score.py."""
    collection, _, name = page_id.partition("/")
    data = folder / "data"
    if collection == "aeb":
        known = json.loads((data / "aeb" / "ground-truth.json").read_text("utf-8"))
        full = next(one for one in known if one.startswith(name))
        path, url = data / "aeb" / "html" / f"{full}.html.gz", known[full]["url"]
    else:
        place = data / "wcxb" / "dev"
        about = json.loads((place / "ground-truth" / f"{name}.json").read_text("utf-8"))
        path, url = place / "html" / f"{name}.html.gz", about["url"]
    return gzip.decompress(path.read_bytes()), url


def _is_most_of(value: list[Any], right: list[str]) -> bool:
    """No item that is not right, and at least half of the right ones."""
    wanted = {_plain(one) for one in right}
    given = {_plain(str(one)) for one in value}
    return given <= wanted and len(given) * 2 >= len(wanted)


def _is_same_text(value: str, right: str) -> bool:
    days = {*_list_days(value)}
    if days and days == {*_list_days(right)}:
        return True
    plain, wanted = _plain(value), _plain(right)
    return plain == wanted or (f" {wanted} " in f" {plain} " and len(plain) <= 3 * len(wanted))


def _list_days(text: str) -> Iterator[date]:
    for match in SENTENCE_DATE_PATTERN.finditer(
        text.partition("T")[0] if text[:4].isdigit() else text
    ):
        if (day := parse_matched_date(match)) is not None:
            yield day


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[\w.]+", text.lower().replace("–", "-")))
