"""Checks whether the pages that providers cite support the sentences that cite them, with the chosen judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from citewell.core.values.citation_checks import PAGE_DEAD, PAGE_NEVER_EXISTED
from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import ClaimRelation, ProviderReport
from citewell.evidence.judging import claim_judging
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.model_judge import ModelCaller
from citewell.evidence.signs import sentence_features
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.grounding_signs import GroundingDoubt
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.jobs.durable_job import JsonValue
from citewell.jobs.job_engine import WorkflowRun
from citewell.jobs.step_values import PageLead, PageReading, ResearchPlan
from citewell.research.claims import source_kinds
from citewell.research.claims.cited_statements import extract_statements
from citewell.research.claims.claim_building import READ_STATE, SourcedStatement
from citewell.text import addresses
from citewell.text.quantities import stated_quantities

JudgedCitations = Mapping[tuple[str, str], Judgement]  # by a sentence and the key of a page
MAX_CITED_PAGES = 500  # cited pages of one report that are read
# A sentence with this share of its words in one quoted sentence says what that one says.
_MIN_SHARED_COVERAGE = 0.6


def list_cited_pages(
    reports: Iterable[ProviderReport], *, known: Iterable[str] = ()
) -> tuple[PageLead, ...]:
    """The pages that the reports cite, each once and in order, without those in `known`."""
    seen = {addresses.build_page_key(url) for url in known}
    leads: dict[str, PageLead] = {}
    for report in reports:
        titles = {addresses.build_page_key(item.url): item.title for item in report.citations}
        urls = [url for statement in extract_statements(report) for url in statement.urls]
        urls += [citation.url for citation in report.citations]
        for url in list(dict.fromkeys(urls))[:MAX_CITED_PAGES]:
            key = addresses.build_page_key(url)
            if key not in seen:
                leads.setdefault(key, PageLead(url=url, title=titles.get(key, "")))
    return tuple(leads.values())


def list_cited_pairs(
    reports: Iterable[ProviderReport],
    pages: Mapping[str, PageReading],
    is_private: Callable[[ProviderReport, PageReading], bool],
) -> dict[tuple[str, str], ClaimPair]:
    """For a judge: every sentence with each page it cites that was read, by its text and the page's key."""
    texts = {
        key: SourceText(text=page.text, language=page.language)
        for key, page in pages.items()
        if page.is_read
    }
    pairs: dict[tuple[str, str], ClaimPair] = {}
    for report in reports:
        for statement in extract_statements(report):
            for key in map(addresses.build_page_key, (*statement.urls, *statement.run_urls)):
                if key in texts:
                    hidden = is_private(report, pages[key])
                    known = pairs.get((statement.text, key))
                    pairs[statement.text, key] = ClaimPair(
                        claim=statement.text,
                        source=texts[key],
                        is_private=hidden or (known is not None and known.is_private),
                    )
    return pairs


class CitationCheck:
    """Compares reports with the pages they cite; the keys of both maps are normalized cited addresses."""

    def __init__(
        self,
        pages: Mapping[str, PageReading],
        refs: Mapping[str, str],
        opinions: JudgedCitations | None = None,
    ) -> None:
        """`opinions` of a judge count instead of a comparison of words, for the pairs they cover."""
        self._pages = pages
        self._refs = refs
        self._opinions = opinions or {}
        self._texts = {
            key: SourceText(text=page.text, language=page.language)
            for key, page in pages.items()
            if page.is_read
        }

    def judge_statements(
        self, plan: ResearchPlan, report: ProviderReport
    ) -> tuple[SourcedStatement, ...]:
        """Each sentence of a report once for every page it cites, with the support found there.

        A citation at the end of a run of sentences counts for those before it only if the page
        supports them: they did not cite it themselves.
        """
        asked = build_sentence_features(plan.query, language=plan.language)
        found: list[SourcedStatement] = []
        for statement in extract_statements(report):
            words = build_sentence_features(statement.text, language=plan.language)
            interest = round(sentence_features.measure_stem_coverage(asked, words.terms), 6)
            found += [
                self._judge_citation(statement.text, report.provider, key, interest)
                for key in self._list_known_keys(statement.urls)
            ]
            shared = [
                self._judge_citation(statement.text, report.provider, key, interest)
                for key in self._list_known_keys(statement.run_urls)
            ]
            found += [row for row in shared if is_quoted_support(row)]
        return tuple(found)

    def _list_known_keys(self, urls: Iterable[str]) -> list[str]:
        keys = dict.fromkeys(map(addresses.build_page_key, urls))
        return [key for key in keys if key in self._refs]

    def _judge_citation(
        self, text: str, provider: str, key: str, interest: float
    ) -> SourcedStatement:
        page = self._pages.get(key)
        url = page.url if page else key
        kind = source_kinds.classify_source(url)
        bare = SourcedStatement(
            text=text,
            provider=provider,
            source=self._refs[key],
            owner=source_kinds.identify_source_owner(url),
            source_weight=source_kinds.weigh_source(kind, page.reputation if page else None),
            source_kind=kind,
            relation=ClaimRelation.MENTIONS,
            source_state=page.state if page else "unchecked",
            relevance=interest,
            origin=provider,
        )
        if page is None or key not in self._texts:
            lost = bare.source_state in {PAGE_NEVER_EXISTED, PAGE_DEAD, "refused"}
            return replace(bare, support=0.0 if lost else source_kinds.UNCHECKED_SUPPORT)
        found = self._opinions.get((text, key)) or claim_judging.judge_by_words(
            ClaimPair(claim=text, source=self._texts[key])
        )
        if not isinstance(found, Judgement):  # the languages differ
            return replace(bare, source_state="unchecked", support=source_kinds.UNCHECKED_SUPPORT)
        return replace(
            bare,
            support=found.score,
            relation=found.relation,
            snippet=found.quote,
            start=found.start,
            end=found.end,
            missing_numbers=found.missing_numbers,
            published=page.published,
            judge=found.judge,
        )


def is_quoted_support(row: SourcedStatement) -> bool:
    """Whether a page that was read supports the sentence."""
    return (
        row.source_state == READ_STATE
        and bool(row.snippet)
        and row.relation is ClaimRelation.SUPPORTS
    )


def join_shared_quotes(
    quoted: Sequence[SourcedStatement], judged: Iterable[SourcedStatement]
) -> list[SourcedStatement]:
    """The providers' statements, those that one quoted sentence supports under its words.

    `quoted` are sentences of the pages. A provider that says the same of the same page in other
    words thereby counts for the same claim.
    """
    by_source: dict[str, list[SourcedStatement]] = {}
    for quotation in quoted:
        by_source.setdefault(quotation.source, []).append(quotation)
    return [_join_shared_quote(row, by_source.get(row.source, ())) for row in judged]


def _join_shared_quote(
    row: SourcedStatement, quoted: Sequence[SourcedStatement]
) -> SourcedStatement:
    if not is_quoted_support(row):
        return row
    near = [
        quotation for quotation in quoted if quotation.start < row.end and row.start < quotation.end
    ]
    words = build_sentence_features(row.text)
    best, share = None, _MIN_SHARED_COVERAGE
    for item in near:
        held = build_sentence_features(item.text)
        covered = sentence_features.measure_stem_coverage(words, held.terms)
        agreed = not stated_quantities.find_missing_quantities(words.quantities, held.quantities)
        if covered >= share and agreed:
            best, share = item, covered + 1e-9  # of equals the first
    if best is None:
        return row
    return replace(row, text=best.text, relevance=max(row.relevance, best.relevance))


def describe_uncited_reports(reports: Sequence[ProviderReport]) -> tuple[str, ...]:
    """A note for each report with statements that carry no citation."""
    notes = []
    for report in reports:
        statements = extract_statements(report)
        bare = sum(1 for statement in statements if not statement.urls and not statement.run_urls)
        if statements and bare == len(statements):
            notes.append(
                f"{report.provider} cites nothing: none of its statements could be checked."
            )
        elif bare:
            notes.append(
                f"{bare} of {len(statements)} {pluralize(len(statements), 'statement')} of {report.provider} {pluralize(bare, 'carries', 'carry')} no citation."
            )
    return tuple(notes)


# Asks the chosen judge about the citations of a job, in a step whose result is stored.


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationJudgements:
    """The judgements by another judge than words, and notes about those that there are not."""

    judged: JudgedCitations = field(default_factory=dict)
    notes: tuple[str, ...] = ()


async def judge_citations(
    run: WorkflowRun,
    judging: claim_judging.ClaimJudging,
    pairs: Mapping[tuple[str, str], ClaimPair],
    open_caller: Callable[[str], ModelCaller],
    *,
    step: str = "judge",
) -> CitationJudgements:
    """What the judge says of these citations; the same again if the job runs again.

    `step` names the step under which the judgements are stored.
    """

    async def report_progress(done: float, total: float | None, _message: str | None) -> None:
        await run.emit_event("claims_judged", count=int(done), total=int(total or 0))

    async def judge() -> JsonValue:
        context = claim_judging.JudgeContext(
            owner=run.job.owner, progress=report_progress, open_caller=open_caller
        )
        opinions = await judging.judge_claims(tuple(pairs.values()), context)
        return {
            "judgements": _convert_to_json(pairs, opinions),
            "notes": list(claim_judging.list_judging_notes(opinions)),
        }

    kept = await run.run_step(step, judge)
    judged = {(row["claim"], row["page"]): _build_judgement(row) for row in kept["judgements"]}
    return CitationJudgements(judged=judged, notes=tuple(kept["notes"]))


def _convert_to_json(
    pairs: Mapping[tuple[str, str], ClaimPair], opinions: Sequence[Opinion]
) -> list[dict[str, Any]]:
    """Without those by words, which are found again in no time."""
    rows = []
    for (claim, page), opinion in zip(pairs, opinions, strict=True):
        if isinstance(opinion, Judgement) and opinion.judge != LEXICAL_NAME:
            rows.append({"claim": claim, "page": page, **asdict(opinion)})
    return rows


def _build_judgement(row: Mapping[str, Any]) -> Judgement:
    given = {name: value for name, value in row.items() if name not in {"claim", "page"}}
    given["relation"] = ClaimRelation(given["relation"])
    given["missing_numbers"] = tuple(given["missing_numbers"])
    given["doubts"] = tuple(map(GroundingDoubt, given.get("doubts", ())))
    given["ungrounded_words"] = tuple(given.get("ungrounded_words", ()))
    return Judgement(**given)
