"""Writes the citation of a case or a text of law in the form of the Bluebook."""

from __future__ import annotations

import re
from collections.abc import Iterable

from citewell.model.domains.court_case import CourtCase
from citewell.services.domains.law.bluebook_names import abbreviate_case_name
from citewell.text.dates.partial_dates import extract_year
from citewell.text.law.court_citations import REPORTER_CITATION_PATTERN
from citewell.text.law.court_regulations import find_cfr_place, find_register_page

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
# Words of a court's label after the name of its state.
_COURT_WORDS = frozenset(
    [
        "App.",
        "Ch.",
        "Civ.",
        "Com.",
        "Commw.",
        "Crim.",
        "Ct.",
        "Cir.",
        "Dist.",
        "Div.",
        "Super.",
        "Sup.",
        "Fam.",
        "Sur.",
        "Tax",
    ]
)
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
    printed = [one for one in ordered if not _DATABASE_PATTERN.search(one)]
    label = _correct_label(case.court_label)
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
    regional = (one for one in printed[1:] if _rank_citation(one, case.court_id) == _REGIONAL)
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


def _correct_label(label: str | None) -> str:
    corrected = label or ""
    for written, right in _LABEL_CORRECTIONS.items():
        corrected = re.sub(rf"(?<![\w.]){re.escape(written)}(?!\w)", right, corrected)
    return corrected


def _shorten_label(label: str, reporter: str) -> str:
    """The label without what the reporter says already: its state, or the whole court."""
    if reporter == label or not reporter:
        return "" if reporter else label
    words = label.split()
    state = []
    for word in words:
        if word in _COURT_WORDS:
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
