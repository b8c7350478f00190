"""Compares an answer with the pages it cites: what each says to the sentences that cite it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citewell.model.counted_words import pluralize
from citewell.model.domains.grounded_answer import AnswerCitation
from citewell.model.research import ClaimRelation, ProviderReport, ResearchSource
from citewell.services.judging.claim_judge import LEXICAL_NAME, ClaimPair, Judgement, Opinion
from citewell.services.judging.lexical_judge import compare_pair_words
from citewell.services.research.claims.report_statements import (
    ReportStatement,
    extract_statements,
)
from citewell.services.research.reporting.citation_marks import REF_MARK_PATTERN, CitationMarks
from citewell.services.research.reporting.model_synthesis import cite_provider_text
from citewell.services.research.step_values import PageLead, PageReading
from citewell.text.evidence.claim_support import (
    UNSUPPORTED_BELOW_SCORE,
    SourceText,
    can_share_language,
)
from citewell.text.web import addresses

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
        self._is_marked = any(one.urls or one.run_urls for one in self._statements)
        self._texts = [
            SourceText(text=page.text, language=page.language) if page.is_read else None
            for page in pages
        ]
        self._opinions: dict[tuple[int, int], Opinion] = {}
        self._comparable: dict[int, bool] = {}

    def list_judged_pairs(self) -> dict[tuple[int, int], ClaimPair]:
        """A pair for every sentence and page that it cites, by their numbers, for a judge.

        Of an answer that marks no sentence, those that share enough words to be worth asking.
        """
        places = [place for place, text in enumerate(self._texts) if text is not None]
        cited = [(at, place) for place in places for at in self._list_citing(place)]
        if not self._is_marked:
            cited = [pair for pair in cited if self._is_near_statement(*pair)]
        return {pair: self._build_claim_pair(*pair) for pair in cited}

    def add_opinions(self, opinions: Mapping[tuple[int, int], Opinion]) -> None:
        """Take these opinions instead of comparing words; call it before the answer is built."""
        self._opinions |= opinions

    def build_checked_answer(self) -> CheckedAnswer:
        citations = tuple(self._check_page(place) for place in range(len(self._leads)))
        text = self._number_marks() if self._is_marked else self._add_own_marks()
        return CheckedAnswer(text=text, citations=citations, notes=tuple(self._list_notes()))

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
        best = _choose_telling_row(list(rows.values()))
        unsupported = tuple(
            self._statements[at].text
            for at, row in rows.items()
            if row.relation is not ClaimRelation.SUPPORTS and self._cites_itself(at, place)
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
        if (at, place) not in self._opinions:
            if not self._is_comparable(place):
                return None
            self._opinions[at, place] = compare_pair_words(self._build_claim_pair(at, place))
        found = self._opinions[at, place]
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

    def _is_near_statement(self, at: int, place: int) -> bool:
        found = self._find_pair_judgement(at, place)
        return found is not None and found.score >= UNSUPPORTED_BELOW_SCORE

    def _list_citing(self, place: int) -> list[int]:
        """The sentences that cite the page; all, if none does so by a mark."""
        key = self._find_key(place)
        citing = [
            at
            for at, one in enumerate(self._statements)
            if key in map(addresses.build_page_key, (*one.urls, *one.run_urls))
        ]
        return citing or list(range(len(self._statements)))

    def _cites_itself(self, at: int, place: int) -> bool:
        return self._find_key(place) in map(addresses.build_page_key, self._statements[at].urls)

    def _find_key(self, place: int) -> str:
        return addresses.build_page_key(self._leads[place].url)

    def _number_marks(self) -> str:
        """The provider's text with its own marks and links rewritten to [n]."""
        sources = self._list_sources()
        refs = {addresses.build_page_key(source.url): source.ref for source in sources}
        text = CitationMarks(sources).rewrite_marks(cite_provider_text(self._report, refs))
        return _tidy_marks(text)

    def _list_sources(self) -> list[ResearchSource]:
        return [
            ResearchSource(ref=f"src_{place + 1}", url=lead.url, archived_url=page.url)
            for place, (lead, page) in enumerate(zip(self._leads, self._pages, strict=True))
        ]

    def _add_own_marks(self) -> str:
        """The text of a provider that marks no sentence, with marks where a page supports one."""
        text, at = "", 0
        for number, one in enumerate(self._statements):
            bearing = [
                place for place in range(len(self._leads)) if self._is_supported(number, place)
            ]
            text += self._report.text[at : one.end]
            text += "".join(f" [src_{place + 1}]" for place in bearing[:_MAX_OWN_MARKS])
            at = one.end
        # Links and images to pages that are not cited go: a client that shows them would open them.
        marks = CitationMarks(self._list_sources())
        return _tidy_marks(marks.rewrite_marks(text + self._report.text[at:]))

    def _is_supported(self, at: int, place: int) -> bool:
        row = self._opinions.get((at, place))
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
        told = [
            at
            for at, one in enumerate(self._statements)
            if not self._is_marked or one.urls or one.run_urls
        ]
        lost = [at for at in told if not any(self._is_supported(at, place) for place in places)]
        if lost:
            notes.append(
                f"{len(lost)} of {len(told)} {pluralize(len(told), 'sentence')}: no cited page that could be read supports"
                " them."
            )
        bare = len(self._statements) - len(told)
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
    urls = tuple(one.url for one in report.citations if one.start is not None)
    end = len(report.text.rstrip())
    return (ReportStatement(text=f"{query} {words}", start=0, end=end, urls=urls),)


def _choose_telling_row(rows: Sequence[Judgement]) -> Judgement:
    """A contradiction if there is one, else the best support."""
    if not rows:
        return _NOTHING_SAID
    against = [row for row in rows if row.relation is ClaimRelation.CONTRADICTS]
    return max(against or rows, key=lambda row: (row.relation is ClaimRelation.SUPPORTS, row.score))


def _tidy_marks(text: str) -> str:
    numbered = REF_MARK_PATTERN.sub(lambda mark: f"[{mark[1].removeprefix('src_')}]", text)
    once = _REPEATED_MARK_PATTERN.sub(r"\1\2", numbered)
    lines = _SPACE_BEFORE_STOP_PATTERN.sub("", once).splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()
