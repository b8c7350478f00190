"""Answers about many works at once: which work stands for which identifier, and what is absent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from citewell.model.paper import Paper, PaperId, Scheme

# What Crossref lets be registered today: nothing in it is anybody's query syntax.
_PLAIN = re.compile(r"10\.[0-9]{4,9}/[-._;()/a-z0-9]+", re.IGNORECASE)


def plain(ids: Iterable[PaperId]) -> list[PaperId]:
    """The DOIs that a list in an address can hold; old ones have commas, colons and brackets."""
    return [one for one in ids if one.scheme is Scheme.DOI and _PLAIN.fullmatch(one.value)]


def placed(
    ids: Sequence[PaperId], papers: Iterable[Paper], *, whole: bool
) -> dict[PaperId, Paper | None]:
    """Each work under the identifier that it says is its own, the first where several do.

    Where the answer is `whole` and every work in it has its place, the others are absent.
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
    return dict.fromkeys(ids) | found if whole and not strays else found
