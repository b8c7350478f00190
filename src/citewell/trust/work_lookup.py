"""Looks up the work a citation means: whether it is registered, its record, and likely alternatives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from citewell.citations import title_matching
from citewell.core.errors import CitewellError, FailureReason
from citewell.core.service_kit import ServiceKit
from citewell.core.values.citation_checks import FieldCorrection, FieldReport
from citewell.core.values.paper import BibliographicQuery, IdentifierScheme, Paper, PaperId
from citewell.core.values.scrape_results import RetractionStatus
from citewell.routing.provider_panel import ABSENT, ProviderOutcome
from citewell.scholar.registry_records import (
    NOT_REGISTERED,
    UNCHECKED,
    ReferenceMatches,
    WorkRecord,
    WorkRecords,
)
from citewell.trust import record_comparison, registry_judgement
from citewell.trust.record_comparison import compare_with_book
from citewell.trust.registry_judgement import (
    HIGH,
    LOW,
    MEDIUM,
    NONE,
    AbsenceVerdict,
    RankedCandidate,
)
from citewell.trust.retraction_checks import RetractionChecker
from citewell.trust.work_identity import (
    PREPRINT_KINDS,
    CitedWork,
    FieldAgreement,
    FieldVerdict,
    WorkIdentity,
    compare_with_record,
)

WORK_FOUND = "found"
NOT_IN_REGISTRIES = "not_found"  # no registry has a work with these words, and several should
_MAX_IDENTIFIERS = 4
_NOTICE_REGISTRY = "crossref"  # its records contain the notices
_MEDICAL_REGISTRIES = ("pubmed", "europepmc")


RETRACTION_UNCHECKED = "retraction: could not be checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFinding:
    existence: str  # found, not_registered, not_found, unchecked
    paper: Paper | None = None
    identity: WorkIdentity | None = (
        None  # compared with `paper`, or with another work of the same title
    )
    confidence: str | None = None
    other_paper: Paper | None = None  # the work that the citation's words fit, if it is not `paper`
    nearest: tuple[Paper, ...] = ()  # records with similar titles, if none is the work meant
    absence: AbsenceVerdict | None = None  # if registries were searched by words without a match
    fields: tuple[FieldReport, ...] = ()  # compared with the same record as `identity`
    retraction: RetractionStatus | None = None
    is_retraction_unknown: bool = False  # nobody could say whether the work was retracted
    unaware_registries: tuple[str, ...] = ()  # registries that answered and do not have the work
    searched_by_words: bool = False
    has_asked: bool = False  # some registry or the offline table was asked
    is_offline: bool = False  # the machine has no network, so no registry could be asked
    asked_registries: tuple[str, ...] = ()  # that were told the identifier or the words
    provenance: tuple[str, ...] = ()

    @property
    def published_doi(self) -> str | None:
        """The DOI of the article that a preprint became."""
        known = self.paper.preprint_of if self.paper is not None else None
        return known if self.paper is not None and known != self.paper.doi else None

    @property
    def preprint_doi(self) -> str | None:
        """The DOI of the preprint of an article."""
        known = self.paper.preprint_doi if self.paper is not None else None
        return known if self.paper is not None and known != self.paper.doi else None

    @property
    def is_absent(self) -> bool:
        """Whether several registries that should have the work answered, and none has it."""
        return self.existence == NOT_IN_REGISTRIES

    @property
    def corrections(self) -> tuple[FieldCorrection, ...]:
        """The fields to correct; none if the record is that of another work."""
        return () if self.is_another_work else record_comparison.list_corrections(self.fields)

    @property
    def is_partly_confirmed(self) -> bool:
        """Whether part of the citation is not on the record, though nothing is held against it."""
        is_open = self.identity is not None and self.identity.is_open
        return is_open or record_comparison.is_elsewhere(self.fields)

    @property
    def is_contradicted(self) -> bool:
        return self.identity is not None and self.identity.state is FieldAgreement.MISMATCH

    @property
    def is_another_work(self) -> bool:
        """Whether the record under the identifier has another title than the citation."""
        identity = self.identity if self.paper is not None else None
        return identity is not None and identity.is_another_title

    @property
    def suggested_doi(self) -> str | None:
        """The DOI to cite instead; None if the other work merely shares words with the citation."""
        sure = self.existence != UNCHECKED or self.identity is not None
        return self.other_paper.doi if self.other_paper is not None and sure else None


class WorkLookup:
    def __init__(self, records: WorkRecords, retractions: RetractionChecker | None = None) -> None:
        self._records = records
        self._retractions = retractions

    @classmethod
    def build(cls, kit: ServiceKit) -> Self:
        return cls(kit.require_service(WorkRecords), kit.require_service(RetractionChecker))

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
        finding = await self._find_cited_work(
            ids, cited, venue=venue, has_address=has_address, tenant=tenant
        )
        record = finding.paper or finding.other_paper
        if finding.identity is None or record is None:
            return finding
        return replace(
            finding, fields=record_comparison.list_field_reports(cited, finding.identity, record)
        )

    async def _find_cited_work(
        self,
        ids: Sequence[PaperId],
        cited: CitedWork,
        *,
        venue: str,
        has_address: bool,
        tenant: str | None,
    ) -> WorkFinding:
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
            asked_registries=_join_names(finding.asked_registries, matched.asked_registries),
            provenance=(*finding.provenance, *matched.provenance),
        )

    async def look_up_by_ids(
        self, ids: Sequence[PaperId], cited: CitedWork, *, tenant: str | None = None
    ) -> WorkFinding:
        """What the registries have for the first identifier, or for a later one if that gives no record."""
        finding = await self._find_by_ids(ids, cited, tenant)
        doi = next(
            (paper_id.value for paper_id in ids if paper_id.scheme is IdentifierScheme.DOI), None
        )
        doi = doi or (finding.paper.doi if finding.paper else None)
        if finding.existence == NOT_REGISTERED:
            return await self._suggest_other_work(finding, cited, doi, tenant)
        finding, (status, sentences) = await asyncio.gather(
            self._suggest_other_work(finding, cited, doi, tenant),
            self._check_notices(doi, finding.paper, finding.unaware_registries, tenant=tenant),
        )
        return replace(
            finding,
            retraction=status,
            is_retraction_unknown=_is_unanswered(sentences),
            has_asked=finding.has_asked or bool(sentences),
            provenance=(*finding.provenance, *sentences),
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
        sentence = _describe_asked_registries("matched by its words", matches.asked)
        ranked = registry_judgement.rank_record_candidates(cited, matches.papers)
        if suspect := _find_suspect(ranked):
            # One registry's record accuses nobody, so the others are asked for theirs.
            whole = await self._collect_readings(suspect, tenant)
            papers = [whole if paper is suspect else paper for paper in matches.papers]
            ranked = registry_judgement.rank_record_candidates(cited, papers)
        if not ranked or ranked[0].confidence != HIGH:
            return _build_unmatched_finding(
                cited, matches, ranked, sentence, has_address=has_address
            )
        best = ranked[0]
        paper, absent = await self._complete_record(best.paper, tenant)
        status, more = await self._check_notices(paper.doi, paper, absent, tenant=tenant)
        return WorkFinding(
            existence=WORK_FOUND,
            paper=paper,
            identity=best.identity,
            confidence=best.confidence,
            retraction=status,
            is_retraction_unknown=_is_unanswered(more),
            searched_by_words=True,
            has_asked=bool(matches.asked or more),
            asked_registries=_list_asked_names(matches.asked),
            provenance=(sentence, *more),
        )

    async def _collect_readings(self, paper: Paper, tenant: str | None) -> Paper:
        """The paper with what other registries, and the records of its other versions, say of it."""
        dois = [paper.doi] if len(paper.list_readings()) == 1 else []
        dois += [paper.preprint_of, paper.preprint_doi]
        wanted = [
            PaperId(scheme=IdentifierScheme.DOI, value=doi) for doi in dict.fromkeys(dois) if doi
        ]
        found = await asyncio.gather(
            *(self._records.find_record(paper_id, tenant=tenant) for paper_id in wanted)
        )
        others = [record.paper for record in found if record.paper is not None]
        readings = (reading for other in (paper, *others) for reading in other.list_readings())
        return paper.with_changes(readings=tuple(dict.fromkeys(readings)))

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
        first, sentence = await self._look_up_identifier(ids[0], cited, tenant)
        provenance, asked, names = [sentence], first.has_asked, first.asked_registries
        # The ISBN beside a DOI is often that of the book or the volume around the work.
        others = [paper_id for paper_id in ids[1:] if paper_id.scheme is not IdentifierScheme.ISBN]
        for paper_id in others[: _MAX_IDENTIFIERS - 1]:
            if first.paper is not None:
                break
            second, sentence = await self._look_up_identifier(paper_id, cited, tenant)
            provenance.append(sentence)
            asked = asked or second.has_asked
            names = _join_names(names, second.asked_registries)
            same = paper_id.scheme is ids[0].scheme  # another reading of the same identifier
            if second.paper is not None:
                first = second if same else _join_id_findings(ids[0], first, second)
                break
            if same and first.existence == NOT_REGISTERED:
                first = second  # the other reading may not have been denied
        return replace(first, has_asked=asked, asked_registries=names, provenance=tuple(provenance))

    async def _look_up_identifier(
        self, paper_id: PaperId, cited: CitedWork, tenant: str | None
    ) -> tuple[WorkFinding, str]:
        record = await self._records.find_record(paper_id, tenant=tenant)
        compare = (
            compare_with_book if paper_id.scheme is IdentifierScheme.ISBN else compare_with_record
        )
        finding = _build_work_finding(record, cited, compare)
        if finding.paper is not None and finding.is_contradicted:
            whole = await self._collect_readings(finding.paper, tenant)
            finding = replace(finding, identity=compare(cited, whole))
        return finding, _describe_asked_registries(str(paper_id), record.asked)

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
        sentence = _describe_asked_registries("matched by its words", matches.asked)
        ranked = registry_judgement.rank_record_candidates(
            cited, [paper for paper in matches.papers if paper.doi and paper.doi != doi]
        )
        other = ranked[0].paper if ranked and ranked[0].confidence == HIGH else None
        if other is not None and _is_other_version(finding, other):
            finding, other = _excuse_version_year(finding, cited, other), None
        return replace(
            finding,
            other_paper=other,
            searched_by_words=True,
            has_asked=finding.has_asked or bool(matches.asked),
            asked_registries=_join_names(
                finding.asked_registries, _list_asked_names(matches.asked)
            ),
            provenance=(*finding.provenance, sentence),
        )

    async def _check_notices(
        self,
        doi: str | None,
        paper: Paper | None,
        absent: tuple[str, ...] = (),
        *,
        tenant: str | None,
    ) -> tuple[RetractionStatus | None, tuple[str, ...]]:
        if doi is None or self._retractions is None:
            return None, ()
        try:
            checked = await self._retractions.check_retraction(
                doi, paper=paper, unaware_registries=absent, tenant=tenant
            )
        except CitewellError as error:
            return None, (f"{RETRACTION_UNCHECKED} ({error.kind})",)
        asked = ", ".join(checked.answered) or "nobody"
        failed = f"; no answer from {', '.join(checked.failed)}" if checked.failed else ""
        dated = f" as of {checked.as_of}" if checked.as_of else ""
        return checked.status, (f"retraction: answered by {asked}{dated}{failed}",)


def _find_suspect(ranked: Sequence[RankedCandidate]) -> Paper | None:
    """The record that the citation contradicts, or has more authors than, if it means any."""
    best = ranked[0] if ranked else None
    if best is not None and best.confidence == HIGH:
        return best.paper if best.identity.is_open or _is_mismatch(best) else None
    return next(
        (
            candidate.paper
            for candidate in ranked
            if candidate.is_near_miss and _is_mismatch(candidate)
        ),
        None,
    )


def _is_mismatch(candidate: RankedCandidate) -> bool:
    return candidate.identity.state is FieldAgreement.MISMATCH


def _list_asked_names(asked: Iterable[ProviderOutcome]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(reply.provider for reply in asked))


def _join_names(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _is_unanswered(sentences: tuple[str, ...]) -> bool:
    return any(sentence.startswith(RETRACTION_UNCHECKED) for sentence in sentences)


def _is_offline(asked: Sequence[ProviderOutcome]) -> bool:
    return any(reply.error_kind == FailureReason.OFFLINE for reply in asked)


def _build_work_finding(
    record: WorkRecord, cited: CitedWork, compare: Callable[[CitedWork, Paper], WorkIdentity]
) -> WorkFinding:
    identity = (
        compare(cited, record.paper) if record.paper and not cited.is_identifier_only else None
    )
    return WorkFinding(
        existence=record.state,
        paper=record.paper,
        identity=identity,
        confidence=HIGH if record.paper else None,
        unaware_registries=_list_unaware_registries(record),
        has_asked=bool(record.asked),
        is_offline=_is_offline(record.asked),
        asked_registries=_list_asked_names(record.asked),
    )


def _list_unaware_registries(record: WorkRecord) -> tuple[str, ...]:
    """The registries that answered and do not have the work."""
    absent = tuple(reply.provider for reply in record.asked if reply.outcome == ABSENT)
    described = any(
        reply.provider == "openalex" and reply.outcome == WORK_FOUND for reply in record.asked
    )
    return tuple(
        dict.fromkeys((*absent, *_infer_unaware_medical(record.paper, described=described)))
    )


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
    if theirs and theirs.lower() == asked.value.lower():
        return second
    if first.existence == NOT_REGISTERED or theirs:
        return replace(first, other_paper=paper)
    return second


def _is_other_version(finding: WorkFinding, other: Paper) -> bool:
    """Whether only the year of the record differs, and the other one is its preprint or its article."""
    paper, identity = finding.paper, finding.identity
    if paper is None or identity is None or not identity.differs_only_in_year:
        return False
    linked = other.doi in {paper.preprint_of, paper.preprint_doi} - {None}
    return linked or bool(
        PREPRINT_KINDS & {paper.kind, other.kind}
        and title_matching.has_same_letters(paper.title, other.title)
    )


def _excuse_version_year(finding: WorkFinding, cited: CitedWork, other: Paper) -> WorkFinding:
    """The finding without its year's contradiction, if the other version has that year."""
    identity = finding.identity
    is_wrong_too = compare_with_record(cited, other).year.state is FieldAgreement.MISMATCH
    if identity is None or is_wrong_too:
        return finding
    reason = f"the year is that of another version of the work, DOI {other.doi}"
    year = FieldVerdict(state=FieldAgreement.NOT_CHECKED, reason=reason)
    return replace(finding, identity=replace(identity, year=year))


def _build_unmatched_finding(
    cited: CitedWork,
    matches: ReferenceMatches,
    ranked: Sequence[RankedCandidate],
    sentence: str,
    *,
    has_address: bool,
) -> WorkFinding:
    """What it means that no record is surely the work: a near miss, absence, or nothing."""
    near = next((candidate for candidate in ranked if candidate.is_near_miss), None)
    absence = registry_judgement.judge_absence(cited, matches, has_address=has_address)
    found = WorkFinding(
        existence=UNCHECKED,
        confidence=NONE if matches.is_answered else None,
        absence=absence if matches.is_answered else None,
        searched_by_words=True,
        has_asked=bool(matches.asked),
        is_offline=_is_offline(matches.asked),
        asked_registries=_list_asked_names(matches.asked),
        provenance=(sentence,),
    )
    if near is not None:
        return replace(
            found, confidence=MEDIUM, identity=near.identity, other_paper=near.paper, absence=None
        )
    found = replace(
        found,
        confidence=ranked[0].confidence if ranked else found.confidence,
        nearest=registry_judgement.choose_nearest_candidates(ranked),
    )
    if absence.is_conclusive:
        return replace(found, existence=NOT_IN_REGISTRIES, confidence=LOW if ranked else NONE)
    best = ranked[0] if ranked else None
    return replace(found, other_paper=best.paper if best and best.confidence == MEDIUM else None)


def _build_bibliographic_query(cited: CitedWork, venue: str = "") -> BibliographicQuery:
    lead = cited.authors[0] if cited.authors else None
    return BibliographicQuery(
        text=cited.text,
        title=cited.title,
        author=(lead.family or lead.name) if lead else "",
        year=cited.year,
        venue=venue,
    )


def _describe_asked_registries(what: str, asked: Iterable[ProviderOutcome]) -> str:
    parts = [
        f"{reply.provider} {reply.outcome}" + (f" ({reply.error_kind})" if reply.error_kind else "")
        for reply in asked
    ]
    return f"{what}: {', '.join(parts) if parts else 'nobody could be asked'}"
