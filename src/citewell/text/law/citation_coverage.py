"""Says how much it means that a registry does not have a citation."""

from __future__ import annotations

from citewell.model.domains.court_case import LegalCitation
from citewell.text.law.reporter_tables import is_complete_reporter

_ENTRY_YEARS = 1  # registries get the printed citations of a year late
_PENDING_YEARS = 5  # a case of the EU's courts may be undecided for so long
_FIRST_UKSC_YEAR = 2009


def is_absence_telling(citation: LegalCitation, *, this_year: int) -> bool:
    """Whether the registry of this kind is as good as complete for this citation."""
    if citation.kind == "us_case":
        recent = citation.year is not None and citation.year >= this_year - _ENTRY_YEARS
        return is_complete_reporter(citation.reporter) and not recent
    if citation.kind == "uk_neutral":
        return citation.reporter == "UKSC" and _FIRST_UKSC_YEAR <= (citation.year or 0) < this_year
    if citation.kind == "eu_celex" and citation.normalized.startswith("6"):
        year = citation.normalized[1:5]
        return year.isdecimal() and int(year) < this_year - _PENDING_YEARS
    return False
