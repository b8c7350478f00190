"""The sentences, items and rows of the best windows as statements, each quoted from its page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from citewell.model.research import ClaimRelation
from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.services.research.analysis.question_coverage import AnswerState, judge_coverage
from citewell.services.research.claims.claim_building import SourcedStatement
from citewell.services.research.collecting import source_kinds
from citewell.services.research.step_values import LOCAL_PROVIDER
from citewell.text.evidence import sentence_openings
from citewell.text.passages.answer_windows import AnswerWindow
from citewell.text.passages.markdown_blocks import BlockKind
from citewell.text.passages.page_units import PageUnit

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
        for unit in found.list_window_units(window):
            key = (window.page, unit.start)
            if key not in seen and _can_be_claim(unit):
                seen[key] = _quote_unit(found, part, window, unit, names)
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


def format_unit_text(unit: PageUnit) -> str:
    """The unit as it is quoted: cells of a table under the names of their columns."""
    if unit.kind is not BlockKind.ROW or len(unit.table_header) != len(unit.cells):
        return unit.text
    pairs = zip(unit.table_header, unit.cells, strict=True)
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _quote_unit(
    found: PageAnalysis, part: int, window: AnswerWindow, unit: PageUnit, names: Sequence[str]
) -> SourcedStatement:
    page = found.pages[window.page]
    return SourcedStatement(
        text=format_unit_text(unit),
        provider=LOCAL_PROVIDER,
        source=names[window.page],
        owner=source_kinds.identify_source_owner(page.url),
        source_weight=source_kinds.weigh_source(
            source_kinds.classify_source(page.url, page_kind=page.page_kind), page.reputation
        ),
        support=1.0,
        relation=ClaimRelation.SUPPORTS,
        snippet=format_unit_text(unit),
        start=unit.start,
        end=unit.end,
        facet=found.parts[part].text if len(found.parts) > 1 else None,
        published=page.published,
        relevance=max(0.0, min(1.0, window.score)),
        origin=names[window.page],
    )
