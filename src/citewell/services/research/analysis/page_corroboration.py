"""Finds other pages that say what a leading statement says, in words of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from citewell.model.research import ClaimRelation
from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.services.research.analysis.quoted_statements import format_unit_text
from citewell.services.research.claims.claim_building import SourcedStatement
from citewell.services.research.collecting import source_kinds
from citewell.text.evidence.claim_support import SourceText, assess_support
from citewell.text.passages.page_units import PageUnit, list_passage_terms

_MAX_LEADING_STATEMENTS = 10
_MIN_STATEMENT_STEMS = 5  # fewer words are shared by chance
_MIN_SHARED_STEMS = 0.8  # of the statement, in one sentence of the other page
_MIN_SUPPORT = 0.7
_RANK_FACTOR = 0.999  # keeps the statement itself before those that support it


def find_corroboration(
    found: PageAnalysis, said: Sequence[SourcedStatement], *, refs: Sequence[str]
) -> tuple[SourcedStatement, ...]:
    """For the leading statements, the sentences of other owners' pages that clearly support them.

    `refs` gives src_N for each page. Each has the words of the statement as its text, so that it is
    grouped with it, and its own words as its snippet. A word-for-word copy supports nothing.
    """
    leading = sorted(said, key=lambda one: -one.relevance)[:_MAX_LEADING_STATEMENTS]
    return tuple(row for one in leading for row in _find_supporting_rows(found, one, refs))


def _find_supporting_rows(
    found: PageAnalysis, one: SourcedStatement, refs: Sequence[str]
) -> Iterator[SourcedStatement]:
    for place, page in enumerate(found.pages):
        owner = source_kinds.identify_source_owner(page.url)
        if refs[place] == one.source or owner == one.owner:
            continue
        unit = _find_nearest_unit(found, place, one.text)
        if unit is None or " ".join(unit.text.split()) == " ".join(one.text.split()):
            continue
        source = SourceText(text=unit.text, language=page.language)
        support = assess_support(one.text, source)
        if support.relation is ClaimRelation.SUPPORTS and support.score >= _MIN_SUPPORT:
            kind = source_kinds.classify_source(page.url, page_kind=page.page_kind)
            yield replace(
                one,
                source=refs[place],
                owner=owner,
                source_weight=source_kinds.weigh_source(kind, page.reputation),
                source_kind=kind,
                support=support.score,
                snippet=format_unit_text(unit),
                start=unit.start,
                end=unit.end,
                published=page.published,
                relevance=one.relevance * _RANK_FACTOR,
                origin=refs[place],
            )


def _find_nearest_unit(found: PageAnalysis, place: int, text: str) -> PageUnit | None:
    """The sentence of a page with most words of the text; None if it has too few of them."""
    indexed = found.index.pages[place]
    wanted = set(list_passage_terms(text, language=indexed.language))
    if len(wanted) < _MIN_STATEMENT_STEMS:
        return None
    best = max(indexed.units, key=lambda unit: len(wanted.intersection(unit.stems)), default=None)
    if best is None or len(wanted.intersection(best.stems)) < _MIN_SHARED_STEMS * len(wanted):
        return None
    return best
