"""Parses page ranges such as "1-3,7", "5-" and "-2"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.errors import InvalidInput
from citewell.model.counted_words import pluralize

_PAGE_RANGE_PATTERN = re.compile(r"(\d{1,6})?\s*+(-)?\s*+(\d{1,6})?")


def choose_pages(wanted: str | None, total: int) -> Sequence[int]:
    """Zero-based page numbers in document order; all if `wanted` is empty. Raises InvalidInput."""
    if wanted is None or not wanted.strip():
        return range(total)
    chosen: set[int] = set()
    for part in wanted.replace("–", "-").split(","):
        chosen |= _parse_page_range(part.strip(), wanted, total)
    if not chosen:
        raise InvalidInput(
            f'The document has {total} {pluralize(total, "page")}; none of them is in "{wanted[:40]}".'
        )
    return sorted(chosen)


def _parse_page_range(part: str, wanted: str, total: int) -> set[int]:
    match = _PAGE_RANGE_PATTERN.fullmatch(part)
    first, dash, last = match.groups() if match else (None, None, None)
    if match is None or not (first or last) or (last and not dash):
        raise InvalidInput(f'Write pages such as "1-3,7", not "{wanted[:40]}".')
    start = int(first) if first else 1
    end = int(last) if last else (total if dash else start)
    if start < 1 or end < start:
        raise InvalidInput(f'Page numbers start at 1 and ranges ascend, unlike in "{wanted[:40]}".')
    return set(range(start - 1, min(end, total)))
