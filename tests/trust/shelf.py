"""Every work that the evaluation's registries know, in two halves: one to learn from, one kept unseen."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.internet.papers import Work, register

HERE = Path(__file__).parent
FILES = ("harvest.json", "foreign.json")


@cache
def further() -> tuple[Work, ...]:
    """The works that the loopback web does not hold of itself."""
    known = {work.key for work in register().works}
    entries = (entry for name in FILES for entry in json.loads((HERE / name).read_text("utf-8")))
    found = {work.key: work for work in map(_read, entries) if work.key not in known}
    return tuple(found.values())


@cache
def everything() -> tuple[Work, ...]:
    return (*register().works, *further())


def half(side: str) -> tuple[Work, ...]:
    """`seen` or `unseen`: the same work is never in both."""
    wanted = ("seen", "unseen").index(side)
    return tuple(
        work for work in everything() if zlib.crc32(b"half" + work.key.encode()) % 2 == wanted
    )


def chosen(side: str, keep: Callable[[Work], bool]) -> list[Work]:
    return [work for work in half(side) if keep(work)]


def plain(work: Work) -> bool:
    """An article that nothing was said of since, with a title that can be told from others."""
    full = bool(work.authors and work.year and work.venue) and not work.events
    return full and work.language == "en" and len(work.title.split()) > 4 and not _example(work)


def personal(work: Work) -> bool:
    return bool(work.authors) and not isinstance(work.authors[0], str)


def _example(work: Work) -> bool:
    return work.key.startswith("10.50505/")


def _read(entry: dict[str, Any]) -> Work:
    authors = tuple(tuple(one) if isinstance(one, list) else one for one in entry["authors"])
    return Work(**entry | {"authors": authors})
