"""The works that the evaluation's registries know: those of the trust evaluation, and more that were retracted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.draft_check.draft_gold import HALVES
from tests.internet.papers import Happening, Work
from tests.trust import shelf

_HERE = Path(__file__).parent
# By half; the trust evaluation has none of them.
_RETRACTED_WORKS = {
    "seen": _HERE / "retracted_works.json",
    "unseen": _HERE / "unseen_retracted_works.json",
}


@cache
def list_works() -> tuple[Work, ...]:
    added = (work for half in HALVES for work in load_retracted_works(half))
    return (*shelf.everything(), *added)


@cache
def load_retracted_works(half: str) -> tuple[Work, ...]:
    """Those that only texts of this half cite."""
    return tuple(map(_read_work, json.loads(_RETRACTED_WORKS[half].read_text("utf-8"))))


def _read_work(entry: dict[str, Any]) -> Work:
    authors = tuple(map(tuple, entry["authors"]))
    events = tuple(Happening(**event) for event in entry["events"])
    return Work(**entry | {"authors": authors, "events": events})
