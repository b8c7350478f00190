"""Finds the names of a statement that its source has in no form, if they carry what is stated."""

from __future__ import annotations

import re

from citewell.text.comparison.source_names import SourceNames, read_source_names
from citewell.text.comparison.statement_names import (
    StatementName,
    fold_name_letters,
    list_statement_names,
)
from citewell.text.evidence.claim_support import SourceText, remove_citation_marks

_MIN_SOURCE_WORDS = 50  # of a source that names all that it is about
_MIN_ACRONYM_WORDS = 150  # of a source; a shorter one may use the long form of another text
# Who says it may be the author or the publisher, whom a text need not name.
_SPEAKER_BEFORE_PATTERN = re.compile(
    r"(?:according to|as reported by|as noted by|selon|laut|según)(?: the| la| le)? \Z",
    re.IGNORECASE,
)
_SPEAKER_AFTER_PATTERN = re.compile(
    r"(?:\W{0,2}s)?,? (?:\w+ly )?(?:says?|said|writes?|wrote|notes?|noted|argues?|argued|reports?|reported|explains?|explained|suggests?|suggested|estimates?|estimated|concludes?|concluded|recommends?|recommended|advises?|advised|describes?|described|experience|estimates?|view|opinion|account|words|analysis|calculations?)\b"
)
# What is said of a text itself need not be in it.
_DOCUMENT_PATTERN = re.compile(
    r"\b(?:this|these) (?:\w+ )?(?:articles?|papers?|pages?|stud(?:y|ies)|reports?|books?|guides?|documents?|sources?|publications?|chapters?|surveys?|reviews?)\b"
    r"|\bthe (?:\w+ )?(?:articles?|papers?|pages?|authors?|web ?sites?|sites?|posts?|documents?|blogs?|essays?|texts?|reviewers?|writers?|columns?|editorials?)\b"
    r"|\b(?:l['’]article|cet article|l['’]auteure?|les auteurs|l['’]étude|la page|le rapport|el artículo|los autores|la autora|el autor|el estudio|la página|el informe)\b",
    re.IGNORECASE,
)
_PLACE_BEFORE_PATTERN = re.compile(r"[A-Z]\w{1,40}, \Z")
_LIST_AFTER_PATTERN = re.compile(r",? (?:and|or|&) |, [A-Z]")
_EXPLANATION_PATTERN = re.compile(
    r" (?:\(([A-Z]\w+)|([a-z]{4,}(?:um|us|is|ae|ans|ii|ens|ri|la|li|na)\b))"
)
_OWNER_AFTER_PATTERN = re.compile(r"[’']s? [A-Z]")


def find_absent_names(statement: str, source: SourceText, *, known: str = "") -> tuple[str, ...]:
    """The names as written; `known` are names that belong to the source whether its text has them or not."""
    plain = remove_citation_marks(statement)
    held = read_source_names(source.text, known)
    if len(held.word_list) < _MIN_SOURCE_WORDS or _DOCUMENT_PATTERN.search(plain):
        return ()
    return tuple(
        dict.fromkeys(
            name.text
            for name in list_statement_names(plain, language=source.language)
            if not held.mentions_name(name) and _carries_statement(name, plain, held)
        )
    )


def _carries_statement(name: StatementName, statement: str, held: SourceNames) -> bool:
    """Whether what is stated is about the name, which is no mere addition of the author's."""
    before, after = statement[: name.start], statement[name.end :]
    if _SPEAKER_BEFORE_PATTERN.search(before):
        return False
    if len(name.words) == 1 and _SPEAKER_AFTER_PATTERN.match(after):
        return False
    if _OWNER_AFTER_PATTERN.match(after):  # Carnegie Mellon's Tepper School
        return False
    if _PLACE_BEFORE_PATTERN.search(before) and not _LIST_AFTER_PATTERN.match(after):
        return False  # Northfield, Illinois
    if before.endswith("(") or _is_explained(after, held):
        return False
    return not name.is_acronym or len(held.word_list) >= _MIN_ACRONYM_WORDS


def _is_explained(after: str, held: SourceNames) -> bool:
    """Whether the source has the short form in brackets, or the second word of a Latin name."""
    found = _EXPLANATION_PATTERN.match(after)
    return found is not None and fold_name_letters(found[1] or found[2]) in held.word_set
