"""`citewell read`: the scrape_page tool for many addresses, onto the screen or into files."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import typer

from citewell.cli import exits, screen
from citewell.cli.bar import bar
from citewell.cli.opened import opened
from citewell.errors import Misconfigured
from citewell.server.app import App

WHOLE = 5_000_000  # bytes
_LONGEST_NAME = 100  # characters
_UNFIT = re.compile(r"[^\w.-]+|_+")
_PLAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What became of one address: the tool's answer, or its error."""

    url: str
    body: Mapping[str, Any] | None = None
    message: str = ""
    error: Mapping[str, Any] | None = None

    def json(self) -> dict[str, Any]:
        if self.error is None:
            return dict(self.body or {})
        return {"url": self.url, "error": {"message": self.message, **self.error}}


def command(
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Addresses to read.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Write one markdown file a page into this directory.")
    ] = None,
    max_length: Annotated[int, typer.Option(help="Bytes of each page, 5000000 at most.")] = WHOLE,
    raw: Annotated[bool, typer.Option("--raw", help="The bodies as sent, unsanitised.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the tool's own answers.")] = False,
) -> int:
    """Read pages and documents as markdown, many at a time."""
    if out is not None:
        _prepare(out)
    given = {"mode": "raw" if raw else "full", "max_length": max_length}
    readings = asyncio.run(_read_all(list(dict.fromkeys(urls)), given))
    if out is not None:
        _write(readings, out, told=not as_json)
    if as_json:
        screen.say_json([reading.json() for reading in readings])
    elif out is None:
        _show(readings)
    for reading in readings:
        if reading.error is not None:
            exits.complain(reading.message, reading.error)
    return max((_code(reading) for reading in readings), default=exits.OK)


async def _read_all(urls: Sequence[str], given: Mapping[str, object]) -> list[Reading]:
    async with opened() as app:
        gate = asyncio.Semaphore(max(1, app.settings.max_page_concurrency))
        with bar("Reading", total=len(urls)) as done:

            async def one(url: str) -> Reading:
                async with gate:
                    reading = await _read(app, url, given)
                done()
                return reading

            return await asyncio.gather(*(one(url) for url in urls))


async def _read(app: App, url: str, given: Mapping[str, object]) -> Reading:
    outcome = await app.call("scrape_page", {"url": url, **given})
    if not outcome.is_error:
        return Reading(url=url, body=outcome.body or {})
    message, _, rest = (outcome.text or "").partition("\n\n")
    return Reading(url=url, message=message, error=json.loads(rest)["error"])


def _code(reading: Reading) -> int:
    return exits.OK if reading.error is None else exits.code_of(reading.error["kind"])


def _prepare(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or "it cannot be made"
        raise Misconfigured(f"--out {out}: {reason}.", action="inform_user") from None


def _write(readings: Sequence[Reading], out: Path, *, told: bool) -> None:
    for reading in readings:
        if reading.body is None:
            continue
        path = out / name_of(reading.url)
        path.write_text(_document(reading.body), encoding="utf-8", errors="replace")
        if told:
            screen.say(str(path), whole=True)


def _show(readings: Sequence[Reading]) -> None:
    """One page as it is; several, each under its own front matter."""
    good = [reading.body for reading in readings if reading.body is not None]
    for body in good:
        alone = len(readings) == 1
        screen.say(str(body["content"]) if alone else _document(body), whole=True)


def _document(body: Mapping[str, Any]) -> str:
    return f"{front_matter(body)}\n{str(body['content']).rstrip()}\n"


def front_matter(body: Mapping[str, Any]) -> str:
    """YAML; a JSON string is one of its own."""
    citation = body["citation"]
    known = citation["metadata"]
    facts = {
        "title": known["title"],
        "url": body.get("finalUrl") or body["url"],
        "author": known["author"],
        "site": known["site"],
        "date": known["date"],
        "accessed": citation["accessedDate"],
    }
    lines = [
        f"{name}: {json.dumps(fact, ensure_ascii=False)}" for name, fact in facts.items() if fact
    ]
    return "\n".join(["---", *lines, "---", ""])


def name_of(url: str) -> str:
    """The same file for the same address, and another for another."""
    parts = urlsplit(url)
    pieces = [parts.netloc, *parts.path.strip("/").split("/")]
    name = "_".join(_UNFIT.sub("-", piece).strip("-.") for piece in pieces if piece)
    plain = all(_PLAIN.fullmatch(piece) for piece in pieces if piece) and not parts.query
    if plain and len(name) <= _LONGEST_NAME:
        return f"{name}.md"
    mark = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name[:_LONGEST_NAME].rstrip('-._') or 'page'}-{mark}.md"
