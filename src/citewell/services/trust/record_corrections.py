"""Says in which fields a citation differs from the record of its work, and what the record has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.model.citation_checks import FieldCorrection
from citewell.model.paper import Paper, WorkAuthor
from citewell.services.trust.work_identity import CitedWork, FieldAgreement, WorkIdentity
from citewell.text.safety.markup_cleaning import clean_markup

_MAX_NAMES = 3  # authors that are shown
_MAX_VALUE_CHARS = 300  # characters of a value that are shown
_FIRST_NUMBER_PATTERN = re.compile(r"\d+")


def list_record_corrections(
    cited: CitedWork, identity: WorkIdentity, paper: Paper
) -> tuple[FieldCorrection, ...]:
    """Every field that contradicts the record; volume and pages only if the citation has them nowhere."""
    found = [
        FieldCorrection(field=field, cited=said[:_MAX_VALUE_CHARS], record=right[:_MAX_VALUE_CHARS])
        for field, said, right in _list_field_differences(cited, identity, paper)
    ]
    return tuple(found)


def _list_field_differences(
    cited: CitedWork, identity: WorkIdentity, paper: Paper
) -> Iterator[tuple[str, str, str]]:
    wrong = FieldAgreement.MISMATCH
    if identity.title.state is wrong and cited.title:
        yield "title", cited.title, clean_markup(paper.title)
    if identity.author.state is wrong and cited.authors:
        yield "authors", _join_author_names(cited.authors), _join_author_names(paper.authors)
    if identity.year.state is wrong and cited.year and paper.year:
        yield "year", str(cited.year), str(paper.year)
    if identity.title.state is FieldAgreement.MATCH:
        yield from _list_number_differences(cited, paper)


def _list_number_differences(cited: CitedWork, paper: Paper) -> Iterator[tuple[str, str, str]]:
    """Volume and first page that differ; in free text only if the right number is nowhere in it."""
    said = f"{cited.text} {cited.volume} {cited.pages}"
    known = set(_FIRST_NUMBER_PATTERN.findall(said))
    for field in ("volume", "pages"):
        ours, theirs = getattr(cited, field), getattr(paper, field) or ""
        first = _FIRST_NUMBER_PATTERN.search(theirs)
        if _FIRST_NUMBER_PATTERN.search(ours) and first and first[0] not in known:
            yield field, ours, theirs


def _join_author_names(authors: tuple[WorkAuthor, ...]) -> str:
    names = ", ".join(clean_markup(one.name or one.family) for one in authors[:_MAX_NAMES])
    return f"{names} et al." if len(authors) > _MAX_NAMES else names
