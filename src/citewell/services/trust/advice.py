"""What a reader should make of what was found, and where to look next."""

from __future__ import annotations

from citewell.services.scholar.records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust.lookup import FOUND, HIGH, LOW, NONE, UNASKED, Finding

PAGE = "That an address answers does not show that its content is sound or says what is claimed."
_REGISTERED = (
    "A registered identifier shows that the work exists, not that it says what it is cited for."
)
_WORDS = "The match rests on words in common: compare the record with the reference."
_UNMATCHED = (
    "No registry has a work like this. Books, reports, theses and web pages are often not registered,"
    " so this is no proof that it does not exist."
)
_UNCHECKED = "Nobody who could know was able to answer, so nothing is said about its existence. Ask again later."
_UNASKED = "Nobody here could be asked about it, so nothing is said about its existence."
_NEAREST = "No record matches for certain; compare the nearest with the citation."
_UNDECIDED = "Nobody who answered has a work like this, but too little was given or heard to conclude anything."
_COURTS = {
    "reporter": "CourtListener (https://www.courtlistener.com)",
    "case_name": "CourtListener (https://www.courtlistener.com) or the court's own site",
    "statute": "govinfo (https://www.govinfo.gov)",
    "neutral": "BAILII (https://www.bailii.org) or the court's own site",
    "law_report": "BAILII (https://www.bailii.org)",
    "ecli": "the ECLI search of the European e-Justice Portal",
    "eu_case": "CURIA (https://curia.europa.eu)",
    "eu_act": "EUR-Lex (https://eur-lex.europa.eu)",
    "celex": "EUR-Lex (https://eur-lex.europa.eu)",
    "echr": "HUDOC (https://hudoc.echr.coe.int)",
    "german": "the court's own site",
    "french": "Légifrance (https://www.legifrance.gouv.fr)",
}


def legal(form: str, text: str) -> str:
    place = _COURTS.get(form, _COURTS["case_name"])
    return (
        f"“{text}” is a legal citation, which registries of papers do not hold; it was not looked up"
        f" there. Check it at {place}; CourtListener looks up citations of United States cases."
    )


def caveat(finding: Finding) -> str | None:
    if finding.existence == FOUND:
        return (
            _REGISTERED if finding.confidence in {HIGH, None} and not _worded(finding) else _WORDS
        )
    return _UNMATCHED if finding.searched else None


def _worded(finding: Finding) -> bool:
    return any(line.startswith("matched by its words") for line in finding.provenance)


def notes(finding: Finding) -> tuple[str, ...]:
    return tuple(_notes(finding))


def _notes(finding: Finding) -> list[str]:
    said: list[str] = []
    if finding.existence == NOT_REGISTERED:
        said.append("The registry answered that this identifier is not registered.")
    elif finding.existence == UNCHECKED and not finding.searched:
        said.extend(_unchecked(finding))
    if finding.existence == FOUND and finding.paper is None:
        said.append("The identifier is registered, but nobody could describe the work behind it.")
    if finding.contradicted and finding.paper is not None:
        said.append("The record under this identifier is not the work that the citation describes.")
    if finding.suggested:
        fit = "The nearest record is" if finding.existence == UNCHECKED else "The words fit"
        said.append(f"{fit} the work with DOI {finding.suggested}.")
    if finding.identity is not None and finding.paper is not None:
        said.extend(finding.identity.notes)
    return said


def _unchecked(finding: Finding) -> tuple[str, ...]:
    if finding.confidence in {NONE, LOW}:
        return (_UNDECIDED,)
    if finding.other is not None:
        return () if finding.suggested else (_NEAREST,)
    unasked = all(line.endswith(UNASKED) for line in finding.provenance)
    return (_UNASKED if unasked else _UNCHECKED,)
