"""The works that the evaluation's registries know: those of the trust evaluation, and more that were retracted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.internet.papers import Happening, Work
from tests.trust import shelf

_RETRACTED_WORKS = Path(__file__).parent / "retracted_works.json"


@cache
def list_works() -> tuple[Work, ...]:
    return (*shelf.everything(), *load_retracted_works())


@cache
def load_retracted_works() -> tuple[Work, ...]:
    """Those that the trust evaluation does not have; no text of the seen half cites them."""
    return tuple(map(_read_work, json.loads(_RETRACTED_WORKS.read_text("utf-8"))))


def _read_work(entry: dict[str, Any]) -> Work:
    authors = tuple(map(tuple, entry["authors"]))
    events = tuple(Happening(**event) for event in entry["events"])
    return Work(**entry | {"authors": authors, "events": events})
