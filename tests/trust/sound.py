"""Citations with which nothing is wrong, in the hardest forms that honest authors give them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from tests.internet.papers import Work
from tests.trust import shelf, slips
from tests.trust.exchange import RECORDS
from tests.trust.item import Item
from tests.trust.styles import BY_LANGUAGE, LATIN

_IDS: dict[str, Callable[[Any], str]] = {
    "bare DOI": lambda work: work.doi,
    "DOI in capitals": lambda work: work.doi.upper(),
    "doi.org": lambda work: f"https://doi.org/{work.doi}",
    "dx.doi.org": lambda work: f"http://dx.doi.org/{work.doi}",
    "DOI with its mark and a full stop": lambda work: f"doi: {work.doi}.",
    "DOI in brackets": lambda work: f"({work.doi})",
    "DOI percent-encoded": lambda work: f"https://doi.org/{quote(work.doi, safe='')}",
    "DOI with a viewer's ending": lambda work: f"https://doi.org/{work.doi}/full",
    "DOI with a query": lambda work: f"https://doi.org/{work.doi}?utm_source=feed",
    "DOI wrapped by a line": lambda work: f"https://doi.org/\n{work.doi}",
}
_ENDS: dict[str, Callable[[Any], str]] = {
    "DOI": lambda work: f"https://doi.org/{work.doi}",
    "marked DOI": lambda work: f"doi:{work.doi}",
    "no DOI": lambda _: "",
    "DOI and PMID": lambda work: f"doi: {work.doi}. PMID: {work.ids['pmid']}",
    "PMID": lambda work: f"PMID: {work.ids['pmid']}",
}


def identifiers(side: str, rng: random.Random) -> Iterator[Item]:
    works = rng.sample(shelf.chosen(side, shelf.plain), 30)
    for number, work in enumerate(works):
        form = list(_IDS)[number % len(_IDS)]
        yield _genuine(form, _IDS[form](work), work)
    arxiv = shelf.chosen(side, lambda work: "arxiv" in work.ids)
    for number, work in enumerate(rng.sample(arxiv, min(6, len(arxiv)))):
        shape = ("arXiv:{}", "arXiv:{}v2", "arxiv {}")[number % 3]
        yield _genuine("arXiv id", shape.format(work.ids["arxiv"]), work)
    for scheme, shape in (
        ("pmid", "PMID: {}"),
        ("pmid", "PMID {}"),
        ("pmcid", "{}"),
        ("pmcid", "PMCID: {}"),
    ):
        work = rng.choice(shelf.chosen(side, lambda work, scheme=scheme: scheme in work.ids))  # type: ignore[misc]  # bound at once
        yield _genuine(scheme.upper(), shape.format(work.ids[scheme]), work)


def prose(side: str, rng: random.Random) -> Iterator[Item]:
    """Every slip in every third style, with and without a DOI."""
    works = shelf.chosen(side, shelf.plain)
    pairs = [
        (slip, style)
        for place, slip in enumerate(slips.SLIPS)
        for style in list(LATIN)[place % 3 :: 3]
    ]
    for number, (slip, style) in enumerate(pairs):
        end = ("DOI", "no DOI", "marked DOI", "no DOI", "PMID", "no DOI", "DOI and PMID")[
            number % 7
        ]
        able = [
            work
            for work in works
            if slips.able(slip, work) and ("PMID" not in end or "pmid" in work.ids)
        ]
        if not able:
            continue
        work = rng.choice(able)
        text = LATIN[style](slips.slipped(slip, work, rng), _ENDS[end](work))
        yield _genuine(f"{style}, {end}; {slip}", text, work)


def records(side: str, rng: random.Random) -> Iterator[Item]:
    works = shelf.chosen(side, shelf.plain)
    for number, slip in enumerate(list(slips.SLIPS) * 2):
        format_ = list(RECORDS)[number % 3]
        able = [work for work in works if slips.able(slip, work)]
        if not able:
            continue
        work = rng.choice(able)
        with_doi = number < len(slips.SLIPS)
        text = RECORDS[format_](
            slips.slipped(slip, work, rng), rng, doi=work.doi if with_doi else ""
        )
        form = f"{format_}, {'DOI' if with_doi else 'no DOI'}; {slip}"
        yield _genuine(form, text, work, format_=format_)


def untitled(side: str, rng: random.Random) -> Iterator[Item]:
    """Chemists leave titles out; without a DOI such a reference can be found, but never be said to be none."""
    works = rng.sample(
        [work for work in shelf.chosen(side, shelf.plain) if work.volume and work.pages], 8
    )
    for number, work in enumerate(works):
        names = ", ".join(
            f"{author[1]} {author[0].replace('. ', '').replace('.', '')}"
            for author in work.authors[:4]
            if not isinstance(author, str)
        )
        end = f" doi:{work.doi}" if number % 2 else ""
        text = f"{names}, {work.venue}, {work.year}, {work.volume}, {work.pages}.{end}"
        yield _genuine("without a title", text, work, kind="genuine, without a title")


def foreign(side: str, rng: random.Random) -> Iterator[Item]:
    for work in shelf.chosen(
        side, lambda work: work.language in BY_LANGUAGE and personal_or_body(work)
    ):
        for number, style in enumerate(BY_LANGUAGE[work.language]):
            end = f"https://doi.org/{work.doi}" if number else ""
            yield _genuine(
                f"{work.language}, {style.__name__}",
                style(work, end),
                work,
                kind="genuine, not English",
            )
        yield _genuine(
            f"{work.language}, bibtex",
            RECORDS["bibtex"](work, rng, doi=work.doi),
            work,
            kind="genuine, not English",
            format_="bibtex",
        )
        yield _genuine(
            f"{work.language}, ris",
            RECORDS["ris"](work, rng),
            work,
            kind="genuine, not English",
            format_="ris",
        )


def bodies(side: str, rng: random.Random) -> Iterator[Item]:
    works = shelf.chosen(
        side,
        lambda work: (
            bool(work.authors)
            and isinstance(work.authors[0], str)
            and bool(work.year)
            and not work.events
        ),
    )
    for work in works:
        for style in rng.sample(list(LATIN), 3):
            end = rng.choice(["", f"https://doi.org/{work.doi}"])
            yield _genuine(
                f"{style}, {'DOI' if end else 'no DOI'}",
                LATIN[style](work, end),
                work,
                kind="genuine, by a body",
            )
        yield _genuine(
            "csl-json",
            RECORDS["csl-json"](work, rng, doi=work.doi),
            work,
            kind="genuine, by a body",
            format_="csl-json",
        )


def books(side: str, rng: random.Random) -> Iterator[Item]:
    for work in shelf.chosen(side, lambda work: bool(work.isbn)):
        full = slips.subtitle_added(work, rng)
        name = (
            work.authors[0]
            if isinstance(work.authors[0], str)
            else f"{work.authors[0][1]}, {work.authors[0][0]}"
        )
        citation = f"{name} ({work.year}). {full.title}. {work.publisher}."
        for form, text in (
            ("book, ISBN", f"{citation} ISBN {_hyphened(work.isbn[0])}"),
            ("book, ISBN-10", f"{citation} ISBN-10: {_ten(work.isbn[0])}"),
            ("ISBN alone", f"ISBN {work.isbn[-1]}"),
            ("book, no number", citation),
            ("book, another edition", citation.replace(str(work.year), str((work.year or 0) - 8))),
        ):
            yield _genuine(form, text, work, kind="genuine, a book")


def personal_or_body(work: Work) -> bool:
    return bool(work.authors and work.year)


def _genuine(form: str, text: str, work: Work, *, kind: str = "genuine", format_: str = "") -> Item:
    return Item(id="", kind=kind, form=form, citation=text, format=format_, doi=work.key)


def _hyphened(isbn: str) -> str:
    return f"{isbn[:3]}-{isbn[3]}-{isbn[4:7]}-{isbn[7:12]}-{isbn[12]}"


def _ten(isbn: str) -> str:
    body = isbn[3:12]
    check = sum((10 - place) * int(digit) for place, digit in enumerate(body)) % 11
    return body + ("0", "X", *map(str, range(9, 0, -1)))[check]
