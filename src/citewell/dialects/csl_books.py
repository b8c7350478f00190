"""Finds the book with an ISBN among works: chapters carry the ISBN of their book, too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from citewell.dialects import csl_works
from citewell.dialects.csl_works import CslWork
from citewell.model.paper import IdentifierScheme, Paper
from citewell.text.citations import isbns, publisher_markup
from citewell.text.safety.markup_cleaning import clean_markup

W = TypeVar("W", bound=CslWork)


def find_book_work(works: Sequence[W], isbn: str) -> W | None:
    """The first work that is a book and states this ISBN, in 10 or 13 digits."""
    return next(
        (
            work
            for work in works
            if csl_works.choose_csl_kind(work.type) == "book" and _states_isbn(work, isbn)
        ),
        None,
    )


def build_container_book(works: Sequence[CslWork], isbn: str, *, source: str) -> Paper | None:
    """The book as far as its chapters describe it; their authors are not its own."""
    parts = [work for work in works if work.container and _states_isbn(work, isbn)]
    if not parts:
        return None
    paper = csl_works.build_csl_paper(parts[0], source=source)
    if not paper.venue:
        return None
    return Paper(
        title=paper.venue,
        source=source,
        ids={IdentifierScheme.ISBN: isbn},
        authors=csl_works.build_authors(parts[0].editor),
        kind="book",
        year=paper.year,
        published=paper.published,
        publisher=publisher_markup.clean_markup_line(parts[0].publisher) or None,
    )


def _states_isbn(work: CslWork, isbn: str) -> bool:
    stated = (re.sub(r"[^0-9X-]", "", clean_markup(one).rpartition("/")[2].upper()) for one in work.ISBN)  # fmt: skip
    return any(isbns.parse_isbn(one).value == isbn for one in stated)
