"""The verdict on a statement from what all of its sources say; doubt is never held against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citewell.model.draft_findings import (
    DraftRepair,
    DraftVerdict,
    FindingEvidence,
    ValueDifference,
)
from citewell.services.drafts.check_run import CheckRun
from citewell.services.judging.statements.source_opinions import SourceOpinion, SourceStance
from citewell.services.scholar.registry_records import NOT_REGISTERED
from citewell.services.trust.audit_findings import ExaminedEntry

_MAX_EVIDENCE = 3
_VERDICTS = {
    SourceStance.CONTRADICTS: DraftVerdict.CONTRADICTED,
    SourceStance.PARTLY: DraftVerdict.PARTLY,
    SourceStance.ABSENT: DraftVerdict.NOT_IN_SOURCE,
    SourceStance.RELATED: DraftVerdict.RELATED,
    SourceStance.UNCOMPARED: DraftVerdict.UNCHECKED,
    SourceStance.UNREAD: DraftVerdict.SOURCE_UNAVAILABLE,
    SourceStance.SUPPORTS: DraftVerdict.SUPPORTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportVerdict:
    verdict: DraftVerdict
    reason: str
    evidence: tuple[FindingEvidence, ...] = ()
    differences: tuple[ValueDifference, ...] = ()
    repairs: tuple[DraftRepair, ...] = ()
    judge: str = ""
    opinion: SourceOpinion | None = None  # the one that decided, if one did
    is_unanswered: bool = False  # a source could not be read now, and may be another time


def decide_support(opinions: Sequence[SourceOpinion]) -> SupportVerdict:
    """One source that supports is enough; one that was not read forbids an accusation by others."""
    if not opinions:
        return SupportVerdict(
            verdict=DraftVerdict.SOURCE_UNAVAILABLE,
            reason="None of the cited sources could be identified.",
        )
    every = _drop_settled_differences(opinions)
    best = max(every, key=lambda one: (one.stance is SourceStance.SUPPORTS, one.score))
    if best.stance is SourceStance.SUPPORTS:
        return _build_support_verdict(best)
    unread = [one for one in every if one.stance is SourceStance.UNREAD]
    worst = max(every, key=lambda one: (one.stance, one.score))
    if unread and len(every) > 1:
        is_unanswered = any(one.is_unanswered for one in unread)
        return SupportVerdict(
            verdict=_VERDICTS[SourceStance.UNCOMPARED if is_unanswered else SourceStance.UNREAD],
            is_unanswered=is_unanswered,
            reason=f"Some of the cited sources could not be read: {unread[0].reason}",
            evidence=_join_evidence(every),
            differences=worst.differences,
            judge=worst.judge,
        )
    if worst.is_by_absence and not all(one.is_by_absence for one in every):
        # What one source lacks may be in another that settles nothing.
        worst = min(every, key=lambda one: (one.is_by_absence, one.stance))
    return _build_support_verdict(worst, every)


def _drop_settled_differences(opinions: Sequence[SourceOpinion]) -> list[SourceOpinion]:
    """Without the differences in values that another source gives as the statement does."""
    return [
        SourceOpinion(
            stance=SourceStance.RELATED,
            reason="Another of its sources gives the number as the statement does.",
            evidence=one.evidence,
            stated_values=one.stated_values,
            is_whole=one.is_whole,
            score=one.score,
            judge=one.judge,
        )
        if one.differing_values
        and one.differing_values
        <= frozenset().union(*(each.stated_values for each in opinions if each is not one))
        else one
        for one in opinions
    ]


def _build_support_verdict(
    one: SourceOpinion, every: Sequence[SourceOpinion] = ()
) -> SupportVerdict:
    verdict = _VERDICTS[SourceStance.UNCOMPARED if one.is_unanswered else one.stance]
    return SupportVerdict(
        verdict=verdict,
        is_unanswered=one.is_unanswered,
        reason=one.reason,
        evidence=one.evidence or _join_evidence(every),
        differences=one.differences,
        repairs=_list_statement_repairs(one, verdict),
        judge=one.judge,
        opinion=one,
    )


def _list_statement_repairs(one: SourceOpinion, verdict: DraftVerdict) -> tuple[DraftRepair, ...]:
    said = one.said_instead
    if said is None or verdict not in {DraftVerdict.CONTRADICTED, DraftVerdict.PARTLY}:
        return ()
    changed = next((each for each in one.differences if each.source is not None), None)
    return (
        DraftRepair(
            kind="statement",
            text=f"The source says: “{_drop_item_mark(said.passage)}”",
            old=changed.draft if changed else None,
            new=changed.source if changed else None,
            evidence=said,
        ),
    )


def _join_evidence(every: Sequence[SourceOpinion]) -> tuple[FindingEvidence, ...]:
    return tuple(each for one in every for each in one.evidence)[:_MAX_EVIDENCE]


def list_unsupported_statements(run: CheckRun) -> list[tuple[str, frozenset[int]]]:
    """The statements that none of their sources carries, each once, with the places of these."""
    found: dict[str, frozenset[int]] = {}
    for one in run.plan.statements:
        own = run.plan.list_own_sources(one)
        opinions = [
            run.opinions[one.text, place] for place in own if (one.text, place) in run.opinions
        ]
        if not own or len(opinions) < len(own):
            continue
        is_lost = all(
            place in run.entries and is_lost_reference(run.entries[place]) for place in own
        )
        if is_lost or decide_support(opinions).verdict is DraftVerdict.NOT_IN_SOURCE:
            found[one.text] = frozenset(own)
    return list(found.items())


def is_lost_reference(entry: ExaminedEntry) -> bool:
    """Whether registries say that there is no such work."""
    finding = entry.finding
    is_unknown = finding.is_absent or finding.existence == NOT_REGISTERED
    return is_unknown and finding.suggested_doi is None


def _drop_item_mark(passage: str) -> str:
    """The passage without the mark of a list item or a heading before it."""
    mark, _, rest = passage.partition(" ")
    return passage if mark.strip("-*•#") else rest
