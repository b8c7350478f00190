"""How a work is written in a list of references: the styles that journals and schools ask for."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.internet.papers import Author, Work

Style = Callable[
    [Work, str], str
]  # of a work and what comes last: its DOI, its address, or nothing


def apa(work: Work, end: str) -> str:
    names = _listed([_comma(author) for author in work.authors[:20]], last=", & ")
    place = _joined(
        f"{work.venue}, {work.volume}" if work.volume else work.venue, _issue(work), sep=""
    )
    return _sentences(f"{names} ({work.year})", work.title, _joined(place, work.pages), end)


def apa_short(work: Work, end: str) -> str:
    """As people type it: et al., no initials of later authors."""
    return _sentences(
        f"{_comma(work.authors[0])}, et al. ({work.year})", work.title, work.venue, end
    )


def mla(work: Work, end: str) -> str:
    first = _whole_comma(work.authors[0])
    others = (
        ", et al"
        if len(work.authors) > 2
        else f", and {_whole(work.authors[1])}"
        if len(work.authors) == 2
        else ""
    )
    details = _joined(work.venue, f"vol. {work.volume}" if work.volume else "", f"no. {work.issue}" if work.issue else "",
                      str(work.year), f"pp. {work.pages}" if work.pages else "", end)  # fmt: skip
    return f"{first}{others}. “{work.title}.” {details}."


def chicago(work: Work, end: str) -> str:
    """Author and date."""
    names = _listed(
        [_whole_comma(work.authors[0]), *map(_whole, work.authors[1:10])], last=", and "
    )
    number = _joined(work.volume, f"({work.issue})" if work.issue else "", sep=" ")
    place = (
        f"{work.venue} {number}: {work.pages}" if work.pages else f"{work.venue} {number}".strip()
    )
    return _sentences(f"{names}. {work.year}", f"“{work.title}.” {place}", end)


def chicago_note(work: Work, end: str) -> str:
    names = _listed([_whole(author) for author in work.authors[:3]], last=", and ")
    more = " et al." if len(work.authors) > 3 else ""
    number = _joined(work.volume, f"no. {work.issue}" if work.issue else "")
    pages = f": {work.pages}" if work.pages else ""
    return f"{names}{more}, “{work.title},” {work.venue} {number} ({work.year}){pages}{', ' + end if end else ''}."


def vancouver(work: Work, end: str) -> str:
    names = ", ".join(map(_tight, work.authors[:6])) + (", et al" if len(work.authors) > 6 else "")
    return _sentences(names, work.title, work.venue, _numbers(work), end)


def vancouver_numbered(work: Work, end: str) -> str:
    return f"14. {vancouver(work, end)}"


def ama(work: Work, end: str) -> str:
    few = work.authors if len(work.authors) <= 6 else work.authors[:3]
    names = ", ".join(map(_tight, few)) + (", et al" if len(work.authors) > 6 else "")
    return _sentences(names, work.title, f"{work.venue}. {_numbers(work)}", end)


def ieee(work: Work, end: str) -> str:
    names = _listed([_initials_first(author) for author in work.authors[:6]], last=", and ")
    more = " et al." if len(work.authors) > 6 else ""
    details = _joined(work.venue, f"vol. {work.volume}" if work.volume else "", f"no. {work.issue}" if work.issue else "",
                      f"pp. {work.pages}" if work.pages else "", str(work.year), end)  # fmt: skip
    return f"[7] {names}{more}, “{work.title},” {details}."


def harvard(work: Work, end: str) -> str:
    names = _listed([_comma(author) for author in work.authors[:3]], last=" and ")
    more = " et al." if len(work.authors) > 3 else ""
    details = _joined(
        work.venue, f"{work.volume}{_issue(work)}", f"pp. {work.pages}" if work.pages else ""
    )
    return _sentences(
        f"{names}{more} ({work.year}) ‘{work.title}’, {details}",
        f"Available at: {end} (Accessed: 3 May 2024)" if end else "",
    )


def nature(work: Work, end: str) -> str:
    names = (
        f"{_comma(work.authors[0])} et al."
        if len(work.authors) > 5
        else _listed([_comma(author) for author in work.authors], last=" & ")
    )
    return _sentences(
        f"{names} {work.title}",
        f"{_joined(f'{work.venue} {work.volume}'.strip(), work.pages)} ({work.year})",
        end,
    )


def science(work: Work, end: str) -> str:
    names = ", ".join(map(_initials_first, work.authors[:5])) + (
        " et al." if len(work.authors) > 5 else ""
    )
    return _sentences(
        f"{names}, {work.title}",
        f"{_joined(f'{work.venue} {work.volume}'.strip(), work.pages)} ({work.year})",
        end,
    )


def springer(work: Work, end: str) -> str:
    names = ", ".join(map(_tight, work.authors[:3])) + (" et al" if len(work.authors) > 3 else "")
    number = f" {work.volume}{_issue(work)}:{work.pages}" if work.volume and work.pages else ""
    return _sentences(f"{names} ({work.year}) {work.title}", f"{work.venue}{number}", end)


def cell(work: Work, end: str) -> str:
    names = _listed([_comma(author) for author in work.authors[:10]], last=", and ")
    more = ", et al." if len(work.authors) > 10 else ""
    return _sentences(
        f"{names}{more} ({work.year})",
        work.title,
        _joined(f"{work.venue} {work.volume}".strip(), work.pages),
        end,
    )


def physiology(work: Work, end: str) -> str:
    names = ", ".join(map(_tight, work.authors[:12]))
    number = f" {work.volume}: {work.pages}" if work.volume and work.pages else ""
    return _sentences(names, work.title, f"{work.venue}{number}, {work.year}", end)


def title_first(work: Work, end: str) -> str:
    """As assistants like to cite."""
    who = _listed([_whole(author) for author in work.authors[:3]], last=" and ") + (
        " et al." if len(work.authors) > 3 else ""
    )
    where = f", {work.venue}" if work.venue else ""
    return f'"{work.title}" by {who} ({work.year}{where}){" — " + end if end else ""}'


def in_passing(work: Work, end: str) -> str:
    family = work.authors[0] if isinstance(work.authors[0], str) else work.authors[0][1]
    return f"{family} et al. {work.year}, {work.title}{' ' + end if end else ''}"


def german(work: Work, end: str) -> str:
    names = " ; ".join(map(_whole_comma, work.authors[:3]))
    pages = f", S. {work.pages}" if work.pages else ""
    return _sentences(
        f"{names}: {work.title}", f"In: {work.venue} {work.volume} ({work.year}){pages}", end
    )


def russian(work: Work, end: str) -> str:
    names = ", ".join(_spaced(author) for author in work.authors[:3])
    return f"{names} {work.title} // {work.venue}. — {work.year}. — Т. {work.volume or 1}. — С. {work.pages or 1}. {end}".strip()


def chinese(work: Work, end: str) -> str:
    """GB/T 7714."""
    return f"[3] {'，'.join(map(_eastern, work.authors))}. {work.title}[J]. {work.venue}, {work.year}. {end}".strip()


def japanese(work: Work, end: str) -> str:
    return f"{'・'.join(map(_eastern, work.authors))}「{work.title}」『{work.venue}』{work.year}年 {end}".strip()


LATIN: dict[str, Style] = {
    "APA": apa, "APA, short": apa_short, "MLA": mla, "Chicago": chicago, "Chicago note": chicago_note, "Vancouver": vancouver,
    "Vancouver, numbered": vancouver_numbered, "AMA": ama, "IEEE": ieee, "Harvard": harvard, "Nature": nature, "Science": science,
    "Springer": springer, "Cell": cell, "physiology": physiology, "title first": title_first, "in passing": in_passing,
}  # fmt: skip
BY_LANGUAGE: dict[str, tuple[Style, ...]] = {
    "de": (german, apa), "fr": (apa, mla), "es": (apa, chicago), "pt": (apa, mla), "la": (apa, chicago),
    "ru": (russian, apa), "zh": (chinese, apa), "ja": (japanese, apa), "ko": (apa, japanese), "ar": (apa, mla),
}  # fmt: skip


def initials(given: str, *, dot: str = ".", sep: str = " ") -> str:
    """Jean-Claude as J.-C., Richard L. as R. L."""
    words = given.replace(".", " ").split()
    return sep.join("-".join(part[:1] + dot for part in word.split("-") if part) for word in words)


def _comma(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[1]}, {initials(author[0])}".rstrip(", ")


def _whole_comma(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[1]}, {author[0]}".rstrip(", ")


def _whole(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[0]} {author[1]}".strip()


def _tight(author: Author) -> str:
    if isinstance(author, str):
        return author
    return f"{author[1]} {initials(author[0], dot='', sep='').replace('-', '')}".strip()


def _initials_first(author: Author) -> str:
    return author if isinstance(author, str) else f"{initials(author[0])} {author[1]}".strip()


def _spaced(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[1]} {initials(author[0])}".strip()


def _eastern(author: Author) -> str:
    return author if isinstance(author, str) else f"{author[1]}{author[0]}"


def _listed(names: list[str], *, last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])}{last}{names[-1]}"


def _issue(work: Work) -> str:
    return f"({work.issue})" if work.issue else ""


def _numbers(work: Work) -> str:
    number = f";{work.volume}{_issue(work)}" if work.volume else ""
    return f"{work.year}{number}{':' + work.pages if number and work.pages else ''}"


def _joined(*parts: str, sep: str = ", ") -> str:
    return sep.join(part for part in parts if part)


def _sentences(*parts: str) -> str:
    kept = [part.strip() for part in parts if part.strip()]
    text = " ".join(part if re.search(r"[.?!”]$", part) else f"{part}." for part in kept)
    return text.rstrip(".") if kept[-1].startswith("http") else text
