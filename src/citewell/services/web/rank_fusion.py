"""Merges several ranked lists into one by reciprocal rank fusion; each page occurs once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from citewell.model.page import LIBRARY_ID_PREFIX
from citewell.model.search_queries import SearchHit
from citewell.text.web import addresses

_RANK_CONSTANT = 60  # the usual constant; a page in two lists beats the first of one


@dataclass(frozen=True, slots=True)
class RankedHit:
    hit: SearchHit
    weight: float


@dataclass(slots=True)
class _FusedPage:
    hit: SearchHit
    rank: int
    weight: float


def fuse_rankings(lists: Iterable[Sequence[SearchHit]]) -> tuple[RankedHit, ...]:
    """The pages, best first, each as the list that ranked it highest describes it."""
    pages: dict[str, _FusedPage] = {}
    for hits in lists:
        for rank, hit in enumerate(keep_unique_pages(hits), start=1):
            _add_ranked_hit(pages, hit, rank)
    ordered = sorted(pages.values(), key=lambda page: -page.weight)
    return tuple(RankedHit(page.hit, page.weight) for page in ordered)


def keep_unique_pages(hits: Iterable[SearchHit]) -> Iterable[SearchHit]:
    """The first hit of each page, without those that are neither web addresses nor library documents."""
    seen: set[str] = set()
    for hit in hits:
        key = addresses.build_page_key(hit.url)
        if key not in seen and _is_citable_address(hit.url):
            seen.add(key)
            yield hit


def _is_citable_address(url: str) -> bool:
    return addresses.is_web_address(url) or url.startswith(LIBRARY_ID_PREFIX)


def _add_ranked_hit(pages: dict[str, _FusedPage], hit: SearchHit, rank: int) -> None:
    key = addresses.build_page_key(hit.url)
    weight = 1 / (_RANK_CONSTANT + rank)
    page = pages.get(key)
    if page is None:
        pages[key] = _FusedPage(hit=hit, rank=rank, weight=weight)
        return
    page.weight += weight
    if rank < page.rank:
        page.hit, page.rank = _fill_missing_facts(hit, page.hit), rank
    else:
        page.hit = _fill_missing_facts(page.hit, hit)


def _fill_missing_facts(hit: SearchHit, other: SearchHit) -> SearchHit:
    """The hit with missing snippet and date taken from the other one."""
    dated = hit.published is not None or other.published is None
    if dated and (hit.snippet or not other.snippet):
        return hit
    return replace(
        hit,
        snippet=hit.snippet or other.snippet,
        published=hit.published or other.published,
        published_basis=hit.published_basis if hit.published else other.published_basis,
    )
