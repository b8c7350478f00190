"""What is wrong with a reference of a built text: invented, another's DOI, strangers as authors, another year."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from benchmarks.draft_check.draft_gold import CitationKind
from benchmarks.draft_check.draft_stock import DraftStock
from tests.internet.papers import Work
from tests.trust import shelf, unsound

FaultMaker = Callable[[Work, DraftStock], tuple[Work, str]]  # gives the work as written and a DOI


def keep_work(work: Work, _stock: DraftStock) -> tuple[Work, str]:
    return work, work.doi


def _invent_work(work: Work, stock: DraftStock) -> tuple[Work, str]:
    """A title that no work has, under authors and a journal that exist, with a DOI of nobody's."""
    title = unsound.invent_title(stock.rng)
    known = {one.key for one in shelf.everything()}
    return replace(work, title=title), unsound.mutate_doi(work.doi, known, stock.rng)


def _invent_plausible_work(work: Work, stock: DraftStock) -> tuple[Work, str]:
    """A title that these authors might have written for this journal, in a volume close to their own."""
    known = {one.key for one in shelf.everything()}
    years = stock.rng.choice((1, 2))
    first_page = stock.rng.randrange(101, 1900)
    invented = replace(
        work,
        title=stock.invented_titles[work.key],
        year=(work.year or 0) - years,
        volume=str(int(work.volume) - years) if work.volume.isdigit() else "",
        issue="",
        pages=f"{first_page}–{first_page + stock.rng.randrange(6, 14)}",
    )
    return invented, unsound.mutate_doi(work.doi, known, stock.rng)


def _take_neighbour(work: Work, stock: DraftStock) -> tuple[Work, str]:
    others = sorted((one.key, one.doi) for one in stock.works)
    place = next(at for at, one in enumerate(others) if one[0] == work.key)
    return work, others[place - 1][1]


def _take_same_journal(work: Work, stock: DraftStock) -> tuple[Work, str]:
    """The DOI of another article of the journal, the one published nearest in time."""
    others = [one for one in stock.works if one.venue == work.venue and one.key != work.key]
    nearest = min(others, key=lambda one: (abs((one.year or 0) - (work.year or 0)), one.key))
    return work, nearest.doi


def _change_authors(work: Work, stock: DraftStock) -> tuple[Work, str]:
    return replace(work, authors=unsound.strangers_of(work, stock.works, stock.rng)), work.doi


def _change_year(work: Work, stock: DraftStock) -> tuple[Work, str]:
    return replace(work, year=(work.year or 0) - stock.rng.choice((2, 3, 4, 6))), work.doi


FAULT_MAKERS: dict[CitationKind, FaultMaker] = {
    CitationKind.INVENTED: _invent_work,
    CitationKind.NEIGHBOUR_DOI: _take_neighbour,
    CitationKind.WRONG_AUTHOR: _change_authors,
    CitationKind.WRONG_YEAR: _change_year,
}
PLAUSIBLE_FAULT_MAKERS: dict[CitationKind, FaultMaker] = FAULT_MAKERS | {
    CitationKind.INVENTED: _invent_plausible_work,
    CitationKind.NEIGHBOUR_DOI: _take_same_journal,
}
