"""Sentences for the reader about a lookup: what it does and does not show, and where to look next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from citewell.citations.cited_kinds import UNSTATED_KIND
from citewell.core.values.citation_checks import NearRecord
from citewell.core.values.paper import Paper
from citewell.links.link_checks import LinkState
from citewell.scholar.registry_records import NOT_REGISTERED, UNCHECKED
from citewell.text.data_tables import load_table
from citewell.text.safety.text_cleaning import clean_markup
from citewell.trust.author_judgement import shorten_text
from citewell.trust.registry_judgement import HIGH
from citewell.trust.work_identity import FieldAgreement
from citewell.trust.work_lookup import WORK_FOUND, WorkFinding

REACHABLE_PAGE_CAVEAT = (
    "A working address does not show that its content is reliable or says what is claimed."
)
_REGISTERED_CAVEAT = (
    "A registered identifier shows that the work exists, not that it says what it is cited for."
)
_WORD_MATCH_CAVEAT = "The match is based on words in common: compare the record with the reference."
_ABSENT_CAVEAT = "Absence from registries does not prove that a work does not exist: small journals may not be registered."
_UNCHECKED_NOTE = "No registry that could know the work answered, so its existence could not be checked. Ask again later."
OFFLINE_NOTE = "This machine has no network, so it could not be checked."
_UNASKED_NOTE = "No configured registry covers it, so its existence could not be checked."
_UNKNOWN_RETRACTION_NOTE = "Whether it was retracted could not be checked, because the registries of retractions did not answer."
_LEGAL_STATUS = 451
# By whether there once was a page at the address.
_MISSING_PAGE_NOTES = {
    True: "There was a page at this address; it is no longer there.",
    False: "The server has no such page and the Internet Archive has never captured one: the address probably never existed.",
    None: "The server has no such page. Whether there ever was one is not known, because the Internet Archive did not answer.",
}
_DOUBT_SEVERITY = 2  # of an expression of concern and of an unconfirmed retraction
_MAX_NAMES = 3  # authors of a record that are shown
_MAX_RECORD_CHARS = 300  # characters of a title in a record
_MAX_SHOWN_NEAREST = 2  # records named in a sentence
_MAX_TITLE_CHARS = 120  # characters of a title in a sentence


def describe_legal_citation(form: str, text: str) -> str:
    place = _load_legal_databases().get(form, _load_legal_databases()["case_name"])
    return (
        f"“{text}” is a legal citation, which registries of papers do not hold; it was not looked up"
        f" there. Check it at {place}; CourtListener looks up citations of United States cases."
    )


def describe_page_access(link: LinkState, *, is_read: bool | None = None) -> str | None:
    """What a person must know of an address that has no page, or whose page was not seen.

    `is_read` says whether the page was read; None if nobody tried to.
    """
    if link.is_missing:
        return _MISSING_PAGE_NOTES[link.has_existed]
    if is_read or not link.reachable or (is_read is None and link.state == "live"):
        return None
    if link.status == _LEGAL_STATUS:
        return f"The page is unavailable for legal reasons (HTTP {_LEGAL_STATUS}), so its content was not seen."
    answered = f"HTTP {link.status}" if (link.status or 0) >= 400 else link.reason or "unreadable"
    return f"The address answers, but the page was not shown to us ({answered}), so its content was not seen."


def choose_caveat(finding: WorkFinding) -> str | None:
    if finding.existence == WORK_FOUND:
        return (
            _REGISTERED_CAVEAT
            if finding.confidence in {HIGH, None} and not finding.searched_by_words
            else _WORD_MATCH_CAVEAT
        )
    return _ABSENT_CAVEAT if finding.is_absent else None


def describe_absent_work(finding: WorkFinding) -> str:
    """That no registry has the work, who was asked, and what comes nearest."""
    asked = join_registry_names(finding.absence.answered if finding.absence else ())
    nearest = "; ".join(map(describe_found_record, finding.nearest[:_MAX_SHOWN_NEAREST]))
    return (
        f"no work with this title is in {asked}; the reference may be invented or its title wrong."
        f"{f' Nearest: {nearest}.' if nearest else ''}"
    )


def describe_near_miss(finding: WorkFinding) -> str:
    """In which fields the citation differs from the registered work that it resembles most."""
    near = finding.other_paper or finding.paper
    which = f" The record is {describe_found_record(near)}." if near is not None else ""
    return f"{describe_differences(finding)}{which}"


def describe_differences(finding: WorkFinding) -> str:
    """One sentence that names the fields that differ: "the title exists; four of its authors …".

    Of a record that only has the same title, it does not say that the cited work exists.
    """
    identity = finding.identity
    reasons = "; ".join(identity.reasons).rstrip(".") if identity else ""
    is_titled = identity is not None and identity.title.state is FieldAgreement.MATCH
    if not is_titled:
        return f"the registered work differs: {reasons}."
    if finding.existence == WORK_FOUND:
        return f"the title exists; {reasons}."
    return f"a registered work has this title, but it differs: {reasons}."


def describe_partial_match(finding: WorkFinding) -> str | None:
    """What of the citation is not on the record, if nothing is held against it; None if all is."""
    if finding.paper is None or finding.is_contradicted:
        return None
    noted = finding.identity.notes if finding.identity else ()
    placed = [
        f"the {correction.field} of the record {'are' if correction.field == 'pages' else 'is'} {correction.record}, not {correction.cited}"
        for correction in finding.corrections
        if correction.field in {"venue", "volume", "pages"}
    ]
    if not placed and not finding.is_partly_confirmed:
        return None
    return f"{start_sentence('; '.join((*noted, *placed)))}."


def describe_unmatched_work(finding: WorkFinding) -> str:
    """Why a citation that matches no record for certain is not said to be absent."""
    if finding.other_paper is not None:
        but = "; ".join(finding.identity.reasons) if finding.identity else ""
        more = f", but {but}" if but else ""
        return f"no record matches with certainty; the nearest is {describe_found_record(finding.other_paper)}{more}."
    absence = finding.absence
    if absence is None:
        return _UNCHECKED_NOTE
    answered = join_registry_names(absence.answered)
    heard = f"no registry that answered ({answered}) has a matching work, but"
    if absence.says_too_little and absence.uncovered_kind in {"", UNSTATED_KIND}:
        return f"{heard} the reference says too little to be sure."
    if absence.uncovered_kind == UNSTATED_KIND:
        return f"{heard} the reference does not say in which journal or at which conference it appeared."
    if absence.uncovered_kind:
        return f"{heard} this seems to be {absence.uncovered_kind}, and they lack many of those."
    silent = f" (no answer from {join_registry_names(absence.failed)})" if absence.failed else ""
    return f"{heard} too few that cover its field answered{silent} to be sure."


def describe_found_record(paper: Paper) -> str:
    """A record in one line: title, first author, year and DOI."""
    cut = shorten_text(clean_markup(paper.title), _MAX_TITLE_CHARS)
    lead = paper.authors[0] if paper.authors else None
    name = clean_markup(lead.family or lead.name) if lead else ""
    who = f"{name} et al." if len(paper.authors) > 1 else name
    facts = (who, str(paper.year or ""), f"DOI {paper.doi}" if paper.doi else "")
    details = ", ".join(fact for fact in facts if fact)
    return f"“{cut}”{f' ({details})' if details else ''}"


def join_registry_names(providers: Sequence[str]) -> str:
    names = [_load_registry_names().get(provider, provider) for provider in providers]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1]))) if names else "a registry"


def collect_finding_notes(finding: WorkFinding) -> list[str]:
    notes: list[str] = []
    if finding.existence == NOT_REGISTERED:
        notes.append("The registry answered that this identifier is not registered.")
    elif finding.is_absent:
        notes.append(start_sentence(describe_absent_work(finding)))
    elif finding.existence == UNCHECKED:
        notes.extend(_describe_unchecked_work(finding))
    if finding.existence == WORK_FOUND and finding.paper is None:
        notes.append("The identifier is registered, but no registry could describe its work.")
    if finding.existence == WORK_FOUND and finding.is_retraction_unknown:
        notes.append(_UNKNOWN_RETRACTION_NOTE)
    if finding.is_another_work:
        notes.append(
            "The record under this identifier is not the work that the citation describes."
        )
    if finding.suggested_doi and finding.existence != UNCHECKED:
        notes.append(f"The words fit the work with DOI {finding.suggested_doi}.")
    if finding.published_doi:
        notes.append(f"This is a preprint; it was published as DOI {finding.published_doi}.")
    if finding.preprint_doi:
        notes.append(f"A preprint of it has DOI {finding.preprint_doi}.")
    return [*notes, *_describe_fields(finding)]


def _describe_fields(finding: WorkFinding) -> Iterator[str]:
    if finding.is_contradicted and not finding.is_another_work:
        yield start_sentence(describe_differences(finding))
    if partial := describe_partial_match(finding):
        yield partial
    elif finding.identity is not None and finding.paper is not None:
        yield from finding.identity.notes


def describe_doubt(finding: WorkFinding) -> str | None:
    """That a work is in doubt, or that nobody could say whether it was retracted; None if neither."""
    status = finding.retraction
    if finding.existence == WORK_FOUND and finding.is_retraction_unknown:
        return _UNKNOWN_RETRACTION_NOTE
    if status is None or status.retracted or (status.severity or 0) < _DOUBT_SEVERITY:
        return None
    if status.note:
        return status.note
    when = f" on {status.date}" if status.date else ""
    notice = f"; notice {status.notice_doi}" if status.notice_doi else ""
    kind = status.kind.replace("_", " ")
    return f"There is a notice about the work ({kind}){when} according to {status.source or 'its registry'}{notice}."


def _describe_unchecked_work(finding: WorkFinding) -> tuple[str, ...]:
    if finding.is_contradicted:
        return ()  # the mismatches say it
    if finding.is_offline:
        return (OFFLINE_NOTE,)
    if finding.absence is not None or finding.other_paper is not None:
        return (start_sentence(describe_unmatched_work(finding)),)
    if finding.unaware_registries:
        return (describe_undecided_entry(finding.unaware_registries),)
    return (_UNCHECKED_NOTE if finding.has_asked else _UNASKED_NOTE,)


def describe_undecided_entry(registries: tuple[str, ...]) -> str:
    """That those who answered do not have an identifier, but cannot decide that nobody has."""
    names = " and ".join(_load_registry_names().get(name, name) for name in registries)
    return f"{names} answered without a record of it, which does not show that it does not exist."


def start_sentence(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def build_guidance_fields(finding: WorkFinding) -> dict[str, Any]:
    """The fields of a result that help to mend a citation; None for those that are empty."""
    return {
        "corrections": finding.corrections or None,
        "nearest_records": tuple(map(_build_near_record, finding.nearest)) or None,
        "published_doi": finding.published_doi,
        "preprint_doi": finding.preprint_doi,
    }


def _build_near_record(paper: Paper) -> NearRecord:
    return NearRecord(
        title=clean_markup(paper.title)[:_MAX_RECORD_CHARS],
        authors=tuple(clean_markup(author.name) for author in paper.authors[:_MAX_NAMES]) or None,
        year=paper.year,
        journal=clean_markup(paper.venue) or None,
        doi=paper.doi,
    )


@cache
def _load_registry_names() -> dict[str, str]:
    return dict(load_table(__package__, "finding_advice")["registry_names"])


@cache
def _load_legal_databases() -> dict[str, str]:
    return dict(load_table(__package__, "finding_advice")["legal_databases"])
