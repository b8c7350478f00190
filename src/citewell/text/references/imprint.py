"""What follows the title in a reference: where it appeared, in which volume, on which pages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_YEAR = r"(?:1[5-9]|20)\d\d"
_SPAN = r"[A-Za-z]{0,4}\.?\d[\w.]{0,12}(?:\s?[-–—‐‑]{1,2}\s?[A-Za-z]{0,3}\d[\w.]{0,10})?"
_MARKED_VOLUME = re.compile(
    r"\bvol(?:ume)?s?\.?\s{0,2}([A-Z]{0,3}\d[\w–-]{0,10}|[IVXLC]{1,8})\b", re.IGNORECASE
)
_MARKED_ISSUE = re.compile(
    r"\b(?:nos?\.|nr\.|issue|iss\.|number)\s{0,2}(\w{0,3}\d[\w/–-]{0,10})", re.IGNORECASE
)
_MARKED_PAGES = re.compile(
    rf"\b(?:pp?|pages?|Art(?:icle)?(?:\sno)?)\.?\s{{0,2}}({_SPAN})", re.IGNORECASE
)
_VANCOUVER = re.compile(
    rf"(?P<venue>[^;]{{2,300}}?)[.,]?\s(?P<year>{_YEAR})[^;:()]{{0,20}};\s?(?P<volume>[\w.–-]{{1,15}})?"
    rf"\s?(?:\((?P<issue>[^()]{{1,30}})\))?(?:\s?:\s?(?P<pages>{_SPAN}))?"
)
_CHICAGO = re.compile(
    rf"(?P<venue>.{{2,300}}?),?\s(?P<volume>\d{{1,4}}[A-Z]?)(?:,\sno\.\s(?P<number>[\w/–-]{{1,15}}))?"
    rf"(?:\s?\((?P<issue>[^()]{{1,40}})\))?\s?:\s?(?P<pages>{_SPAN})"
)
_NATURE = re.compile(
    rf"(?P<venue>.{{2,300}}?),?\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,20}})\))?,\s(?:pp?\.\s?)?(?P<pages>{_SPAN})(?:\s?\({_YEAR}\)|[.,]|$)"
)
_APA = re.compile(
    rf"(?P<venue>.{{2,300}}?),\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,30}})\))?(?:,\s(?:pp?\.\s?|Article\s)?(?P<pages>{_SPAN}))?\s?(?:[.,;]|$)"
)
_PAREN_VOLUME = re.compile(
    r"(?P<venue>.{2,300}?),?\s(?P<volume>\d{1,4}[A-Z]?)\s?\((?P<issue>[^()]{1,20})\)"
)
_PAGED = re.compile(r"(?P<venue>.{2,300}?),?\s(?P<pages>\d{1,5}[-–—]\d{1,5})\s?(?:[.(]|$)")
_IN = re.compile(r"(?:In|in)(?::\s|\s)(?=\S)")
_EDITED = re.compile(
    r"^[^()]{2,250}?\(\s?(?:[Ee]ds?\.?|[Hh]rsg\.?)\s?\)[,.:]?\s|^[^:]{2,250}?,\s[Ee]d(?:itor)?s?[.:]\s(?=[^\W\d_a-z])"
)
_EDITED_BY = re.compile(
    r",\s(?:[Ee]dited by|[Ee]d\. by|[Ee]ds?\.)\s(?:[^\W\d_a-z]\.[\s-]?|[^.,]|,(?=\s[^,.]{1,40},?\sand\s)){2,200}"
)
_PAREN_PAGES = re.compile(rf"\s?\((?:[^()]{{0,40}}?,\s)?pp?\.\s?({_SPAN})\)")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter)[a-z]{0,6}\.?"
_DATE = re.compile(
    rf"(?:^|[\s,;.(]{{1,3}})(?:\d{{1,2}}\s)?(?:{_MONTH}[\s–-]){{0,2}}(?:\d{{1,2}},\s)?{_YEAR}[a-z]?(?:\s{_MONTH}(?:\s\d{{1,2}})?)?\)?[\s,;.]{{0,3}}$"
    rf"|(?:^|[\s,;.(]{{1,3}})(?:n\.d\.?|no date)\)?$|(?:^|[\s,;.(]{{1,3}})(?:\d{{1,2}}\s)?{_MONTH}(?:\s\d{{1,2}})?$"
)
_ENDS_IN_MONTH = re.compile(rf"[\s,]{_MONTH}$")
_BREAK = re.compile(
    r"(?<!\bProc)(?<!\bInt)(?<!\bIntl)(?<!\bConf)(?<!\bSymp)(?<!\bTrans)(?<!\bSoc)(?<!\bAm)[.,]\s(?=[^\W\d_a-z]|\d|pp?\.|pages?\s)"
)
_PLACE = re.compile(r"^[^\W\d_][\w .,'’-]{1,50}:\s(?=\S)")
_LABEL = re.compile(r"\s{0,2}\[[^\[\]]{1,40}\]$")
_DATED = re.compile(
    rf"(?P<venue>.{{2,300}}?)[.,]?\s(?P<year>{_YEAR}),\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,20}})\))?[,:]\s?(?P<pages>{_SPAN})"
)  # ACS and GB/T 7714 name the year before the volume
_STRUCTURED = (_VANCOUVER, _DATED, _CHICAGO, _NATURE, _APA, _PAREN_VOLUME, _PAGED)
_TRIM = " ,;:.()[]"
_MOST = 1500  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Imprint:
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""


def read(tail: str) -> Imprint:
    """A journal where volume or pages show one, a book that holds a chapter, else a publisher."""
    tail = tail[:_MOST].strip(" ,;.")
    held = _IN.match(tail)
    if held is not None:
        return _chapter(tail[held.end() :])
    if (marked := _marked(tail)) is not None:
        return marked
    for pattern in _STRUCTURED:
        if (match := pattern.match(tail)) is not None and _plausible(match):
            return _structured(match)
    return _plain(tail)


def _marked(tail: str) -> Imprint | None:
    """Vol. 1, no. 2, pp. 3–4: in any order and each by its name."""
    volume, issue, pages = (
        pattern.search(tail) for pattern in (_MARKED_VOLUME, _MARKED_ISSUE, _MARKED_PAGES)
    )
    if volume is None and pages is None:
        return None
    first = min(found.start() for found in (volume, issue, pages) if found)
    before = tail[:first]
    if volume is None and (match := _APA.match(before + ".")) and _plausible(match):
        part = _structured(match)
        return replace(part, pages=dashed(pages[1]) if pages else part.pages)
    venue, publisher = _DATE.sub("", _EDITED_BY.sub("", before).strip(" ,;.")), ""
    if volume is None:
        venue, _, publisher = venue.partition(", ")
    return Imprint(
        venue=trimmed(venue),
        volume=volume[1] if volume else "",
        issue=issue[1] if issue and volume else "",
        pages=dashed(pages[1]) if pages else "",
        publisher=_publisher(publisher),
    )


def _structured(match: re.Match[str]) -> Imprint:
    parts = match.groupdict()
    issue = parts.get("number") or parts.get("issue") or ""
    return Imprint(
        venue=trimmed(parts["venue"]),
        volume=(parts.get("volume") or "").strip("."),
        issue="" if re.search(_YEAR, issue) else dashed(issue),
        pages=dashed(parts.get("pages") or ""),
    )


def _chapter(tail: str) -> Imprint:
    """The book's editors, its title, the pages within it and who published it."""
    tail = _EDITED_BY.sub("", _EDITED.sub("", tail))
    pages = _PAREN_PAGES.search(tail) or _MARKED_PAGES.search(tail)
    if _PAREN_PAGES.search(tail):
        venue, _, rest = _PAREN_PAGES.sub("\0", tail, count=1).partition("\0")
    else:
        structured = next((m for p in (_VANCOUVER, _CHICAGO) if (m := p.match(tail))), None)
        if structured is not None and _plausible(structured):
            return _structured(structured)
        venue, rest = _split(tail)
    volume = _MARKED_VOLUME.search(tail)
    return Imprint(
        venue=trimmed(_DATE.sub("", _MARKED_VOLUME.sub("", venue))),
        volume=volume[1] if volume else "",
        pages=dashed(pages[1]) if pages else "",
        publisher=_publisher(rest),
    )


def _plain(tail: str) -> Imprint:
    """Neither volume nor pages: a site or a publisher, which only a place before it tells apart."""
    if _PLACE.match(tail):
        return Imprint(publisher=_publisher(tail))
    name = trimmed(_DATE.sub("", tail))
    return Imprint(venue=name, publisher=_publisher(tail))


def _split(tail: str) -> tuple[str, str]:
    """At the first full stop or comma that a capital follows."""
    found = _BREAK.search(tail)
    return (tail[: found.start()], tail[found.end() :]) if found else (tail, "")


def _publisher(text: str) -> str:
    text = _MARKED_PAGES.sub("", text).strip(" ,;.")
    return trimmed(_PLACE.sub("", _DATE.sub("", text).strip(_TRIM)))


def _plausible(match: re.Match[str]) -> bool:
    """A venue has a name, and a year alone is no volume."""
    parts = match.groupdict()
    venue = parts["venue"]
    alone = not parts.get("issue") and not parts.get("pages")
    if alone and re.fullmatch(_YEAR, parts.get("volume") or ""):
        return False
    if _ENDS_IN_MONTH.search(venue):
        return False
    return sum(char.isalpha() for char in venue) > 1 and len(venue.split()) < 25


def trimmed(text: str) -> str:
    text = _LABEL.sub("", " ".join(text.split()).strip(" ,;:."))
    return text.rstrip(" ([") if text.count("(") > text.count(")") else text


def dashed(text: str) -> str:
    return re.sub(r"\s?[–—‐‑-]{1,2}\s?", "-", text).strip(" .,")
