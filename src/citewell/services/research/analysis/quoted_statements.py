"""The sentences, items and rows of the best windows as statements, each quoted from its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from citewell.model.research import ClaimRelation
from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.services.research.analysis.question_coverage import AnswerState, judge_coverage
from citewell.services.research.claims.claim_building import SourcedStatement
from citewell.services.research.collecting import source_kinds
from citewell.services.research.step_values import LOCAL_PROVIDER
from citewell.text.passages import sentence_openings
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit, join_unit_texts

_MAX_COMPARED_STATEMENTS = 240  # compared with one another
_MAX_PART_WINDOWS = 40
_MIN_STATEMENT_WORDS = 4
_LEAST_CLAIM_SHARE = 0.4  # of the best score: what is further off is no claim on the question


def quote_best_windows(
    found: PageAnalysis, *, refs: Mapping[str, str] | None = None
) -> tuple[SourcedStatement, ...]:
    """The statements of the best windows; `refs` gives src_N by address, else pages count from 1."""
    names = [
        (refs or {}).get(page.url) or f"src_{place + 1}" for place, page in enumerate(found.pages)
    ]
    if judge_coverage(found).state is not AnswerState.ANSWERED:
        return ()  # what is near to another subject is no claim on this one
    seen: dict[tuple[int, int], SourcedStatement] = {}
    for part, window in _iterate_in_turn(found):
        for place in range(window.first, window.last + 1):
            key = (window.page, place)
            quoted = _take_quoted_units(found.index.pages[window.page].units, place)
            if key not in seen and quoted:
                seen[key] = _quote_units(found, part, window, quoted, names)
        if len(seen) >= _MAX_COMPARED_STATEMENTS:
            break
    return tuple(seen.values())


def _iterate_in_turn(found: PageAnalysis) -> Iterator[tuple[int, AnswerWindow]]:
    """The best window of every part, then the second of every part, and so on."""
    for place in range(_MAX_PART_WINDOWS):
        for part, windows in enumerate(found.windows):
            if place >= len(windows):
                continue
            if windows[place].score >= _LEAST_CLAIM_SHARE * windows[0].score:
                yield part, windows[place]


def _can_be_claim(unit: PageUnit) -> bool:
    """Whether a unit states something by itself: no question, no lead-in, no word on the site."""
    return (
        unit.words >= _MIN_STATEMENT_WORDS
        and not unit.text.endswith(("?", "？", "؟", ":", "："))
        and not sentence_openings.has_navigation_words(unit.text)
    )


def _take_quoted_units(units: Sequence[PageUnit], place: int) -> tuple[PageUnit, ...]:
    """A unit that can be a claim, after the sentence that it points back to; empty if it cannot."""
    unit = units[place]
    if not _can_be_claim(unit):
        return ()
    if not sentence_openings.needs_previous_sentence(unit.text):
        return (unit,)
    before = units[place - 1] if place else None
    if before is None or before.block != unit.block or before.kind is not BlockKind.PARAGRAPH:
        return ()  # nobody could tell what it is about
    return (before, unit)


def format_unit_text(unit: PageUnit) -> str:
    """The unit as it is quoted: cells of a table under the names of their columns."""
    if unit.kind is not BlockKind.ROW or len(unit.table_header) != len(unit.cells):
        return unit.text
    pairs = zip(unit.table_header, unit.cells, strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _quote_units(
    found: PageAnalysis,
    part: int,
    window: AnswerWindow,
    units: Sequence[PageUnit],
    names: Sequence[str],
) -> SourcedStatement:
    """The last of the units as a statement, with all of them as its snippet."""
    page = found.pages[window.page]
    kind = source_kinds.classify_source(page.url, page_kind=page.page_kind)
    return SourcedStatement(
        text=format_unit_text(units[-1]),
        provider=LOCAL_PROVIDER,
        source=names[window.page],
        owner=source_kinds.identify_source_owner(page.url),
        source_weight=source_kinds.weigh_source(kind, page.reputation),
        source_kind=kind,
        support=1.0,
        relation=ClaimRelation.SUPPORTS,
        snippet=format_unit_text(units[0]) if len(units) == 1 else join_unit_texts(units),
        start=units[0].start,
        end=units[-1].end,
        facet=found.parts[part].text if len(found.parts) > 1 else None,
        published=page.published,
        relevance=max(0.0, min(1.0, window.score)),
        origin=names[window.page],
    )
