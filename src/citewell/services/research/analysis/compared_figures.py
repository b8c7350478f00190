"""For a question that wants a number: the figures that the sources give, side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from citewell.model.counted_words import pluralize
from citewell.model.research import ValueRow, ValueTable
from citewell.services.research.analysis.page_analysis import PageAnalysis
from citewell.services.research.analysis.quoted_statements import format_unit_text
from citewell.text.passages.passage_index import TermMatcher
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import (
    DATE_UNIT,
    ORDINAL_UNIT,
    YEAR_UNIT,
    StatedQuantity,
)
from citewell.text.questions.answer_patterns import wants_number

_MAX_COMPARED_WINDOWS = 12
_MAX_FIGURE_ROWS = 6
_MIN_UNIT_COVERAGE = 0.35  # of the question's words, in the sentence that gives the figure
_MIN_FIGURE_SOURCES = 2
_UNMEASURED_UNITS = frozenset((YEAR_UNIT, DATE_UNIT, ORDINAL_UNIT, ""))


def compare_figures(found: PageAnalysis, *, refs: Sequence[str]) -> tuple[ValueTable, ...]:
    """One table with a figure of each source in one unit, if at least two of them differ."""
    plan = found.plan
    if not wants_number(plan.query):
        return ()
    by_unit: dict[str, dict[str, tuple[StatedQuantity, ValueRow]]] = defaultdict(dict)
    said: dict[str, str] = {}  # by whom a sentence was said first
    copying: set[str] = set()
    for quantity, row in _list_figures(found, refs):
        if said.setdefault(row.snippet, row.source) != row.source:
            copying.add(row.source)
        elif row.source not in copying:
            by_unit[quantity.unit].setdefault(row.source, (quantity, row))
    best = max(by_unit, key=lambda unit: (len(by_unit[unit]), unit), default=None)
    rows = list(by_unit[best].values())[:_MAX_FIGURE_ROWS] if best is not None else []
    differ = any(
        not one.can_equal(other) for at, (one, _) in enumerate(rows) for other, _ in rows[at + 1 :]
    )
    if len(rows) < _MIN_FIGURE_SOURCES or not differ or best is None:
        return ()
    subject = f"{plan.query.rstrip(' ?')}: {_describe_agreement(rows)}"
    return (ValueTable(subject=subject, unit=best, rows=tuple(row for _, row in rows)),)


def _describe_agreement(rows: Sequence[tuple[StatedQuantity, ValueRow]]) -> str:
    """How many of the sources give the same figure, if any two do."""
    agreeing = [
        sum(1 for other, _ in rows if one.can_equal(other) and other.can_equal(one))
        for one, _ in rows
    ]
    most = max(agreeing)
    if most < _MIN_FIGURE_SOURCES:
        return f"{len(rows)} {pluralize(len(rows), 'source')}, {len(rows)} {pluralize(len(rows), 'figure')}"
    return f"{most} of {len(rows)} {pluralize(len(rows), 'source')} {pluralize(most, 'says', 'say')} {rows[agreeing.index(most)][1].value}"


def _list_figures(
    found: PageAnalysis, refs: Sequence[str]
) -> Iterator[tuple[StatedQuantity, ValueRow]]:
    plan = found.plan
    terms = found.index.weigh_words(plan.query, language=plan.language)
    matcher = TermMatcher(found.index, terms)
    best = (window for windows in found.windows for window in windows[:_MAX_COMPARED_WINDOWS])
    for window in best:
        page = found.pages[window.page]
        for place in range(window.first, window.last + 1):
            unit = found.index.pages[window.page].units[place]
            if matcher.measure_unit(window.page, place) < _MIN_UNIT_COVERAGE:
                continue
            for quantity in extract_quantities(unit.text, language=page.language):
                row = ValueRow(
                    value=quantity.text,
                    source=refs[window.page],
                    date=page.published,
                    snippet=format_unit_text(unit),
                )
                if quantity.unit not in _UNMEASURED_UNITS:
                    yield quantity, row
