"""How well a work fits a reference: its title, its first author, its year."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.paper import BibliographicQuery, Paper, Person
from citewell.text import surnames, titles

_SUBTITLED = 0.95
_WEIGHTS = {"title": 0.7, "author": 0.2, "year": 0.1}


def alike(one: str, other: str) -> float:
    """Two titles, from 0 to 1; nearly 1 where one is the other without its subtitle."""
    if titles.same(one, other):
        return 1.0
    first, second = set(titles.telling(one)), set(titles.telling(other))
    shared = 2 * len(first & second) / (len(first) + len(second)) if first or second else 0.0
    if titles.begins(one, other) or titles.begins(other, one):
        return max(shared, _SUBTITLED)
    return shared


def same_lead(one: Sequence[Person], other: Sequence[Person]) -> bool | None:
    """Whether the first authors agree; None when that cannot be told."""
    return surnames.same(one[0], other[0]) if one and other else None


def closeness(paper: Paper, query: BibliographicQuery) -> float:
    """From 0 to 1; what the reference leaves out is not held against the work."""
    parts = {"title": _title(paper, query)}
    if query.author:
        parts["author"] = _author(paper, Person(name=query.author, family=query.author))
    if query.year is not None:
        parts["year"] = _year(paper, query.year)
    whole = sum(_WEIGHTS[name] for name in parts)
    return sum(_WEIGHTS[name] * value for name, value in parts.items()) / whole


def _title(paper: Paper, query: BibliographicQuery) -> float:
    """By the title; without one, by how much of the work's title the whole reference holds."""
    if query.title:
        return alike(query.title, paper.title)
    return titles.coverage(paper.title, query.text)


def _author(paper: Paper, wanted: Person) -> float:
    if not paper.authors:
        return 0.5
    agree = surnames.same(paper.authors[0], wanted)
    if agree is None:
        return 0.5
    if agree:
        return 1.0
    return 0.3 if any(surnames.same(one, wanted) for one in paper.authors[1:]) else 0.0


def _year(paper: Paper, wanted: int) -> float:
    if paper.year is None:
        return 0.5
    apart = abs(paper.year - wanted)
    return 1.0 if apart == 0 else 0.6 if apart == 1 else 0.0
