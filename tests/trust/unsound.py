"""Citations with something wrong: invented, exchanged, misattributed, misdated, retracted since."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace

from tests.internet.papers import Author, Work
from tests.trust import shelf
from tests.trust.exchange import RECORDS
from tests.trust.item import Item
from tests.trust.styles import LATIN

_JOIN = re.compile(r" (of|in|for|with|on|from|by|and|during|after|among) ")
_SUBJECTS = [
    "tidal marshes",
    "rural clinics",
    "deep-sea sponges",
    "harbour cranes",
    "alpine meadows",
    "violin varnish",
    "court interpreters",
    "glacier caves",
    "night markets",
    "seed vaults",
    "choir rehearsals",
    "lighthouse keepers",
]
_ASPECTS = [
    "Seasonal drift",
    "Hidden costs",
    "Acoustic signatures",
    "Thermal resilience",
    "Collective memory",
    "Microplastic burden",
    "Regulatory blind spots",
    "Spectral fingerprints",
    "Adaptive scheduling",
    "Long-range transport",
]
_DESIGNS = [
    "a stepped-wedge trial",
    "a scoping review",
    "a twelve-year panel",
    "evidence from Patagonia",
    "a Bayesian reanalysis",
    "a mixed-methods inquiry",
    "lessons from Zanzibar",
    "a simulation study",
]


def unregistered(side: str, rng: random.Random) -> Iterator[Item]:
    """A DOI that looks right and is nobody's: digits changed, or made up under a real prefix."""
    known = {work.key for work in shelf.everything()}
    for number, work in enumerate(rng.sample(shelf.chosen(side, shelf.plain), 36)):
        doi = mutate_doi(work.doi, known, rng)
        form, text, format_ = _written(work, doi, number, rng, also_bare=True)
        yield Item(
            id="",
            kind="invented DOI",
            form=form,
            citation=text,
            format=format_,
            expect=("not registered",),
            doi=work.key,
        )


def invented(side: str, rng: random.Random) -> Iterator[Item]:
    """A title that no work has: halves of two real ones, or made up; authors, journal and year of real works."""
    works = shelf.chosen(side, lambda work: shelf.plain(work) and bool(_JOIN.search(work.title)))
    for number in range(32):
        work, other = rng.sample(works, 2)
        halves = number % 2 == 0
        title = _chimera(work.title, other.title) if halves else invent_title(rng)
        style = list(LATIN)[number % len(LATIN)]
        text = LATIN[style](replace(work, title=title), "")
        kind = "invented title, of two real halves" if halves else "invented title"
        instead = ("wrong work",) if halves else ()  # one half leads to its record
        yield Item(
            id="", kind=kind, form=style, citation=text, expect=("unmatched",), instead=instead
        )


def neighbours(side: str, rng: random.Random) -> Iterator[Item]:
    """The DOI of the work that comes next in the list of all DOIs, often of the same journal."""
    works = sorted(shelf.chosen(side, shelf.plain), key=lambda work: work.key)
    for number, place in enumerate(sorted(rng.sample(range(len(works) - 1), 40))):
        work, near = works[place], works[place + 1]
        form, text, format_ = _written(work, near.doi, number, rng)
        may = ("wrong author", "wrong year")
        yield Item(
            id="",
            kind="neighbour's DOI",
            form=form,
            citation=text,
            format=format_,
            expect=("wrong work",),
            may=may,
            doi=work.key,
        )


def misattributed(side: str, rng: random.Random) -> Iterator[Item]:
    works = shelf.chosen(side, lambda work: shelf.plain(work) and shelf.personal(work))
    for number, work in enumerate(rng.sample(works, 36)):
        whole = number % 3 != 0 or len(work.authors) == 1
        authors = strangers_of(work, works, rng)
        wrong = replace(work, authors=authors if whole else (authors[0], *work.authors[1:]))
        doi = "" if number % 6 == 5 else work.doi
        form, text, format_ = _written(wrong, doi, number, rng)
        kind = "wrong author" if whole else "wrong first author"
        yield Item(
            id="",
            kind=kind,
            form=form,
            citation=text,
            format=format_,
            expect=("wrong author",),
            doi=work.key,
        )


def misdated(side: str, rng: random.Random) -> Iterator[Item]:
    """Two years or more from the record's; preprints are left out, whose papers may come years later."""
    works = shelf.chosen(
        side,
        lambda work: (
            shelf.plain(work)
            and work.kind == "article-journal"
            and not re.search(r"\d{4}", work.title)
        ),
    )
    for number, work in enumerate(rng.sample(works, 36)):
        apart = rng.choice([2, 2, 3, 4, 6, 9]) * rng.choice([-1, 1])
        year = min((work.year or 0) + apart, 2026)
        year = year if abs(year - (work.year or 0)) >= 2 else (work.year or 0) - abs(apart)
        doi = "" if number % 6 == 5 else work.doi
        form, text, format_ = _written(replace(work, year=year), doi, number, rng)
        yield Item(
            id="",
            kind="wrong year",
            form=f"{form}; {year - (work.year or 0):+d}",
            citation=text,
            format=format_,
            expect=("wrong year",),
            doi=work.key,
        )


def noticed(side: str, rng: random.Random) -> Iterator[Item]:
    """Works with notices: retracted, corrected only, under concern, reinstated; each in several forms."""
    for work in shelf.noticed(side):
        kinds = {event.kind for event in work.events}
        kind, expect = _notice(kinds)
        for form, text, format_ in _forms(work, rng):
            yield Item(
                id="",
                kind=kind,
                form=form,
                citation=text,
                format=format_,
                expect=expect,
                doi=work.key,
            )


def _notice(kinds: set[str]) -> tuple[str, tuple[str, ...]]:
    if "reinstatement" in kinds:
        return "reinstated", ("reinstated",)
    if "retraction" in kinds:
        return "retracted", ("retracted",)
    if "expression_of_concern" in kinds:
        return "under concern", ("concern",)
    return "corrected only", ("corrected",)


def _forms(work: Work, rng: random.Random) -> Iterator[tuple[str, str, str]]:
    yield "bare DOI", work.doi, ""
    if work.authors and work.year:
        style = rng.choice(list(LATIN))
        yield f"{style}, DOI", LATIN[style](work, f"https://doi.org/{work.doi}"), ""
        if len(work.title.split()) > 4:
            style = rng.choice(list(LATIN))
            yield f"{style}, no DOI", LATIN[style](work, ""), ""
    format_ = rng.choice(list(RECORDS))
    yield format_, RECORDS[format_](work, rng, doi=work.doi), format_


def _written(
    work: Work, doi: str, number: int, rng: random.Random, *, also_bare: bool = False
) -> tuple[str, str, str]:
    """Prose and records in turns; the DOI alone now and then."""
    if also_bare and number % 3 == 0:
        return "bare DOI", doi if number % 2 else f"https://doi.org/{doi}", ""
    if number % 3 == 1:
        format_ = list(RECORDS)[number // 3 % 3]
        return f"{format_}{', DOI' if doi else ''}", RECORDS[format_](work, rng, doi=doi), format_
    style = list(LATIN)[number % len(LATIN)]
    end = f"https://doi.org/{doi}" if doi else ""
    return f"{style}{', DOI' if doi else ', no DOI'}", LATIN[style](work, end), ""


def invent_title(rng: random.Random) -> str:
    """A title that no work has."""
    return f"{rng.choice(_ASPECTS)} of {rng.choice(_SUBJECTS)}: {rng.choice(_DESIGNS)}"


def mutate_doi(doi: str, known: set[str], rng: random.Random) -> str:
    """The DOI with digits changed, so that it is none of the known ones."""
    prefix, _, suffix = doi.partition("/")
    digits = [place for place, letter in enumerate(suffix) if letter.isdigit()]
    while True:
        letters = list(suffix)
        for place in rng.sample(digits, min(len(digits), rng.choice([1, 2, 3]))):
            letters[place] = rng.choice("0123456789")
        made = f"{prefix}/{''.join(letters)}"
        if made.lower() not in known:
            return made


def _chimera(title: str, other: str) -> str:
    left, right = _JOIN.search(title), list(_JOIN.finditer(other))[-1]
    return f"{title[: left.start()] if left else title} {other[right.start() + 1 :]}"


def strangers_of(work: Work, works: list[Work], rng: random.Random) -> tuple[Author, ...]:
    """Authors of another work, none of whom shares a name with this one's."""
    ours = {
        name.lower()
        for author in work.authors
        for name in (author if isinstance(author, str) else author[1]).split()
    }
    while True:
        other = rng.choice(works)
        theirs = {
            name.lower()
            for author in other.authors
            for name in (author if isinstance(author, str) else author[1]).split()
        }
        if not ours & theirs:
            return other.authors[: max(1, len(work.authors))]
