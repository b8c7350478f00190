"""The sentences in which the check of a citation is told; careful, because absence proves little."""

from __future__ import annotations

from citewell.model.domains.court_case import CourtCase, LegalCitation
from citewell.services.domains.law.citation_comparison import (
    MISMATCH,
    CaseComparison,
    find_case_year,
)

_DATABASE_REASON = (
    "is a number of a commercial database (Westlaw or Lexis), which no free registry can look up."
    " Check it there."
)
_REGISTRY_NAMES = {
    "us_case": "CourtListener (https://www.courtlistener.com)",
    "uk_neutral": "Find Case Law (https://caselaw.nationalarchives.gov.uk)",
    "eu_celex": "EUR-Lex (https://eur-lex.europa.eu)",
    "eu_ecli": "EUR-Lex (https://eur-lex.europa.eu)",
    "us_cfr": "eCFR (https://www.ecfr.gov)",
    "us_register": "the Federal Register (https://www.federalregister.gov)",
}


def describe_case(case: CourtCase) -> str:
    """The case in a few words: Roe v. Wade (1973)."""
    year = find_case_year(case)
    return f"{case.name} ({year})" if year else case.name


def explain_database_number(citation: LegalCitation) -> str:
    return f"{citation.normalized} {_DATABASE_REASON}"


def explain_orphan(citation: LegalCitation) -> str:
    return (
        f"“{citation.text}” is a short form, and its full citation is not in the text, so it could"
        " not be looked up."
    )


def explain_unknown_reporter(citation: LegalCitation) -> str:
    return (
        f"“{citation.reporter}” is in no table of United States reporters, so {citation.normalized}"
        " could not be looked up. Check the abbreviation, or the source by hand."
    )


def explain_invented_series(citation: LegalCitation) -> str:
    return f"There is no reporter “{citation.reporter}”: no such series is known."


def explain_impossible(citation: LegalCitation, fact: str) -> str:
    return f"{citation.normalized} cannot be right: {fact}."


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
    agree = f"; {_join_words(compared)} agree" if len(compared) > 1 else ""
    agree = f"; the {compared[0]} agrees" if len(compared) == 1 else agree
    return f"{registry} has {describe_case(comparison.case)} at {citation.normalized}{agree}."


def explain_wrong_case(citation: LegalCitation, comparison: CaseComparison, registry: str) -> str:
    return (
        f"{citation.normalized} is {describe_case(comparison.case)} according to {registry}, not"
        f" {citation.case_name}."
    )


def list_detail_mismatches(citation: LegalCitation, comparison: CaseComparison) -> tuple[str, ...]:
    """One clause for each detail that differs."""
    case = comparison.case
    said: list[str] = []
    if comparison.year == MISMATCH:
        said.append(f"the citation says {citation.year}, the record {find_case_year(case)}")
    if comparison.court == MISMATCH:
        court = case.court or case.court_label or case.court_id
        said.append(f"the citation says {citation.court}, the record {court}")
    said += [
        f"the citation says {written}, the record {known}"
        for written, known in comparison.wrong_parallels
    ]
    return tuple(said)


def explain_wrong_details(
    citation: LegalCitation, comparison: CaseComparison, mismatches: tuple[str, ...]
) -> str:
    case = describe_case(comparison.case)
    return f"{citation.normalized} is {case}, but {'; '.join(mismatches)}."


def explain_misplaced(
    citation: LegalCitation, case: CourtCase, right: str | None, registry: str
) -> str:
    there = f"is at {right}" if right else "is recorded without a citation"
    return f"{registry} has no case at {citation.normalized}; {describe_case(case)} {there}."


def explain_no_such_case(
    citation: LegalCitation, registry: str, *, is_name_searched: bool, near: CourtCase | None
) -> str:
    said = f"{registry} has no case at {citation.normalized}"
    if is_name_searched and near is None:
        said += f", and none named “{citation.case_name}”"
    more = f" A case of that name is {_describe_place(near)}." if near else ""
    return (
        f"{said}. It holds nearly all of {citation.reporter}, so the citation is probably wrong or"
        f" invented.{more} Do not rely on it unless you have the decision itself."
    )


def explain_not_in_registry(
    citation: LegalCitation, registry: str, *, near: CourtCase | None, is_name_searched: bool
) -> str:
    said = f"{registry} has nothing at {citation.normalized}, but it does not hold everything"
    if near is not None:
        said += f"; it has {_describe_place(near)}"
    elif is_name_searched:
        said += f", and no case named “{citation.case_name}” was found there"
    return f"{said}. This does not show that the citation is wrong: look it up elsewhere."


def _describe_place(case: CourtCase) -> str:
    where = f", {case.citations[0]}" if case.citations else ""
    return f"{describe_case(case)}{where}"


def explain_unasked(citation: LegalCitation, *, is_covered: bool) -> str:
    place = _REGISTRY_NAMES.get(citation.kind, _REGISTRY_NAMES["us_case"])
    if not is_covered:
        return f"No configured registry looks up {citation.normalized}. Check it at {place}."
    return (
        f"The registry could not be asked about {citation.normalized}; this says nothing about the"
        f" citation. Ask again later, or check it at {place}."
    )


def explain_time_over(citation: LegalCitation) -> str:
    return (
        f"The time was over before {citation.normalized} could be looked up; this says nothing about"
        " it. Ask again: what was found so far is remembered."
    )


def explain_pending(citation: LegalCitation, case: CourtCase | None, right: str | None) -> str:
    if case is None:
        return (
            f"{citation.normalized} has no page yet, and no case of that name and year was found;"
            " check it at the court."
        )
    now = f" It is now {right}." if right else ""
    return f"The case is {describe_case(case)}.{now}"


def explain_parallel_only(citation: LegalCitation, found: str, registry: str) -> str:
    return f"{registry} knows the case as {found}, not as {citation.normalized}."


def explain_name_only(name: str, case: CourtCase, registry: str) -> str:
    return (
        f"{registry} has {_describe_place(case)}. No citation was given, so only the name “{name}”"
        " was compared."
    )


def explain_name_unasked(name: str) -> str:
    place = _REGISTRY_NAMES["us_case"]
    return (
        f"Nobody could be asked for a case named “{name}”; this says nothing about it. Ask again"
        f" later, or check it at {place}."
    )


def explain_no_name(name: str, registry: str) -> str:
    return (
        f"{registry} has no case named “{name}”, but it does not hold everything. Give the citation"
        " (volume, reporter, page) to be sure."
    )


def _join_words(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"
