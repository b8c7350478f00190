"""Statements that cite pages of the loopback web: true ones, false ones, and ones about pages nobody wrote."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.internet.world import World

GOOD = ("verbatim", "paraphrased", "shortened", "merged")
FALSE = ("number", "negated", "entity")  # on the page's subject and not what it says
FOREIGN = ("elsewhere", "subject", "general")  # of another page, another matter, or the world
LOST = {
    "no such page": "dead",
    "no such host": "unreachable",
    "private address": "unreachable",
}
_INVENTED = {
    "no such page": "{base}/site/{host}/archive/{number}/nobody-wrote-this",
    "no such host": "http://page{number}.nowhere.invalid/report",
    "private address": "http://10.0.{number}.7/internal/report",
}
_SENTENCE = re.compile(r"(?<=[\w)]\.) (?=[A-Z0-9`])")
_SEEDS = {"seen": 7, "unseen": 19}
_LOST = 8  # of each kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    kind: str
    text: str
    url: str
    page: str = ""  # host/path where there is one

    @property
    def good(self) -> bool:
        return self.kind in GOOD


def cases(side: str, world: World) -> tuple[Case, ...]:
    """Every statement of one side, in an order that is always the same and no kind's own."""
    rows = json.loads((Path(__file__).parent / f"{side}.json").read_text("utf-8"))
    chance = random.Random(_SEEDS[side])
    found = [*_written(rows, world), *_copied(rows, world, chance), *_lost(rows, world)]
    chance.shuffle(found)
    return tuple(found)


def _written(rows: Sequence[dict[str, str]], world: World) -> Iterator[Case]:
    for row in rows:
        for kind, text in row.items():
            if kind != "page":
                yield Case(kind=kind, text=text, url=_address(row["page"], world), page=row["page"])


def _copied(rows: Sequence[dict[str, str]], world: World, chance: random.Random) -> Iterator[Case]:
    """A sentence of each page, cited once to that page and once to the next one's."""
    for at, row in enumerate(rows):
        text = chance.choice(_sentences(row["page"], world))
        other = rows[(at + 1) % len(rows)]["page"]
        for kind, page in (("verbatim", row["page"]), ("elsewhere", other)):
            yield Case(kind=kind, text=text, url=_address(page, world), page=page)


def _lost(rows: Sequence[dict[str, str]], world: World) -> Iterator[Case]:
    """True sentences that cite what is not there."""
    for kind, pattern in _INVENTED.items():
        for number, row in enumerate(rows[:_LOST]):
            host = row["page"].partition("/")[0]
            url = pattern.format(base=world.base_url, host=host, number=number)
            text = _sentences(row["page"], world)[0]
            yield Case(kind=kind, text=f"In part {number} of it: {text}", url=url)


def _sentences(page: str, world: World) -> list[str]:
    host, _, path = page.partition("/")
    found = world.page(host, path)
    assert found is not None, page
    whole = (line for line in found.markdown.splitlines() if line and line[0] not in "#-|`")
    return [
        sentence for line in whole for sentence in _SENTENCE.split(line) if sentence.endswith(".")
    ]


def _address(page: str, world: World) -> str:
    host, _, path = page.partition("/")
    return world.address(host, path)
