"""Builds persons and organisations from names in bibliography formats."""

from __future__ import annotations

import re

from citewell.model.paper import WorkAuthor
from citewell.text.citations.author_names import AuthorName
from citewell.text.references.field_cleaning import clean_reference_value

_PERSON_SUFFIX_PATTERN = re.compile(r"(?:jr|sr|[js]nr|ii|iii|iv|2nd|3rd)\.?", re.IGNORECASE)
_MAX_GIVEN_WORDS = 5  # more after a comma are the name of an organisation
AND_OTHERS_NAMES = frozenset({"others", "et al", "et al.", "and others", "...", "…"})


def build_person(*, family: str = "", given: str = "", suffix: str = "") -> WorkAuthor:
    """A person from separate name parts."""
    parts = (
        clean_reference_value(given),
        clean_reference_value(family),
        clean_reference_value(suffix),
    )
    return WorkAuthor(
        name=" ".join(part for part in parts if part),
        family=parts[1],
        given=parts[0],
        suffix=parts[2],
    )


def build_organisation(name: str) -> WorkAuthor:
    return WorkAuthor(name=clean_reference_value(name), organisation=True)


def parse_whole_name(name: str) -> WorkAuthor:
    """A person or organisation from one string; it is split into parts only at commas."""
    name = clean_reference_value(name).rstrip(",;")
    family, comma, rest = name.partition(",")
    if not comma:
        return WorkAuthor(name=name, organisation=AuthorName(name=name).is_organisation)
    if len(rest.split()) > _MAX_GIVEN_WORDS:
        return WorkAuthor(name=name, organisation=True)
    pieces = [piece.strip() for piece in rest.split(",") if piece.strip()]
    suffix = next((piece for piece in pieces if _PERSON_SUFFIX_PATTERN.fullmatch(piece)), "")
    given = [piece for piece in pieces if piece != suffix]
    if len(given) > 1 or (not given and not suffix):
        return WorkAuthor(name=name, organisation=True)
    return build_person(family=family, given=" ".join(given), suffix=suffix)
