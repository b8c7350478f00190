"""Every work that the evaluation's registries know, in three parts, so that one can stay unseen."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.internet.papers import Work, register

HERE = Path(__file__).parent
APART = ("later.json", "apart.json")  # of these the third part is made
FILES = ("harvest.json", "foreign.json", *APART)
PARTS = ("first", "second", "third")


@cache
def further() -> tuple[Work, ...]:
    """The works that the loopback web does not hold of itself."""
    known = {work.key for work in register().works}
    found = {work.key: work for name in FILES for work in _file(name) if work.key not in known}
    return tuple(found.values())


@cache
def everything() -> tuple[Work, ...]:
    return (*register().works, *further())


def part(side: str) -> tuple[Work, ...]:
    """The same work is never in two of them."""
    apart = {work.key for name in APART for work in _file(name)}
    if side == "third":
        return tuple(work for work in everything() if work.key in apart)
    wanted = PARTS.index(side)
    return tuple(
        work
        for work in everything()
        if work.key not in apart and zlib.crc32(b"half" + work.key.encode()) % 2 == wanted
    )


def noticed(side: str) -> list[Work]:
    """There are thirty works with notices, so the third part has those of the others once more."""
    works = everything() if side == "third" else part(side)
    return [work for work in works if work.events]


@cache
def _file(name: str) -> tuple[Work, ...]:
    return tuple(map(_read, json.loads((HERE / name).read_text("utf-8"))))


def chosen(side: str, keep: Callable[[Work], bool]) -> list[Work]:
    return [work for work in part(side) if keep(work)]


def plain(work: Work) -> bool:
    """An article that nothing was said of since, with a title that can be told from others."""
    full = bool(work.authors and work.year and work.venue) and not work.events
    return full and work.language == "en" and len(work.title.split()) > 4 and not _example(work)


def personal(work: Work) -> bool:
    return bool(work.authors) and not isinstance(work.authors[0], str)


def _example(work: Work) -> bool:
    return work.key.startswith("10.50505/")


def _read(entry: dict[str, Any]) -> Work:
    authors = tuple(
        tuple(author) if isinstance(author, list) else author for author in entry["authors"]
    )
    return Work(**entry | {"authors": authors, "isbn": tuple(entry.get("isbn", ()))})
