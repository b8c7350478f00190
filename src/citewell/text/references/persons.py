"""Authors as bibliography formats write them."""

from __future__ import annotations

import re

from citewell.model.paper import Person
from citewell.text.names import Author
from citewell.text.references.tidy import tidy

_SUFFIX = re.compile(r"(?:jr|sr|[js]nr|ii|iii|iv|2nd|3rd)\.?", re.IGNORECASE)
OTHERS = frozenset({"others", "et al", "et al.", "and others", "...", "…"})


def person(*, family: str = "", given: str = "", suffix: str = "") -> Person:
    """One whose parts the source keeps apart."""
    parts = (tidy(given), tidy(family), tidy(suffix))
    return Person(
        name=" ".join(part for part in parts if part),
        family=parts[1],
        given=parts[0],
        suffix=parts[2],
    )


def organisation(name: str) -> Person:
    return Person(name=tidy(name), organisation=True)


def whole(name: str) -> Person:
    """A name in one piece, in either order: parted only where a comma does it."""
    name = tidy(name).rstrip(",;")
    family, comma, rest = name.partition(",")
    if not comma:
        return Person(name=name, organisation=Author(name=name).body)
    pieces = [piece.strip() for piece in rest.split(",") if piece.strip()]
    suffix = next((piece for piece in pieces if _SUFFIX.fullmatch(piece)), "")
    given = [piece for piece in pieces if piece != suffix]
    if len(given) > 1 or (not given and not suffix):
        return Person(name=name, organisation=True)
    return person(family=family, given=" ".join(given), suffix=suffix)
