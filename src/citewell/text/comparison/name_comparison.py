"""Compares the names of a statement with those of the sentence that says the same in its source."""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.text.comparison.quoted_words import fold_scan_letters
from citewell.text.comparison.statement_twins import StatementTwin, find_statement_twins
from citewell.text.dates.month_names import WHOLE_MONTH_NAMES
from citewell.text.evidence.claim_support import HEAD_LETTERS, SourceText, remove_citation_marks
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.language import tokens

# Runs of capitalized words inside a sentence; the first word of a sentence has a capital anyway.
_NAME_PATTERN = re.compile(
    r"(?<=[a-z,;)] )[A-ZÀ-Þ][\w’'-]+(?: (?:(?:of|the|de|van|von|der|la|and|for) ){0,2}[A-ZÀ-Þ][\w’'-]+){0,4}"
)
_POSSESSIVE_PATTERN = re.compile(r"['’]s?\Z")
_NOUN_CAPITAL_CODES = frozenset({"de", "lb"})
_MIN_TWIN_SHARE = 0.8  # of the statement's other words
_MIN_SHARED_BACK = 0.5
# Capitals that name nothing.
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PLAIN_CAPITALS = WHOLE_MONTH_NAMES | frozenset(
    (
        *_WEEKDAYS, *(f"{day}s" for day in _WEEKDAYS), "celsius", "fahrenheit", "kelvin",
        "table", "figure", "section", "chapter", "appendix",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class NameConflict:
    """A name of the statement that the source does not have, and the one in its place."""

    draft: str
    source: str
    start: int
    end: int


def find_name_conflict(
    statement: str, source: SourceText, *, title: str = ""
) -> NameConflict | None:
    """The one name that differs in an otherwise equal sentence; None if that is not certain."""
    asked = build_sentence_features(remove_citation_marks(statement), language=source.language)
    foreign = list_foreign_names(statement, source, title=title)
    if len(foreign) != 1:
        return None
    rest = build_sentence_features(asked.text.replace(foreign[0], " "), language=source.language)
    twins = find_statement_twins(rest, source, min_share=_MIN_TWIN_SHARE)
    if not twins or twins[0].shared_back < _MIN_SHARED_BACK:
        return None
    return _compare_twin_names(foreign[0], asked, twins[0])


def list_foreign_names(statement: str, source: SourceText, *, title: str = "") -> tuple[str, ...]:
    """The names of a statement of which no part is in the source; none where all nouns have capitals."""
    if (source.language or "en")[:2] in _NOUN_CAPITAL_CODES:
        return ()
    names = list_names(remove_citation_marks(statement))
    return tuple(name for name in names if not _has_name(name, source, title))


def _compare_twin_names(
    name: str, asked: SentenceFeatures, twin: StatementTwin
) -> NameConflict | None:
    rivals = [
        other
        for other in list_names(twin.features.text)
        if not (tokens.extract_terms(other) & asked.terms) and not _is_short_form(name, other)
    ]
    if len(rivals) != 1 or fold_scan_letters(rivals[0]) == fold_scan_letters(name):
        return None
    return NameConflict(draft=name, source=rivals[0], start=twin.start, end=twin.end)


def list_names(text: str) -> tuple[str, ...]:
    found = (_POSSESSIVE_PATTERN.sub("", match[0]) for match in _NAME_PATTERN.finditer(text))
    return tuple(
        dict.fromkeys(one for one in found if one.split()[0].lower() not in PLAIN_CAPITALS)
    )


def _has_name(name: str, source: SourceText, title: str) -> bool:
    """Whether any part of the name is in the source: people are called by their family name."""
    stems = tokens.extract_terms(name)
    known = tokens.extract_terms(title)
    heads = {term[:HEAD_LETTERS] for term in known}
    return not stems or any(
        stem in source.all_terms
        or stem in known
        or (
            len(stem) >= HEAD_LETTERS
            and (stem[:HEAD_LETTERS] in heads or stem[:HEAD_LETTERS] in source.sentences_by_head)
        )
        for stem in stems
    )


def _is_short_form(one: str, other: str) -> bool:
    """Whether one is made of the other's first letters: WHO and World Health Organization."""
    return any(
        short.isupper()
        and "".join(word[0] for word in long.split() if word[0].isupper()).startswith(short[:3])
        for short, long in ((one, other), (other, one))
    )
