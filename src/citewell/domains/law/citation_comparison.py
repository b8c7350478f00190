"""Compares a citation with the case that a registry has there, and words what follows: carefully, because absence proves little."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from citewell.core.values.court_case import CourtCase, LegalCitation
from citewell.domains.law.citation_forms import build_citation_key
from citewell.domains.law.citation_groups import CitedCase
from citewell.domains.law.name_matching import NameAgreement, compare_case_names, is_single_party_of
from citewell.text.data_tables import load_table

_CIRCUIT_PATTERN = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th|d)|(D\. ?C\.|Fed(?:\.|eral))) ?Cir", re.IGNORECASE)  # fmt: skip
_CIRCUIT_NAME_PATTERN = re.compile(
    r"\b(First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth|Eleventh|D\.? ?C\.?|District of Columbia|Federal) Circuit",
    re.IGNORECASE,
)
_DISTRICT_PATTERN = re.compile(r"(?P<part>[NSEWCM]\. ?)?D\. ?(?P<state>[A-Z][\w.' ]{0,24})")
_STATE_WORD_PATTERN = re.compile(
    r"(?:(?:New|North|South|West|Rhode|Puerto) )?(?:[NSWRDP]\. ?)?[A-Z][a-z']{0,12}\.?"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")  # fmt: skip
_FEDERAL_IDS = {"cadc": "cir:dc", "cafc": "cir:fed", "scotus": "scotus"} | {
    f"ca{number}": f"cir:{number}" for number in range(1, 12)
}

MATCH, MISMATCH, NOT_CHECKED = "match", "mismatch", "not_checked"
_OLD_YEAR = 1900  # before it, terms and years of decision are mixed up in all registries
_YEAR_EDGE_MONTHS = frozenset({"12", "01"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseComparison:
    """How a citation and a recorded case agree; each part is match, mismatch or not_checked."""

    case: CourtCase
    name: str = NOT_CHECKED
    year: str = NOT_CHECKED
    court: str = NOT_CHECKED
    wrong_parallels: tuple[tuple[str, str], ...] = ()  # as written, as recorded

    @property
    def is_same_case(self) -> bool:
        return self.name != MISMATCH

    @property
    def mismatch_count(self) -> int:
        return (self.year, self.court).count(MISMATCH) + len(self.wrong_parallels)


def choose_best_case(cited: CitedCase, cases: Sequence[CourtCase]) -> CaseComparison:
    """The comparison with the case that agrees best: several may share a page of a reporter."""
    compared = [_compare_case(cited, case) for case in cases]
    return min(
        compared, key=lambda item: (item.name == MISMATCH, item.mismatch_count, item.name != MATCH)
    )


def _compare_case(cited: CitedCase, case: CourtCase) -> CaseComparison:
    citation = cited.main.citation
    is_reported = citation.kind == "us_case"
    return CaseComparison(
        case=case,
        name=_compare_name(cited, case),
        year=_compare_year(citation, case) if is_reported else NOT_CHECKED,
        court=_compare_court(citation, case) if is_reported else NOT_CHECKED,
        wrong_parallels=tuple(_find_wrong_parallels(cited, case)),
    )


def _compare_name(cited: CitedCase, case: CourtCase) -> str:
    citation = cited.main.citation
    if not citation.case_name or citation.kind in {"us_cfr", "us_register"}:
        return NOT_CHECKED
    if not cited.main.has_full_name:
        # One word before a citation may be anything, so it confirms, but never accuses.
        return MATCH if is_single_party_of(citation.case_name, case.name) else NOT_CHECKED
    readings = (citation.case_name, cited.main.long_name)
    agreements = [
        compare_case_names(name, case.name, full_name=case.full_name) for name in readings if name
    ]
    agreement = NameAgreement.SAME if NameAgreement.SAME in agreements else agreements[0]
    if agreement is NameAgreement.SAME:
        return MATCH
    if agreement is NameAgreement.UNKNOWN:
        return NOT_CHECKED
    if citation.kind != "us_case" and agreement is NameAgreement.PARTIAL:
        return NOT_CHECKED  # titles of other registries list the parties in their own way
    return MISMATCH


def _compare_year(citation: LegalCitation, case: CourtCase) -> str:
    recorded = find_case_year(case)
    if citation.year is None or recorded is None:
        return NOT_CHECKED
    apart = abs(citation.year - recorded)
    if apart == 0:
        return MATCH
    month = (case.date_filed or "")[5:7]
    if apart == 1 and (recorded < _OLD_YEAR or not month or month in _YEAR_EDGE_MONTHS):
        return NOT_CHECKED
    return MISMATCH


def find_case_year(case: CourtCase) -> int | None:
    year = (case.date_filed or "")[:4]
    return int(year) if year.isdecimal() and len(year) == 4 else None


def _compare_court(citation: LegalCitation, case: CourtCase) -> str:
    if not citation.court:
        return NOT_CHECKED
    label = case.court_label or case.court
    same = compare_courts(citation.court, label, court_id=case.court_id)
    if same is None and case.court and label != case.court:
        same = compare_courts(citation.court, case.court)
    return NOT_CHECKED if same is None else MATCH if same else MISMATCH


def _find_wrong_parallels(cited: CitedCase, case: CourtCase) -> Iterable[tuple[str, str]]:
    for parallel in cited.parallels:
        wanted = parallel.citation
        known = list_same_reporter(case, wanted.reporter)
        if known and not has_citation(known, wanted.normalized):
            yield wanted.normalized, known[0]


def list_same_reporter(case: CourtCase, reporter: str | None) -> tuple[str, ...]:
    """The case's citations in this reporter."""
    squeezed = _squeeze_reporter(reporter or "")
    return tuple(
        citation
        for citation in case.citations
        if squeezed and _squeeze_reporter(find_reporter(citation)) == squeezed
    )


def find_reporter(citation: str) -> str:
    """What stands between volume and page."""
    words = citation.split()
    return " ".join(words[1:-1])


def has_citation(citations: Iterable[str], wanted: str) -> bool:
    key = build_citation_key(wanted)
    return any(build_citation_key(citation) == key for citation in citations)


def _squeeze_reporter(reporter: str) -> str:
    return "".join(filter(str.isalnum, reporter.casefold()))


# Compares courts as citations name them ("9th Cir.", "S.D.N.Y.", "Cal.


def find_court_key(label: str | None, *, court_id: str | None = None) -> str | None:
    """A key for comparing: scotus, cir:9, dist:sdny, state:cal; None for a court that is not known."""
    if court_id and court_id in _FEDERAL_IDS:
        return _FEDERAL_IDS[court_id]
    text = " ".join((label or "").split())
    if text in {"U.S.", "SCOTUS", "Supreme Court of the United States"}:
        return "scotus"
    return _find_circuit_key(text) or _find_district_key(text) or _find_state_key(text)


def _find_circuit_key(text: str) -> str | None:
    if found := _CIRCUIT_PATTERN.search(text):
        word = (found[2] or "").lower()
        return f"cir:{found[1] or ('fed' if word.startswith('fed') else 'dc')}"
    if (found := _CIRCUIT_NAME_PATTERN.search(text)) is None:
        return None
    word = found[1].lower()
    if word in _ORDINALS:
        return f"cir:{_ORDINALS.index(word) + 1}"
    return "cir:fed" if word == "federal" else "cir:dc"


def _find_district_key(text: str) -> str | None:
    found = _DISTRICT_PATTERN.fullmatch(text)
    state = _load_state_keys().get(_squeeze_label(found["state"])) if found else None
    return f"dist:{_squeeze_label(found['part'] or '')}d:{state}" if found and state else None


def _find_state_key(text: str) -> str | None:
    found = _STATE_WORD_PATTERN.match(text)
    state = _load_state_keys().get(_squeeze_label(found[0])) if found else None
    return f"state:{state}" if state else None


def compare_courts(
    written: str | None, label: str | None, *, court_id: str | None = None
) -> bool | None:
    """Whether both mean the same court; None if that cannot be told. State courts of one state agree."""
    court = find_court_key(written)
    other = find_court_key(label, court_id=court_id)
    if court is None or other is None:
        return None
    return court == other


def _squeeze_label(label: str) -> str:
    return "".join(char for char in label.lower() if char.isalnum())


@cache
def _load_state_keys() -> dict[str, str]:
    """Each spelling of a state, as letters alone, with the letters of its Bluebook abbreviation."""
    return {
        _squeeze_label(spelling): _squeeze_label(group.split()[0])
        for group in load_table(__package__, "citation_comparison")["states"]
        for spelling in group.split()
    }


def word_reason(reason: str, **values: object) -> str:
    """The sentence of the table for a reason, with these values."""
    template: str = load_table(__package__, "citation_words")["reasons"][reason]
    return template.format(**values)


def describe_case(case: CourtCase) -> str:
    """The case in a few words: Roe v. Wade (1973)."""
    year = find_case_year(case)
    return f"{case.name} ({year})" if year else case.name


def explain_confirmed(citation: LegalCitation, comparison: CaseComparison, registry: str) -> str:
    compared = [
        word
        for word, state in (
            ("name", comparison.name),
            ("year", comparison.year),
            ("court", comparison.court),
        )
        if state == "match"
    ]
    listed = f"{', '.join(compared[:-1])} and {compared[-1]}" if len(compared) > 1 else ""
    agree = f"; {listed} agree" if listed else ""
    agree = f"; the {compared[0]} agrees" if len(compared) == 1 else agree
    return f"{registry} has {describe_case(comparison.case)} at {citation.normalized}{agree}."


def list_detail_mismatches(citation: LegalCitation, comparison: CaseComparison) -> tuple[str, ...]:
    """One clause for each detail that differs."""
    case = comparison.case
    clauses: list[str] = []
    if comparison.year == MISMATCH:
        clauses.append(f"the citation says {citation.year}, the record {find_case_year(case)}")
    if comparison.court == MISMATCH:
        court = case.court or case.court_label or case.court_id
        clauses.append(f"the citation says {citation.court}, the record {court}")
    clauses += [
        f"the citation says {written}, the record {known}"
        for written, known in comparison.wrong_parallels
    ]
    return tuple(clauses)


def explain_no_such_case(
    citation: LegalCitation, registry: str, *, is_name_searched: bool, near: CourtCase | None
) -> str:
    sentence = f"{registry} has no case at {citation.normalized}"
    if is_name_searched and near is None:
        sentence += f", and none named “{citation.case_name}”"
    more = f" A case of that name is {describe_place(near)}." if near else ""
    return (
        f"{sentence}. It holds nearly all of {citation.reporter}, so the citation is probably wrong or"
        f" invented.{more} Do not rely on it unless you have the decision itself."
    )


def explain_not_in_registry(
    citation: LegalCitation, registry: str, *, near: CourtCase | None, is_name_searched: bool
) -> str:
    sentence = f"{registry} has nothing at {citation.normalized}, but it does not hold everything"
    if near is not None:
        sentence += f"; it has {describe_place(near)}"
    elif is_name_searched:
        sentence += f", and no case named “{citation.case_name}” was found there"
    return f"{sentence}. This does not show that the citation is wrong: look it up elsewhere."


def describe_place(case: CourtCase) -> str:
    where = f", {case.citations[0]}" if case.citations else ""
    return f"{describe_case(case)}{where}"


def explain_unasked(citation: LegalCitation, *, is_covered: bool) -> str:
    names = load_table(__package__, "citation_words")["registry_names"]
    place = names.get(citation.kind, names["us_case"])
    if not is_covered:
        return f"No configured registry looks up {citation.normalized}. Check it at {place}."
    return (
        f"The registry could not be asked about {citation.normalized}; this says nothing about the"
        f" citation. Ask again later, or check it at {place}."
    )
