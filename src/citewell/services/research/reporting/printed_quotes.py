"""Which pieces of evidence a report printed in its Answer, and where they stand on a page now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewell.model.research import ClaimEvidence, ResearchFindings
from citewell.services.research.planning.thread_context import ThreadQuotes
from citewell.services.research.step_values import PageReading
from citewell.text.web import addresses

_ANSWER_PATTERN = re.compile(r"^## Answer\s*$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CELL_NAME_PATTERN = re.compile(r"(?:\A|(?<=; ))[^:;]{1,80}: ")
_MAX_KEPT_SNIPPETS = 200


def collect_thread_quotes(jobs: Iterable[tuple[str, ResearchFindings]]) -> ThreadQuotes:
    """What the answers of these jobs quoted; each job with its id, the latest first."""
    places: dict[tuple[str, int, int], None] = {}
    snippets: dict[tuple[str, str], None] = {}
    names: dict[str, None] = {}
    for name, findings in jobs:
        known = {source.ref: source for source in findings.sources}
        for one in _list_printed_evidence(findings):
            source = known.get(one.source)
            if source is None:
                continue
            names[name] = None
            snippets[(source.url, one.snippet)] = None
            if source.sha256:
                places[(source.sha256, one.start, one.end)] = None
    return ThreadQuotes(
        places=tuple(places), snippets=tuple(snippets)[:_MAX_KEPT_SNIPPETS], jobs=tuple(names)
    )


def _list_printed_evidence(findings: ResearchFindings) -> Iterator[ClaimEvidence]:
    found = _ANSWER_PATTERN.search(findings.synthesis)
    if found is None:
        return
    answer = " ".join(found[1].split())
    for one in findings.evidence:
        if _is_printed(" ".join(one.snippet.split()), answer):
            yield one


def _is_printed(snippet: str, answer: str) -> bool:
    """Whether the answer holds a snippet word for word, or a row of a table cell by cell."""
    if snippet in answer:
        return True
    cells = [cell for cell in _CELL_NAME_PATTERN.sub("\x1f", snippet).split("\x1f") if cell.strip()]
    if len(cells) < 2:
        return False
    row = r" \| ".join(re.escape(cell.strip(" ;")) for cell in cells)
    return re.search(rf"\| {row} ", answer) is not None


def locate_quotes(
    quotes: ThreadQuotes, pages: Iterable[PageReading]
) -> tuple[tuple[str, int, int], ...]:
    """The places of the quotations on these pages; on a page that changed, where its words are now."""
    known = {sha256 for sha256, _, _ in quotes.places}
    moved: list[tuple[str, int, int]] = []
    by_page: dict[str, list[str]] = {}
    for url, words in quotes.snippets:
        by_page.setdefault(addresses.build_page_key(url), []).append(words)
    for page in pages:
        if not page.sha256 or page.sha256 in known:
            continue
        for words in by_page.get(addresses.build_page_key(page.url), ()):
            start = page.text.find(words)
            if start >= 0:
                moved.append((page.sha256, start, start + len(words)))
    return (*quotes.places, *moved)
