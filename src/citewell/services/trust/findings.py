"""What was found about the entries of a bibliography, as flags with their reasons and as a sum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.paper import Scheme
from citewell.model.reference import Reference
from citewell.model.trust import AuditEntry, AuditSummary, ClaimCheck
from citewell.services.links import LinkState
from citewell.services.scholar.records import NOT_REGISTERED, UNCHECKED
from citewell.services.trust import advice
from citewell.services.trust.coverage import NOT_ADDRESSED
from citewell.services.trust.coverage import UNAVAILABLE as NO_SOURCE
from citewell.services.trust.lookup import FOUND, LOW, NONE, Finding
from citewell.text import titles

RETRACTED, DEAD, NOT_FOUND, UNCHECKED_FLAG = "retracted", "dead_link", "not_found", "unchecked"
MISCHARACTERISED, MISMATCH, DUPLICATE = "mischaracterized", "mismatch", "duplicate"
NOTHING = Finding(existence=UNCHECKED)
_HALF = 0.5
_SCHEMES = {Scheme.DOI: "DOI", Scheme.ARXIV: "arXiv id", Scheme.PMID: "PMID", Scheme.PMCID: "PMCID"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    reference: Reference
    finding: Finding
    link: LinkState | None = None
    claim: ClaimCheck | None = None
    legal: str = ""
    fault: str = ""

    @property
    def live(self) -> bool | None:
        """None when the address was not checked, or nobody could say."""
        if self.link is None or self.link.state == UNCHECKED:
            return None
        return self.link.state != "dead"


def entries(examined: Sequence[Examined]) -> list[AuditEntry]:
    """One for each, in their order. Where nothing at all could be reached, no link is called dead."""
    offline = not any(_answered(one) for one in examined)
    seen: dict[str, int] = {}
    found = []
    for index, one in enumerate(examined, start=1):
        twin = _twin(one.reference, seen, index)
        found.append(_entry(index, one, _flags(one, twin=twin, offline=offline)))
    return found


def summary(found: Sequence[AuditEntry], *, malformed: int) -> AuditSummary:
    counts = Counter(flag for entry in found for flag in entry.flags)
    claimed = [entry for entry in found if entry.claim]
    unread = sum(entry.claim_support == NO_SOURCE for entry in claimed)
    thin = sum(entry.sparsity_note is not None for entry in claimed)
    return AuditSummary(
        total=len(found),
        retracted=counts[RETRACTED],
        dead_link=counts[DEAD],
        not_found=counts[NOT_FOUND],
        unchecked=counts[UNCHECKED_FLAG],
        mischaracterized=counts[MISCHARACTERISED],
        ok=sum(not entry.flags for entry in found),
        mismatched=counts[MISMATCH],
        duplicates=counts[DUPLICATE],
        malformed=malformed,
        claim_check_skipped_count=unread if claimed else None,
        thin_content_count=thin if claimed else None,
        warning=_warning(len(found), counts[UNCHECKED_FLAG], malformed),
    )


def _warning(total: int, unchecked: int, malformed: int) -> str | None:
    said = [] if total or malformed else ["No reference was found."]
    if total and unchecked > total * _HALF:
        said.append(
            f"{unchecked} of {total} entries could not be checked: registries may be out of reach. Ask again later."
        )
    if malformed:
        records = "1 damaged record is" if malformed == 1 else f"{malformed} damaged records are"
        said.append(f"{records} listed under malformed; see the lines named there.")
    return " ".join(said) or None


def _answered(one: Examined) -> bool:
    return (
        one.finding.existence != UNCHECKED
        or one.finding.searched
        or bool(one.link and one.link.status)
    )


def _flags(one: Examined, *, twin: int | None, offline: bool) -> dict[str, str]:
    """Each flag with its reason, the gravest first."""
    found: dict[str, str] = {}
    finding, link = one.finding, one.link
    if finding.retraction is not None and finding.retraction.retracted:
        found[RETRACTED] = _retracted(finding)
    if finding.existence == NOT_REGISTERED:
        found[NOT_FOUND] = _missing(one)
    if finding.contradicted and finding.paper is not None and finding.identity is not None:
        found[MISMATCH] = _contradicted(finding)
    if link is not None and one.live is False and not (offline and not link.status):
        found[DEAD] = _dead(link)
    if one.claim is not None and one.claim.claim_support == NOT_ADDRESSED:
        found[MISCHARACTERISED] = "the source was read and shares no telling word with the claim."
    if NOT_FOUND not in found and finding.existence != FOUND and not one.live:
        found[UNCHECKED_FLAG] = _unchecked(one)
    if twin is not None:
        found[DUPLICATE] = f"the same work as entry {twin}."
    return found


def _retracted(finding: Finding) -> str:
    status = finding.retraction
    if status is None:
        return ""
    when = f" on {status.date}" if status.date else ""
    notice = f"; notice {status.notice_doi}" if status.notice_doi else ""
    return f"the work was retracted{when} according to {status.source or 'its registry'}{notice}."


def _missing(one: Examined) -> str:
    first = one.reference.ids[0] if one.reference.ids else None
    which = (
        f"{_SCHEMES.get(first.scheme, first.scheme)} {first.value}" if first else "The identifier"
    )
    right = one.finding.suggested
    offered = f" A work with this title has DOI {right}." if right else ""
    return f"{which} is not registered; it may be invented or mistyped.{offered}"


def _contradicted(finding: Finding) -> str:
    said = "; ".join(finding.identity.reasons) if finding.identity else ""
    right = f" The words of the entry fit DOI {finding.suggested}." if finding.suggested else ""
    return f"the record is not the work described: {said}.{right}"


def _dead(link: LinkState) -> str:
    why = ", ".join(
        part for part in (f"HTTP {link.status}" if link.status else "", link.reason or "") if part
    )
    copy = "; an archived copy exists" if link.archived else ""
    return f"the link is dead ({why or 'no server answered'}{copy})."


def _unchecked(one: Examined) -> str:
    if one.legal:
        return advice.legal(one.legal, one.reference.title or one.reference.raw[:200])
    if one.fault:
        return one.fault
    if one.link is not None and one.link.reason == "refused":
        return "the address is not a public one, so it was not asked for."
    if one.finding.searched:
        return "no registry has a work like it, which is common for books, reports and web pages."
    if one.finding.other is not None:
        near = one.finding.other
        doi = f" (DOI {near.doi})" if near.doi else ""
        but = "; ".join(one.finding.identity.reasons) if one.finding.identity else ""
        known = f"the nearest is “{near.title[:160]}”{doi}{f', but {but}' if but else ''}"
        return f"no record matches for certain; {known}."
    cited = one.reference
    if not (cited.ids or cited.title or cited.url or cited.authors):
        return "the entry has nothing to look it up by."
    if one.finding.confidence in {NONE, LOW}:
        return "nobody who answered has a work like it, but too little was given or heard to tell."
    return "nobody who could know was able to answer; this says nothing about the work."


def _twin(reference: Reference, seen: dict[str, int], index: int) -> int | None:
    """The earlier entry of the same work; remembers this one."""
    title = " ".join(titles.telling(reference.title))
    worded = f"{title}|{reference.year}" if len(title.split()) >= 3 and reference.year else ""
    marks = [mark for mark in (reference.doi or "", worded) if mark]
    earlier = next((seen[mark] for mark in marks if mark in seen), None)
    for mark in marks:
        seen.setdefault(mark, index)
    return earlier


def _entry(index: int, one: Examined, flags: dict[str, str]) -> AuditEntry:
    reference, finding = one.reference, one.finding
    identity = finding.identity
    known = {FOUND: True, NOT_REGISTERED: False}.get(finding.existence)
    return AuditEntry(
        index=index,
        key=reference.key or None,
        line=reference.line,
        title=reference.title or reference.raw[:300] or None,
        doi=reference.doi,
        url=reference.url or None,
        exists=known if known is not None else (one.live or None),
        existence=finding.existence if finding.existence != UNCHECKED or not one.live else FOUND,
        retraction_status=finding.retraction,
        link_live=one.live,
        link_reason=one.link.reason if one.link else None,
        http_status=_status(one),
        archived_url=one.link.archived if one.link else None,
        flags=tuple(flags),
        reason=_reason(flags),
        matched_title=finding.paper.title if finding.paper else None,
        match_confidence=finding.confidence,
        title_match=identity.title.state.value if identity else None,
        author_match=identity.author.state.value if identity else None,
        year_match=identity.year.state.value if identity else None,
        suggested_doi=finding.suggested,
        **(dict(one.claim) if one.claim else {}),
    )


def _status(one: Examined) -> int | None:
    if one.link is None:
        return None
    return one.link.status or (0 if one.live is False else None)


def _reason(flags: dict[str, str]) -> str | None:
    return " ".join(said[:1].upper() + said[1:] for said in flags.values()) or None
