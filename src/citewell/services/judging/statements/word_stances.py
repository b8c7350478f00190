"""What the words of a statement tell of how a source stands to it: quotations, contraries, names, absence."""

from __future__ import annotations

from citewell.model.draft_findings import ValueDifference
from citewell.model.research import ClaimRelation
from citewell.services.judging.claim_judge import LEXICAL_NAME
from citewell.services.judging.statements.source_opinions import (
    MAX_PASSAGE_CHARS,
    SourceOpinion,
    SourceStance,
    StatementComparison,
    build_opinion,
)
from citewell.text.comparison.absent_terms import describe_absence, list_absent_parts
from citewell.text.comparison.quoted_words import (
    QuotationState,
    describe_alteration,
    is_quotation_missing,
)
from citewell.text.drafts.statements.own_statements import speaks_of_document
from citewell.text.evidence.claim_support import (
    share_language,
)
from citewell.text.evidence.oppositions.opposition import Opposition
from citewell.text.evidence.oppositions.overstatements import find_overstatement
from citewell.text.evidence.oppositions.sentence_contrast import Certainty
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.evidence.similarity import measure_stem_coverage

_MAX_ABSENT_SCORE = 0.4  # of a source that lacks nearly all words of the statement
# By words alone that is wrong in more than one of two cases: too often for "contradicted".
POSSIBLE_OPPOSITE_NOTE = "A passage of the source may say the opposite; read it."
UNSETTLED_NOTE = "The source uses similar words; whether it says this was not confirmed."


def decide_by_quotations(one: StatementComparison) -> SourceOpinion | None:
    """Words in quotation marks that the source does not have, or has otherwise."""
    altered = [each for each in one.quotations if each.state is QuotationState.ALTERED]
    if altered:
        first = altered[0]
        shown = one.show_sentences(first.start, first.end, ClaimRelation.QUALIFIES)
        return build_opinion(
            one,
            SourceStance.PARTLY,
            describe_alteration(first),
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
    return _decide_by_lost_quotation(one) or _decide_by_verbatim(one)


def _decide_by_lost_quotation(one: StatementComparison) -> SourceOpinion | None:
    """A quotation that is nowhere in a source that was read as a whole, and in its language."""
    if not one.read.is_whole or not share_language(one.statement, one.source):
        return None
    known = one.read.known_names
    for each in one.quotations:
        if is_quotation_missing(each, one.source, known=known):
            reason = f"The quotation “{each.quotation}” is not in the source."
            return build_opinion(one, SourceStance.ABSENT, reason, is_by_absence=True)
    return None


def _decide_by_verbatim(one: StatementComparison) -> SourceOpinion | None:
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
    return build_opinion(
        one, SourceStance.SUPPORTS, "The quotation appears in the source.", evidence=places
    )


def decide_by_contraries(one: StatementComparison) -> SourceOpinion | None:
    """The contrary in an otherwise equal sentence; in a less equal one nothing is settled."""
    if one.contrary is None or one.is_agreed_by_model:
        return None
    found, twin = one.contrary.opposition, one.contrary.twin
    shown = one.show_place(twin.start, twin.end, ClaimRelation.CONTRADICTS)
    if found.certainty is not Certainty.SURE:
        has_words = bool(found.stated or found.said)
        if one.judgement.relation is not ClaimRelation.SUPPORTS or not has_words:
            return None
        return build_opinion(one, SourceStance.RELATED, POSSIBLE_OPPOSITE_NOTE, evidence=(shown,))
    return build_opinion(
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


def decide_by_overstatement(one: StatementComparison) -> SourceOpinion | None:
    """What the source says of most, or with caution, and the statement of all, or as proved."""
    if one.is_agreed_by_model:
        return None
    near = [twin.features.compared for twin in one.twins]
    found = find_overstatement(one.asked.compared, near)
    if found is None:
        return None
    twin = one.twins[found.place]
    shown = one.show_place(twin.start, twin.end, ClaimRelation.QUALIFIES)
    return build_opinion(
        one,
        SourceStance.PARTLY,
        f"The source says “{found.said}” where the statement says “{found.stated}”.",
        evidence=(shown,),
        said_instead=shown,
    )


def decide_by_names(one: StatementComparison) -> SourceOpinion | None:
    if one.name is None:
        return None
    shown = one.show_place(one.name.start, one.name.end, ClaimRelation.QUALIFIES)
    return build_opinion(
        one,
        SourceStance.PARTLY,
        f"The source names {one.name.source}, not {one.name.draft}.",
        evidence=(shown,),
        differences=[ValueDifference(kind="name", draft=one.name.draft, source=one.name.source)],
        said_instead=shown,
    )


def decide_by_absence(one: StatementComparison) -> SourceOpinion | None:
    """What the statement speaks of does not occur in a source that was read as a whole."""
    if not one.read.is_whole or not share_language(one.statement, one.source):
        return None
    if one.judgement.judge != LEXICAL_NAME and one.judgement.relation is not ClaimRelation.MENTIONS:
        return None
    parts = list_absent_parts(
        one.statement,
        one.source,
        known=one.read.known_names,
        are_words_telling=_are_words_telling(one),
    )
    if not parts:
        return None
    return build_opinion(
        one,
        SourceStance.ABSENT,
        describe_absence(parts),
        evidence=one.show_judged_place(),
        is_by_absence=True,
    )


def _are_words_telling(one: StatementComparison) -> bool:
    """Whether missing words, and not only missing names, show that the source does not say it."""
    if one.values.has_stated_number or one.judgement.score > _MAX_ABSENT_SCORE:
        return False
    return bool(one.values.unstated) or not speaks_of_document(one.statement)
