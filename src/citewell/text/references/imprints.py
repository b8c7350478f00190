"""Parses the part of a reference after the title: venue, volume, issue, pages and publisher."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_YEAR_REGEX = r"(?:1[5-9]|20)\d\d"
_PAGE_SPAN_REGEX = r"[A-Za-z]{0,4}\.?\d[\w.]{0,12}(?:\s?[-–—‐‑]{1,2}\s?[A-Za-z]{0,3}\d[\w.]{0,10})?"
_VOLUME_LABEL_PATTERN = re.compile(
    r"\bvol(?:ume)?s?\.?\s{0,2}([A-Z]{0,3}\d[\w–-]{0,10}|[IVXLC]{1,8})\b", re.IGNORECASE
)
_ISSUE_LABEL_PATTERN = re.compile(
    r"\b(?:nos?\.|nr\.|issue|iss\.|number)\s{0,2}(\w{0,3}\d[\w/–-]{0,10})", re.IGNORECASE
)
_PAGES_LABEL_PATTERN = re.compile(
    rf"\b(?:pp?|pages?|Art(?:icle)?(?:\sno)?)\.?\s{{0,2}}({_PAGE_SPAN_REGEX})", re.IGNORECASE
)
_VANCOUVER_IMPRINT_PATTERN = re.compile(
    rf"(?P<venue>[^;]{{2,300}}?)[.,]?\s(?P<year>{_YEAR_REGEX})[^;:()]{{0,20}};\s?(?P<volume>[\w.–-]{{1,15}})?"
    rf"\s?(?:\((?P<issue>[^()]{{1,30}})\))?(?:\s?:\s?(?P<pages>{_PAGE_SPAN_REGEX}))?"
)
_CHICAGO_IMPRINT_PATTERN = re.compile(
    rf"(?P<venue>.{{2,300}}?),?\s(?P<volume>\d{{1,4}}[A-Z]?)(?:,\sno\.\s(?P<number>[\w/–-]{{1,15}}))?"
    rf"(?:\s?\((?P<issue>[^()]{{1,40}})\))?\s?:\s?(?P<pages>{_PAGE_SPAN_REGEX})"
)
_NATURE_IMPRINT_PATTERN = re.compile(
    rf"(?P<venue>.{{2,300}}?),?\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,20}})\))?,\s(?:pp?\.\s?)?(?P<pages>{_PAGE_SPAN_REGEX})(?:\s?\({_YEAR_REGEX}\)|[.,]|$)"
)
_APA_IMPRINT_PATTERN = re.compile(
    rf"(?P<venue>.{{2,300}}?),\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,30}})\))?(?:,\s(?:pp?\.\s?|Article\s)?(?P<pages>{_PAGE_SPAN_REGEX}))?\s?(?:[.,;]|$)"
)
_VOLUME_ISSUE_PATTERN = re.compile(
    r"(?P<venue>.{2,300}?),?\s(?P<volume>\d{1,4}[A-Z]?)\s?\((?P<issue>[^()]{1,20})\)"
)
_VENUE_PAGES_PATTERN = re.compile(
    r"(?P<venue>.{2,300}?),?\s(?P<pages>\d{1,5}[-–—]\d{1,5})\s?(?:[.(]|$)"
)
_CHAPTER_IN_PATTERN = re.compile(r"(?:In|in)(?::\s|\s)(?=\S)")
_LEADING_EDITORS_PATTERN = re.compile(
    r"^[^()]{2,250}?\(\s?(?:[Ee]ds?\.?|[Hh]rsg\.?)\s?\)[,.:]?\s|^[^:]{2,250}?,\s[Ee]d(?:itor)?s?[.:]\s(?=[^\W\d_a-z])"
)
_EDITED_BY_PATTERN = re.compile(
    r",\s(?:[Ee]dited by|[Ee]d\. by|[Ee]ds?\.)\s(?:[^\W\d_a-z]\.[\s-]?|[^.,]|,(?=\s[^,.]{1,40},?\sand\s)){2,200}"
)
_BRACKETED_PAGES_PATTERN = re.compile(rf"\s?\((?:[^()]{{0,40}}?,\s)?pp?\.\s?({_PAGE_SPAN_REGEX})\)")
_MONTH_OR_SEASON_REGEX = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Spring|Summer|Autumn|Fall|Winter)[a-z]{0,6}\.?"
_FINAL_DATE_PATTERN = re.compile(
    rf"(?:^|[\s,;.(]{{1,3}})(?:\d{{1,2}}\s)?(?:{_MONTH_OR_SEASON_REGEX}[\s–-]){{0,2}}(?:\d{{1,2}},\s)?{_YEAR_REGEX}[a-z]?(?:\s{_MONTH_OR_SEASON_REGEX}(?:\s\d{{1,2}})?)?\)?[\s,;.]{{0,3}}$"
    rf"|(?:^|[\s,;.(]{{1,3}})(?:n\.d\.?|no date)\)?$|(?:^|[\s,;.(]{{1,3}})(?:\d{{1,2}}\s)?{_MONTH_OR_SEASON_REGEX}(?:\s\d{{1,2}})?$"
)
_FINAL_MONTH_PATTERN = re.compile(rf"[\s,]{_MONTH_OR_SEASON_REGEX}$")
_PUBLISHER_BREAK_PATTERN = re.compile(
    r"(?<!\bProc)(?<!\bInt)(?<!\bIntl)(?<!\bConf)(?<!\bSymp)(?<!\bTrans)(?<!\bSoc)(?<!\bAm)[.,]\s(?=[^\W\d_a-z]|\d|pp?\.|pages?\s)"
)
_PUBLISHER_PLACE_PATTERN = re.compile(r"^[^\W\d_][\w .,'’-]{1,50}:\s(?=\S)")
_BRACKETED_LABEL_PATTERN = re.compile(r"\s{0,2}\[[^\[\]]{1,40}\]$")
_YEAR_BEFORE_VOLUME_PATTERN = re.compile(
    rf"(?P<venue>.{{2,300}}?)[.,]?\s(?P<year>{_YEAR_REGEX}),\s(?P<volume>\d{{1,4}}[A-Z]?)(?:\s?\((?P<issue>[^()]{{1,20}})\))?[,:]\s?(?P<pages>{_PAGE_SPAN_REGEX})"
)  # ACS and GB/T 7714 put the year before the volume
_STRUCTURED_IMPRINT_PATTERNS = (
    _VANCOUVER_IMPRINT_PATTERN,
    _YEAR_BEFORE_VOLUME_PATTERN,
    _CHICAGO_IMPRINT_PATTERN,
    _NATURE_IMPRINT_PATTERN,
    _APA_IMPRINT_PATTERN,
    _VOLUME_ISSUE_PATTERN,
    _VENUE_PAGES_PATTERN,
)
_TRIMMED_MARKS = " ,;:.()[]"
_MAX_IMPRINT_CHARS = 1500  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceImprint:
    venue: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""


def parse_imprint(tail: str) -> ReferenceImprint:
    """The imprint: a journal if there is a volume or pages, a book after "In", else a publisher."""
    tail = tail[:_MAX_IMPRINT_CHARS].strip(" ,;.")
    held = _CHAPTER_IN_PATTERN.match(tail)
    if held is not None:
        return _parse_chapter_imprint(tail[held.end() :])
    if (marked := _parse_labelled_imprint(tail)) is not None:
        return marked
    for pattern in _STRUCTURED_IMPRINT_PATTERNS:
        if (match := pattern.match(tail)) is not None and _is_plausible_imprint(match):
            return _build_structured_imprint(match)
    return _parse_unnumbered_imprint(tail)


def _parse_labelled_imprint(tail: str) -> ReferenceImprint | None:
    """An imprint with labels (vol. 1, no. 2, pp. 3–4) in any order; None without volume and pages."""
    volume, issue, pages = (
        pattern.search(tail)
        for pattern in (_VOLUME_LABEL_PATTERN, _ISSUE_LABEL_PATTERN, _PAGES_LABEL_PATTERN)
    )
    if volume is None and pages is None:
        return None
    first = min(found.start() for found in (volume, issue, pages) if found)
    before = tail[:first]
    if (
        volume is None
        and (match := _APA_IMPRINT_PATTERN.match(before + "."))
        and _is_plausible_imprint(match)
    ):
        part = _build_structured_imprint(match)
        return replace(part, pages=normalize_page_dash(pages[1]) if pages else part.pages)
    venue, publisher = (
        _FINAL_DATE_PATTERN.sub("", _EDITED_BY_PATTERN.sub("", before).strip(" ,;.")),
        "",
    )
    if volume is None:
        venue, _, publisher = venue.partition(", ")
    return ReferenceImprint(
        venue=trim_imprint_part(venue),
        volume=volume[1] if volume else "",
        issue=issue[1] if issue and volume else "",
        pages=normalize_page_dash(pages[1]) if pages else "",
        publisher=_clean_publisher(publisher),
    )


def _build_structured_imprint(match: re.Match[str]) -> ReferenceImprint:
    parts = match.groupdict()
    issue = parts.get("number") or parts.get("issue") or ""
    return ReferenceImprint(
        venue=trim_imprint_part(parts["venue"]),
        volume=(parts.get("volume") or "").strip("."),
        issue="" if re.search(_YEAR_REGEX, issue) else normalize_page_dash(issue),
        pages=normalize_page_dash(parts.get("pages") or ""),
    )


def _parse_chapter_imprint(tail: str) -> ReferenceImprint:
    """The imprint of a chapter: book title, volume, pages and publisher; editors are dropped."""
    tail = _EDITED_BY_PATTERN.sub("", _LEADING_EDITORS_PATTERN.sub("", tail))
    pages = _BRACKETED_PAGES_PATTERN.search(tail) or _PAGES_LABEL_PATTERN.search(tail)
    if _BRACKETED_PAGES_PATTERN.search(tail):
        venue, _, rest = _BRACKETED_PAGES_PATTERN.sub("\0", tail, count=1).partition("\0")
    else:
        structured = next(
            (
                m
                for p in (_VANCOUVER_IMPRINT_PATTERN, _CHICAGO_IMPRINT_PATTERN)
                if (m := p.match(tail))
            ),
            None,
        )
        if structured is not None and _is_plausible_imprint(structured):
            return _build_structured_imprint(structured)
        venue, rest = _split_book_publisher(tail)
    volume = _VOLUME_LABEL_PATTERN.search(tail)
    return ReferenceImprint(
        venue=trim_imprint_part(_FINAL_DATE_PATTERN.sub("", _VOLUME_LABEL_PATTERN.sub("", venue))),
        volume=volume[1] if volume else "",
        pages=normalize_page_dash(pages[1]) if pages else "",
        publisher=_clean_publisher(rest),
    )


def _parse_unnumbered_imprint(tail: str) -> ReferenceImprint:
    """An imprint without volume and pages: a publisher after a place ("Berlin: "), else a site."""
    if _PUBLISHER_PLACE_PATTERN.match(tail):
        return ReferenceImprint(publisher=_clean_publisher(tail))
    name = trim_imprint_part(_FINAL_DATE_PATTERN.sub("", tail))
    return ReferenceImprint(venue=name, publisher=_clean_publisher(tail))


def _split_book_publisher(tail: str) -> tuple[str, str]:
    """The text before and after the first full stop or comma that a capital follows."""
    found = _PUBLISHER_BREAK_PATTERN.search(tail)
    return (tail[: found.start()], tail[found.end() :]) if found else (tail, "")


def _clean_publisher(text: str) -> str:
    text = _PAGES_LABEL_PATTERN.sub("", text).strip(" ,;.")
    return trim_imprint_part(
        _PUBLISHER_PLACE_PATTERN.sub("", _FINAL_DATE_PATTERN.sub("", text).strip(_TRIMMED_MARKS))
    )


def _is_plausible_imprint(match: re.Match[str]) -> bool:
    """Whether the match has a venue with a name, and a volume that is not just a year."""
    parts = match.groupdict()
    venue = parts["venue"]
    alone = not parts.get("issue") and not parts.get("pages")
    if alone and re.fullmatch(_YEAR_REGEX, parts.get("volume") or ""):
        return False
    if _FINAL_MONTH_PATTERN.search(venue):
        return False
    return sum(char.isalpha() for char in venue) > 1 and len(venue.split()) < 25


def trim_imprint_part(text: str) -> str:
    text = _BRACKETED_LABEL_PATTERN.sub("", " ".join(text.split()).strip(" ,;:."))
    return text.rstrip(" ([") if text.count("(") > text.count(")") else text


def normalize_page_dash(text: str) -> str:
    return re.sub(r"\s?[–—‐‑-]{1,2}\s?", "-", text).strip(" .,")
