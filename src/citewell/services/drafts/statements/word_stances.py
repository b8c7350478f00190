"""What the words of a statement tell of how a source stands to it: quotations, contraries, names, absence."""

from __future__ import annotations

from citewell.model.draft_findings import ValueDifference
from citewell.model.research import ClaimRelation
from citewell.services.drafts.statements.source_opinions import (
    MAX_PASSAGE_CHARS,
    SourceOpinion,
    SourceStance,
    StatementComparison,
    build_opinion,
)
from citewell.services.judging.claim_judge import LEXICAL_NAME
from citewell.text.comparison.absent_terms import find_absent_terms
from citewell.text.comparison.quoted_words import (
    QuotationState,
)
from citewell.text.comparison.statement_twins import (
    list_word_terms,
)
from citewell.text.drafts.statements.own_statements import speaks_of_document
from citewell.text.evidence.claim_support import (
    share_language,
)
from citewell.text.evidence.oppositions.opposition import Opposition
from citewell.text.evidence.oppositions.sentence_contrast import Certainty
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.evidence.similarity import measure_stem_coverage

_MIN_ABSENT_TERMS = 4  # content words that a statement needs to be called absent
_MAX_ABSENT_SCORE = 0.4
# At most this share of its words in any three sentences, at least this share by weight and this
# many of them nowhere in the source. A paraphrase has few words of its source, but some.
_MAX_WINDOW_SHARE, _MIN_ABSENT_SHARE, _MIN_ABSENT_WORDS = 0.15, 0.75, 3
_WINDOW_SENTENCES = 3
UNSETTLED_NOTE = "The words of the source are near, but do not settle whether it says so."


def decide_by_quotations(one: StatementComparison) -> SourceOpinion | None:
    """Words in quotation marks that the source does not have, or has otherwise."""
    altered = [each for each in one.quotations if each.state is QuotationState.ALTERED]
    if altered:
        first = altered[0]
        shown = one.show_place(first.start, first.end, ClaimRelation.QUALIFIES)
        return build_opinion(
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
        one, SourceStance.SUPPORTS, "The quotation stands in the source.", evidence=places
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
        return build_opinion(one, SourceStance.UNCLEAR, UNSETTLED_NOTE, evidence=(shown,))
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
    return build_opinion(
        one,
        SourceStance.ABSENT,
        "The source was read as a whole, and no passage speaks of it.",
        evidence=one.show_judged_place(),
        is_by_absence=True,
    )


def _is_largely_absent(one: StatementComparison) -> bool:
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


def _measure_best_window(one: StatementComparison, words: frozenset[str]) -> float:
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
