"""The addresses a sitemap lists: plain or packed, in one file or in an index of many."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from citewell.errors import CitewellError
from citewell.fetch.documents.trees import child, children, local, parse, words
from citewell.net.inflate import inflate
from citewell.services.library.files import reason
from citewell.services.library.walk import Problem
from citewell.text import urls

LARGEST = 32 * 2**20  # bytes, unpacked
MOST = 50_000  # addresses of one site, unless the user sets another limit
_MAPS = 500  # files of one index
_NAMED = re.compile(r"sitemap|\.xml(?:\.gz)?$", re.IGNORECASE)

_ROOT = re.compile(rb"<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]")

Get = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A page to read."""

    url: str
    mapped: bool = False  # by a sitemap, where the user named none of its pages
    modified: str | None = None  # as the sitemap says


@dataclass(slots=True)
class Site:
    """What a sitemap led to."""

    pages: dict[str, Listed] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    index: bool
    entries: tuple[Listed, ...]


def is_named(url: str) -> bool:
    """Whether an address looks like a sitemap's; only its content tells for certain."""
    try:
        return _NAMED.search(urlsplit(url).path) is not None
    except ValueError:
        return False


async def pages(url: str, get: Get, *, most: int = MOST) -> Site | None:
    """The site's addresses in the order listed; None when it is no sitemap after all.

    Raises what `get` raises for the first file; further files of an index that fail are problems.
    """
    first = await asyncio.to_thread(_parsed, await get(url))
    if first is None:
        return None
    site = Site()
    if not first.index:
        _take(site, url, first.entries, most)
        return site
    for entry in first.entries[:_MAPS]:
        if len(site.pages) >= most:
            break
        await _follow(site, url, urljoin(url, entry.url), get, most)
    if len(first.entries) > _MAPS:
        left = f"Only the first {_MAPS} of its {len(first.entries)} files were followed."
        site.problems.append(Problem(source=url, reason=left))
    return site


async def _follow(site: Site, base: str, url: str, get: Get, most: int) -> None:
    if not _same_site(base, url):
        site.problems.append(Problem(source=url, reason="The sitemap is of another site."))
        return
    try:
        found = await asyncio.to_thread(_parsed, await get(url))
    except CitewellError as error:
        site.problems.append(Problem(source=url, reason=reason(error)))
        return
    if found is None or found.index:
        site.problems.append(Problem(source=url, reason="It is no sitemap of pages."))
        return
    _take(site, base, found.entries, most)


def _take(site: Site, base: str, entries: tuple[Listed, ...], most: int) -> None:
    foreign = 0
    for entry in entries:
        if len(site.pages) >= most:
            break
        if urls.readable(entry.url) and _same_site(base, entry.url):
            site.pages.setdefault(urls.key(entry.url), entry)
        else:
            foreign += 1
    if foreign:
        said = f"{foreign} of its addresses are of other sites or none at all, and were left out."
        site.problems.append(Problem(source=base, reason=said, failed=False))


def _same_site(base: str, url: str) -> bool:
    """The same host, or one above or below it: a map may not send us anywhere else."""
    ours, theirs = urls.host(base).removeprefix("www."), urls.host(url).removeprefix("www.")
    above = "." in theirs and urls.within(ours, theirs)
    return bool(theirs) and (above or urls.within(theirs, ours))


def _parsed(body: bytes) -> _File | None:
    """The entries of a sitemap; None for anything else."""
    if body.startswith(b"\x1f\x8b"):
        body = inflate(body, "gzip", LARGEST)
    if not _ROOT.search(body[:8192]):
        return None
    root = parse(body)
    kind = {"urlset": "url", "sitemapindex": "sitemap"}.get(local(root))
    if kind is None:
        return None
    entries = tuple(
        Listed(url=place, mapped=True, modified=words(child(item, "lastmod")) or None)
        for item in children(root, kind)
        if (place := words(child(item, "loc")))
    )
    return _File(index=kind == "sitemap", entries=entries)
