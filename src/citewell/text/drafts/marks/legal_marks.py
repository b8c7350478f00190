"""Citations of cases and statutes in running text: 497 U.S. 1 (1990), [2019] UKSC 27, 42 U.S.C. § 1983."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.draft import CitationForm
from citewell.text.citations.legal_citations import find_legal_spans
from citewell.text.drafts.draft_views import CitationMark, CitationTarget, TargetKind
from citewell.text.law.case_names import read_case_name

_TAIL_PATTERN = re.compile(
    r"(?:,\s{1,2}\d{1,5}(?:[-–]\d{1,5})?(?:\s?n\.\s?\d{1,3})?){0,3}(?:\s{1,2}\([^()\n]{0,60}\d{4}\))?"
)
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
        yield CitationMark(
            start=begin,
            end=done,
            form=CitationForm.LEGAL,
            targets=(CitationTarget(kind=TargetKind.LEGAL, value=value),),
            hidden=((begin, done),),
        )
