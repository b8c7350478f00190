"""A source as it was read, what it was found to say about a statement, and what that was decided from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from citewell.core.values.research import ClaimRelation
from citewell.core.values.wire_values import LongText, WireValue
from citewell.evidence.comparison.changed_number import ChangedNumber, find_likely_change
from citewell.evidence.comparison.quoted_words import QuotationMatch
from citewell.evidence.comparison.statement_names import NameConflict
from citewell.evidence.comparison.statement_twins import StatementTwin, TwinOpposition
from citewell.evidence.comparison.value_comparison import ValueComparison
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, Judgement
from citewell.evidence.signs.claim_support import SourceText, remove_citation_marks
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features


class FindingEvidence(WireValue):
    """A passage of a source, with its address and the place in its text."""

    passage: LongText
    url: str | None = None
    title: str | None = None
    start: int | None = None  # offset in the text that was read
    end: int | None = None
    relation: str | None = None  # supports, contradicts, qualifies or mentions
    judge: str | None = None  # lexical, nli or model:<provider>


class ValueDifference(WireValue):
    """A number, date, name or quotation that the draft and its source give differently."""

    kind: str  # number, unit, date, quotation, name
    draft: str
    source: str | None = None  # absent if the source gives none


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """The text of a source, or why there is none."""

    text: str = ""
    language: str | None = None
    url: str = ""
    asked_url: str = ""  # before redirects
    title: str = ""
    is_whole: bool = False  # what is not in the text is not in the source
    note: str = ""  # what of it was read, if not all
    complaint: str = ""  # why nothing could be read
    years: frozenset[int] = frozenset()  # of the record and the page
    authors: str = ""  # their names and the site's, which a draft gives and the text need not
    was_read: bool = False  # also if the text is no longer kept
    is_unanswered: bool = False  # nothing was read because of a failure that may pass

    @property
    def is_read(self) -> bool:
        return bool(self.text)

    @property
    def known_names(self) -> str:
        """Names that belong to the source, whether its text has them or not."""
        return f"{self.title} {self.authors} {self.url} {self.asked_url}"


MAX_PASSAGE_CHARS = 900


class SourceStance(IntEnum):
    """How a source stands to a statement."""

    UNREAD = 0
    UNCOMPARED = 1  # it was read, and is in another language or has nothing near the statement
    RELATED = 2  # it uses words of the statement; whether it says the same was not confirmed
    ABSENT = 3
    PARTLY = 4
    CONTRADICTS = 5
    SUPPORTS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOpinion:
    """What was found in one source for one statement; plain data, without the source's text."""

    stance: SourceStance
    reason: str
    evidence: tuple[FindingEvidence, ...] = ()
    differences: tuple[ValueDifference, ...] = ()
    stated_values: frozenset[str] = frozenset()
    differing_values: frozenset[str] = frozenset()
    is_whole: bool = False
    score: float = 0.0
    judge: str = LEXICAL_NAME
    said_instead: FindingEvidence | None = None  # the sentence that says what is really said
    is_by_absence: bool = False  # only what the source lacks at its place speaks against it
    is_unanswered: bool = False  # it was not read because of a failure that may pass


@dataclass(frozen=True, kw_only=True)
class StatementComparison:
    """A statement and a source, with what comparing them told."""

    statement: str
    source: SourceText
    read: ReadSource
    judgement: Judgement
    values: ValueComparison
    quotations: tuple[QuotationMatch, ...]
    name: NameConflict | None
    asked: SentenceFeatures
    twins: tuple[StatementTwin, ...]
    contrary: TwinOpposition | None

    @property
    def is_agreed_by_model(self) -> bool:
        """Whether a model, and not words alone, finds that the source says so."""
        judgement = self.judgement
        return judgement.judge != LEXICAL_NAME and judgement.relation is ClaimRelation.SUPPORTS

    @cached_property
    def likely_change(self) -> ChangedNumber | None:
        """The number that was changed most likely, by the places of numbers in the source."""
        asked = build_sentence_features(
            remove_citation_marks(self.statement), language=self.source.language
        )
        return find_likely_change(asked, self.source, known_years=self.read.years)

    def is_hardly_changed(self, least: float) -> bool:
        """Whether the places of numbers speak against a change; those of an abstract say nothing."""
        change = self.likely_change if self.read.is_whole else None
        return change is not None and change.chance < least

    def show_place(
        self, start: int, end: int, relation: ClaimRelation, judge: str = LEXICAL_NAME
    ) -> FindingEvidence:
        return build_evidence(self.source, self.read, (start, end), relation, judge)

    def show_sentences(self, start: int, end: int, relation: ClaimRelation) -> FindingEvidence:
        """The whole sentences around a few words."""
        near = [each for each in self.source.sentence_spans if each[0] < end and start < each[1]]
        places = [(start, end), *near]
        return self.show_place(min(places)[0], max(place[1] for place in places), relation)

    def show_judged_place(self) -> tuple[FindingEvidence, ...]:
        judgement = self.judgement
        if not judgement.quote:
            return ()
        return (
            self.show_place(judgement.start, judgement.end, judgement.relation, judgement.judge),
        )


def build_evidence(
    source: SourceText,
    read: ReadSource,
    place: tuple[int, int],
    relation: ClaimRelation,
    judge: str = LEXICAL_NAME,
) -> FindingEvidence:
    """The passage at a place of a source, cut to a readable length."""
    start, end = place[0], min(place[1], place[0] + MAX_PASSAGE_CHARS)
    return FindingEvidence(
        passage=" ".join(source.text[start:end].split()),
        url=read.url or None,
        title=read.title or None,
        start=start,
        end=end,
        relation=relation.value,
        judge=judge,
    )


def build_opinion(
    compared: StatementComparison,
    stance: SourceStance,
    reason: str,
    *,
    evidence: tuple[FindingEvidence, ...] = (),
    differences: Sequence[ValueDifference] = (),
    differing: frozenset[str] = frozenset(),
    said_instead: FindingEvidence | None = None,
    is_by_absence: bool = False,
) -> SourceOpinion:
    return SourceOpinion(
        stance=stance,
        reason=reason,
        evidence=evidence,
        differences=tuple(differences),
        stated_values=compared.values.stated,
        differing_values=differing,
        is_whole=compared.read.is_whole,
        score=compared.judgement.score,
        judge=compared.judgement.judge,
        said_instead=said_instead,
        is_by_absence=is_by_absence,
    )


def build_unread_opinion(read: ReadSource) -> SourceOpinion:
    return SourceOpinion(
        stance=SourceStance.UNREAD, reason=read.complaint, is_unanswered=read.is_unanswered
    )
