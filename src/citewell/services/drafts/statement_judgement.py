"""What one source says to one statement: the judge's opinion, and the values compared as such."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from citewell.model.draft_findings import FindingEvidence, ValueDifference
from citewell.model.research import ClaimRelation
from citewell.services.drafts.source_reading import ReadSource
from citewell.services.judging.claim_judge import LEXICAL_NAME, NLI_NAME, Judgement, Opinion
from citewell.text.comparison.absent_terms import find_absent_terms
from citewell.text.comparison.name_comparison import (
    NameConflict,
    find_name_conflict,
)
from citewell.text.comparison.quoted_words import (
    QuotationMatch,
    QuotationState,
    match_quotations,
)
from citewell.text.comparison.statement_twins import (
    StatementTwin,
    find_statement_twins,
    find_twin_opposition,
    list_word_terms,
)
from citewell.text.comparison.unstated_values import UnstatedValue
from citewell.text.comparison.value_comparison import (
    ValueComparison,
    compare_foreign_values,
    compare_values,
)
from citewell.text.comparison.value_conflicts import ValueConflict
from citewell.text.drafts.statements.own_statements import speaks_of_document
from citewell.text.evidence.claim_support import (
    SourceText,
    can_share_language,
    share_language,
)
from citewell.text.evidence.oppositions.opposition import Opposition
from citewell.text.evidence.oppositions.sentence_contrast import Certainty
from citewell.text.evidence.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.evidence.similarity import measure_stem_coverage

MAX_PASSAGE_CHARS = 900
_MIN_TELLING_SHARE = 0.6  # of the statement's words in the sentence with another value
_MIN_ABSENT_TERMS = 4  # content words that a statement needs to be called absent
_MAX_ABSENT_SCORE = 0.4
# At most this share of its words in any three sentences, at least this share by weight and this
# many of them nowhere in the source. A paraphrase has few words of its source, but some.
_MAX_WINDOW_SHARE, _MIN_ABSENT_SHARE, _MIN_ABSENT_WORDS = 0.15, 0.75, 3
_MIN_REST_SHARE = 0.4  # of its words in the sentence that says the rest of it
_MIN_LIKE_SHARE = 0.3  # the same, in an abstract that has a number of like digits
_MIN_JUDGED_SHARE = 0.3  # of its words in the passage by which an entailment model contradicts
_WINDOW_SENTENCES = 3
_UNSETTLED_NOTE = "The words of the source are near, but do not settle whether it says so."


class SourceStance(IntEnum):
    """How a source stands to a statement."""

    UNREAD = 0
    UNCLEAR = 1
    ABSENT = 2
    PARTLY = 3
    CONTRADICTS = 4
    SUPPORTS = 5


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
    is_by_absence: bool = False  # only what the source lacks speaks against the statement


@dataclass(frozen=True, slots=True, kw_only=True)
class _Comparison:
    statement: str
    source: SourceText
    read: ReadSource
    judgement: Judgement
    values: ValueComparison
    quotations: tuple[QuotationMatch, ...]
    name: NameConflict | None
    asked: SentenceFeatures
    twins: tuple[StatementTwin, ...]
    contrary: Opposition | None

    @property
    def is_agreed_by_model(self) -> bool:
        """Whether a model, and not words alone, finds that the source says so."""
        said = self.judgement
        return said.judge != LEXICAL_NAME and said.relation is ClaimRelation.SUPPORTS

    def show_place(
        self, start: int, end: int, relation: ClaimRelation, judge: str = LEXICAL_NAME
    ) -> FindingEvidence:
        return build_evidence(self.source, self.read, (start, end), relation, judge)

    def show_judged_place(self) -> tuple[FindingEvidence, ...]:
        one = self.judgement
        if not one.quote:
            return ()
        return (self.show_place(one.start, one.end, one.relation, one.judge),)


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


def build_unread_opinion(read: ReadSource) -> SourceOpinion:
    return SourceOpinion(stance=SourceStance.UNREAD, reason=read.complaint)


def judge_statement(
    statement: str, source: SourceText, read: ReadSource, opinion: Opinion
) -> SourceOpinion:
    """The stance of a source that was read; `source` is its text, prepared for many statements."""
    if not isinstance(opinion, Judgement):
        if not can_share_language(statement, source):
            return _build_foreign_opinion(statement, source, read)
        return SourceOpinion(stance=SourceStance.UNREAD, reason=opinion.reason)
    asked = build_sentence_features(statement, language=source.language)
    twins = find_statement_twins(asked, source)
    compared = _Comparison(
        statement=statement,
        source=source,
        read=read,
        judgement=opinion,
        values=compare_values(statement, source, known_years=read.years),
        quotations=match_quotations(statement, source),
        name=find_name_conflict(statement, source, title=read.known_names),
        asked=asked,
        twins=twins,
        contrary=find_twin_opposition(asked, twins, source),
    )
    return _decide_stance(compared)


def _decide_stance(one: _Comparison) -> SourceOpinion:
    for decide in (
        _decide_by_values,
        _decide_by_quotations,
        _decide_by_contraries,
        _decide_by_judge,
        _decide_by_names,
        _decide_by_unstated_values,
        _decide_by_support,
        _decide_by_absence,
    ):
        if (found := decide(one)) is not None:
            return found
    note = one.read.note or _UNSETTLED_NOTE
    return _build_opinion(one, SourceStance.UNCLEAR, note, evidence=one.show_judged_place())


def _build_opinion(
    one: _Comparison,
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
        stated_values=one.values.stated,
        differing_values=differing,
        is_whole=one.read.is_whole,
        score=one.judgement.score,
        judge=one.judgement.judge,
        said_instead=said_instead,
        is_by_absence=is_by_absence,
    )


def _decide_by_values(one: _Comparison) -> SourceOpinion | None:
    """Another number where the source otherwise says the same."""
    conflicts = [each for each in one.values.conflicts if _is_telling(each, one)]
    if not conflicts:
        return None
    first = conflicts[0]
    strong = any(each.is_strong for each in conflicts) and not one.values.unstated
    relation = ClaimRelation.CONTRADICTS if strong else ClaimRelation.QUALIFIES
    shown = one.show_place(first.start, first.end, relation)
    kinds = "date" if first.kind == "date" else "number"
    return _build_opinion(
        one,
        SourceStance.CONTRADICTS if strong else SourceStance.PARTLY,
        f"The source gives another {kinds}: {first.source.text.strip()}, not"
        f" {first.draft.text.strip()}.",
        evidence=(shown,),
        differences=[
            ValueDifference(
                kind=each.kind, draft=each.draft.text.strip(), source=each.source.text.strip()
            )
            for each in conflicts
        ],
        differing=frozenset(each.draft.text for each in conflicts),
        said_instead=shown,
    )


def _is_telling(conflict: ValueConflict, one: _Comparison) -> bool:
    """Whether the sentence with the other value is near enough to be about the same thing."""
    is_same_place = one.read.is_whole or conflict.has_company
    if conflict.is_strong or (conflict.is_in_place and is_same_place):
        return True
    twin = next((each for each in one.twins if each.start == conflict.start), None)
    return twin is not None and twin.share >= _MIN_TELLING_SHARE


def _decide_by_quotations(one: _Comparison) -> SourceOpinion | None:
    """Words in quotation marks that the source does not have, or has otherwise."""
    altered = [each for each in one.quotations if each.state is QuotationState.ALTERED]
    if altered:
        first = altered[0]
        shown = one.show_place(first.start, first.end, ClaimRelation.QUALIFIES)
        return _build_opinion(
            one,
            SourceStance.PARTLY,
            "The quotation differs from the words of the source.",
            evidence=(shown,),
            differences=[
                ValueDifference(
                    kind="quotation",
                    draft=each.quotation,
                    source=" ".join(each.source.split())[:MAX_PASSAGE_CHARS],
                )
                for each in altered
            ],
            said_instead=shown,
        )
    return _decide_by_verbatim(one)


def _decide_by_verbatim(one: _Comparison) -> SourceOpinion | None:
    """A statement that is mainly a quotation is supported by the words themselves."""
    found = [each for each in one.quotations if each.state is QuotationState.VERBATIM]
    if not found or len(found) < len(one.quotations) or one.values.unstated:
        return None
    quoted = build_sentence_features(
        " ".join(each.quotation for each in found), language=one.source.language
    )
    if measure_stem_coverage(one.asked, quoted.terms) < 0.5:
        return None
    places = tuple(one.show_place(each.start, each.end, ClaimRelation.SUPPORTS) for each in found)
    return _build_opinion(
        one, SourceStance.SUPPORTS, "The quotation stands in the source.", evidence=places
    )


def _decide_by_contraries(one: _Comparison) -> SourceOpinion | None:
    """The contrary in an otherwise equal sentence; in a less equal one nothing is settled."""
    found = one.contrary
    if found is None or one.is_agreed_by_model:
        return None
    twin = one.twins[found.place]
    shown = one.show_place(twin.start, twin.end, ClaimRelation.CONTRADICTS)
    if found.certainty is not Certainty.SURE:
        has_words = bool(found.stated or found.said)
        if one.judgement.relation is not ClaimRelation.SUPPORTS or not has_words:
            return None
        return _build_opinion(one, SourceStance.UNCLEAR, _UNSETTLED_NOTE, evidence=(shown,))
    return _build_opinion(
        one,
        SourceStance.CONTRADICTS,
        _describe_contrary(found),
        evidence=(shown,),
        said_instead=shown,
    )


def _describe_contrary(found: Opposition) -> str:
    if found.stated and found.said:
        return f"The source says “{found.said}” where the statement says “{found.stated}”."
    if found.stated:
        return f"The statement denies (“{found.stated}”) what the source says."
    return f"The source denies (“{found.said}”) what the statement says."


def _decide_by_judge(one: _Comparison) -> SourceOpinion | None:
    """An explicit contradiction, or a judge that finds a part of the statement."""
    said = one.judgement
    if said.relation is ClaimRelation.CONTRADICTS and _is_sure_contradiction(one):
        shown = one.show_judged_place()
        return _build_opinion(
            one,
            SourceStance.CONTRADICTS,
            "A passage of the source says the opposite.",
            evidence=shown,
            said_instead=shown[0] if shown else None,
        )
    if said.relation is ClaimRelation.QUALIFIES and said.judge != LEXICAL_NAME:
        shown = one.show_judged_place()
        if not shown or one.values.unstated or said.missing_numbers:
            return None
        return _build_opinion(
            one,
            SourceStance.PARTLY,
            "The source says a part of it, or says it with a reservation.",
            evidence=shown,
            said_instead=shown[0],
        )
    return None


def _is_sure_contradiction(one: _Comparison) -> bool:
    """A model must quote a passage on the same subject; what words deny `contrary` tells alone."""
    said = one.judgement
    if not said.quote or said.judge == LEXICAL_NAME:
        return False
    quoted = build_sentence_features(said.quote, language=one.source.language)
    share = measure_stem_coverage(one.asked, quoted.terms)
    return share >= _MIN_JUDGED_SHARE or said.judge != NLI_NAME


def _decide_by_names(one: _Comparison) -> SourceOpinion | None:
    if one.name is None:
        return None
    shown = one.show_place(one.name.start, one.name.end, ClaimRelation.QUALIFIES)
    return _build_opinion(
        one,
        SourceStance.PARTLY,
        f"The source names {one.name.source}, not {one.name.draft}.",
        evidence=(shown,),
        differences=[ValueDifference(kind="name", draft=one.name.draft, source=one.name.source)],
        said_instead=shown,
    )


def _decide_by_support(one: _Comparison) -> SourceOpinion | None:
    said = one.judgement
    lost = [each for each in one.quotations if each.state is QuotationState.ABSENT]
    if said.relation is ClaimRelation.SUPPORTS and not one.values.unstated and not lost:
        reason = "The source says so."
        if one.read.note:
            reason = f"{reason} {one.read.note}"
        return _build_opinion(one, SourceStance.SUPPORTS, reason, evidence=one.show_judged_place())
    return None


def _decide_by_unstated_values(one: _Comparison) -> SourceOpinion | None:
    """A number that the source gives nowhere; in an abstract only if it has one of like digits.

    A model that finds the statement in the source may know how a number was reckoned.
    """
    share = one.twins[0].own_share if one.twins else 0.0
    lost = [
        each
        for each in one.values.unstated
        if one.read.is_whole or each.is_slip or (each.like and share >= _MIN_LIKE_SHARE)
        if each.like or not one.is_agreed_by_model
    ]
    if not lost:
        return None
    first = next((each for each in lost if each.like is not None), lost[0])
    shown = _show_unstated_place(one, first)
    if first.like is None and share < _MIN_REST_SHARE:
        # Where the source hardly says the rest, the author may have reckoned in other terms.
        return _build_opinion(
            one, SourceStance.UNCLEAR, _describe_unstated(first, share), evidence=shown
        )
    return _build_opinion(
        one,
        SourceStance.PARTLY,
        _describe_unstated(first, share),
        evidence=shown,
        differences=_list_differences(lost),
        differing=frozenset(each.draft.text for each in lost),
        said_instead=shown[0] if shown else None,
        is_by_absence=True,
    )


def _list_differences(lost: Sequence[UnstatedValue]) -> tuple[ValueDifference, ...]:
    return tuple(
        ValueDifference(
            kind=each.kind,
            draft=each.draft.text.strip(),
            source=each.like.text.strip() if each.like else None,
        )
        for each in lost
    )


def _show_unstated_place(one: _Comparison, lost: UnstatedValue) -> tuple[FindingEvidence, ...]:
    """The sentence with the number of like digits, or else the one that says most of the statement."""
    if lost.like is not None:
        return (one.show_place(lost.start, lost.end, ClaimRelation.QUALIFIES),)
    if one.twins:
        return (one.show_place(one.twins[0].start, one.twins[0].end, ClaimRelation.QUALIFIES),)
    return one.show_judged_place()


def _describe_unstated(lost: UnstatedValue, share: float) -> str:
    written = lost.draft.text.strip()
    if lost.like is not None:
        return f"The source has {lost.like.text.strip()}, and nowhere {written}."
    if share >= _MIN_REST_SHARE:
        return f"The source says the rest, but {written} stands nowhere in it."
    return f"{written[:1].upper()}{written[1:]} stands nowhere in the source, whose words do not settle the rest."


def _decide_by_absence(one: _Comparison) -> SourceOpinion | None:
    """What the statement speaks of does not occur in a source that was read as a whole."""
    if not one.read.is_whole:
        return None
    if one.judgement.judge != LEXICAL_NAME and one.judgement.relation is not ClaimRelation.MENTIONS:
        return None
    if speaks_of_document(one.statement) and not one.values.unstated:
        return None  # what is said of a text need not be in it
    if not share_language(one.statement, one.source):
        return None
    if one.values.has_stated_number or not _is_largely_absent(one):
        return None
    return _build_opinion(
        one,
        SourceStance.ABSENT,
        "The source was read as a whole, and no passage speaks of it.",
        evidence=one.show_judged_place(),
        is_by_absence=True,
    )


def _is_largely_absent(one: _Comparison) -> bool:
    """Whether the source lacks nearly all that the statement speaks of."""
    if one.judgement.score > _MAX_ABSENT_SCORE:
        return False
    lost = find_absent_terms(one.asked, one.source)
    if lost.count < _MIN_ABSENT_TERMS:
        return False
    together = _measure_best_window(one, list_word_terms(one.asked))
    return (
        together <= _MAX_WINDOW_SHARE
        and lost.share >= _MIN_ABSENT_SHARE
        and len(lost.terms) >= _MIN_ABSENT_WORDS
    )


def _measure_best_window(one: _Comparison, words: frozenset[str]) -> float:
    """The largest share of these words in three consecutive sentences of the source."""
    held = one.source.sentence_features
    return max(
        (
            len(
                words
                & frozenset().union(*(each.terms for each in held[at : at + _WINDOW_SENTENCES]))
            )
            / len(words)
            for at in range(len(held))
            if words
        ),
        default=0.0,
    )


def _build_foreign_opinion(statement: str, source: SourceText, read: ReadSource) -> SourceOpinion:
    """Across languages only figures are compared: they show no support, and only slips of digits."""
    values = compare_values(statement, source, known_years=read.years)
    lost = compare_foreign_values(statement, source, known_years=read.years)
    if not lost or not read.is_whole:
        return SourceOpinion(
            stance=SourceStance.UNCLEAR,
            reason="The source is in another language, so words alone do not settle it.",
            stated_values=values.stated,
            is_whole=read.is_whole,
        )
    shown = build_evidence(source, read, (lost[0].start, lost[0].end), ClaimRelation.QUALIFIES)
    return SourceOpinion(
        stance=SourceStance.PARTLY,
        reason=_describe_unstated(lost[0], share=0.0),
        evidence=(shown,),
        differences=_list_differences(lost),
        stated_values=values.stated,
        differing_values=frozenset(each.draft.text for each in lost),
        is_whole=True,
        said_instead=shown,
        is_by_absence=True,
    )
