"""Compares a citation with the book that its ISBN names, which may be the book around the cited part."""

from __future__ import annotations

from dataclasses import replace

from citewell.model.paper import Paper
from citewell.services.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
    compare_with_record,
)

_PART_KINDS = frozenset(
    {"chapter", "paper-conference", "entry", "entry-encyclopedia", "entry-dictionary", "article-journal"}
)  # fmt: skip
_PART_REASON = "the ISBN names the book, the citation a part of it"


def compare_with_book(cited: CitedWork, book: Paper) -> WorkIdentity:
    """The comparison with the cited title or, if that differs, with the title of its container.

    Authors of a chapter are not those of its book, and editions of a book have different years.
    """
    whole = compare_with_record(cited, book)
    if whole.title.state is not FieldAgreement.MISMATCH:
        return whole
    if cited.venue:
        around = compare_with_record(
            CitedWork(title=cited.venue, year=cited.year, structured=True), book
        )
        if around.title.state is FieldAgreement.MATCH:
            return around
    if cited.kind in _PART_KINDS:
        unsaid = FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason=_PART_REASON)
        return replace(whole, title=unsaid, author=unsaid)
    return whole
