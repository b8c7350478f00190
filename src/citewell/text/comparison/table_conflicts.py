"""Finds a number of a statement that the source's table gives in another row than the one spoken of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citewell.text.comparison.approximate_values import is_about_equal
from citewell.text.comparison.source_values import is_spelt_near
from citewell.text.comparison.statement_twins import list_word_terms
from citewell.text.comparison.statement_values import DATED_UNITS, list_stated_values
from citewell.text.comparison.value_conflicts import ValueConflict
from citewell.text.comparison.value_equality import (
    have_equal_figures,
    have_same_value,
    is_rounded,
)
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.quantities.stated_quantities import StatedQuantity

_RULE_PATTERN = re.compile(r"[\s|:-]+")
_MIN_TABLE_ROWS = 2  # besides the head


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableRow:
    features: SentenceFeatures
    start: int
    end: int
    key_terms: frozenset[str]  # of its first cell


def find_table_conflict(
    one: StatedQuantity, asked: SentenceFeatures, source: SourceText
) -> ValueConflict | None:
    """What the row that the statement names gives instead, if another row of the table has the value."""
    if one.unit in DATED_UNITS:
        return None
    words = list_word_terms(asked)
    for rows in source.derive(_collect_tables):
        row = _choose_row(words, rows)
        if row is None or _gives_value(one, asked, row):
            continue
        if not any(_gives_value(one, asked, each) for each in rows if each is not row):
            continue
        rivals = [
            value
            for value in list_stated_values(row.features)
            if value.unit == one.unit or not (value.unit and one.unit)
        ]
        if rivals:
            return ValueConflict(
                draft=one,
                source=rivals[0],
                start=row.start,
                end=row.end,
                is_strong=False,
                is_in_place=True,
                has_company=True,
            )
    return None


def _choose_row(words: frozenset[str], rows: Sequence[_TableRow]) -> _TableRow | None:
    """The one row whose first cell has words of the statement that no other first cell has."""
    named = [
        row
        for row in rows
        if (words & row.key_terms)
        - frozenset().union(*(each.key_terms for each in rows if each is not row))
    ]
    return named[0] if len(named) == 1 else None


def _gives_value(one: StatedQuantity, asked: SentenceFeatures, row: _TableRow) -> bool:
    return is_spelt_near(one, [row.features], asked.language) or any(
        have_same_value(one, other)
        or is_rounded(one, other)
        or is_about_equal(one, other, asked.text)
        or have_equal_figures(one, other)
        for other in list_stated_values(row.features)
    )


def _collect_tables(source: SourceText) -> tuple[list[_TableRow], ...]:
    return tuple(_list_tables(source))


def _list_tables(source: SourceText) -> Iterator[list[_TableRow]]:
    """The rows of each table, without its head and its rule."""
    rows: list[_TableRow] = []
    last_end = -1
    for said, (start, end) in zip(source.sentence_features, source.sentence_spans, strict=True):
        line = source.text[start:end]
        is_row = line.lstrip().startswith("|")
        if rows and (not is_row or source.text[last_end:start].strip()):
            yield from _drop_head(rows)
            rows = []
        if is_row and not _RULE_PATTERN.fullmatch(line):
            rows.append(
                _TableRow(
                    features=said,
                    start=start,
                    end=end,
                    key_terms=_list_key_terms(line, source.language),
                )
            )
        last_end = end if is_row else last_end
    yield from _drop_head(rows)


def _drop_head(rows: list[_TableRow]) -> Iterator[list[_TableRow]]:
    if len(rows) > _MIN_TABLE_ROWS:
        yield rows[1:]


def _list_key_terms(line: str, language: str | None) -> frozenset[str]:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return list_word_terms(build_sentence_features(cells[0], language=language))
