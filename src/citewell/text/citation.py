"""One source written out as APA 7, MLA 9 and BibTeX; what the page did not say is left out, not made up."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from citewell.text import urls
from citewell.text.names import Author

_LONG_NAMES = (
    "January February March April May June July August September October November December"
)
_SHORT_NAMES = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec."
_MONTHS, _SHORT = _LONG_NAMES.split(), _SHORT_NAMES.split()
_ISO = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")
_APA_MOST = 20
_SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "&": r"\&", "%": r"\%", "$": r"\$",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
})  # fmt: skip
_WORD = re.compile(r"[a-z0-9]+")
_STOP = frozenset(
    {"a", "an", "the", "on", "of", "in", "and", "der", "die", "das", "le", "la", "el"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is known of a source; `published` is ISO 8601 and may stop at the year or month."""

    url: str
    title: str = ""
    authors: tuple[Author, ...] = ()
    site: str = ""
    published: str = ""
    doi: str = ""


def people(text: str | None) -> tuple[Author, ...]:
    """Authors out of one line, parted by semicolons, "and", or commas between full names."""
    if not text:
        return ()
    names: list[str] = []
    for part in re.split(r"\s*;\s*|\s+and\s+|\s+&\s+", text.strip()):
        pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
        several = len(pieces) > 1 and all(" " in piece for piece in pieces)
        names.extend(pieces if several else [part.strip(" ,")] if part.strip(" ,") else [])
    return tuple(Author(name=name) for name in names)


def apa(work: Work, *, accessed: date) -> str:
    """Authors. (Year, Month Day). Title. Site. Retrieved Month Day, Year, from address."""
    names = _apa_names(work.authors)
    site = work.site or urls.display(work.url)
    if not names and work.title:
        head = f"{_ended(work.title)} ({_apa_date(work.published)})."
    elif names:
        head = f"{_ended(names)} ({_apa_date(work.published)}). {_ended(work.title)}".strip()
    else:
        head = f"{_ended(site)} ({_apa_date(work.published)})."
    shown = "" if _same(site, names) or not (names or work.title) else _ended(site)
    day = f"{_MONTHS[accessed.month - 1]} {accessed.day}, {accessed.year}"
    return " ".join(part for part in (head, shown, f"Retrieved {day}, from {work.url}") if part)


def mla(work: Work, *, accessed: date) -> str:
    """Authors. "Title." Site, Day Mon. Year, address. Accessed Day Mon. Year."""
    names = _mla_names(work.authors)
    site = work.site or urls.display(work.url)
    shown = "" if _same(site, names) else site
    details = [part for part in (shown, _mla_date(work.published), work.url) if part]
    parts = (
        _ended(names) if names else "",
        f'"{_ended(work.title)}"' if work.title else "",
        _ended(", ".join(details)),
        f"Accessed {_mla_day(accessed)}.",
    )
    return " ".join(part for part in parts if part)


def bibtex(work: Work, *, accessed: date | None = None, name: str | None = None) -> str:
    """An @article where there is a DOI, else @misc; without `accessed` the entry never changes."""
    year, month, _ = _read(work.published)
    rows = [
        ("author", " and ".join(_bibtex_name(author) for author in work.authors)),
        ("title", f"{{{_escaped(work.title)}}}" if work.title else ""),
        ("journal" if work.doi else "howpublished", _escaped(work.site or urls.display(work.url))),
        ("year", year),
        ("month", f"{month:02}" if month else ""),
        ("doi", work.doi),
        ("url", work.url),
        ("urldate", accessed.isoformat() if accessed else ""),
    ]
    body = ",\n".join(f"  {field} = {{{value}}}" for field, value in rows if value)
    return f"@{'article' if work.doi else 'misc'}{{{name or key(work)},\n{body}\n}}"


def key(work: Work) -> str:
    """Surname, year and the title's first telling word, in plain letters."""
    first = work.authors[0].family if work.authors else work.site or urls.display(work.url)
    words = [word for word in _WORD.findall(_plain(work.title)) if word not in _STOP]
    return (
        "".join((*_WORD.findall(_plain(first)), _read(work.published)[0], *words[:1])) or "source"
    )


def _plain(text: str) -> str:
    flat = unicodedata.normalize("NFKD", text)
    return "".join(char for char in flat if char.isascii()).lower()


def _ended(text: str) -> str:
    text = text.strip()
    return text if not text or text[-1] in ".?!。？！" else f"{text}."


def _same(site: str, names: str) -> bool:
    return site.casefold().strip(". ") == names.casefold().strip(". ")


def _read(published: str) -> tuple[str, int, int]:
    match = _ISO.match(published)
    if match is None:
        return "", 0, 0
    month = int(match[2] or 0)
    return match[1], month if month <= 12 else 0, int(match[3] or 0)


def _apa_date(published: str) -> str:
    year, month, day = _read(published)
    if not year:
        return "n.d."
    name = f", {_MONTHS[month - 1]}" if month else ""
    return f"{year}{name}{f' {day}' if month and day else ''}"


def _mla_date(published: str) -> str:
    year, month, day = _read(published)
    name = _SHORT[month - 1] if month else ""
    return " ".join(part for part in (str(day) if day and month else "", name, year) if part)


def _mla_day(day: date) -> str:
    return f"{day.day} {_SHORT[day.month - 1]} {day.year}"


def _apa_names(authors: tuple[Author, ...]) -> str:
    names = [_apa_name(author) for author in authors]
    if len(names) > _APA_MOST:
        return ", ".join((*names[: _APA_MOST - 1], f". . . {names[-1]}"))
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])}, & {names[-1]}"


def _apa_name(author: Author) -> str:
    if author.collective:
        return author.name
    return f"{author.family}, {author.initials}" if author.given else author.family


def _mla_names(authors: tuple[Author, ...]) -> str:
    if not authors:
        return ""
    first = turned(authors[0])
    if len(authors) == 1:
        return first
    if len(authors) > 2:
        return f"{first}, et al."
    return f"{first}, and {authors[1].spoken}"


def turned(author: Author) -> str:
    """Family name first."""
    if author.collective:
        return author.name
    return f"{author.family}, {author.given}" if author.given else author.family


def _bibtex_name(author: Author) -> str:
    name = _escaped(turned(author))
    return f"{{{name}}}" if author.collective else name


def _escaped(text: str) -> str:
    return " ".join(text.translate(_SPECIAL).split())
