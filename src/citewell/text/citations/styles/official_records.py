"""Cases, patents and texts of law in every style; these have the same form in most of them."""

from __future__ import annotations

import re
from collections.abc import Callable

from citewell.text.citations.citable_works import CitableWork
from citewell.text.citations.official_records import (
    CASE_KIND,
    LAW_KIND,
    PATENT_KIND,
    PATENT_OFFICES,
    REGULATION_KIND,
)
from citewell.text.citations.styles.apa import format_apa_authors
from citewell.text.citations.styles.chicago import format_chicago_authors
from citewell.text.citations.styles.harvard import format_harvard_authors
from citewell.text.citations.styles.ieee import format_ieee_authors
from citewell.text.citations.styles.mla import format_mla_authors
from citewell.text.citations.styles.style_parts import (
    LONG_MONTHS,
    SHORT_MONTHS,
    add_final_mark,
    join_nonempty,
)
from citewell.text.citations.styles.vancouver import format_vancouver_authors

_PATENT_NUMBER_PATTERN = re.compile(r"(?P<office>[A-Z]{2})(?P<digits>\d{1,14})(?P<kind>[A-Z]\d?)?")
_APPLICATION_YEAR_DIGITS = 4
_US_APPLICATION_DIGITS = 11
_ADDRESS_FORMS = {
    "apa": "{url}",
    "mla": "{url}.",
    "chicago": "{url}.",
    "harvard": "Available at: {url}.",
    "vancouver": "Available from: {url}",
    "ieee": "[Online]. Available: {url}",
}


def format_official_record(work: CitableWork, style: str) -> str | None:
    """The entry of a case, patent or text of law; None for any other kind of work."""
    if work.kind == CASE_KIND:
        return _add_address(_format_case(work, style), work, style)
    if work.kind == PATENT_KIND and work.number:
        return _add_address(_PATENT_FORMS[style](work), work, style)
    if work.kind in {LAW_KIND, REGULATION_KIND}:
        year = work.date_parts[0]
        named = join_nonempty((work.title or work.url, work.number), ", ")
        entry = f"{named} ({year})." if year and year not in named else add_final_mark(named)
        return _add_address(entry, work, style)
    return None


def format_bluebook_case(work: CitableWork) -> str:
    """Name, volume reporter page (court year); by its neutral citation or docket number without one."""
    year = work.date_parts[0]
    if work.number.startswith("["):  # a neutral citation names court and year itself
        return join_nonempty((work.title, work.number))
    cited = join_nonempty((work.volume, work.site, work.pages)) if work.volume else ""
    cited = cited or (f"No. {work.number}" if work.number else "")
    decided = join_nonempty((work.authority, year))
    return join_nonempty(
        (join_nonempty((work.title, cited), ", "), f"({decided})" if decided else "")
    )


def _add_address(entry: str, work: CitableWork, style: str) -> str:
    address = _ADDRESS_FORMS[style].format(url=work.url) if work.url else ""
    return join_nonempty((entry, address))


def _format_case(work: CitableWork, style: str) -> str:
    year = work.date_parts[0]
    if style == "harvard" and year and not work.number.startswith("["):
        cited = join_nonempty((work.volume, work.site, work.pages)) if work.volume else ""
        return add_final_mark(join_nonempty((work.title, f"({year})", cited or work.number)))
    return add_final_mark(format_bluebook_case(work))


def format_patent_number(number: str) -> str:
    """The number as people write it: US10165245B2 as 10,165,245 B2, other offices with their code."""
    found = _PATENT_NUMBER_PATTERN.fullmatch(number)
    if found is None:
        return number
    digits, kind = found["digits"], found["kind"] or ""
    if found["office"] != "US":
        return join_nonempty((f"{found['office']} {digits}", kind))
    if len(digits) == _US_APPLICATION_DIGITS:
        year, rest = digits[:_APPLICATION_YEAR_DIGITS], digits[_APPLICATION_YEAR_DIGITS:]
        return join_nonempty((f"{year}/{rest}", kind))
    return join_nonempty((f"{int(digits):,}", kind))


def _name_patent(work: CitableWork) -> str:
    return PATENT_OFFICES.get(work.number[:2], ("Patent", "", "Patent"))[0]


def _format_apa_patent(work: CitableWork) -> str:
    when = f"({work.date_parts[0] or 'n.d.'})."
    number = f"({_name_patent(work)} No. {format_patent_number(work.number)})"
    title = add_final_mark(join_nonempty((work.title, number)))
    names = add_final_mark(format_apa_authors(work.authors))
    head = (names, when, title) if names else (title, when)
    return join_nonempty((*head, add_final_mark(work.authority)))


def _format_mla_patent(work: CitableWork) -> str:
    year, month, day = work.date_parts
    day_text = join_nonempty(
        (str(day) if day and month else "", SHORT_MONTHS[month - 1] if month else "", year)
    )
    number = f"{_name_patent(work)} {format_patent_number(work.number)}"
    return join_nonempty(
        (
            add_final_mark(format_mla_authors(work.authors)),
            add_final_mark(work.title),
            f"{join_nonempty((number, work.authority, day_text), ', ')},",
        )
    )


def _format_chicago_patent(work: CitableWork) -> str:
    year, month, day = work.date_parts
    issued = ""
    if month:
        issued = f"issued {LONG_MONTHS[month - 1]}{f' {day}' if day else ''}, {year}"
    number = f"{_name_patent(work)} {format_patent_number(work.number)}"
    names = add_final_mark(format_chicago_authors(work.authors))
    title = f"“{add_final_mark(work.title)}”" if work.title else ""
    when = f"{year or 'n.d.'}."
    head = (names, when, title) if names else (title, when)
    return join_nonempty((*head, add_final_mark(join_nonempty((number, issued), ", "))))


def _format_harvard_patent(work: CitableWork) -> str:
    year = f"({work.date_parts[0] or 'no date'})"
    title = f"‘{work.title}’" if work.title else ""
    number = f"{_name_patent(work)} no. {format_patent_number(work.number)}."
    names = format_harvard_authors(work.authors)
    head = (names, year, title) if names else (title, year)
    return join_nonempty((add_final_mark(join_nonempty(head), british=True), number))


def _format_vancouver_patent(work: CitableWork) -> str:
    names = format_vancouver_authors(work.authors)
    inventors = "inventors" if len(work.authors) > 1 else "inventor"
    country = PATENT_OFFICES.get(work.number[:2], ("", "", "Patent"))[2]
    number = format_patent_number(work.number)
    coded = number if number.startswith(work.number[:2]) else f"{work.number[:2]} {number}"
    year, month, day = work.date_parts
    when = join_nonempty(
        (year, LONG_MONTHS[month - 1][:3] if month else "", str(day) if month and day else "")
    )
    return join_nonempty(
        (
            f"{names}, {inventors}." if names else "",
            add_final_mark(work.title),
            f"{country} {coded}.",
            add_final_mark(when),
        )
    )


def _format_ieee_patent(work: CitableWork) -> str:
    number = format_patent_number(work.number).replace(",", " ")
    year, month, day = work.date_parts
    when = year
    if month:
        when = f"{SHORT_MONTHS[month - 1]}{f' {day}' if day else ''}, {year}"
    head = join_nonempty((format_ieee_authors(work.authors), f"“{work.title},”"), ", ")
    return add_final_mark(f"{head} {join_nonempty((f'{_name_patent(work)} {number}', when), ', ')}")


_PATENT_FORMS: dict[str, Callable[[CitableWork], str]] = {
    "apa": _format_apa_patent,
    "mla": _format_mla_patent,
    "chicago": _format_chicago_patent,
    "harvard": _format_harvard_patent,
    "vancouver": _format_vancouver_patent,
    "ieee": _format_ieee_patent,
}
