"""What one source says about one statement: the judge's opinion, and its values and words compared."""

from __future__ import annotations

from citewell.core.values.research import ClaimRelation
from citewell.evidence.comparison import quoted_words
from citewell.evidence.comparison.absent_terms import describe_absence, list_absent_parts
from citewell.evidence.comparison.quoted_words import QuotationState
from citewell.evidence.comparison.statement_names import find_name_conflict
from citewell.evidence.comparison.statement_twins import find_statement_twins, find_twin_opposition
from citewell.evidence.comparison.value_comparison import compare_values
from citewell.evidence.judging import number_stances
from citewell.evidence.judging.claim_judge import LEXICAL_NAME, NLI_NAME, Judgement, Opinion
from citewell.evidence.judging.source_opinions import (
    MAX_PASSAGE_CHARS,
    ReadSource,
    SourceOpinion,
    SourceStance,
    StatementComparison,
    ValueDifference,
    build_opinion,
)
from citewell.evidence.signs.claim_support import (
    UNSUPPORTED_BELOW_SCORE,
    SourceText,
    can_share_language,
    share_language,
)
from citewell.evidence.signs.grounding_signs import GroundingDoubt
from citewell.evidence.signs.oppositions.compared_sentence import Certainty
from citewell.evidence.signs.oppositions.opposition import Opposition, find_overstatement
from citewell.evidence.signs.sentence_features import build_sentence_features, measure_stem_coverage
from citewell.evidence.statement_kinds import speaks_of_document

_MAX_ABSENT_SCORE = 0.4  # of a source that lacks nearly all words of the statement
# By words alone that is wrong in more than one of two cases: too often for "contradicted".
POSSIBLE_OPPOSITE_NOTE = "A passage of the source may say the opposite; read it."
UNSETTLED_NOTE = "The source uses similar words; whether it says this was not confirmed."

# Half of the false statements that others wrote about pages matched a passage in their words.
_MATCHED_WORDS = "A passage of the source matches the statement in its words; only words were compared, so read it."
_JUDGED_SUPPORT = "A passage of the source supports the statement."
# What the words that the passage lacks do not show; a name or a rare word is among those.
_DOUBTS = {
    GroundingDoubt.CONTRARY: "The nearest passage uses an opposite word.",
    GroundingDoubt.ABSOLUTE: "The statement is more absolute than the nearest passage.",
    GroundingDoubt.HEDGE: "The nearest passage is more cautious than the statement.",
    GroundingDoubt.ORDER: "The nearest passage has the names of the statement in another order.",
    GroundingDoubt.DISPUTED: "The nearest passage mentions this as a mistaken belief or misconception.",
    GroundingDoubt.SET_APART: "The nearest passage denies a part of this.",
    GroundingDoubt.SUBJECT: "The nearest passage says this of something else.",
}
_NOTHING_NEAR = "No passage of the source is near the statement, which may be in other words there."
_MAX_NAMED_WORDS = 4
_MIN_DENIED_SHARE = 0.5  # of its words in the sentence that may deny it
_MIN_JUDGED_SHARE = 0.3  # of its words in the passage by which an entailment model contradicts


def judge_statement(
    statement: str, source: SourceText, read: ReadSource, opinion: Opinion
) -> SourceOpinion:
    """The stance of a source that was read; `source` is its text, prepared for many statements."""
    if not isinstance(opinion, Judgement):
        if not can_share_language(statement, source):
            return number_stances.build_foreign_opinion(statement, source, read)
        return SourceOpinion(stance=SourceStance.UNREAD, reason=opinion.reason)
    asked = build_sentence_features(statement, language=source.language)
    twins = find_statement_twins(asked, source)
    compared = StatementComparison(
        statement=statement,
        source=source,
        read=read,
        judgement=opinion,
        values=compare_values(statement, source, known_years=read.years),
        quotations=quoted_words.match_quotations(statement, source),
        name=find_name_conflict(statement, source, title=read.known_names),
        asked=asked,
        twins=twins,
        contrary=find_twin_opposition(asked, twins, source),
    )
    return _decide_stance(compared)


def _decide_stance(compared: StatementComparison) -> SourceOpinion:
    for decide in (
        number_stances.decide_by_values,
        decide_by_quotations,
        decide_by_contraries,
        _decide_by_judge,
        decide_by_names,
        decide_by_overstatement,
        number_stances.decide_by_unstated_values,
        number_stances.decide_by_changed_number,
        decide_by_absence,
        number_stances.note_unstated_value,
        number_stances.doubt_number,
        _decide_by_support,
    ):
        if (found := decide(compared)) is not None:
            return found
    is_near = bool(compared.judgement.quote) and (
        compared.judgement.score >= UNSUPPORTED_BELOW_SCORE
        or compared.judgement.relation is ClaimRelation.CONTRADICTS
    )
    return build_opinion(
        compared,
        SourceStance.RELATED if is_near else SourceStance.UNCOMPARED,
        compared.read.note or (_describe_relation(compared) if is_near else _NOTHING_NEAR),
        evidence=compared.show_judged_place(),
    )


def _describe_relation(compared: StatementComparison) -> str:
    """What the source and the statement share, and what forbids to call it supported."""
    if compared.judgement.relation is ClaimRelation.CONTRADICTS or _differs_by_denial(compared):
        return POSSIBLE_OPPOSITE_NOTE
    lost = compared.judgement.ungrounded_words[:_MAX_NAMED_WORDS]
    doubts = [_DOUBTS[each] for each in compared.judgement.doubts if each in _DOUBTS]
    if doubts:
        return f"{doubts[0]} Whether the source says this was not confirmed."
    if not lost:
        return UNSETTLED_NOTE
    listed = " or ".join(f"“{word}”" for word in lost)
    return f"The nearest passage of the source does not say {listed}; whether the source says this was not confirmed."


def _differs_by_denial(compared: StatementComparison) -> bool:
    """Whether either the statement or the sentence nearest to it in the shown passage is negated."""
    place = (compared.judgement.start, compared.judgement.end)
    shown = [
        sentence
        for (start, end), sentence in zip(
            compared.source.sentence_spans, compared.source.sentence_features, strict=True
        )
        if start < place[1] and place[0] < end
    ]
    nearest = max(shown, key=lambda each: len(each.terms & compared.asked.terms), default=None)
    if nearest is None or nearest.is_negated == compared.asked.is_negated:
        return False
    return measure_stem_coverage(compared.asked, nearest.terms) >= _MIN_DENIED_SHARE


def _decide_by_judge(compared: StatementComparison) -> SourceOpinion | None:
    """An explicit contradiction, or a judge that finds a part of the statement."""
    judgement = compared.judgement
    if judgement.relation is ClaimRelation.CONTRADICTS and _is_sure_contradiction(compared):
        shown = compared.show_judged_place()
        return build_opinion(
            compared,
            SourceStance.CONTRADICTS,
            "A passage of the source says the opposite.",
            evidence=shown,
            said_instead=shown[0] if shown else None,
        )
    if judgement.relation is ClaimRelation.QUALIFIES and judgement.judge != LEXICAL_NAME:
        shown = compared.show_judged_place()
        if not shown or compared.values.unstated or judgement.missing_numbers:
            return None
        return build_opinion(
            compared,
            SourceStance.PARTLY,
            "The source says a part of it, or says it with a reservation.",
            evidence=shown,
            said_instead=shown[0],
        )
    return None


def _is_sure_contradiction(compared: StatementComparison) -> bool:
    """A model must quote a passage on the same subject; what words deny `contrary` tells alone."""
    judgement = compared.judgement
    if not judgement.quote or judgement.judge == LEXICAL_NAME:
        return False
    quoted = build_sentence_features(judgement.quote, language=compared.source.language)
    share = measure_stem_coverage(compared.asked, quoted.terms)
    return share >= _MIN_JUDGED_SHARE or judgement.judge != NLI_NAME


def _decide_by_support(compared: StatementComparison) -> SourceOpinion | None:
    judgement = compared.judgement
    lost = [each for each in compared.quotations if each.state is QuotationState.ABSENT]
    if judgement.judge == LEXICAL_NAME and compared.values.apart:
        return None  # the words are there, and the number, but not together
    if judgement.relation is ClaimRelation.SUPPORTS and not compared.values.unstated and not lost:
        reason = _MATCHED_WORDS if judgement.judge == LEXICAL_NAME else _JUDGED_SUPPORT
        if compared.read.note:
            reason = f"{reason} {compared.read.note}"
        return build_opinion(
            compared, SourceStance.SUPPORTS, reason, evidence=compared.show_judged_place()
        )
    return None


# What the words of a statement tell of how a source stands to it: quotations, contraries, names, absence.


def decide_by_quotations(compared: StatementComparison) -> SourceOpinion | None:
    """Words in quotation marks that the source does not have, or has otherwise."""
    altered = [each for each in compared.quotations if each.state is QuotationState.ALTERED]
    if altered:
        first = altered[0]
        shown = compared.show_sentences(first.start, first.end, ClaimRelation.QUALIFIES)
        return build_opinion(
            compared,
            SourceStance.PARTLY,
            quoted_words.describe_alteration(first),
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
    return _decide_by_lost_quotation(compared) or _decide_by_verbatim(compared)


def _decide_by_lost_quotation(compared: StatementComparison) -> SourceOpinion | None:
    """A quotation that is nowhere in a source that was read as a whole, and in its language."""
    if not compared.read.is_whole or not share_language(compared.statement, compared.source):
        return None
    known = compared.read.known_names
    for each in compared.quotations:
        if quoted_words.is_quotation_missing(each, compared.source, known=known):
            reason = f"The quotation “{each.quotation}” is not in the source."
            return build_opinion(compared, SourceStance.ABSENT, reason, is_by_absence=True)
    return None


def _decide_by_verbatim(compared: StatementComparison) -> SourceOpinion | None:
    """A statement that is mainly a quotation is supported by the words themselves."""
    found = [each for each in compared.quotations if each.state is QuotationState.VERBATIM]
    if not found or len(found) < len(compared.quotations) or compared.values.unstated:
        return None
    quoted = build_sentence_features(
        " ".join(each.quotation for each in found), language=compared.source.language
    )
    if measure_stem_coverage(compared.asked, quoted.terms) < 0.5:
        return None
    places = tuple(
        compared.show_place(each.start, each.end, ClaimRelation.SUPPORTS) for each in found
    )
    return build_opinion(
        compared, SourceStance.SUPPORTS, "The quotation appears in the source.", evidence=places
    )


def decide_by_contraries(compared: StatementComparison) -> SourceOpinion | None:
    """The contrary in an otherwise equal sentence; in a less equal one nothing is settled."""
    if compared.contrary is None or compared.is_agreed_by_model:
        return None
    found, twin = compared.contrary.opposition, compared.contrary.twin
    shown = compared.show_place(twin.start, twin.end, ClaimRelation.CONTRADICTS)
    if found.certainty is not Certainty.SURE:
        has_words = bool(found.stated or found.given)
        if compared.judgement.relation is not ClaimRelation.SUPPORTS or not has_words:
            return None
        return build_opinion(
            compared, SourceStance.RELATED, POSSIBLE_OPPOSITE_NOTE, evidence=(shown,)
        )
    return build_opinion(
        compared,
        SourceStance.CONTRADICTS,
        _describe_contrary(found),
        evidence=(shown,),
        said_instead=shown,
    )


def _describe_contrary(found: Opposition) -> str:
    if found.stated and found.given:
        return f"The source says “{found.given}” where the statement says “{found.stated}”."
    if found.stated:
        return f"The statement denies (“{found.stated}”) what the source says."
    return f"The source denies (“{found.given}”) what the statement says."


def decide_by_overstatement(compared: StatementComparison) -> SourceOpinion | None:
    """What the source says of most, or with caution, and the statement of all, or as proved."""
    if compared.is_agreed_by_model:
        return None
    near = [twin.features.compared for twin in compared.twins]
    found = find_overstatement(compared.asked.compared, near)
    if found is None:
        return None
    twin = compared.twins[found.place]
    shown = compared.show_place(twin.start, twin.end, ClaimRelation.QUALIFIES)
    return build_opinion(
        compared,
        SourceStance.PARTLY,
        f"The source says “{found.given}” where the statement says “{found.stated}”.",
        evidence=(shown,),
        said_instead=shown,
    )


def decide_by_names(compared: StatementComparison) -> SourceOpinion | None:
    if compared.name is None:
        return None
    shown = compared.show_place(compared.name.start, compared.name.end, ClaimRelation.QUALIFIES)
    return build_opinion(
        compared,
        SourceStance.PARTLY,
        f"The source names {compared.name.source}, not {compared.name.draft}.",
        evidence=(shown,),
        differences=[
            ValueDifference(kind="name", draft=compared.name.draft, source=compared.name.source)
        ],
        said_instead=shown,
    )


def decide_by_absence(compared: StatementComparison) -> SourceOpinion | None:
    """What the statement speaks of does not occur in a source that was read as a whole."""
    if not compared.read.is_whole or not share_language(compared.statement, compared.source):
        return None
    if (
        compared.judgement.judge != LEXICAL_NAME
        and compared.judgement.relation is not ClaimRelation.MENTIONS
    ):
        return None
    # Missing words, and not only missing names, may show that the source does not say it.
    are_words_telling = (
        not compared.values.has_stated_number
        and compared.judgement.score <= _MAX_ABSENT_SCORE
        and (bool(compared.values.unstated) or not speaks_of_document(compared.statement))
    )
    parts = list_absent_parts(
        compared.statement,
        compared.source,
        known=compared.read.known_names,
        are_words_telling=are_words_telling,
    )
    if not parts:
        return None
    return build_opinion(
        compared,
        SourceStance.ABSENT,
        describe_absence(parts),
        evidence=compared.show_judged_place(),
        is_by_absence=True,
    )
