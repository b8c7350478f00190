"""Assigns the works of a batch response to the identifiers that were asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citewell.model.paper import IdentifierScheme, Paper, PaperId

# The characters Crossref allows in new DOIs; none of them is query syntax of an API.
_PLAIN_DOI_PATTERN = re.compile(r"10\.[0-9]{4,9}/[-._;()/a-z0-9]+", re.IGNORECASE)


def keep_plain_dois(ids: Iterable[PaperId]) -> list[PaperId]:
    """The DOIs that are safe in a list within a URL; old DOIs may contain commas, colons and brackets."""
    return [
        one
        for one in ids
        if one.scheme is IdentifierScheme.DOI and _PLAIN_DOI_PATTERN.fullmatch(one.value)
    ]


def assign_papers(
    ids: Sequence[PaperId], papers: Iterable[Paper], *, is_complete: bool
) -> dict[PaperId, Paper | None]:
    """Each identifier with the first work that states it.

    If the response `is_complete` and every work in it was assigned, the remaining identifiers are
    mapped to None; otherwise they are left out.
    """
    wanted = {(one.scheme, one.value.lower()): one for one in ids}
    found: dict[PaperId, Paper | None] = {}
    strays = False
    for paper in papers:
        keys = ((scheme, value.lower()) for scheme, value in paper.ids.items())
        mine = next((wanted[key] for key in keys if key in wanted), None)
        strays = strays or mine is None
        if mine is not None:
            found.setdefault(mine, paper)
    return dict.fromkeys(ids) | found if is_complete and not strays else found
