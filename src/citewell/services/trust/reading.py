"""What a reference in words says of its work, as far as its style shows."""

from __future__ import annotations

from citewell.services.trust.identity import Cited
from citewell.text import references


def cited_in(text: str) -> tuple[Cited, str]:
    """The parts of a free text, and its venue; what cannot be made out is left to the whole text."""
    if not text:
        return Cited(), ""
    found = references.read(text, format="prose").references
    if len(found) != 1:
        return Cited(text=text), ""
    one = found[0]
    cited = Cited(text=text, title=one.title, authors=one.authors, year=one.year)
    return cited, one.venue
