"""Checks whether the pages that providers cite support the sentences that cite them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from citewell.model.citation_checks import PAGE_DEAD, PAGE_NEVER_EXISTED
from citewell.model.counted_words import pluralize
from citewell.model.research import ClaimRelation, ProviderReport
from citewell.services.judging.claim_judge import ClaimPair, Judgement
from citewell.services.judging.lexical_judge import judge_by_words
from citewell.services.research.claims import claim_confidence
from citewell.services.research.claims.claim_building import READ_STATE, SourcedStatement
from citewell.services.research.claims.report_statements import extract_statements
from citewell.services.research.collecting import source_kinds
from citewell.services.research.step_values import PageLead, PageReading, ResearchPlan
from citewell.text.evidence import similarity
from citewell.text.evidence.claim_support import SourceText
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.quantities import stated_quantities
from citewell.text.web import addresses

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
        titles = {addresses.build_page_key(one.url): one.title for one in report.citations}
        for url in list(_collect_cited_urls(report))[:MAX_CITED_PAGES]:
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
        for one in extract_statements(report):
            for key in map(addresses.build_page_key, (*one.urls, *one.run_urls)):
                if key in texts:
                    hidden = is_private(report, pages[key])
                    known = pairs.get((one.text, key))
                    pairs[one.text, key] = ClaimPair(
                        claim=one.text,
                        source=texts[key],
                        is_private=hidden or (known is not None and known.is_private),
                    )
    return pairs


def _collect_cited_urls(report: ProviderReport) -> dict[str, None]:
    found = dict.fromkeys(url for one in extract_statements(report) for url in one.urls)
    return found | dict.fromkeys(one.url for one in report.citations)


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
        for one in extract_statements(report):
            said = build_sentence_features(one.text, language=plan.language)
            interest = round(similarity.measure_stem_coverage(asked, said.terms), 6)
            found += [
                self._judge_citation(one.text, report.provider, key, interest)
                for key in self._list_known_keys(one.urls)
            ]
            shared = [
                self._judge_citation(one.text, report.provider, key, interest)
                for key in self._list_known_keys(one.run_urls)
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
            return replace(bare, support=0.0 if lost else claim_confidence.UNCHECKED_SUPPORT)
        found = self._opinions.get((text, key)) or self._compare_claim_words(text, key)
        if found is None:
            return replace(
                bare, source_state="unchecked", support=claim_confidence.UNCHECKED_SUPPORT
            )
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

    def _compare_claim_words(self, text: str, key: str) -> Judgement | None:
        """What the words of the page say to a sentence; None if the languages differ."""
        found = judge_by_words(ClaimPair(claim=text, source=self._texts[key]))
        return found if isinstance(found, Judgement) else None


def is_quoted_support(row: SourcedStatement) -> bool:
    """Whether a page that was read supports the sentence."""
    return (
        row.source_state == READ_STATE
        and bool(row.snippet)
        and row.relation is ClaimRelation.SUPPORTS
    )


def join_shared_quotes(
    quoted: Sequence[SourcedStatement], told: Iterable[SourcedStatement]
) -> list[SourcedStatement]:
    """The providers' statements, those that one quoted sentence supports under its words.

    `quoted` are sentences of the pages. A provider that says the same of the same page in other
    words thereby counts for the same claim.
    """
    by_source: dict[str, list[SourcedStatement]] = {}
    for one in quoted:
        by_source.setdefault(one.source, []).append(one)
    return [_join_shared_quote(row, by_source.get(row.source, ())) for row in told]


def _join_shared_quote(
    row: SourcedStatement, quoted: Sequence[SourcedStatement]
) -> SourcedStatement:
    if not is_quoted_support(row):
        return row
    near = [one for one in quoted if one.start < row.end and row.start < one.end]
    said = build_sentence_features(row.text)
    best, share = None, _MIN_SHARED_COVERAGE
    for one in near:
        held = build_sentence_features(one.text)
        covered = similarity.measure_stem_coverage(said, held.terms)
        agreed = not stated_quantities.find_missing_quantities(said.quantities, held.quantities)
        if covered >= share and agreed:
            best, share = one, covered + 1e-9  # of equals the first
    if best is None:
        return row
    return replace(row, text=best.text, relevance=max(row.relevance, best.relevance))


def describe_uncited_reports(reports: Sequence[ProviderReport]) -> tuple[str, ...]:
    """A note for each report with statements that carry no citation."""
    notes = []
    for report in reports:
        said = extract_statements(report)
        bare = sum(1 for one in said if not one.urls and not one.run_urls)
        if said and bare == len(said):
            notes.append(
                f"{report.provider} cites nothing: none of its statements could be checked."
            )
        elif bare:
            notes.append(
                f"{bare} of {len(said)} {pluralize(len(said), 'statement')} of {report.provider} {pluralize(bare, 'carries', 'carry')} no citation."
            )
    return tuple(notes)
