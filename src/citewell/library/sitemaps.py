"""Reads the addresses in a sitemap: plain or gzipped, one file or an index of files."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from citewell.core.errors import CitewellError
from citewell.core.values.counted_words import pluralize
from citewell.library.local_files import ImportProblem, describe_import_error
from citewell.net.http.messages import decode_content
from citewell.reading.documents import xml_tree
from citewell.text import addresses

MAX_SITEMAP_BYTES = 32 * 2**20  # bytes, unpacked
MAX_SITEMAP_PAGES = 50_000  # pages of one site, unless the user sets another limit
_MAX_INDEX_FILES = 500  # files of one index
_SITEMAP_NAME_PATTERN = re.compile(r"sitemap|\.xml(?:\.gz)?$", re.IGNORECASE)

_SITEMAP_ROOT_PATTERN = re.compile(rb"<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\s>]")

FetchBytes = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """A page to import."""

    url: str
    from_sitemap: bool = False  # found in a sitemap, not named by the user
    modified: str | None = None  # the date in the sitemap


@dataclass(slots=True)
class SitemapPages:
    """The pages of a sitemap, and what was wrong with it."""

    pages: dict[str, ListedPage] = field(default_factory=dict)
    problems: list[ImportProblem] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SitemapFile:
    is_index: bool
    entries: tuple[ListedPage, ...]


def is_sitemap_address(url: str) -> bool:
    """Whether the address looks like that of a sitemap; only the content is proof."""
    try:
        return _SITEMAP_NAME_PATTERN.search(urlsplit(url).path) is not None
    except ValueError:
        return False


async def list_sitemap_pages(
    url: str, get: FetchBytes, *, max_pages: int = MAX_SITEMAP_PAGES
) -> SitemapPages | None:
    """The pages in the order listed; None if the content is not a sitemap.

    Raises what `get` raises for the first file; errors of the files in an index become problems.
    """
    first = await asyncio.to_thread(_parse_sitemap, await get(url))
    if first is None:
        return None
    site = SitemapPages()
    if not first.is_index:
        _add_sitemap_pages(site, url, first.entries, max_pages)
        return site
    for entry in first.entries[:_MAX_INDEX_FILES]:
        if len(site.pages) >= max_pages:
            break
        await _follow_index_entry(site, url, urljoin(url, entry.url), get, max_pages)
    if len(first.entries) > _MAX_INDEX_FILES:
        left = f"Only the first {_MAX_INDEX_FILES} of its {len(first.entries)} {pluralize(len(first.entries), 'file was', 'files were')} followed."
        site.problems.append(ImportProblem(source=url, reason=left))
    return site


async def _follow_index_entry(
    site: SitemapPages, base: str, url: str, get: FetchBytes, most: int
) -> None:
    if not _is_same_site(base, url):
        site.problems.append(
            ImportProblem(source=url, reason="The sitemap belongs to another site.")
        )
        return
    try:
        found = await asyncio.to_thread(_parse_sitemap, await get(url))
    except CitewellError as error:
        site.problems.append(ImportProblem(source=url, reason=describe_import_error(error)))
        return
    if found is None or found.is_index:
        site.problems.append(ImportProblem(source=url, reason="It is not a sitemap of pages."))
        return
    _add_sitemap_pages(site, base, found.entries, most)


def _add_sitemap_pages(
    site: SitemapPages, base: str, entries: tuple[ListedPage, ...], most: int
) -> None:
    foreign = 0
    for entry in entries:
        if len(site.pages) >= most:
            break
        if addresses.is_web_address(entry.url) and _is_same_site(base, entry.url):
            site.pages.setdefault(addresses.build_page_key(entry.url), entry)
        else:
            foreign += 1
    if foreign:
        reason = (
            f"{foreign} of its addresses are invalid or belong to other sites, and were left out."
        )
        site.problems.append(ImportProblem(source=base, reason=reason, failed=False))


def _is_same_site(base: str, url: str) -> bool:
    """Whether one host is the other, its parent or its subdomain; sitemaps may name no other hosts."""
    ours = addresses.extract_host(base).removeprefix("www.")
    theirs = addresses.extract_host(url).removeprefix("www.")
    above = "." in theirs and addresses.is_within_domain(ours, theirs)
    return bool(theirs) and (above or addresses.is_within_domain(theirs, ours))


def _parse_sitemap(body: bytes) -> _SitemapFile | None:
    """The entries of a sitemap; None for anything else."""
    if body.startswith(b"\x1f\x8b"):
        body = decode_content(body, "gzip", MAX_SITEMAP_BYTES)
    if not _SITEMAP_ROOT_PATTERN.search(body[:8192]):
        return None
    root = xml_tree.parse_xml_bytes(body)
    kind = {"urlset": "url", "sitemapindex": "sitemap"}.get(xml_tree.strip_namespace(root))
    if kind is None:
        return None
    entries = tuple(
        ListedPage(
            url=place,
            from_sitemap=True,
            modified=xml_tree.join_element_text(xml_tree.find_child_element(item, "lastmod"))
            or None,
        )
        for item in xml_tree.collect_child_elements(root, kind)
        if (place := xml_tree.join_element_text(xml_tree.find_child_element(item, "loc")))
    )
    return _SitemapFile(is_index=kind == "sitemap", entries=entries)
