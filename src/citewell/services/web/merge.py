"""Several ranked lists as one, by reciprocal rank; the same page counts once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citewell.model.search import Hit
from citewell.text import urls

_OWN = "library:"  # the user's own documents have a name and no address
_K = 60  # the usual constant: being first in one list never outweighs being in two


@dataclass(frozen=True, slots=True)
class Ranked:
    hit: Hit
    weight: float


@dataclass(slots=True)
class _Page:
    hit: Hit
    rank: int
    weight: float


def fuse(lists: Iterable[Sequence[Hit]]) -> tuple[Ranked, ...]:
    """Best first; a page is shown as the list that ranked it highest has it."""
    pages: dict[str, _Page] = {}
    for hits in lists:
        for rank, hit in enumerate(unique(hits), start=1):
            _add(pages, hit, rank)
    ordered = sorted(pages.values(), key=lambda page: -page.weight)
    return tuple(Ranked(page.hit, page.weight) for page in ordered)


def unique(hits: Iterable[Hit]) -> Iterable[Hit]:
    """The first of each page; what is no web address and no document of the user's is left out."""
    seen: set[str] = set()
    for hit in hits:
        key = urls.key(hit.url)
        if key not in seen and _citable(hit.url):
            seen.add(key)
            yield hit


def _citable(url: str) -> bool:
    return urls.readable(url) or url.startswith(_OWN)


def _add(pages: dict[str, _Page], hit: Hit, rank: int) -> None:
    key = urls.key(hit.url)
    weight = 1 / (_K + rank)
    page = pages.get(key)
    if page is None:
        pages[key] = _Page(hit=hit, rank=rank, weight=weight)
        return
    page.weight += weight
    if rank < page.rank:
        page.hit, page.rank = _filled(hit, page.hit), rank
    else:
        page.hit = _filled(page.hit, hit)


def _filled(hit: Hit, other: Hit) -> Hit:
    """The hit with what only the other one knew."""
    dated = hit.published is not None or other.published is None
    if dated and (hit.snippet or not other.snippet):
        return hit
    return replace(
        hit,
        snippet=hit.snippet or other.snippet,
        published=hit.published or other.published,
        published_basis=hit.published_basis if hit.published else other.published_basis,
    )
