"""Citations of cases and statutes in running text: 497 U.S. 1 (1990), [2019] UKSC 27, 42 U.S.C. § 1983."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.draft import CitationForm
from citewell.text.citations.legal_citations import find_legal_spans
from citewell.text.drafts.draft_views import CitationMark, CitationTarget, TargetKind, TextSpan
from citewell.text.law.case_names import read_case_name

_TAIL_PATTERN = re.compile(
    r"(?:,\s{1,2}\d{1,5}(?:[-–]\d{1,5})?(?:\s?n\.\s?\d{1,3})?){0,3}(?:\s{1,2}\([^()\n]{0,60}\d{4}\))?"
)
_SIGNAL_PATTERN = re.compile(r"\b(?:see|see also|accord|cf|contra|citing|quoting|compare|e\.g)[.,]{0,2}\Z", re.IGNORECASE)  # fmt: skip
_PREDICATE_PATTERN = re.compile(r",?\s{1,3}[a-z]")
_FULL_STOPS = frozenset(".!?")
_CONTEXT_CHARS = 24
_MAX_NAME_CHARS = 320


def find_legal_marks(spoken: str) -> Iterator[CitationMark]:
    """Each citation with the name of the case before it, and the court and year after it."""
    done = 0
    for start, end in find_legal_spans(spoken):
        if start < done:
            continue
        nearest = max(done, start - _MAX_NAME_CHARS, 0)
        window = max(nearest, spoken.rfind("\n\n", nearest, start) + 1)
        name = read_case_name(spoken[window:start].replace("\n", " "))
        begin = window + name.start if name is not None and name.is_full else start
        tail = _TAIL_PATTERN.match(spoken, end)
        done = tail.end() if tail else end
        done = begin + len(spoken[begin:done].rstrip(" .,"))
        value = " ".join(spoken[begin:done].split())
        is_textual = begin < start and _is_sentence_part(spoken, begin, done)
        yield CitationMark(
            start=begin,
            end=done,
            form=CitationForm.LEGAL,
            targets=(CitationTarget(kind=TargetKind.LEGAL, value=value),),
            hidden=(_choose_hidden(spoken, begin, start if is_textual else begin, done),),
            is_textual=is_textual,
        )


def _is_sentence_part(spoken: str, begin: int, end: int) -> bool:
    """Whether the name of a case is the subject or an object of its sentence: "In Roe v. Wade, …"."""
    before = spoken[max(0, begin - _CONTEXT_CHARS) : begin].rstrip()
    if _SIGNAL_PATTERN.search(before):
        return False
    if before[-1:].isalpha():
        return True
    return before[-1:] in {"", *_FULL_STOPS} and _PREDICATE_PATTERN.match(spoken, end) is not None


def _choose_hidden(spoken: str, begin: int, cite: int, end: int) -> TextSpan:
    """What the statement leaves out: the whole citation, or what follows the name of the case.

    A citation that is a sentence of its own takes its full stop with it.
    """
    is_opening = spoken[max(0, begin - 2) : begin].rstrip()[-1:] in {"", *_FULL_STOPS}
    following = spoken[end : end + 1]
    if cite == begin:
        return begin, end + (is_opening and following == ".")
    return begin + len(spoken[begin:cite].rstrip(" ,")), end + (is_opening and following == ",")
