"""Writes the citation of a case or a text of law in the form of the Bluebook."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citewell.core.values.court_case import CourtCase
from citewell.domains.law.citation_forms import REPORTER_CITATION_PATTERN
from citewell.text.calendar_dates import extract_year
from citewell.text.data_tables import load_table, load_words

_CFR_PATTERN = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2})\s{1,3}c\.?\s?f\.?\s?r\.?\s{0,3}"
    r"(?:(?:\u00a7{1,2}|sections?|secs?\.|parts?|pts?\.)\s{0,3})?"
    r"(?P<part>\d{1,5})(?:\.(?P<section>\d[\w-]{0,15}))?(?![\w-])",
    re.IGNORECASE,
)
_REGISTER_PATTERN = re.compile(
    r"(?<![\w.])(?P<volume>\d{1,3})\s{1,3}(?:f\.?r\.?|fed\.\s{0,3}reg\.)\s{1,3}(?P<page>\d{1,3}(?:,\d{3})|\d{1,6})(?![\w-])",
    re.IGNORECASE,
)

_KEPT_NAMES = ("District of Columbia", "National Archives", "American Samoa")
_VERSUS_PATTERN = re.compile(r"\s(?:vs?\.?|versus)\s", re.IGNORECASE)
_WORD_PATTERN = re.compile(r"[A-Za-z']+(?![\w.])")
_TRAILER_PATTERN = re.compile(r",? et (?:al|ux|vir)\.?$", re.IGNORECASE)
_MAX_NAME_CHARS = 300

_MONTHS = ("Jan.", "Feb.", "Mar.", "Apr.", "May", "June", "July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec.")  # fmt: skip
_SUPREME_RANKS = {"U.S.": 0, "S. Ct.": 1, "L. Ed. 2d": 2, "L. Ed.": 2}
_FEDERAL_REPORTERS = frozenset(
    ("F.4th", "F.3d", "F.2d", "F.", "F. Supp. 3d", "F. Supp. 2d", "F. Supp.")
)
_REGIONAL_REPORTER_PATTERN = re.compile(
    r"(?:A\.|P\.|N\.E\.|N\.W\.|S\.E\.|S\.W\.|So\.)(?: ?[234][dth]{1,2})?"
)
_UNOFFICIAL_REPORTER_PATTERN = re.compile(r"Cal\. Rptr\.|N\.Y\.S\.|Ill\. Dec\.")
_DATABASE_PATTERN = re.compile(r"\bWL\b|\bLEXIS\b|U\.S\.L\.W\.")
_LAST_NOMINATIVE_VOLUME = 90  # of the U.S. Reports; earlier volumes are known by their reporters
_NOMINATIVE_REPORTERS = ("Dall.", "Cranch", "Wheat.", "Pet.", "How.", "Black", "Wall.")
_LABEL_CORRECTIONS = {"SCOTUS": "U.S.", "NY": "N.Y.", "Penn.": "Pa."}
_OFFICIAL, _REGIONAL, _UNOFFICIAL, _NEUTRAL, _DATABASE = 1, 2, 3, 4, 9
_THOUSANDS_FROM_DIGITS = 5


def compose_bluebook_citation(case: CourtCase) -> str:
    """The citation of a case, act, regulation or notice, from what its registry states."""
    if case.source == "eurlex":
        return _compose_european_citation(case)
    if case.kind == "regulation" and (place := find_cfr_place(" ".join(case.citations[:1]))):
        section = f"§ {place.section}" if place.section else f"pt. {place.part}"
        return f"{place.title} C.F.R. {section}"
    if page := find_register_page(" ".join(case.citations[:1])):
        number = f"{page[1]:,}" if len(str(page[1])) >= _THOUSANDS_FROM_DIGITS else str(page[1])
        return (
            f"{case.name}, {page[0]} Fed. Reg. {number}{_format_parenthesis('', case, full=True)}"
        )
    if case.kind != "decision":
        return ", ".join((case.name, *case.citations[:1]))
    name = abbreviate_case_name(case.name)
    if any(citation.startswith("[") for citation in case.citations):  # names court and year itself
        return f"{name} {case.citations[0]}"
    return f"{name}{_compose_us_place(case)}"


def order_citations(citations: Iterable[str], court_id: str | None = None) -> tuple[str, ...]:
    """The parallel citations with the official reporter first and databases last."""
    return tuple(sorted(citations, key=lambda citation: _rank_citation(citation, court_id)))


def _rank_citation(citation: str, court_id: str | None) -> int:
    reporter = _find_reporter(citation)
    if _DATABASE_PATTERN.search(citation):
        return _DATABASE
    if reporter in _SUPREME_RANKS:
        return _SUPREME_RANKS[reporter]
    if court_id == "scotus":
        return _UNOFFICIAL
    if not reporter:
        return _NEUTRAL
    if reporter in _FEDERAL_REPORTERS:
        return 0
    if _REGIONAL_REPORTER_PATTERN.fullmatch(reporter):
        return _REGIONAL
    return _UNOFFICIAL if _UNOFFICIAL_REPORTER_PATTERN.match(reporter) else _OFFICIAL


def _compose_us_place(case: CourtCase) -> str:
    """Reporters, court and year; the docket number and the day if no reporter has the case."""
    ordered = order_citations(case.citations, case.court_id)
    printed = [
        written_citation
        for written_citation in ordered
        if not _DATABASE_PATTERN.search(written_citation)
    ]
    label = case.court_label or ""
    for written, right in _LABEL_CORRECTIONS.items():
        label = re.sub(rf"(?<![\w.]){re.escape(written)}(?!\w)", right, label)
    if not printed:
        docket = f", No. {case.docket_number}" if case.docket_number else ""
        database = f", {ordered[0]}" if ordered else ""
        return docket + database + _format_parenthesis(label, case, full=True)
    first, reporter = printed[0], _find_reporter(printed[0])
    if reporter in _SUPREME_RANKS or case.court_id == "scotus":
        cited = _add_nominative_reporter(first, ordered)
        return f", {cited}{_format_parenthesis('', case)}"
    if reporter in _FEDERAL_REPORTERS or _is_federal_label(label):
        return f", {first}{_format_parenthesis(label, case)}"
    regional = (
        printed_citation
        for printed_citation in printed[1:]
        if _rank_citation(printed_citation, case.court_id) == _REGIONAL
    )
    parallel = next(regional, None) if _rank_citation(first, case.court_id) == _OFFICIAL else None
    cited = f"{first}, {parallel}" if parallel else first
    return f", {cited}{_format_parenthesis(_shorten_label(label, reporter), case)}"


def _add_nominative_reporter(citation: str, others: Iterable[str]) -> str:
    """5 U.S. 137 as 5 U.S. (1 Cranch) 137, if the parallel citations name that reporter."""
    match = REPORTER_CITATION_PATTERN.fullmatch(citation)
    if match is None or int(match["volume"]) > _LAST_NOMINATIVE_VOLUME:
        return citation
    for other in others:
        named = REPORTER_CITATION_PATTERN.fullmatch(other)
        if named and named["reporter"] in _NOMINATIVE_REPORTERS and named["page"] == match["page"]:
            early = f"{named['volume']} {named['reporter']}"
            return f"{match['volume']} {match['reporter']} ({early}) {match['page']}"
    return citation


def _find_reporter(citation: str) -> str:
    match = REPORTER_CITATION_PATTERN.fullmatch(citation)
    return match["reporter"] if match else ""


def _is_federal_label(label: str) -> bool:
    return (
        label.endswith("Cir.")
        or label.startswith(("Bankr.", "Fed."))
        or "D." in label.split(" ", maxsplit=1)[0]
    )


def _shorten_label(label: str, reporter: str) -> str:
    """The label without what the reporter says already: its state, or the whole court."""
    if reporter == label or not reporter:
        return "" if reporter else label
    words = label.split()
    state = []
    for word in words:
        if word in load_words(__package__, "bluebook", "court_words"):
            break
        state.append(word)
    if state and reporter.split()[: len(state)] == state:
        return " ".join(words[len(state) :])
    return label


def _format_parenthesis(label: str, case: CourtCase, *, full: bool = False) -> str:
    decided = _format_day(case.date_filed) if full else str(extract_year(case.date_filed) or "")
    inside = " ".join(part for part in (label, decided) if part)
    return f" ({inside})" if inside else ""


def _format_day(iso_date: str | None) -> str:
    parts = (iso_date or "").split("-")
    if len(parts) != 3:
        return parts[0]
    return f"{_MONTHS[int(parts[1]) - 1]} {int(parts[2])}, {parts[0]}"


def _compose_european_citation(case: CourtCase) -> str:
    if case.kind != "decision":
        celex = case.ids.get("celex")
        return f"{case.name}, CELEX {celex}" if celex else case.name
    cited = (case.docket_number, abbreviate_case_name(case.name), case.ids.get("ecli"))
    written = ", ".join(part for part in cited if part)
    return written + _format_parenthesis("", case, full=True)


# Words of a court's label after the name of its state.
# Shortens the names of cases as citations have them: Brown v.


def abbreviate_case_name(name: str) -> str:
    """The name with `v.` between the parties and common words shortened."""
    parties = _VERSUS_PATTERN.split(name[:_MAX_NAME_CHARS], maxsplit=1)
    return " v. ".join(_abbreviate_party(party.strip()) for party in parties)


def _abbreviate_party(party: str) -> str:
    party = _TRAILER_PATTERN.sub("", party)
    if party in _KEPT_NAMES or len(party.split()) == 1:  # a name of one word is never shortened
        return party
    return _WORD_PATTERN.sub(_shorten_word, party)


def _shorten_word(match: re.Match[str]) -> str:
    word = match[0]
    short: str | None = load_table(__package__, "bluebook_names")["short_forms"].get(word.lower())
    # A word in small letters is part of a phrase; only "and" is shortened then.
    return short if short and (word[0].isupper() or short == "&") else word


# The commonest words of the Bluebook's table; a name with others is still understood.
# Citations of US regulations: the Code of Federal Regulations and the Federal Register.


@dataclass(frozen=True, slots=True, kw_only=True)
class CfrPlace:
    """A part or a section of the Code of Federal Regulations."""

    title: int
    part: str
    section: str | None = None  # with its part: 240.10b-5

    @property
    def citation(self) -> str:
        return f"{self.title} CFR {self.section or self.part}"


def find_cfr_place(text: str) -> CfrPlace | None:
    """The first place of the Code that the text cites; paragraphs such as (b)(1) are left out."""
    match = _CFR_PATTERN.search(text[:500])
    if match is None:
        return None
    section = f"{match['part']}.{match['section']}" if match["section"] else None
    return CfrPlace(title=int(match["title"]), part=match["part"], section=section)


def find_register_page(text: str) -> tuple[int, int] | None:
    """Volume and page of the first citation of the Federal Register; None if there is none."""
    match = _REGISTER_PATTERN.search(text[:500])
    return (int(match["volume"]), int(match["page"].replace(",", ""))) if match else None
