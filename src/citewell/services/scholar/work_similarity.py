"""Scores how well a work fits a reference, by title, first author and year."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.paper import BibliographicQuery, Paper, WorkAuthor
from citewell.text.citations import author_matching, title_matching

_SUBTITLE_SIMILARITY = 0.95
_PART_WEIGHTS = {"title": 0.7, "author": 0.2, "year": 0.1}


def compare_titles(one: str, other: str) -> float:
    """Similarity of two titles, 0 to 1; at least .95 if one is the other without its subtitle."""
    if title_matching.has_same_letters(one, other):
        return 1.0
    first, second = (
        set(title_matching.extract_title_words(one)),
        set(title_matching.extract_title_words(other)),
    )
    shared = 2 * len(first & second) / (len(first) + len(second)) if first or second else 0.0
    if title_matching.is_title_beginning(one, other) or title_matching.is_title_beginning(
        other, one
    ):
        return max(shared, _SUBTITLE_SIMILARITY)
    return shared


def compare_first_authors(one: Sequence[WorkAuthor], other: Sequence[WorkAuthor]) -> bool | None:
    """Whether the first authors are the same; None if that is unknown."""
    return author_matching.match_authors(one[0], other[0]) if one and other else None


def score_closeness(paper: Paper, query: BibliographicQuery) -> float:
    """How close a work is to a reference, 0 to 1; parts missing in the reference are ignored."""
    parts = {"title": _score_title(paper, query)}
    if query.author:
        parts["author"] = _score_author(paper, WorkAuthor(name=query.author, family=query.author))
    if query.year is not None:
        parts["year"] = _score_year(paper, query.year)
    whole = sum(_PART_WEIGHTS[name] for name in parts)
    return sum(_PART_WEIGHTS[name] * value for name, value in parts.items()) / whole


def _score_title(paper: Paper, query: BibliographicQuery) -> float:
    """Similarity of titles; without one, the share of the work's title in the whole reference.

    A title that stands in the reference word for word fits, whatever was taken for its title.
    """
    if query.text and title_matching.has_title_within(query.text, paper.title):
        return 1.0
    if query.title:
        return compare_titles(query.title, paper.title)
    return title_matching.measure_title_coverage(paper.title, query.text)


def _score_author(paper: Paper, wanted: WorkAuthor) -> float:
    if not paper.authors:
        return 0.5
    agree = author_matching.match_authors(paper.authors[0], wanted)
    if agree is None:
        return 0.5
    if agree:
        return 1.0
    return (
        0.3 if any(author_matching.match_authors(one, wanted) for one in paper.authors[1:]) else 0.0
    )


def _score_year(paper: Paper, wanted: int) -> float:
    if paper.year is None:
        return 0.5
    apart = abs(paper.year - wanted)
    return 1.0 if apart == 0 else 0.6 if apart == 1 else 0.0
