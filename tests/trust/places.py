"""Addresses that are dead, dead under a good status, or alive, and claims about what stands there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.internet.world import Page, corpus
from tests.trust import shelf
from tests.trust.item import Item

HERE = Path(__file__).parent
GONE = "gone.example.org"  # answers every address with a page that says there is none
SOURCES = "sources.example.org"
_WALLS = ("cloudflare", "login", "consent", "datadome", "paywall")
_REFUSALS = (403, 429, 503, 401)


def soft_pages() -> dict[str, Any]:
    made: dict[str, Any] = json.loads((HERE / "softly.json").read_text("utf-8"))
    return made


def sources(side: str) -> dict[str, dict[str, Any]]:
    claims: dict[str, dict[str, Any]] = json.loads((HERE / "claims.json").read_text("utf-8"))[side]
    return claims


def slug(name: str) -> str:
    return name.replace(" ", "-").lower()


def drawn_pages() -> tuple[Page, ...]:
    """The pages that citations are drawn from. Sites under example.net are for research, and grow."""
    return tuple(page for page in corpus() if not page.host.endswith(".example.net"))


def dead(side: str, rng: random.Random) -> Iterator[Item]:
    for number, page in enumerate(rng.sample(drawn_pages(), 20)):
        address = (
            f"{{odd:status/410?n={number}}}"
            if number % 5 == 4
            else f"{{site:{page.host}/{page.path}-{rng.randrange(10**6)}}}"
        )
        form, text, format_ = _referred(page.title, page.site, address, number)
        yield Item(
            id="",
            kind="dead link",
            form=form,
            citation=text,
            format=format_,
            expect=("dead link",),
            may=("unmatched",),
        )


def soft(side: str, rng: random.Random) -> Iterator[Item]:
    """The page says that it is none, and its server says that all is well."""
    for number, name in enumerate(soft_pages()[side]):
        form, text, format_ = _referred(
            f"Annual report {2010 + number}",
            "Example Foundation",
            f"{{site:{GONE}/{name}/{rng.randrange(10**6)}}}",
            number,
        )
        yield Item(
            id="",
            kind="soft 404",
            form=f"{form}; {name}",
            citation=text,
            format=format_,
            expect=("soft 404",),
            may=("unmatched",),
        )


def alive(side: str, rng: random.Random) -> Iterator[Item]:
    """Pages that are there, some of them about missing pages, and walls before pages that are there."""
    readable = [page for page in drawn_pages() if page.host != "forbidden.example.org"]
    half = readable[shelf.PARTS.index(side) % 2 :: 2]
    chosen = {page.url or f"{page.host}/{page.path}": page for page in rng.sample(half, 16)}
    chosen |= {
        f"{page.host}/{page.path}": page
        for page in half
        if page.host == "security.example.com" or "status-codes" in page.path
    }
    for number, page in enumerate(chosen.values()):
        form, text, format_ = _referred(
            page.title, page.site, f"{{site:{page.host}/{page.path}}}", number
        )
        yield Item(id="", kind="live link", form=form, citation=text, format=format_)
    for wall in _WALLS:
        yield Item(
            id="",
            kind="live link",
            form=f"behind a wall: {wall}",
            citation=f"{{odd:wall/{wall}?{side}}}",
        )
    for status in _REFUSALS:
        yield Item(
            id="",
            kind="live link",
            form=f"refused with {status}",
            citation=f"{{odd:status/{status}?{side}}}",
        )


def claims(side: str, rng: random.Random) -> Iterator[Item]:
    claims = sources(side)
    for name, source in claims.items():
        address = f"{{site:{SOURCES}/{slug(name)}}}"
        others = [
            claim
            for other, details in claims.items()
            if other != name and details.get("language") == source.get("language")
            for claim in details["true"]
        ]
        for claim in source["true"]:
            yield Item(id="", kind="characterised", form=name, citation=address, claim=claim)
        for claim in source["near"]:
            yield Item(
                id="",
                kind="mischaracterised, same field",
                form=name,
                citation=address,
                claim=claim,
                expect=("mischaracterised",),
            )
        for claim in rng.sample(others, min(5, len(others))):
            yield Item(
                id="",
                kind="mischaracterised",
                form=name,
                citation=address,
                claim=claim,
                expect=("mischaracterised",),
            )


def legal(side: str, _: random.Random) -> Iterator[Item]:
    for text in json.loads((HERE / "law.json").read_text("utf-8"))[side]:
        yield Item(
            id="",
            kind="legal citation",
            form="as lawyers write it",
            citation=text,
            expect=("legal",),
        )


def _referred(title: str, site: str, address: str, number: int) -> tuple[str, str, str]:
    """A web page as it is cited: its address, a reference, or a record."""
    if number % 4 == 1:
        return "reference", f"{site}. {title}. Retrieved May 3, 2024, from {address}", ""
    if number % 4 == 2:
        return (
            "bibtex",
            f"@misc{{page{number},\n  title = {{{title}}},\n  author = {{{{{site}}}}},\n  url = {{{address}}}\n}}\n",
            "bibtex",
        )
    if number % 4 == 3:
        entry = [
            {
                "id": f"page{number}",
                "type": "webpage",
                "title": title,
                "author": [{"literal": site}],
                "URL": address,
            }
        ]
        return "csl-json", json.dumps(entry, ensure_ascii=False), "csl-json"
    return "address", address, ""
