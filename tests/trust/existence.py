"""References that lead nowhere or to something else: taken out of every registry, under other names, four years late."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from tests.internet.papers import Work
from tests.trust import shelf, unsound
from tests.trust.exchange import RECORDS
from tests.trust.item import Item
from tests.trust.styles import LATIN

FIRST_YEAR = 1960  # registries lack many older works, so nobody is accused for one
LAST_YEAR = 2026
# Works whose DOI ends in a sign that belongs to it.
ENDINGS = tuple(
    Work(
        doi=f"10.50505/{doi}",
        title=title,
        authors=(("Ada", "Vance"), ("Mira", "Ferrante")),
        year=2006,
        venue="Lantern Letters",
        volume="4",
        pages="12-19",
    )
    for doi, title in (
        ("ja067125+", "Quilted lanterns and the resonance of tidal harbours in winter"),
        ("ja9724+", "Acoustic signatures of drifting buoys near northern lighthouses"),
        ("la0305(97)+", "Thermal drift of glazed beacons under repeated harbour fog"),
    )
)
_SIGNS = (
    "https://doi.org/{}",
    "doi:{}.",
    "<https://doi.org/{}>",
    "(https://doi.org/{}).",
    "https://doi.org/{}>.",
    "doi: {};",
)


def absent(side: str, rng: random.Random) -> Iterator[Item]:
    """Real references to works that the registries of this evaluation do not have while it runs."""
    titles = Counter(work.title.casefold() for work in shelf.everything())
    works = [work for work in shelf.chosen(side, _expected) if titles[work.title.casefold()] == 1]
    for number, work in enumerate(rng.sample(works, 51)):
        form, text, format_ = _written(work, number, rng)
        yield Item(
            id="",
            kind="absent reference",
            form=form,
            citation=text,
            format=format_,
            expect=("unmatched",),
            instead=("wrong work",),
            doi=work.key,
            withheld=True,
        )


def strangers(side: str, rng: random.Random) -> Iterator[Item]:
    """The right title with the authors of another work, and no identifier."""
    works = shelf.chosen(side, lambda work: _expected(work) and shelf.personal(work))
    for number, work in enumerate(rng.sample(works, 51)):
        wrong = replace(work, authors=unsound.strangers_of(work, works, rng))
        form, text, format_ = _written(wrong, number, rng)
        yield Item(
            id="",
            kind="other authors, no identifier",
            form=form,
            citation=text,
            format=format_,
            expect=("wrong author",),
            doi=work.key,
        )


def postdated(side: str, rng: random.Random) -> Iterator[Item]:
    """Four years later than the work, and no identifier."""
    works = shelf.chosen(
        side,
        lambda work: (
            _expected(work)
            and (work.year or 0) + 4 <= LAST_YEAR
            and not re.search(r"\d{4}", work.title)
        ),
    )
    for number, work in enumerate(rng.sample(works, 51)):
        form, text, format_ = _written(replace(work, year=(work.year or 0) + 4), number, rng)
        yield Item(
            id="",
            kind="four years later, no identifier",
            form=form,
            citation=text,
            format=format_,
            expect=("wrong year",),
            doi=work.key,
        )


def cut(side: str, rng: random.Random) -> Iterator[Item]:
    """A DOI that lost its end when it was copied, with the right words around it."""
    known = {work.key for work in shelf.everything()}
    works = [work for work in shelf.chosen(side, _expected) if len(work.doi.partition("/")[2]) > 8]
    for number, work in enumerate(rng.sample(works, 24)):
        doi = work.doi[: -rng.choice([1, 2, 3])].rstrip("./-()")
        if doi.lower() in known:
            continue
        style = list(LATIN)[number % len(LATIN)]
        yield Item(
            id="",
            kind="cut DOI",
            form=style,
            citation=LATIN[style](work, f"https://doi.org/{doi}"),
            expect=("not registered",),
            doi=work.key,
        )


def endings(side: str, rng: random.Random) -> Iterator[Item]:
    """A DOI that ends in a sign of its own, or before one of the sentence."""
    works = (*ENDINGS, *rng.sample(shelf.chosen(side, _expected), 9))
    for number, work in enumerate(works):
        sign = _SIGNS[number % len(_SIGNS)].format(work.doi)
        style = list(LATIN)[number % len(LATIN)]
        for form, text in (("DOI alone", sign), (style, LATIN[style](work, sign))):
            yield Item(
                id="",
                kind="genuine, DOI before a sign",
                form=form,
                citation=text,
                doi=work.key,
            )


def searched(side: str, _: random.Random) -> Iterator[Item]:
    """Retracted works as academic_search shows them, by every provider that has them."""
    works = [work for work in shelf.noticed(side) if work.retracted and len(work.title.split()) > 4]
    for work in works:
        for provider in ("openalex", "crossref", "semanticscholar", "europepmc", "pubmed"):
            if provider in {"europepmc", "pubmed"} and "pmid" not in work.ids:
                continue
            yield Item(
                id="",
                kind="retracted, found by a search",
                form=provider,
                citation=work.title,
                provider=provider,
                expect=("retracted",),
                doi=work.key,
            )


def _expected(work: Work) -> bool:
    """An article that registries should have, and that says where it appeared."""
    journal = work.kind == "article-journal" and bool(work.venue and work.volume and work.pages)
    return shelf.plain(work) and journal and (work.year or 0) >= FIRST_YEAR


def _written(work: Work, number: int, rng: random.Random) -> tuple[str, str, str]:
    if number % 4 == 3:
        format_ = list(RECORDS)[number // 4 % len(RECORDS)]
        return format_, RECORDS[format_](work, rng), format_
    style = list(LATIN)[number % len(LATIN)]
    return style, LATIN[style](work, ""), ""
