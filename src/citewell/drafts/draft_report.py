"""Builds the report of a check: findings with their places, worst first, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from citewell.core.values.counted_words import pluralize
from citewell.drafts.draft import Draft, DraftCitation, DraftReference, DraftStatement
from citewell.drafts.draft_findings import (
    CHANGE_VERDICTS,
    DraftFinding,
    DraftRepair,
    DraftReport,
    DraftSummary,
    DraftVerdict,
    FindingGroup,
    describe_places,
    group_repeated_findings,
)
from citewell.drafts.reference_repairs import build_finding_place, list_reference_repairs
from citewell.drafts.reference_verdicts import (
    NO_TIME_REASON,
    CheckFocus,
    ReferenceVerdict,
    judge_reference,
)
from citewell.drafts.support_verdicts import CheckRun, SupportVerdict, decide_support
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, NLI_NAME, Judgement
from citewell.evidence.judging.claim_judging import list_judging_notes
from citewell.evidence.judging.source_opinions import ReadSource, SourceStance
from citewell.text.addresses import extract_host
from citewell.trust import reference_lookup
from citewell.trust.audit_findings import ExaminedEntry, has_any_answer
from citewell.trust.finding_advice import join_registry_names

_MAX_WORST_LINES = 5
_MAX_WORST_CHARS = 200
_MAX_SHORT_CHARS = 160
_MAX_UNCITED = 300  # statements without a citation that are listed
_ORDER = {verdict: place for place, verdict in enumerate(DraftVerdict)}
_LOST_SOURCE_VERDICTS = frozenset(
    {
        DraftVerdict.RETRACTED,
        DraftVerdict.REFERENCE_NOT_FOUND,
        DraftVerdict.WRONG_WORK,
        DraftVerdict.DEAD_LINK,
    }
)
_SIGN_WORDS = {"number": "a number", "date": "a date", "quotation": "a quotation", "name": "a name"}
_MAX_HOSTS = 12
_REFUSED_REASON = "refused"
NOTHING_SHARED = "Nothing of the draft left this machine."
_DRAFT_KEPT = "The draft itself was not sent anywhere."


def build_draft_report(
    draft: Draft, run: CheckRun, *, style: str | None, checked_at: datetime
) -> DraftReport:
    writer = _ReportWriter(draft, run, style=style, checked_at=checked_at)
    found = sorted(writer.list_findings(), key=_rank_finding)
    findings = tuple(
        finding.model_copy(update={"id": f"f{number}"})
        for number, finding in enumerate(found, start=1)
    )
    judges = [sentence.judge for sentence in run.judgements if isinstance(sentence, Judgement)]
    return DraftReport(
        summary=_summarize_findings(draft, run, findings),
        findings=findings,
        judge=", ".join(dict.fromkeys(judges)) or LEXICAL_NAME,
        shared=list_shared_facts(
            run.entries.values(),
            run.reads.values(),
            judges,
            searched_count=run.searched_count,
        ),
        skipped=run.plan.skipped_count or None,
        notes=tuple(_list_report_notes(draft, run, writer)) or None,
        checked_at=checked_at.isoformat(timespec="seconds").replace("+00:00", "Z"),
    )


class _ReportWriter:
    def __init__(
        self, draft: Draft, run: CheckRun, *, style: str | None, checked_at: datetime
    ) -> None:
        self._draft = draft
        self._run = run
        self._style = style
        self._today = checked_at.date()
        self._citations = {citation.id: citation for citation in draft.citations}
        self._references = {reference.id: reference for reference in draft.references}
        self._first_citations: dict[str, DraftCitation] = {}  # by the reference they point to
        for citation in sorted(draft.citations, key=lambda cited: cited.place.start):
            for each in citation.reference_ids:
                self._first_citations.setdefault(each, citation)
        self._verdicts = self._judge_references()
        self.uncited_count = 0

    def list_findings(self) -> Iterator[DraftFinding]:
        yield from self._list_reference_findings()
        if self._run.focus is not CheckFocus.LINKS:
            yield from self._list_missing_references()
        if self._run.focus.asks_support:
            yield from self._list_statement_findings()
            yield from self._list_uncited_findings()

    def _judge_references(self) -> list[ReferenceVerdict]:
        run = self._run
        offline = not any(map(has_any_answer, run.entries.values()))
        found = []
        for place in range(len(run.plan.sources)):
            failure = run.failures.get(place)
            verdict = judge_reference(run.entries.get(place), offline=offline, focus=run.focus)
            if failure is not None:
                verdict = ReferenceVerdict(reasons={DraftVerdict.UNCHECKED: failure})
            found.append(verdict)
        return found

    def _list_reference_findings(self) -> Iterator[DraftFinding]:
        unused = set(self._draft.uncited_reference_ids)
        for place, source in enumerate(self._run.plan.sources):
            verdict = self._verdicts[place]
            if self._run.focus is CheckFocus.SUPPORT and verdict.worst not in CHANGE_VERDICTS:
                continue
            is_change = bool(set(verdict.reasons) & CHANGE_VERDICTS)
            shown = 0
            for each in source.reference_ids:
                cited = self._references[each]
                if cited.is_listed or is_change or not shown:
                    shown += 1
                    yield self._build_reference_finding(
                        cited, place, verdict, is_unused=each in unused
                    )

    def _build_reference_finding(
        self, cited: DraftReference, place: int, verdict: ReferenceVerdict, *, is_unused: bool
    ) -> DraftFinding:
        entry = self._run.entries.get(place)
        repairs = (
            list_reference_repairs(
                self._draft, cited, entry, verdict, style=self._style, today=self._today
            )
            if entry is not None
            else ()
        )
        if is_unused:
            verdict = _add_unused_verdict(verdict)
        citation = self._first_citations.get(cited.id)
        where = cited.place or (citation.place if citation else None)
        return DraftFinding(
            id="",
            verdict=verdict.worst,
            subject="reference",
            text=cited.reference.raw or cited.reference.title or cited.reference.url,
            place=build_finding_place(self._draft, where) if where else None,
            citation=citation.text if citation else None,
            reference_id=cited.id,
            reference=_shorten_reference(cited),
            reason=verdict.reason,
            repairs=repairs or None,
            also=verdict.others or None,
            is_unanswered=DraftVerdict.UNCHECKED in verdict.reasons or None,
        )

    def _list_missing_references(self) -> Iterator[DraftFinding]:
        for citation in self._draft.citations:
            if citation.missing:
                lost = ", ".join(citation.missing)
                yield DraftFinding(
                    id="",
                    verdict=DraftVerdict.NO_REFERENCE,
                    subject="citation",
                    text=citation.text,
                    place=build_finding_place(self._draft, citation.place),
                    citation=citation.text,
                    reason=f"The draft has no reference for {lost}.",
                )

    def _list_statement_findings(self) -> Iterator[DraftFinding]:
        for statement in self._run.plan.statements:
            own = self._run.plan.list_cited_sources(statement.citation_ids)
            if own:
                yield self._build_statement_finding(
                    statement, own, self._decide_statement(statement, own)
                )
                continue
            shared = self._run.plan.list_cited_sources(statement.shared_citation_ids)
            verdict = self._decide_statement(statement, shared) if shared else None
            # A citation further on may not be meant for this sentence, so it is not held against it.
            if verdict is not None and verdict.verdict is DraftVerdict.SUPPORTED:
                yield self._build_statement_finding(statement, shared, verdict)

    def _decide_statement(
        self, statement: DraftStatement, sources: tuple[int, ...]
    ) -> SupportVerdict:
        found = [self._run.opinions.get((statement.text, place)) for place in sources]
        opinions = [each for each in found if each is not None]
        if len(opinions) < len(found) and not any(
            each.stance is SourceStance.SUPPORTS for each in opinions
        ):
            return SupportVerdict(
                verdict=DraftVerdict.UNCHECKED, reason=NO_TIME_REASON, is_unanswered=True
            )
        verdict = decide_support(opinions)
        reasons = [self._find_loss_reason(place) for place in sources]
        is_unread = verdict.verdict is DraftVerdict.SOURCE_UNAVAILABLE and not verdict.evidence
        if is_unread and all(reasons):
            return SupportVerdict(
                verdict=verdict.verdict, reason=f"There is no source to read. {reasons[0]}"
            )
        return verdict

    def _find_loss_reason(self, place: int) -> str:
        """Why there is no source at this place; empty if there is one."""
        known = self._verdicts[place].reasons
        return next((known[each] for each in known if each in _LOST_SOURCE_VERDICTS), "")

    def _build_statement_finding(
        self, statement: DraftStatement, sources: tuple[int, ...], verdict: SupportVerdict
    ) -> DraftFinding:
        cited = statement.citation_ids or statement.shared_citation_ids
        marks = [self._citations[each].text for each in cited if each in self._citations]
        ids = [each for mark in cited for each in self._run.plan.citations_by_id.get(mark, ())]
        first = self._choose_judged_reference(statement, ids, sources, verdict)
        losses = dict.fromkeys(filter(None, map(self._find_loss_reason, sources)))
        every = (each for place in sources for each in self._verdicts[place].reasons)
        lost = (each for each in every if each in _LOST_SOURCE_VERDICTS)
        return DraftFinding(
            id="",
            verdict=verdict.verdict,
            subject="statement",
            text=statement.text,
            place=build_finding_place(self._draft, statement.place),
            citation=" ".join(marks) or None,
            reference_id=first.id if first else None,
            reference=_shorten_reference(first) if first else None,
            reason=" ".join(
                (*(loss for loss in losses if loss not in verdict.reason), verdict.reason)
            ),
            evidence=verdict.evidence or None,
            differences=verdict.differences or None,
            repairs=(*verdict.repairs, *self._list_other_sources(statement)) or None,
            also=tuple(dict.fromkeys(lost)) or None,
            is_unanswered=verdict.is_unanswered or None,
        )

    def _choose_judged_reference(
        self,
        statement: DraftStatement,
        ids: list[str],
        sources: tuple[int, ...],
        verdict: SupportVerdict,
    ) -> DraftReference | None:
        """Of several references of a statement, the one by whose source it was decided."""
        if not ids:
            return None
        place = next(
            (
                each
                for each in sources
                if self._run.opinions.get((statement.text, each)) is verdict.opinion
            ),
            None,
        )
        known = self._run.plan.source_by_reference
        decided = next((each for each in ids if known.get(each) == place), ids[0])
        return self._references[decided if verdict.opinion is not None else ids[0]]

    def _list_other_sources(self, statement: DraftStatement) -> Iterator[DraftRepair]:
        found = self._run.others.get(statement.text)
        if found is not None and statement.citation_ids:
            ids = (
                self._run.plan.sources[found.place].reference_ids if found.place is not None else ()
            )
            yield found.build_repair(_shorten_reference(self._references[ids[0]]) if ids else "")

    def _list_uncited_findings(self) -> Iterator[DraftFinding]:
        bare = [
            statement
            for statement in self._draft.statements
            if statement.signs and not statement.citation_ids and not statement.shared_citation_ids
        ]
        self.uncited_count = len(bare)
        for statement in bare[:_MAX_UNCITED]:
            signs = " and ".join(
                _SIGN_WORDS.get(sign.value, sign.value) for sign in statement.signs[:2]
            )
            yield DraftFinding(
                id="",
                verdict=DraftVerdict.UNCITED,
                subject="statement",
                text=statement.text,
                place=build_finding_place(self._draft, statement.place),
                reason=f"It states {signs} without a citation.",
            )


def _add_unused_verdict(verdict: ReferenceVerdict) -> ReferenceVerdict:
    reasons = dict(verdict.reasons)
    reasons.pop(DraftVerdict.FOUND, None)
    reasons[DraftVerdict.UNUSED_REFERENCE] = "The text never cites it."
    return ReferenceVerdict(
        reasons={each: reasons[each] for each in sorted(reasons, key=_ORDER.__getitem__)}
    )


def _shorten_reference(cited: DraftReference) -> str:
    reference = cited.reference
    lead = reference.authors[0] if reference.authors else None
    parts = [
        (lead.family or lead.name) if lead else "",
        str(reference.year or ""),
        reference.title,
    ]
    short = ", ".join(part for part in parts if part)
    if not reference.title:
        short = reference.doi or reference.url or short or reference.raw
    return short if len(short) <= _MAX_SHORT_CHARS else f"{short[: _MAX_SHORT_CHARS - 1]}…"


def _rank_finding(finding: DraftFinding) -> tuple[int, int, int]:
    """Worst first: a statement stands after what is wrong with the reference that it rests on."""
    worst = min(_ORDER[each] for each in (finding.verdict, *(finding.also or ())))
    return worst, _ORDER[finding.verdict], finding.place.start if finding.place else 0


def _summarize_findings(
    draft: Draft, run: CheckRun, findings: tuple[DraftFinding, ...]
) -> DraftSummary:
    counts = Counter(finding.verdict for finding in findings)
    worst = group_repeated_findings(
        finding for finding in findings if finding.verdict in CHANGE_VERDICTS
    )
    return DraftSummary(
        statements=len(draft.statements),
        distinct_statements=len(
            {" ".join(statement.text.split()) for statement in draft.statements}
        ),
        citations=len(draft.citations),
        references=len(draft.references),
        sources_read=run.read_count,
        verdicts={each.value: counts[each] for each in DraftVerdict if counts[each]},
        worst=tuple(map(_describe_worst_group, worst[:_MAX_WORST_LINES])),
        is_clean=not worst,
    )


def _describe_worst_group(group: FindingGroup) -> str:
    finding = group.first
    places = [str(each.place.line) for each in group.findings if each.place is not None]
    unit = "line" if len(set(places)) == 1 else "lines"
    where = f"{unit} {describe_places(places)}: " if places else ""
    text = " ".join(finding.text.split())
    cut = text if len(text) <= _MAX_WORST_CHARS // 2 else f"{text[: _MAX_WORST_CHARS // 2 - 1]}…"
    line = f"{where}{finding.verdict.value}: {cut} ({finding.reason})"
    return line if len(line) <= 2 * _MAX_WORST_CHARS else f"{line[: 2 * _MAX_WORST_CHARS - 1]}…"


def _list_report_notes(draft: Draft, run: CheckRun, writer: _ReportWriter) -> Iterator[str]:
    yield from draft.notes
    if not draft.citations and not draft.references:
        yield (
            "There is nothing to check: a citation is a link, an identifier such as a DOI, a number"
            " in brackets, a note, or a name with a year."
        )
    late = len(run.plan.sources) - run.finished_count
    if late:
        yield (
            f"{late} of {len(run.plan.sources)} {pluralize(len(run.plan.sources), 'reference')} could not be finished in time and"
            f" {pluralize(late, 'is', 'are')} unchecked. Ask again: what is known is kept, and the rest follows."
        )
    if run.plan.skipped_count:
        yield (
            f"{run.plan.skipped_count} {pluralize(run.plan.skipped_count, 'cited statement')} after the first"
            f" {len(run.plan.statements)} {pluralize(run.plan.skipped_count, 'was', 'were')} not judged; raise max_statements."
        )
    if writer.uncited_count > _MAX_UNCITED:
        yield f"Of {writer.uncited_count} uncited statements the first {_MAX_UNCITED} are listed."
    yield from list_judging_notes(run.judgements)


# Says what of a draft left this machine, and to whom.


def list_shared_facts(
    entries: Iterable[ExaminedEntry],
    reads: Iterable[ReadSource],
    judges: Sequence[str],
    *,
    searched_count: int = 0,
) -> tuple[str, ...]:
    """One sentence for each kind of thing that was sent, with its receivers."""
    every = tuple(entries)
    sentences = [
        *_describe_registries(every),
        *_describe_asked_sites(every, reads),
    ]
    if cases := sum(opinion.case is not None for opinion in every):
        sentences.append(f"{_count_things(cases, 'legal citation')}: to the registries of law.")
    away = [name for name in dict.fromkeys(judges) if name not in {LEXICAL_NAME, NLI_NAME, ""}]
    if away:
        judge = ", ".join(away)
        sentences.append(f"Single statements with passages of their sources: to the judge {judge}.")
    if searched_count:
        sentences.append(
            f"The words of {_count_things(searched_count, 'statement')}: to the search providers"
            " (literature, and the web if that had nothing), as asked."
        )
    return (*sentences, _DRAFT_KEPT) if sentences else (NOTHING_SHARED,)


def _describe_registries(entries: Sequence[ExaminedEntry]) -> Iterable[str]:
    asked = [entry for entry in entries if entry.finding.asked_registries]
    names = dict.fromkeys(name for entry in asked for name in entry.finding.asked_registries)
    if not names:
        return
    by_words = any(entry.finding.searched_by_words for entry in asked)
    what = "Identifiers, titles, authors and years" if by_words else "Identifiers"
    yield f"{what} of {_count_things(len(asked), 'reference')}: to {join_registry_names(tuple(names))}."


def _describe_asked_sites(
    entries: Sequence[ExaminedEntry], reads: Iterable[ReadSource]
) -> Iterable[str]:
    visited = [
        entry
        for entry in entries
        if entry.link is not None and entry.link.reason != _REFUSED_REASON
    ]
    cited = (reference_lookup.find_checked_address(entry.reference) for entry in visited)
    hosts = dict.fromkeys(filter(None, map(extract_host, (*cited, *(read.url for read in reads)))))
    if hosts:
        shown = ", ".join(list(hosts)[:_MAX_HOSTS])
        more = f" and {len(hosts) - _MAX_HOSTS} more" if len(hosts) > _MAX_HOSTS else ""
        yield f"Addresses of sources: to the sites themselves ({shown}{more})."
    lost = [entry for entry in visited if entry.link is not None and not entry.link.reachable]
    if lost:
        yield f"{_count_things(len(lost), 'address', 'addresses')} that did not answer: to the Internet Archive."


def _count_things(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
