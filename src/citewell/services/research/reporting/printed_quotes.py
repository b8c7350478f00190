"""Which pieces of evidence a report printed in its Answer, and where they stand on a page now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from citewell.model.research import ClaimEvidence, ResearchFindings
from citewell.services.research.planning.thread_context import ThreadQuote, ThreadQuotes
from citewell.services.research.step_values import PageReading
from citewell.text.web import addresses

_ANSWER_PATTERN = re.compile(r"^## Answer\s*$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CELL_NAME_PATTERN = re.compile(r"(?:\A|(?<=; ))[^:;]{1,80}: ")
_MAX_KEPT_QUOTES = 400


def collect_thread_quotes(jobs: Iterable[tuple[str, ResearchFindings]]) -> ThreadQuotes:
    """What the answers of these jobs quoted; each job is given with its id."""
    found = []
    for name, findings in jobs:
        known = {source.ref: source for source in findings.sources}
        found += [
            ThreadQuote(
                job=name,
                url=known[one.source].url,
                sha256=known[one.source].sha256,
                start=one.start,
                end=one.end,
                snippet=one.snippet,
            )
            for one in _list_printed_evidence(findings)
            if one.source in known
        ]
    return ThreadQuotes(quotes=tuple(found[:_MAX_KEPT_QUOTES]))


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
) -> dict[tuple[str, int, int], str]:
    """The places of the quotations on these pages (sha256, start, end), each with its job.

    On a page that changed since, a quotation is where its words stand now.
    """
    by_page: dict[str, list[ThreadQuote]] = {}
    for one in quotes.quotes:
        by_page.setdefault(addresses.build_page_key(one.url), []).append(one)
    places: dict[tuple[str, int, int], str] = {}
    for page in pages:
        for one in by_page.get(addresses.build_page_key(page.url), ()):
            sha256 = page.sha256 or ""
            start = one.start if one.sha256 == page.sha256 else page.text.find(one.snippet)
            end = one.end if one.sha256 == page.sha256 else start + len(one.snippet)
            if start >= 0:
                places.setdefault((sha256, start, end), one.job)
    return places
