"""Compares an answer with the pages it cites: what each says to the sentences that cite it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.core.values.counted_words import pluralize
from citewell.core.values.research import (
    RESEARCH_TIERS,
    ClaimRelation,
    GroundingPassage,
    ProviderReport,
    ResearchRequest,
    ResearchSource,
    WritingRequest,
)
from citewell.core.values.search_results import AnswerCitation
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement, Opinion
from citewell.evidence.judging.claim_judging import compare_pair_words
from citewell.evidence.signs.claim_support import (
    UNSUPPORTED_BELOW_SCORE,
    SourceText,
    can_share_language,
)
from citewell.jobs.step_values import PageLead, PageReading, PageReadings, ResearchPlan
from citewell.research.claims.cited_statements import (
    REF_MARK_PATTERN,
    CitationMarks,
    ReportStatement,
    extract_statements,
)
from citewell.research.pages.answer_passages import ChosenWindow, choose_answer
from citewell.research.pages.page_analysis import PageAnalysis, analyse_pages
from citewell.research.pages.question_coverage import AnswerState, judge_coverage
from citewell.research.reporting.extractive_report import describe_refusal
from citewell.research.reporting.model_synthesis import cite_provider_text
from citewell.research.reporting.quotations import complete_window, render_window_lines
from citewell.text import addresses, research_prompts
from citewell.text.passages.page_units import join_unit_texts

MAX_CHECKED_PAGES = 10
_MAX_CHECKED_STATEMENTS = 40
_MAX_OWN_MARKS = 2  # set by us after one sentence
_OTHER_LANGUAGE = "The page is in another language than the answer, so it cannot be compared."
_NOTHING_SAID = Judgement(relation=ClaimRelation.MENTIONS, score=0.0, judge=LEXICAL_NAME)
_REPEATED_MARK_PATTERN = re.compile(r"(\[\d{1,3}\])([.,;!?]?)(?:[^\S\n]{0,3}\1){1,8}")
_SPACE_BEFORE_STOP_PATTERN = re.compile(r"(?<!\s)[^\S\n]++(?=[.,;:!?](?:\s|\Z))")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedAnswer:
    text: str  # with [n] for the n-th citation
    citations: tuple[AnswerCitation, ...]
    notes: tuple[str, ...] = ()


class AnswerCheck:
    """Compares the sentences of an answer with the pages they cite, by words or by a judge."""

    def __init__(
        self,
        report: ProviderReport,
        leads: Sequence[PageLead],
        pages: Sequence[PageReading],
        *,
        query: str,
    ) -> None:
        """`pages` are the readings of `leads`."""
        self._report = report
        self._leads = leads
        self._pages = pages
        found = extract_statements(report)[:_MAX_CHECKED_STATEMENTS]
        self._statements = found or _wrap_short_answer(report, query)
        self._is_marked = any(
            statement.urls or statement.run_urls for statement in self._statements
        )
        self._texts = [
            SourceText(text=page.text, language=page.language) if page.is_read else None
            for page in pages
        ]
        # Of a judge, by sentence and page; for other pairs words are compared.
        self.opinions: dict[tuple[int, int], Opinion] = {}
        self._comparable: dict[int, bool] = {}

    def list_judged_pairs(self) -> dict[tuple[int, int], ClaimPair]:
        """A pair for every sentence and page that it cites, by their numbers, for a judge.

        Of an answer that marks no sentence, those that share enough words to be worth asking.
        """
        places = [place for place, text in enumerate(self._texts) if text is not None]
        cited = [(at, place) for place in places for at in self._list_citing(place)]
        if not self._is_marked:
            cited = [
                pair
                for pair in cited
                if (judgement := self._find_pair_judgement(*pair))
                and judgement.score >= UNSUPPORTED_BELOW_SCORE
            ]
        return {pair: self._build_claim_pair(*pair) for pair in cited}

    def build_checked_answer(self) -> CheckedAnswer:
        citations = tuple(self._check_page(place) for place in range(len(self._leads)))
        return CheckedAnswer(
            text=self._write_marks(), citations=citations, notes=tuple(self._list_notes())
        )

    def _check_page(self, place: int) -> AnswerCitation:
        lead, page, text = self._leads[place], self._pages[place], self._texts[place]
        bare = AnswerCitation(
            url=page.url,
            title=page.title or lead.title or None,
            published_date=(lead.published or page.published or "")[:10] or None,
            checked=False,
        )
        if text is None:
            return bare.model_copy(update={"reason": page.reason or "The page has no text."})
        citing = self._list_citing(place)
        rows = {
            at: row for at in citing if (row := self._find_pair_judgement(at, place)) is not None
        }
        if not rows and not self._is_comparable(place):
            return bare.model_copy(update={"reason": _OTHER_LANGUAGE})
        against = [row for row in rows.values() if row.relation is ClaimRelation.CONTRADICTS]
        best = max(
            against or rows.values(),
            key=lambda row: (row.relation is ClaimRelation.SUPPORTS, row.score),
            default=_NOTHING_SAID,
        )
        unsupported = tuple(
            self._statements[at].text
            for at, row in rows.items()
            if row.relation is not ClaimRelation.SUPPORTS
            and self._find_key(place) in map(addresses.build_page_key, self._statements[at].urls)
        )
        return bare.model_copy(
            update={
                "checked": True,
                "relation": best.relation.value,
                "snippet": " ".join(best.quote.split()) or None,
                "score": round(best.score, 2),
                "judge": best.judge,
                "unsupported": unsupported or None,
            }
        )

    def _find_pair_judgement(self, at: int, place: int) -> Judgement | None:
        """What the page says to the sentence; None if the two cannot be compared."""
        if (at, place) not in self.opinions:
            if not self._is_comparable(place):
                return None
            self.opinions[at, place] = compare_pair_words(self._build_claim_pair(at, place))
        found = self.opinions[at, place]
        return found if isinstance(found, Judgement) else None

    def _is_comparable(self, place: int) -> bool:
        """Whether answer and page can be in one language, as all its sentences together show."""
        text = self._texts[place]
        if place not in self._comparable:
            self._comparable[place] = text is not None and can_share_language(
                self._report.text, text
            )
        return self._comparable[place]

    def _build_claim_pair(self, at: int, place: int) -> ClaimPair:
        text = self._texts[place] or SourceText(text="")
        return ClaimPair(claim=self._statements[at].text, source=text)

    def _list_citing(self, place: int) -> list[int]:
        """The sentences that cite the page; all, if none does so by a mark."""
        key = self._find_key(place)
        citing = [
            at
            for at, statement in enumerate(self._statements)
            if key in map(addresses.build_page_key, (*statement.urls, *statement.run_urls))
        ]
        return citing or list(range(len(self._statements)))

    def _find_key(self, place: int) -> str:
        return addresses.build_page_key(self._leads[place].url)

    def _write_marks(self) -> str:
        """The provider's text with its own marks and links rewritten to [n].

        If it marks no sentence, there is a mark where a page supports one.
        """
        sources = [
            ResearchSource(ref=f"src_{place + 1}", url=lead.url, archived_url=page.url)
            for place, (lead, page) in enumerate(zip(self._leads, self._pages, strict=True))
        ]
        marks = CitationMarks(sources)
        if self._is_marked:
            refs = {addresses.build_page_key(source.url): source.ref for source in sources}
            return _tidy_marks(marks.rewrite_marks(cite_provider_text(self._report, refs)))
        text, at = "", 0
        for number, statement in enumerate(self._statements):
            bearing = [
                place for place in range(len(self._leads)) if self._is_supported(number, place)
            ]
            text += self._report.text[at : statement.end]
            text += "".join(f" [src_{place + 1}]" for place in bearing[:_MAX_OWN_MARKS])
            at = statement.end
        # Links and images to pages that are not cited go: a client that shows them would open them.
        return _tidy_marks(marks.rewrite_marks(text + self._report.text[at:]))

    def _is_supported(self, at: int, place: int) -> bool:
        row = self.opinions.get((at, place))
        return isinstance(row, Judgement) and row.relation is ClaimRelation.SUPPORTS

    def _list_notes(self) -> list[str]:
        places = range(len(self._leads))
        if not self._leads:
            return [f"{self._report.provider} cites nothing, so this answer could not be checked."]
        if not any(text is not None for text in self._texts):
            return ["No cited page could be read, so nothing in this answer was checked."]
        notes = []
        if not self._is_marked:
            notes.append(
                f"{self._report.provider} marks no sentence; the marks are ours, of pages that"
                " support the sentence."
            )
        judged = [
            at
            for at, statement in enumerate(self._statements)
            if not self._is_marked or statement.urls or statement.run_urls
        ]
        lost = [at for at in judged if not any(self._is_supported(at, place) for place in places)]
        if lost:
            notes.append(
                f"{len(lost)} of {len(judged)} {pluralize(len(judged), 'sentence')}: no cited page that could be read supports"
                " them."
            )
        bare = len(self._statements) - len(judged)
        if bare:
            notes.append(
                f"{bare} of {len(self._statements)} {pluralize(len(self._statements), 'sentence')} {pluralize(bare, 'cites', 'cite')} nothing."
            )
        return notes


def _wrap_short_answer(report: ProviderReport, query: str) -> tuple[ReportStatement, ...]:
    """An answer too short to be a sentence, such as a name, as a statement with its question."""
    words = " ".join(report.text.split())
    if not words:
        return ()
    urls = tuple(citation.url for citation in report.citations if citation.start is not None)
    end = len(report.text.rstrip())
    return (ReportStatement(text=f"{query} {words}", start=0, end=end, urls=urls),)


def _tidy_marks(text: str) -> str:
    numbered = REF_MARK_PATTERN.sub(lambda mark: f"[{mark[1].removeprefix('src_')}]", text)
    once = _REPEATED_MARK_PATTERN.sub(r"\1\2", numbered)
    lines = _SPACE_BEFORE_STOP_PATTERN.sub("", once).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


# Answers from our own search: quotations of the pages found, or a model that writes from them.


ANSWER_TIER = RESEARCH_TIERS["XXS"]  # how much is searched and read for one answer
_ANSWER_WORDS = 120  # of quotations; the window that passes this number is the last
_LEAST_ANSWER_COVERAGE = 0.45  # of a part of the question, in the best passage for it
_LEAST_SCORE_SHARE = 0.75  # of the best passage's score, for the passages after it
_MAX_WRITTEN_TOKENS = 1200
NO_MODEL_NOTE = (
    "No model wrote this answer: it consists of passages quoted word for word from the pages cited."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatheredPages:
    """The plan for a question, and the pages that were found and read for it."""

    plan: ResearchPlan
    leads: tuple[PageLead, ...] = ()
    pages: tuple[PageReading, ...] = ()


def quote_answer(gathered: GatheredPages) -> CheckedAnswer:
    """The passages that answer the question, each with its citation; without any, why not."""
    found = analyse_pages(gathered.plan, PageReadings(pages=gathered.pages))
    coverage = judge_coverage(found)
    chosen = choose_answer(found)
    notes = _describe_unread(gathered.pages)
    windows = _take_words(found, _keep_answering(found, chosen.answer))
    if coverage.state is not AnswerState.ANSWERED or not windows:
        near = (
            AnswerState.NOTHING_FOUND if coverage.state is AnswerState.ANSWERED else coverage.state
        )
        refusal = describe_refusal(replace(coverage, state=near), pages=len(found.pages))
        return CheckedAnswer(text=refusal, citations=(), notes=notes)
    order = list(dict.fromkeys(window.window.page for window in windows))
    lines = [
        render_window_lines(
            complete_window(found, window.window),
            mark=f"[{order.index(window.window.page) + 1}]",
            remark="",
        )
        for window in windows
    ]
    citations = tuple(_cite_quoted_page(found, page, windows) for page in order)
    return CheckedAnswer(
        text="\n".join(lines).strip(), citations=citations, notes=(NO_MODEL_NOTE, *notes)
    )


def _keep_answering(found: PageAnalysis, windows: Sequence[ChosenWindow]) -> list[ChosenWindow]:
    """The windows that answer a part of the question about as well as the best one, if that does.

    A report may show what is only near; an answer that somebody takes at its word may not.
    """
    kept = []
    for window in windows:
        best = [found.windows[part][0] for part in window.parts if found.windows[part]]
        if any(
            window.window.score >= _LEAST_SCORE_SHARE * first.score
            and first.coverage >= _LEAST_ANSWER_COVERAGE
            for first in best
        ):
            kept.append(window)
    return kept


def _take_words(found: PageAnalysis, windows: Sequence[ChosenWindow]) -> list[ChosenWindow]:
    taken: list[ChosenWindow] = []
    words = 0
    for window in windows:
        if words >= _ANSWER_WORDS:
            break
        taken.append(window)
        words += sum(unit.words for unit in found.list_window_units(window.window))
    return taken


def _cite_quoted_page(
    found: PageAnalysis, page: int, windows: Sequence[ChosenWindow]
) -> AnswerCitation:
    reading = found.pages[page]
    quoted = [
        join_unit_texts(found.list_window_units(window.window))
        for window in windows
        if window.window.page == page
    ]
    return AnswerCitation(
        url=reading.url,
        title=reading.title or None,
        published_date=(reading.published or "")[:10] or None,
        checked=True,
        relation=ClaimRelation.SUPPORTS.value,
        snippet=quoted[0],
        score=1.0,
    )


def _describe_unread(pages: Sequence[PageReading]) -> tuple[str, ...]:
    lost = sum(1 for page in pages if not page.is_read)
    return (
        (f"{lost} of {len(pages)} {pluralize(len(pages), 'page')} could not be read.",)
        if lost
        else ()
    )


def build_writing_request(
    query: str, passages: tuple[GroundingPassage, ...], *, tag: str
) -> WritingRequest:
    request = ResearchRequest(query=query, tier=ANSWER_TIER, tag=tag, passages=passages)
    return WritingRequest(
        instructions=f"{research_prompts.PASSAGE_INSTRUCTIONS} Answer in a few sentences.",
        material=research_prompts.build_passages_prompt(request),
        tag=tag,
        max_tokens=_MAX_WRITTEN_TOKENS,
    )


def find_readings(
    leads: Sequence[PageLead], pages: Sequence[PageReading]
) -> tuple[PageReading, ...]:
    """For each lead the reading with its address; one without text if there is none."""
    known = {addresses.build_page_key(page.url): page for page in pages}
    return tuple(
        known.get(addresses.build_page_key(lead.url))
        or PageReading(url=lead.url, title=lead.title, state="unchecked", reason="It was not read.")
        for lead in leads
    )
