"""The work behind a citation: whether it is registered, what the record says, and which work was meant."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from citewell.errors import CitewellError
from citewell.model.paper import BibliographicQuery, Paper, PaperId, Scheme
from citewell.model.scrape import RetractionStatus
from citewell.services.scholar.panel import ABSENT, FAILED, Asked
from citewell.services.scholar.records import NOT_REGISTERED, UNCHECKED, Matches, Record
from citewell.services.trust.identity import Agreement, Cited, Identity, compare
from citewell.services.trust.retraction import Checked
from citewell.text import titles

FOUND = "found"
HIGH, MEDIUM, LOW, NONE = "high", "medium", "low", "none"
UNASKED = "nobody could be asked"
_HIGH, _MEDIUM = 0.7, 0.4  # of the telling words of one title in the other
_FEW = 4  # telling words below which a title alone points at no work
_DECIDING = 2  # registries that must have answered before an absence means anything
_MOST_IDS = 4
_REGISTRY = "crossref"  # whose records hold the notices
_MEDICAL = ("pubmed", "europepmc")


class Finds(Protocol):
    """Knows works by identifier and by reference."""

    async def find(self, paper_id: PaperId, *, tenant: str | None = None) -> Record: ...

    async def match(self, query: BibliographicQuery, *, tenant: str | None = None) -> Matches: ...


class Looks(Protocol):
    """Knows whether a work still stands."""

    async def look(
        self, doi: str, *, paper: Paper | None = None, unknown: Collection[str] = ()
    ) -> Checked:
        """Raises when nobody could say anything."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    existence: str  # found, not_registered, unchecked
    paper: Paper | None = None
    identity: Identity | None = None  # with the record, or with another of surely the same title
    confidence: str | None = None
    other: Paper | None = None  # the work that the words fit, where that is not the record
    searched: bool = False  # every registry that matters was asked for it in words, and has none
    retraction: RetractionStatus | None = None
    absent: tuple[str, ...] = ()  # registries that do not know the work
    provenance: tuple[str, ...] = ()

    @property
    def contradicted(self) -> bool:
        return self.identity is not None and self.identity.state is Agreement.MISMATCH

    @property
    def suggested(self) -> str | None:
        """The DOI to cite instead; a work that merely shares words with the citation is no offer."""
        sure = self.existence != UNCHECKED or self.identity is not None
        return self.other.doi if self.other is not None and sure else None


class Lookup:
    def __init__(self, records: Finds, retractions: Looks | None = None) -> None:
        self._records = records
        self._retractions = retractions

    async def of(
        self,
        ids: Sequence[PaperId],
        cited: Cited,
        *,
        venue: str = "",
        addressed: bool = False,
        tenant: str | None = None,
    ) -> Finding:
        """By the identifiers where there are some, else by the words; of books by both.

        What is `addressed` stands or falls with its address, and need be no registered work.
        """
        finding = None
        if ids:
            finding = await self.by_id(ids, cited, tenant=tenant)
            if ids[0].scheme is not Scheme.ISBN or finding.existence == FOUND:
                return finding
        if not (cited.title or cited.text):
            return finding or Finding(existence=UNCHECKED)
        matched = await self.by_words(cited, venue=venue, addressed=addressed, tenant=tenant)
        before = finding.provenance if finding else ()
        return replace(matched, provenance=(*before, *matched.provenance))

    async def by_id(
        self, ids: Sequence[PaperId], cited: Cited, *, tenant: str | None = None
    ) -> Finding:
        """What the registries have under the first identifier, or under another where that is mute."""
        finding = await self._found(ids, cited, tenant)
        doi = next((one.value for one in ids if one.scheme is Scheme.DOI), None)
        doi = doi or (finding.paper.doi if finding.paper else None)
        if finding.existence == NOT_REGISTERED:
            return await self._instead(finding, cited, doi, tenant)
        finding, (status, told) = await asyncio.gather(
            self._instead(finding, cited, doi, tenant),
            self._standing(doi, finding.paper, finding.absent),
        )
        return replace(finding, retraction=status, provenance=(*finding.provenance, *told))

    async def by_words(
        self,
        cited: Cited,
        *,
        venue: str = "",
        addressed: bool = False,
        tenant: str | None = None,
    ) -> Finding:
        """The work that a reference without an identifier means, where one is near enough."""
        query = replace(_query(cited, venue), glance=addressed)
        matches = await self._records.match(query, tenant=tenant)
        decided = _decided(cited, matches) and not addressed
        told = _told("matched by its words", matches.asked)
        best = _best(cited, matches.papers)
        if best is None:
            return Finding(
                existence=UNCHECKED,
                confidence=NONE if matches.answered else None,
                searched=decided,
                provenance=(told,),
            )
        paper, identity, confidence = best
        if confidence != HIGH:
            return Finding(
                existence=UNCHECKED,
                identity=identity if _namesake(cited, paper) else None,
                confidence=confidence,
                other=paper if confidence == MEDIUM else None,
                searched=confidence == LOW and decided,
                provenance=(told,),
            )
        paper, absent = await self._whole(paper, tenant)
        status, more = await self._standing(paper.doi, paper, absent)
        return Finding(
            existence=FOUND,
            paper=paper,
            identity=identity,
            confidence=confidence,
            retraction=status,
            provenance=(told, *more),
        )

    async def _whole(self, paper: Paper, tenant: str | None) -> tuple[Paper, tuple[str, ...]]:
        """With its registry's own record, which has the notices, and who does not know the work."""
        sources = {paper.source, *paper.provenance.values()}
        if paper.doi is None or _REGISTRY in sources:
            return paper, _medical(paper, described="openalex" in sources)
        record = await self._records.find(
            PaperId(scheme=Scheme.DOI, value=paper.doi), tenant=tenant
        )
        return record.paper or paper, _absent(record)

    async def _found(self, ids: Sequence[PaperId], cited: Cited, tenant: str | None) -> Finding:
        if not ids:
            return Finding(existence=UNCHECKED)
        first, told = await self._record(ids[0], cited, tenant)
        provenance = [told]
        for paper_id in ids[1:_MOST_IDS]:
            if first.paper is not None:
                break
            second, told = await self._record(paper_id, cited, tenant)
            provenance.append(told)
            same = paper_id.scheme is ids[0].scheme  # another reading of the same characters
            if second.paper is not None:
                first = second if same else _joined(ids[0], first, second)
                break
            if same and first.existence == NOT_REGISTERED:
                first = second  # which need not be denied as well
        return replace(first, provenance=tuple(provenance))

    async def _record(
        self, paper_id: PaperId, cited: Cited, tenant: str | None
    ) -> tuple[Finding, str]:
        record = await self._records.find(paper_id, tenant=tenant)
        return _finding(record, cited), _told(str(paper_id), record.asked)

    async def _instead(
        self, finding: Finding, cited: Cited, doi: str | None, tenant: str | None
    ) -> Finding:
        """The work that the words mean, where the identifier is nobody's or another work's."""
        wrong = finding.existence == NOT_REGISTERED or finding.contradicted
        if not wrong or finding.other is not None or not (cited.title or cited.text):
            return finding
        matches = await self._records.match(_query(cited), tenant=tenant)
        told = _told("matched by its words", matches.asked)
        best = _best(cited, [one for one in matches.papers if one.doi and one.doi != doi])
        other = best[0] if best and best[2] == HIGH else None
        return replace(finding, other=other, provenance=(*finding.provenance, told))

    async def _standing(
        self, doi: str | None, paper: Paper | None, absent: tuple[str, ...] = ()
    ) -> tuple[RetractionStatus | None, tuple[str, ...]]:
        if doi is None or self._retractions is None:
            return None, ()
        try:
            checked = await self._retractions.look(doi, paper=paper, unknown=absent)
        except CitewellError as error:
            return None, (f"retraction: could not be checked ({error.kind})",)
        asked = ", ".join(checked.answered) or "nobody"
        failed = f"; no answer from {', '.join(checked.failed)}" if checked.failed else ""
        dated = f" as of {checked.as_of}" if checked.as_of else ""
        return checked.status, (f"retraction: answered by {asked}{dated}{failed}",)


def _finding(record: Record, cited: Cited) -> Finding:
    identity = compare(cited, record.paper) if record.paper and not cited.silent else None
    return Finding(
        existence=record.state,
        paper=record.paper,
        identity=identity,
        confidence=HIGH if record.paper else None,
        absent=_absent(record),
    )


def _absent(record: Record) -> tuple[str, ...]:
    """The registries that answered and have no such work."""
    said = tuple(one.provider for one in record.asked if one.outcome == ABSENT)
    described = any(one.provider == "openalex" and one.outcome == FOUND for one in record.asked)
    return tuple(dict.fromkeys((*said, *_medical(record.paper, described=described))))


def _medical(paper: Paper | None, *, described: bool) -> tuple[str, ...]:
    """What OpenAlex describes without a PMID the registries of medicine do not have."""
    known = paper is not None and bool({Scheme.PMID, Scheme.PMCID} & paper.ids.keys())
    return () if known or not described else _MEDICAL


def _joined(asked: PaperId, first: Finding, second: Finding) -> Finding:
    """A second identifier's record, as the first one's only where nothing says that they differ."""
    paper = second.paper
    theirs = paper.ids.get(asked.scheme) if paper else None
    if first.existence == NOT_REGISTERED or (theirs and theirs.lower() != asked.value.lower()):
        return replace(first, other=paper)
    return second


def _best(cited: Cited, papers: Iterable[Paper]) -> tuple[Paper, Identity, str] | None:
    """The candidate that contradicts the citation least and shares most of its title."""
    scored = [(paper, _nearness(cited, paper)) for paper in papers]
    near = [(paper, compare(cited, paper), share) for paper, share in scored if share > 0]
    if not near:
        return None
    paper, identity, share = max(near, key=lambda one: (*_rank(cited, *one), one[2]))
    return paper, identity, _confidence(cited, paper, identity, share)


def _rank(cited: Cited, paper: Paper, identity: Identity, share: float) -> tuple[int, int]:
    """By confidence, then by how few of its parts contradict the citation."""
    order = (HIGH, MEDIUM, LOW)
    contradicted = sum(part.state is Agreement.MISMATCH for part in identity.parts)
    agreed = sum(part.state is Agreement.MATCH for part in identity.parts)
    return -order.index(_confidence(cited, paper, identity, share)), agreed - contradicted


def _nearness(cited: Cited, paper: Paper) -> float:
    """The share of telling words in common; of both titles, where the citation parts its own."""
    held = titles.coverage(paper.title, cited.title or cited.text)
    if not cited.title:
        return held
    if titles.same(cited.title, paper.title) or titles.begins(cited.title, paper.title):
        return 1.0
    back = titles.coverage(cited.title, paper.title)
    if not cited.parted:
        return max(held, titles.coverage(paper.title, cited.text))
    return min(held, back) if back < 1 or held < _MEDIUM else max(held, back * _HIGH)


def _confidence(cited: Cited, paper: Paper, identity: Identity, share: float) -> str:
    words = len(titles.telling(titles.bare(paper.title)))
    vouched = Agreement.MATCH in {identity.author.state, identity.year.state}
    opposed = identity.author.state is Agreement.MISMATCH
    if share < _MEDIUM or (words < 2 and identity.author.state is not Agreement.MATCH):
        return LOW
    unsure = identity.title.state is not Agreement.MATCH
    if share < _HIGH or opposed or unsure or (words < _FEW and not vouched):
        return MEDIUM
    return HIGH if vouched or cited.silent or _only_title(identity) else MEDIUM


def _namesake(cited: Cited, paper: Paper) -> bool:
    """Whether the citation's title is this work's for certain, whatever else it says."""
    enough = len(titles.telling(titles.bare(paper.title))) >= _FEW
    return enough and bool(cited.title) and titles.same(cited.title, paper.title)


def _only_title(identity: Identity) -> bool:
    """Nothing but a title was given, or nothing else can be compared."""
    states = {identity.author.state, identity.year.state}
    return states == {Agreement.NOT_CHECKED}


def _query(cited: Cited, venue: str = "") -> BibliographicQuery:
    lead = cited.authors[0] if cited.authors else None
    return BibliographicQuery(
        text=cited.text,
        title=cited.title,
        author=(lead.family or lead.name) if lead else "",
        year=cited.year,
        venue=venue,
    )


def _decided(cited: Cited, matches: Matches) -> bool:
    """Whether enough was asked, and enough registries answered, for an absence to mean something."""
    untitled = bool(cited.authors) and not cited.title  # as chemists cite
    if untitled or len(titles.telling(cited.title or cited.text)) < _FEW:
        return False
    answered = sum(1 for one in matches.asked if one.outcome != FAILED)
    return answered >= _DECIDING and answered == len(matches.asked)


def _told(what: str, asked: Iterable[Asked]) -> str:
    parts = [
        f"{one.provider} {one.outcome}" + (f" ({one.error_kind})" if one.error_kind else "")
        for one in asked
    ]
    return f"{what}: {', '.join(parts) if parts else UNASKED}"
