"""Read pages and documents as markdown, several at a time."""

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

from citewell.cli import exit_codes, screen
from citewell.cli.command_app import open_command_app
from citewell.cli.screen import show_progress_bar
from citewell.core.errors import Misconfigured
from citewell.core.values.page import MAX_PAGE_BYTES
from citewell.reading.settings import ReadingSettings

_MAX_FILE_NAME_CHARS = 100  # characters
_UNSAFE_NAME_CHARS_PATTERN = re.compile(r"[^\w.-]+|_+")
_SAFE_NAME_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressReading:
    """The result for one address: the tool's answer, or its error."""

    url: str
    body: Mapping[str, Any] | None = None
    message: str = ""
    error: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        if self.error is None:
            return dict(self.body or {})
        return {"url": self.url, "error": {"message": self.message, **self.error}}


def command(
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Addresses to read.")],
    *,
    out: Annotated[
        Path | None, typer.Option(help="Write one markdown file per page into this directory.")
    ] = None,
    max_length: Annotated[
        int, typer.Option(help=f"At most this many bytes of each page, up to {MAX_PAGE_BYTES}.")
    ] = MAX_PAGE_BYTES,
    raw: Annotated[bool, typer.Option("--raw", help="The pages as sent, not sanitised.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the answers of the tool as JSON.")
    ] = False,
) -> int:
    if out is not None:
        _create_output_directory(out)
    given = {"mode": "raw" if raw else "full", "max_length": max_length}
    readings = asyncio.run(_read_addresses(list(dict.fromkeys(urls)), given))
    if out is not None:
        _write_page_files(readings, out, print_paths=not as_json)
    if as_json:
        screen.print_json([reading.to_json() for reading in readings])
    elif out is None:
        _print_pages(readings)
    codes = [exit_codes.OK]
    for reading in readings:
        if reading.error is not None:
            exit_codes.print_error(reading.message, reading.error)
            codes.append(exit_codes.find_exit_code(reading.error["kind"]))
    return max(codes)


async def _read_addresses(urls: Sequence[str], given: Mapping[str, object]) -> list[AddressReading]:
    async with open_command_app() as app:
        gate = asyncio.Semaphore(max(1, app.settings[ReadingSettings].max_page_concurrency))
        with show_progress_bar("Reading", total=len(urls)) as done:

            async def read_address(url: str) -> AddressReading:
                async with gate:
                    outcome = await app.call_tool("scrape_page", {"url": url, **given})
                done()
                error = outcome.error
                if error is None:
                    return AddressReading(url=url, body=outcome.body or {})
                return AddressReading(url=url, message=error.message, error=error.block)

            return await asyncio.gather(*map(read_address, urls))


def _create_output_directory(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or "the directory cannot be created"
        raise Misconfigured(f"--out {out}: {reason}.", action="inform_user") from None


def _write_page_files(readings: Sequence[AddressReading], out: Path, *, print_paths: bool) -> None:
    for reading in readings:
        if reading.body is None:
            continue
        path = out / build_page_file_name(reading.url)
        path.write_text(_render_page_file(reading.body), encoding="utf-8", errors="replace")
        if print_paths:
            screen.print_text(str(path), unwrapped=True)


def _print_pages(readings: Sequence[AddressReading]) -> None:
    """Print one page as it is, or several pages, each with its front matter."""
    good = [reading.body for reading in readings if reading.body is not None]
    for body in good:
        alone = len(readings) == 1
        screen.print_text(
            str(body["content"]) if alone else _render_page_file(body), unwrapped=True
        )


def _render_page_file(body: Mapping[str, Any]) -> str:
    return f"{render_front_matter(body)}\n{str(body['content']).rstrip()}\n"


def render_front_matter(body: Mapping[str, Any]) -> str:
    """The page's metadata as YAML front matter; the values are JSON strings, which are valid YAML."""
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


def build_page_file_name(url: str) -> str:
    """A file name for the address: always the same one, and different for different addresses."""
    parts = urlsplit(url)
    pieces = [parts.netloc, *parts.path.strip("/").split("/")]
    name = "_".join(
        _UNSAFE_NAME_CHARS_PATTERN.sub("-", piece).strip("-.") for piece in pieces if piece
    )
    plain = (
        all(_SAFE_NAME_PATTERN.fullmatch(piece) for piece in pieces if piece) and not parts.query
    )
    if plain and len(name) <= _MAX_FILE_NAME_CHARS:
        return f"{name}.md"
    mark = hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{name[:_MAX_FILE_NAME_CHARS].rstrip('-._') or 'page'}-{mark}.md"
