"""Looks up the work a citation means: whether it is registered, its record, and likely alternatives."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId
from citewell.model.scrape_results import RetractionStatus
from citewell.services.routing.provider_panel import ABSENT, FAILED, ProviderOutcome
from citewell.services.scholar.registry_records import (
    NOT_REGISTERED,
    UNCHECKED,
    ReferenceMatches,
    WorkRecord,
)
from citewell.services.trust.retraction_checks import RetractionCheck
from citewell.services.trust.work_identity import (
    CitedWork,
    FieldAgreement,
    WorkIdentity,
    compare_with_record,
)
from citewell.text.citations import title_matching

WORK_FOUND = "found"
HIGH, MEDIUM, LOW, NONE = "high", "medium", "low", "none"
_HIGH_TITLE_SHARE, _MEDIUM_TITLE_SHARE = (
    0.7,
    0.4,
)  # share of the significant words of one title in the other
_MIN_TELLING_WORDS = 4  # significant words; a shorter title alone does not identify a work
_MIN_DECIDING_REGISTRIES = 2  # registries that must answer before an absence means anything
_MAX_IDENTIFIERS = 4
_NOTICE_REGISTRY = "crossref"  # its records contain the notices
_MEDICAL_REGISTRIES = ("pubmed", "europepmc")


class RecordFinder(Protocol):
    """Finds records of works by identifier and by reference."""

    async def find_record(self, paper_id: PaperId, *, tenant: str | None = None) -> WorkRecord: ...

    async def match_records(
        self, query: BibliographicQuery, *, tenant: str | None = None
    ) -> ReferenceMatches: ...


class RetractionCheckPort(Protocol):
    """Checks whether a work was retracted."""

    async def check_retraction(
        self, doi: str, *, paper: Paper | None = None, unaware_registries: Collection[str] = ()
    ) -> RetractionCheck:
        """Raises if neither a registry nor the offline table answered."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFinding:
    existence: str  # found, not_registered, unchecked
    paper: Paper | None = None
    identity: WorkIdentity | None = (
        None  # compared with `paper`, or with another work of the same title
    )
    confidence: str | None = None
    other_paper: Paper | None = None  # the work that the citation's words fit, if it is not `paper`
    searched_without_match: bool = (
        False  # every relevant registry was searched by words and has no match
    )
    retraction: RetractionStatus | None = None
    unaware_registries: tuple[str, ...] = ()  # registries that answered and do not have the work
    searched_by_words: bool = False
    has_asked: bool = False  # some registry or the offline table was asked
    provenance: tuple[str, ...] = ()

    @property
    def is_contradicted(self) -> bool:
        return self.identity is not None and self.identity.state is FieldAgreement.MISMATCH

    @property
    def suggested_doi(self) -> str | None:
        """The DOI to cite instead; None if the other work merely shares words with the citation."""
        sure = self.existence != UNCHECKED or self.identity is not None
        return self.other_paper.doi if self.other_paper is not None and sure else None


class WorkLookup:
    def __init__(
        self, records: RecordFinder, retractions: RetractionCheckPort | None = None
    ) -> None:
        self._records = records
        self._retractions = retractions

    async def look_up_work(
        self,
        ids: Sequence[PaperId],
        cited: CitedWork,
        *,
        venue: str = "",
        has_address: bool = False,
        tenant: str | None = None,
    ) -> WorkFinding:
        """Look up by identifiers if there are any, otherwise by words; books by both.

        With `has_address` the citation is judged by its address, and need not be a registered work.
        """
        finding = None
        if ids:
            finding = await self.look_up_by_ids(ids, cited, tenant=tenant)
            if ids[0].scheme is not IdentifierScheme.ISBN or finding.existence == WORK_FOUND:
                return finding
        if not (cited.title or cited.text):
            return finding or WorkFinding(existence=UNCHECKED)
        matched = await self.look_up_by_words(
            cited, venue=venue, has_address=has_address, tenant=tenant
        )
        if finding is None:
            return matched
        return replace(
            matched,
            has_asked=finding.has_asked or matched.has_asked,
            provenance=(*finding.provenance, *matched.provenance),
        )

    async def look_up_by_ids(
        self, ids: Sequence[PaperId], cited: CitedWork, *, tenant: str | None = None
    ) -> WorkFinding:
        """What the registries have for the first identifier, or for a later one if that gives no record."""
        finding = await self._find_by_ids(ids, cited, tenant)
        doi = next((one.value for one in ids if one.scheme is IdentifierScheme.DOI), None)
        doi = doi or (finding.paper.doi if finding.paper else None)
        if finding.existence == NOT_REGISTERED:
            return await self._suggest_other_work(finding, cited, doi, tenant)
        finding, (status, told) = await asyncio.gather(
            self._suggest_other_work(finding, cited, doi, tenant),
            self._check_notices(doi, finding.paper, finding.unaware_registries),
        )
        return replace(
            finding,
            retraction=status,
            has_asked=finding.has_asked or bool(told),
            provenance=(*finding.provenance, *told),
        )

    async def look_up_by_words(
        self,
        cited: CitedWork,
        *,
        venue: str = "",
        has_address: bool = False,
        tenant: str | None = None,
    ) -> WorkFinding:
        """The work that a reference without an identifier means, if a record matches well enough."""
        query = replace(_build_bibliographic_query(cited, venue), glance=has_address)
        matches = await self._records.match_records(query, tenant=tenant)
        decided = _is_absence_conclusive(cited, matches) and not has_address
        told = _describe_asked_registries("matched by its words", matches.asked)
        best = _choose_best_match(cited, matches.papers)
        if best is None:
            return WorkFinding(
                existence=UNCHECKED,
                confidence=NONE if matches.is_answered else None,
                searched_without_match=decided,
                searched_by_words=True,
                has_asked=bool(matches.asked),
                provenance=(told,),
            )
        paper, identity, confidence = best
        if confidence != HIGH:
            return WorkFinding(
                existence=UNCHECKED,
                identity=identity if _has_identical_title(cited, paper) else None,
                confidence=confidence,
                other_paper=paper if confidence == MEDIUM else None,
                searched_without_match=confidence == LOW and decided,
                searched_by_words=True,
                has_asked=bool(matches.asked),
                provenance=(told,),
            )
        paper, absent = await self._complete_record(paper, tenant)
        status, more = await self._check_notices(paper.doi, paper, absent)
        return WorkFinding(
            existence=WORK_FOUND,
            paper=paper,
            identity=identity,
            confidence=confidence,
            retraction=status,
            searched_by_words=True,
            has_asked=bool(matches.asked or more),
            provenance=(told, *more),
        )

    async def _complete_record(
        self, paper: Paper, tenant: str | None
    ) -> tuple[Paper, tuple[str, ...]]:
        """The paper with Crossref's record, which has the notices, and the registries without the work."""
        sources = {paper.source, *paper.provenance.values()}
        if paper.doi is None or _NOTICE_REGISTRY in sources:
            return paper, _infer_unaware_medical(paper, described="openalex" in sources)
        record = await self._records.find_record(
            PaperId(scheme=IdentifierScheme.DOI, value=paper.doi), tenant=tenant
        )
        return record.paper or paper, _list_unaware_registries(record)

    async def _find_by_ids(
        self, ids: Sequence[PaperId], cited: CitedWork, tenant: str | None
    ) -> WorkFinding:
        if not ids:
            return WorkFinding(existence=UNCHECKED)
        first, told = await self._look_up_identifier(ids[0], cited, tenant)
        provenance, asked = [told], first.has_asked
        for paper_id in ids[1:_MAX_IDENTIFIERS]:
            if first.paper is not None:
                break
            second, told = await self._look_up_identifier(paper_id, cited, tenant)
            provenance.append(told)
            asked = asked or second.has_asked
            same = paper_id.scheme is ids[0].scheme  # another reading of the same identifier
            if second.paper is not None:
                first = second if same else _join_id_findings(ids[0], first, second)
                break
            if same and first.existence == NOT_REGISTERED:
                first = second  # the other reading may not have been denied
        return replace(first, has_asked=asked, provenance=tuple(provenance))

    async def _look_up_identifier(
        self, paper_id: PaperId, cited: CitedWork, tenant: str | None
    ) -> tuple[WorkFinding, str]:
        record = await self._records.find_record(paper_id, tenant=tenant)
        return _build_work_finding(record, cited), _describe_asked_registries(
            str(paper_id), record.asked
        )

    async def _suggest_other_work(
        self, finding: WorkFinding, cited: CitedWork, doi: str | None, tenant: str | None
    ) -> WorkFinding:
        """The finding with the work that the words fit, if the identifier is unregistered or another work's."""
        wrong = finding.existence == NOT_REGISTERED or finding.is_contradicted
        if not wrong or finding.other_paper is not None or not (cited.title or cited.text):
            return finding
        matches = await self._records.match_records(
            _build_bibliographic_query(cited), tenant=tenant
        )
        told = _describe_asked_registries("matched by its words", matches.asked)
        best = _choose_best_match(
            cited, [one for one in matches.papers if one.doi and one.doi != doi]
        )
        other = best[0] if best and best[2] == HIGH else None
        return replace(
            finding,
            other_paper=other,
            searched_by_words=True,
            has_asked=finding.has_asked or bool(matches.asked),
            provenance=(*finding.provenance, told),
        )

    async def _check_notices(
        self, doi: str | None, paper: Paper | None, absent: tuple[str, ...] = ()
    ) -> tuple[RetractionStatus | None, tuple[str, ...]]:
        if doi is None or self._retractions is None:
            return None, ()
        try:
            checked = await self._retractions.check_retraction(
                doi, paper=paper, unaware_registries=absent
            )
        except CitewellError as error:
            return None, (f"retraction: could not be checked ({error.kind})",)
        asked = ", ".join(checked.answered) or "nobody"
        failed = f"; no answer from {', '.join(checked.failed)}" if checked.failed else ""
        dated = f" as of {checked.as_of}" if checked.as_of else ""
        return checked.status, (f"retraction: answered by {asked}{dated}{failed}",)


def _build_work_finding(record: WorkRecord, cited: CitedWork) -> WorkFinding:
    identity = (
        compare_with_record(cited, record.paper)
        if record.paper and not cited.is_identifier_only
        else None
    )
    return WorkFinding(
        existence=record.state,
        paper=record.paper,
        identity=identity,
        confidence=HIGH if record.paper else None,
        unaware_registries=_list_unaware_registries(record),
        has_asked=bool(record.asked),
    )


def _list_unaware_registries(record: WorkRecord) -> tuple[str, ...]:
    """The registries that answered and do not have the work."""
    said = tuple(one.provider for one in record.asked if one.outcome == ABSENT)
    described = any(
        one.provider == "openalex" and one.outcome == WORK_FOUND for one in record.asked
    )
    return tuple(dict.fromkeys((*said, *_infer_unaware_medical(record.paper, described=described))))


def _infer_unaware_medical(paper: Paper | None, *, described: bool) -> tuple[str, ...]:
    """The medical registries, if OpenAlex describes the work without a PMID; they do not have it then."""
    known = paper is not None and bool(
        {IdentifierScheme.PMID, IdentifierScheme.PMCID} & paper.ids.keys()
    )
    return () if known or not described else _MEDICAL_REGISTRIES


def _join_id_findings(asked: PaperId, first: WorkFinding, second: WorkFinding) -> WorkFinding:
    """The second identifier's finding; only a suggestion if the first identifier means another work."""
    paper = second.paper
    theirs = paper.ids.get(asked.scheme) if paper else None
    if first.existence == NOT_REGISTERED or (theirs and theirs.lower() != asked.value.lower()):
        return replace(first, other_paper=paper)
    return second


def _choose_best_match(
    cited: CitedWork, papers: Iterable[Paper]
) -> tuple[Paper, WorkIdentity, str] | None:
    """The best candidate, its comparison and its confidence; None if none shares a title word."""
    scored = [(paper, _measure_title_nearness(cited, paper)) for paper in papers]
    near = [
        (paper, compare_with_record(cited, paper), share) for paper, share in scored if share > 0
    ]
    if not near:
        return None
    paper, identity, share = max(near, key=lambda one: (*_rank_candidate(cited, *one), one[2]))
    return paper, identity, _judge_match_confidence(cited, paper, identity, share)


def _rank_candidate(
    cited: CitedWork, paper: Paper, identity: WorkIdentity, share: float
) -> tuple[int, int]:
    """Sort key: confidence, then matching minus contradicting fields."""
    order = (HIGH, MEDIUM, LOW)
    contradicted = sum(part.state is FieldAgreement.MISMATCH for part in identity.parts)
    agreed = sum(part.state is FieldAgreement.MATCH for part in identity.parts)
    return -order.index(
        _judge_match_confidence(cited, paper, identity, share)
    ), agreed - contradicted


def _measure_title_nearness(cited: CitedWork, paper: Paper) -> float:
    """The share of significant title words in common, from 0 to 1."""
    held = title_matching.measure_title_coverage(paper.title, cited.title or cited.text)
    if not cited.title:
        return held
    if title_matching.has_same_letters(
        cited.title, paper.title
    ) or title_matching.is_title_beginning(cited.title, paper.title):
        return 1.0
    back = title_matching.measure_title_coverage(cited.title, paper.title)
    if not cited.structured:
        return max(held, title_matching.measure_title_coverage(paper.title, cited.text))
    return (
        min(held, back)
        if back < 1 or held < _MEDIUM_TITLE_SHARE
        else max(held, back * _HIGH_TITLE_SHARE)
    )


def _judge_match_confidence(
    cited: CitedWork, paper: Paper, identity: WorkIdentity, share: float
) -> str:
    words = len(
        title_matching.extract_title_words(title_matching.strip_translation_marks(paper.title))
    )
    vouched = FieldAgreement.MATCH in {identity.author.state, identity.year.state}
    opposed = identity.author.state is FieldAgreement.MISMATCH
    if share < _MEDIUM_TITLE_SHARE or (
        words < 2 and identity.author.state is not FieldAgreement.MATCH
    ):
        return LOW
    unsure = identity.title.state is not FieldAgreement.MATCH
    if (
        share < _HIGH_TITLE_SHARE
        or opposed
        or unsure
        or (words < _MIN_TELLING_WORDS and not vouched)
    ):
        return MEDIUM
    return HIGH if vouched or cited.is_identifier_only or _is_title_only(identity) else MEDIUM


def _has_identical_title(cited: CitedWork, paper: Paper) -> bool:
    """Whether the titles are the same and long enough to identify a work."""
    enough = (
        len(title_matching.extract_title_words(title_matching.strip_translation_marks(paper.title)))
        >= _MIN_TELLING_WORDS
    )
    return (
        enough and bool(cited.title) and title_matching.has_same_letters(cited.title, paper.title)
    )


def _is_title_only(identity: WorkIdentity) -> bool:
    """Whether neither author nor year could be compared."""
    states = {identity.author.state, identity.year.state}
    return states == {FieldAgreement.NOT_CHECKED}


def _build_bibliographic_query(cited: CitedWork, venue: str = "") -> BibliographicQuery:
    lead = cited.authors[0] if cited.authors else None
    return BibliographicQuery(
        text=cited.text,
        title=cited.title,
        author=(lead.family or lead.name) if lead else "",
        year=cited.year,
        venue=venue,
    )


def _is_absence_conclusive(cited: CitedWork, matches: ReferenceMatches) -> bool:
    """Whether the citation says enough, and enough registries answered, to conclude absence."""
    untitled = bool(cited.authors) and not cited.title  # common in chemistry
    if (
        untitled
        or len(title_matching.extract_title_words(cited.title or cited.text)) < _MIN_TELLING_WORDS
    ):
        return False
    answered = sum(1 for one in matches.asked if one.outcome != FAILED)
    return answered >= _MIN_DECIDING_REGISTRIES and answered == len(matches.asked)


def _describe_asked_registries(what: str, asked: Iterable[ProviderOutcome]) -> str:
    parts = [
        f"{one.provider} {one.outcome}" + (f" ({one.error_kind})" if one.error_kind else "")
        for one in asked
    ]
    return f"{what}: {', '.join(parts) if parts else 'nobody could be asked'}"
