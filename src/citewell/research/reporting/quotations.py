"""Quotations in a report: their lines, who agrees or disagrees, and which of them were printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from citewell.core.values.research import (
    ClaimEvidence,
    ClaimRelation,
    ResearchClaim,
    ResearchFindings,
    ResearchSource,
)
from citewell.jobs.step_values import PageReading
from citewell.research.claims import source_kinds
from citewell.research.claims.claim_building import ClaimSet
from citewell.research.pages.page_analysis import PageAnalysis, format_unit_text
from citewell.research.planning.thread_context import ThreadQuote, ThreadQuotes
from citewell.text import addresses
from citewell.text.passages import answer_windows
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit, join_unit_texts, list_passage_terms

_ANSWER_PATTERN = re.compile(r"^## Answer\s*$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CELL_NAME_PATTERN = re.compile(r"(?:\A|(?<=; ))[^:;]{1,80}: ")
_MAX_KEPT_QUOTES = 400

_FLAG_LABELS = {
    "contradicted": "disputed",
    "values_differ": "values differ",
    "number_not_found": "number not found in the source",
    "unsupported": "not supported by what it cites",
}
_SPECIAL_KINDS = {source_kinds.GOVERNMENT: "official", source_kinds.ACADEMIC: "scholarly"}

_MAX_SUBJECT_WORDS = 10  # of a heading that names the subject in brackets
_MAX_LEADING_WORDS = 40  # of the sentence before, to be taken along
_MAX_TABLE_CELLS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedWindow:
    """What is printed of a window: its units, with our subject before them if they lack theirs."""

    units: tuple[PageUnit, ...]
    subject: str = ""


def complete_window(found: PageAnalysis, window: AnswerWindow) -> QuotedWindow:
    """The window with its subject: the sentence before, or else its heading in brackets."""
    page = found.index.pages[window.page]
    units = found.list_window_units(window)
    subject = _choose_subject(page.title, units[0])
    if answer_windows.needs_previous_sentence(units[0].text):
        before = page.units[window.first - 1] if window.first else None
        if before is not None and _can_lead(before, units[0]):
            return QuotedWindow(units=(before, *units))
        return QuotedWindow(units=units, subject=subject)
    # The heading may hold a word of the question that the window itself does not.
    asked = set(list_passage_terms(found.plan.query, language=found.plan.language))
    above = set(list_passage_terms(subject, language=found.plan.language))
    held = {stem for unit in units for stem in unit.stems}
    lacks = units[0].kind is not BlockKind.PARAGRAPH or (above & asked) - held
    return QuotedWindow(units=units, subject=subject if lacks else "")


def _can_lead(before: PageUnit, unit: PageUnit) -> bool:
    return (
        before.kind is BlockKind.PARAGRAPH
        and before.headings == unit.headings
        and before.words <= _MAX_LEADING_WORDS
        and not answer_windows.needs_previous_sentence(before.text)
    )


def _choose_subject(title: str, unit: PageUnit) -> str:
    """The nearest heading above a unit, or the title of its page."""
    for heading in (*reversed(unit.headings), title):
        plain = " ".join(heading.split()).strip("[]")
        if plain and len(plain.split()) <= _MAX_SUBJECT_WORDS:
            return plain
    return " ".join(title.split()[:_MAX_SUBJECT_WORDS]).strip("[]")


def render_window_lines(shown: QuotedWindow, *, mark: str, remark: str) -> str:
    """The lines of one window; `mark` cites its source, `remark` says what else is known of it."""
    units = shown.units
    tail = f"{mark}{f' *({remark})*' if remark else ''}"
    lead = f"[{shown.subject}] " if shown.subject else ""
    if units[-1].kind is BlockKind.ROW:
        return _render_rows(shown, mark=mark, tail=tail)
    if units[-1].kind is not BlockKind.ITEM or len(units) == 1:
        return f"- {lead}{join_unit_texts(units)} {tail}"
    sentences = [unit for unit in units if unit.kind is not BlockKind.ITEM]
    items = [unit for unit in units if unit.kind is BlockKind.ITEM]
    opening = lead + join_unit_texts(sentences)
    if all(unit.is_ordered for unit in items):
        steps = [f"  {number}. {unit.text}" for number, unit in enumerate(items, start=1)]
        return "\n".join([f"- {opening.strip() or 'Steps:'}", *steps]) + f" {tail}"
    lines = [f"  - {unit.text} {mark}" for unit in items]
    return "\n".join([f"- {opening.strip()} {tail}", *lines] if opening.strip() else lines)


def _render_rows(shown: QuotedWindow, *, mark: str, tail: str) -> str:
    rows = [unit for unit in shown.units if unit.kind is BlockKind.ROW]
    before = join_unit_texts(unit for unit in shown.units if unit.kind is not BlockKind.ROW)
    header = rows[0].table_header
    opening = " ".join(filter(None, [f"[{shown.subject}]" if shown.subject else "", before]))
    width = len(header)
    if not width or width > _MAX_TABLE_CELLS or any(len(row.cells) != width for row in rows):
        text = "; ".join(_join_cells(row) for row in rows)
        return f"- {opening} {text} {tail}" if opening else f"- {text} {tail}"
    lines = [_format_row(header), "|" + "---|" * width]
    lines += [_format_row([*row.cells[:-1], f"{row.cells[-1] or '–'} {mark}"]) for row in rows]
    return "\n".join([f"- {opening} {tail}", "", *lines] if opening else ["", *lines])


def _join_cells(row: PageUnit) -> str:
    if len(row.table_header) != len(row.cells):
        return row.text
    pairs = zip(row.table_header, row.cells, strict=True)
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _format_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") or "–" for cell in cells) + " |"


# What is known of a quotation besides its source: who else says so, and who disagrees.


class ClaimMarks:
    """Looks up claims by their words, with the sources behind them."""

    def __init__(self, built: ClaimSet, sources: Sequence[ResearchSource]) -> None:
        self._claims: dict[str, ResearchClaim] = {}
        self._evidence: dict[str, list[ClaimEvidence]] = {}
        self._sources = {source.ref: source for source in sources}
        for item in built.evidence:
            self._evidence.setdefault(item.claim_id, []).append(item)
        for claim in built.claims:
            self._claims.setdefault(claim.content, claim)  # a snippet may begin a sentence earlier
            for item in self._evidence.get(claim.id, ()):
                if item.relation is ClaimRelation.SUPPORTS:
                    self._claims.setdefault(item.snippet, claim)

    def describe_units(self, ref: str, units: Sequence[PageUnit]) -> tuple[list[str], str]:
        """The other sources that say what these units say, and a remark on all of them."""
        claims = [
            self._claims[text] for unit in units if (text := format_unit_text(unit)) in self._claims
        ]
        others = [
            item for claim in claims for item in self.list_backing(claim) if item.source != ref
        ]
        printed = " ".join(format_unit_text(unit) for unit in units)
        own_words = dict.fromkeys(other.source for other in others if other.snippet not in printed)
        copied = dict.fromkeys(
            item.source
            for claim in claims
            for item in self._evidence.get(claim.id, ())
            if item.source not in {ref, *own_words} and item.snippet in printed
        )
        flags = {flag for claim in claims for flag in claim.flags}
        remark = self._format_remark([ref, *own_words], flags)
        copies = "the same words in " + ", ".join(copied) if copied else ""
        return [*own_words], ", ".join(filter(None, [remark, copies]))

    def format_claim_line(self, claim: ResearchClaim) -> str:
        """A claim in the words of its best source, with the marks of all sources behind it."""
        backing = self.list_backing(claim)
        refs = list(dict.fromkeys(item.source for item in backing)) or list(claim.sources)
        marks = " ".join(f"[{ref}]" for ref in refs[:4])
        remark = self._format_remark(refs, set(claim.flags))
        if not backing:
            remark = ", ".join(filter(None, [remark, "no source is quoted"]))
        text = " ".join((backing[0].snippet if backing else claim.content).split())
        return f"- {text} {marks}{f' *({remark})*' if remark else ''}"

    def list_backing(self, claim: ResearchClaim) -> list[ClaimEvidence]:
        rows = self._evidence.get(claim.id, ())
        found = [row for row in rows if row.relation is ClaimRelation.SUPPORTS]
        return sorted(found, key=lambda match: -match.relevance_score)

    def _format_remark(self, refs: Sequence[str], flags: set[str]) -> str:
        """Such as "3 sources, 1 official, disputed"; nothing for a plain single source."""
        known = [self._sources[ref] for ref in refs if ref in self._sources]
        owners = {source_kinds.identify_source_owner(source.url) for source in known}
        kinds = Counter(
            _SPECIAL_KINDS[kind]
            for source in known
            if (kind := source_kinds.classify_source(source.url)) in _SPECIAL_KINDS
        )
        parts = [f"{len(owners)} sources"] if len(owners) > 1 else []
        parts += [f"{count} {kind}" for kind, count in sorted(kinds.items()) if len(owners) > 1]
        parts += [label for flag, label in _FLAG_LABELS.items() if flag in flags]
        return ", ".join(parts)


# Which pieces of evidence a report printed in its Answer, and where they stand on a page now.


def collect_thread_quotes(jobs: Iterable[tuple[str, ResearchFindings]]) -> ThreadQuotes:
    """What the answers of these jobs quoted; each job is given with its id."""
    found = []
    for name, findings in jobs:
        known = {source.ref: source for source in findings.sources}
        found += [
            ThreadQuote(
                job=name,
                url=known[item.source].url,
                sha256=known[item.source].sha256,
                start=item.start,
                end=item.end,
                snippet=item.snippet,
            )
            for item in _list_printed_evidence(findings)
            if item.source in known
        ]
    return ThreadQuotes(quotes=tuple(found[:_MAX_KEPT_QUOTES]))


def _list_printed_evidence(findings: ResearchFindings) -> Iterator[ClaimEvidence]:
    found = _ANSWER_PATTERN.search(findings.synthesis)
    if found is None:
        return
    answer = " ".join(found[1].split())
    for item in findings.evidence:
        if _is_printed(" ".join(item.snippet.split()), answer):
            yield item


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
    for item in quotes.quotes:
        by_page.setdefault(addresses.build_page_key(item.url), []).append(item)
    places: dict[tuple[str, int, int], str] = {}
    for page in pages:
        for item in by_page.get(addresses.build_page_key(page.url), ()):
            sha256 = page.sha256 or ""
            start = item.start if item.sha256 == page.sha256 else page.text.find(item.snippet)
            end = item.end if item.sha256 == page.sha256 else start + len(item.snippet)
            if start >= 0:
                places.setdefault((sha256, start, end), item.job)
    return places
