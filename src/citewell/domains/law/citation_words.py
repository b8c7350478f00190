"""The sentences in which the check of a citation is told; careful, because absence proves little."""

from __future__ import annotations

from citewell.core.values.court_case import CourtCase, LegalCitation
from citewell.domains.law.citation_comparison import MISMATCH, CaseComparison, find_case_year
from citewell.text.data_tables import load_table


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
