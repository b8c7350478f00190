"""The verdict on a statement from what all of its sources say, which is kept for a second check."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from citewell import __version__, evidence, text
from citewell.core.values.counted_words import pluralize
from citewell.drafts.draft_findings import DraftRepair, DraftVerdict
from citewell.drafts.other_sources import OtherSource
from citewell.drafts.reference_verdicts import CheckFocus, CheckPlan
from citewell.evidence.judging.claim_judge import Opinion
from citewell.evidence.judging.claim_judging import JudgeContext
from citewell.evidence.judging.source_opinions import (
    FindingEvidence,
    ReadSource,
    SourceOpinion,
    SourceStance,
    ValueDifference,
)
from citewell.scholar.registry_records import NOT_REGISTERED
from citewell.store.cache.tiered_cache import ResultCache
from citewell.trust.audit_findings import ExaminedEntry
from citewell.trust.work_lookup import WorkFinding

OPINIONS_TTL_SECONDS = 7 * 86_400.0

_MAX_KEPT_CHARS = 4_000_000  # of all sources together

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
    best = max(every, key=lambda opinion: (opinion.stance is SourceStance.SUPPORTS, opinion.score))
    if best.stance is SourceStance.SUPPORTS:
        return _build_support_verdict(best)
    unread = [opinion for opinion in every if opinion.stance is SourceStance.UNREAD]
    worst = max(every, key=lambda opinion: (opinion.stance, opinion.score))
    if unread and len(every) > 1:
        is_unanswered = any(opinion.is_unanswered for opinion in unread)
        return SupportVerdict(
            verdict=_VERDICTS[SourceStance.UNCOMPARED if is_unanswered else SourceStance.UNREAD],
            is_unanswered=is_unanswered,
            reason=f"Some of the cited sources could not be read: {unread[0].reason}",
            evidence=_join_evidence(every),
            differences=worst.differences,
        )
    if worst.is_by_absence and not all(opinion.is_by_absence for opinion in every):
        # What one source lacks may be in another that settles nothing.
        worst = min(every, key=lambda opinion: (opinion.is_by_absence, opinion.stance))
    return _build_support_verdict(worst, every)


def _drop_settled_differences(opinions: Sequence[SourceOpinion]) -> list[SourceOpinion]:
    """Without the differences in values that another source gives as the statement does."""
    return [
        SourceOpinion(
            stance=SourceStance.RELATED,
            reason="Another of its sources gives the number as the statement does.",
            evidence=opinion.evidence,
            stated_values=opinion.stated_values,
            is_whole=opinion.is_whole,
            score=opinion.score,
            judge=opinion.judge,
        )
        if opinion.differing_values
        and opinion.differing_values
        <= frozenset().union(*(each.stated_values for each in opinions if each is not opinion))
        else opinion
        for opinion in opinions
    ]


def _build_support_verdict(
    opinion: SourceOpinion, every: Sequence[SourceOpinion] = ()
) -> SupportVerdict:
    verdict = _VERDICTS[SourceStance.UNCOMPARED if opinion.is_unanswered else opinion.stance]
    return SupportVerdict(
        verdict=verdict,
        is_unanswered=opinion.is_unanswered,
        reason=opinion.reason,
        evidence=opinion.evidence or _join_evidence(every),
        differences=opinion.differences,
        repairs=_list_statement_repairs(opinion, verdict),
        opinion=opinion,
    )


def _list_statement_repairs(
    opinion: SourceOpinion, verdict: DraftVerdict
) -> tuple[DraftRepair, ...]:
    instead = opinion.said_instead
    if instead is None or verdict not in {DraftVerdict.CONTRADICTED, DraftVerdict.PARTLY}:
        return ()
    changed = next((each for each in opinion.differences if each.source is not None), None)
    # Without the mark of a list item or a heading before it.
    mark, _, rest = instead.passage.partition(" ")
    passage = instead.passage if mark.strip("-*•#") else rest
    return (
        DraftRepair(
            kind="statement",
            text=f"The source says: “{passage}”",
            old=changed.draft if changed else None,
            new=changed.source if changed else None,
            evidence=instead,
        ),
    )


def _join_evidence(every: Sequence[SourceOpinion]) -> tuple[FindingEvidence, ...]:
    return tuple(each for opinion in every for each in opinion.evidence)[:_MAX_EVIDENCE]


def list_unsupported_statements(run: CheckRun) -> list[tuple[str, frozenset[int]]]:
    """The statements that none of their sources carries, each once, with the places of these."""
    found: dict[str, frozenset[int]] = {}
    for statement in run.plan.statements:
        own = run.plan.list_cited_sources(statement.citation_ids)
        opinions = [
            run.opinions[statement.text, place]
            for place in own
            if (statement.text, place) in run.opinions
        ]
        if not own or len(opinions) < len(own):
            continue
        is_lost = all(
            place in run.entries and _is_lost_work(run.entries[place].finding) for place in own
        )
        if is_lost or decide_support(opinions).verdict is DraftVerdict.NOT_IN_SOURCE:
            found[statement.text] = frozenset(own)
    return list(found.items())


def _is_lost_work(finding: WorkFinding) -> bool:
    """Whether registries say that there is no such work."""
    is_unknown = finding.is_absent or finding.existence == NOT_REGISTERED
    return is_unknown and finding.suggested_doi is None


# The state of one running check: what is known so far of each source and statement.


@dataclass(slots=True, kw_only=True)
class CheckRun:
    """Sources are named by their place in the plan."""

    plan: CheckPlan
    focus: CheckFocus
    context: JudgeContext
    tenant: str | None
    judged_left: int  # statements that the chosen judge may still be given
    entries: dict[int, ExaminedEntry] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)
    reads: dict[int, ReadSource] = field(default_factory=dict)  # without their texts
    opinions: dict[tuple[str, int], SourceOpinion] = field(default_factory=dict)
    judgements: tuple[Opinion, ...] = ()  # of the judge
    texts: dict[int, ReadSource] = field(default_factory=dict)  # kept while there is room
    kept_chars: int = 0  # of these texts
    others: dict[str, OtherSource] = field(default_factory=dict)  # by the statement's text
    searched_count: int = 0  # statements whose words search providers were told
    finished_count: int = 0

    def keep_text(self, place: int, read: ReadSource) -> None:
        """Keep a source's text for a second look, unless too much is kept already."""
        if self.kept_chars + len(read.text) <= _MAX_KEPT_CHARS:
            self.kept_chars += len(read.text)
            self.texts[place] = read

    def count_search(self) -> None:
        self.searched_count += 1

    @property
    def read_count(self) -> int:
        return sum(value.was_read for value in self.reads.values())

    @property
    def progress_total(self) -> float:
        """The sources, and the report as the last part."""
        return len(self.plan.sources) + 1.0

    def describe_progress(self) -> str:
        done, total = self.finished_count, len(self.plan.sources)
        if self.focus.asks_support:
            return f"{done} of {total} {pluralize(total, 'source')} read"
        return f"{done} of {total} {pluralize(total, 'reference')} looked up"


# Keeps what sources were found to say to statements, so that a second check need not compare again.


class JudgedStatements:
    def __init__(self, cached: ResultCache, *, find_rules: Callable[[], str] | None = None) -> None:
        """`find_rules` names the version of the rules by which statements are judged."""
        self._cache = cached
        self._find_rules = find_rules or fingerprint_judging_rules
        self._rules: str | None = None

    async def load_opinions(
        self,
        owner: str,
        read: ReadSource,
        texts: Sequence[str],
        judge: Callable[[], Awaitable[list[SourceOpinion]]],
    ) -> list[SourceOpinion]:
        """One opinion for each text, kept or made by `judge`; no owner sees those of another."""
        if self._rules is None:
            self._rules = await asyncio.to_thread(self._find_rules)
        key = _build_opinions_key(self._rules, read, texts)
        entry = await self._cache.look_up_entry(owner, key)
        if entry is not None:
            return _build_opinion_adapter().validate_json(entry.value)
        made = await judge()
        data = json.dumps(
            _build_opinion_adapter().dump_python(made, mode="json"), ensure_ascii=False
        )
        await self._cache.store_entry(
            owner, key, data.encode("utf-8", "replace"), ttl=OPINIONS_TTL_SECONDS
        )
        return made


@cache
def fingerprint_judging_rules() -> str:
    """A hash of the files that decide what a source says to a statement, and of the version."""
    digest = hashlib.sha256(__version__.encode())
    folders = [Path(folder) for folder in (*evidence.__path__, *text.__path__)]
    for path in sorted(path for folder in folders for path in folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.name.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _build_opinions_key(rules: str, read: ReadSource, texts: Sequence[str]) -> str:
    question = [
        "judged statements",
        rules,
        list(texts),
        hashlib.sha256(read.text.encode("utf-8", "surrogatepass")).hexdigest(),
        [read.language, read.url, read.title, read.is_whole, read.note, sorted(read.years)],
    ]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()


@cache
def _build_opinion_adapter() -> TypeAdapter[list[SourceOpinion]]:
    return TypeAdapter(list[SourceOpinion])
