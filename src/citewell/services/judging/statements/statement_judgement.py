"""What one source says to one statement: the judge's opinion, and the values and words compared as such."""

from __future__ import annotations

from citewell.model.research import ClaimRelation
from citewell.services.judging.claim_judge import LEXICAL_NAME, NLI_NAME, Judgement, Opinion
from citewell.services.judging.statements.number_stances import (
    build_foreign_opinion,
    decide_by_changed_number,
    decide_by_unstated_values,
    decide_by_values,
    doubt_number,
    note_unstated_value,
)
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.judging.statements.source_opinions import (
    SourceOpinion,
    SourceStance,
    StatementComparison,
    build_opinion,
)
from citewell.services.judging.statements.word_stances import (
    POSSIBLE_OPPOSITE_NOTE,
    UNSETTLED_NOTE,
    decide_by_absence,
    decide_by_contraries,
    decide_by_names,
    decide_by_overstatement,
    decide_by_quotations,
)
from citewell.text.comparison.name_comparison import (
    find_name_conflict,
)
from citewell.text.comparison.quoted_words import (
    QuotationState,
    match_quotations,
)
from citewell.text.comparison.statement_twins import (
    find_statement_twins,
    find_twin_opposition,
)
from citewell.text.comparison.value_comparison import (
    compare_values,
)
from citewell.text.evidence.claim_support import (
    UNSUPPORTED_BELOW_SCORE,
    SourceText,
    can_share_language,
)
from citewell.text.evidence.grounding_signs import GroundingDoubt
from citewell.text.evidence.sentence_features import build_sentence_features
from citewell.text.evidence.similarity import measure_stem_coverage

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
            return build_foreign_opinion(statement, source, read)
        return SourceOpinion(stance=SourceStance.UNREAD, reason=opinion.reason)
    asked = build_sentence_features(statement, language=source.language)
    twins = find_statement_twins(asked, source)
    compared = StatementComparison(
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


def _decide_stance(one: StatementComparison) -> SourceOpinion:
    for decide in (
        decide_by_values,
        decide_by_quotations,
        decide_by_contraries,
        _decide_by_judge,
        decide_by_names,
        decide_by_overstatement,
        decide_by_unstated_values,
        decide_by_changed_number,
        decide_by_absence,
        note_unstated_value,
        doubt_number,
        _decide_by_support,
    ):
        if (found := decide(one)) is not None:
            return found
    is_near = bool(one.judgement.quote) and (
        one.judgement.score >= UNSUPPORTED_BELOW_SCORE
        or one.judgement.relation is ClaimRelation.CONTRADICTS
    )
    return build_opinion(
        one,
        SourceStance.RELATED if is_near else SourceStance.UNCOMPARED,
        one.read.note or (_describe_relation(one) if is_near else _NOTHING_NEAR),
        evidence=one.show_judged_place(),
    )


def _describe_relation(one: StatementComparison) -> str:
    """What the source and the statement share, and what forbids to call it supported."""
    if one.judgement.relation is ClaimRelation.CONTRADICTS or _differs_by_denial(one):
        return POSSIBLE_OPPOSITE_NOTE
    lost = one.judgement.ungrounded_words[:_MAX_NAMED_WORDS]
    doubts = [_DOUBTS[each] for each in one.judgement.doubts if each in _DOUBTS]
    if doubts:
        return f"{doubts[0]} Whether the source says this was not confirmed."
    if not lost:
        return UNSETTLED_NOTE
    listed = " or ".join(f"“{word}”" for word in lost)
    return f"The nearest passage of the source does not say {listed}; whether the source says this was not confirmed."


def _differs_by_denial(one: StatementComparison) -> bool:
    """Whether either the statement or the sentence nearest to it in the shown passage is negated."""
    place = (one.judgement.start, one.judgement.end)
    shown = [
        sentence
        for (start, end), sentence in zip(
            one.source.sentence_spans, one.source.sentence_features, strict=True
        )
        if start < place[1] and place[0] < end
    ]
    nearest = max(shown, key=lambda each: len(each.terms & one.asked.terms), default=None)
    if nearest is None or nearest.is_negated == one.asked.is_negated:
        return False
    return measure_stem_coverage(one.asked, nearest.terms) >= _MIN_DENIED_SHARE


def _decide_by_judge(one: StatementComparison) -> SourceOpinion | None:
    """An explicit contradiction, or a judge that finds a part of the statement."""
    said = one.judgement
    if said.relation is ClaimRelation.CONTRADICTS and _is_sure_contradiction(one):
        shown = one.show_judged_place()
        return build_opinion(
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
        return build_opinion(
            one,
            SourceStance.PARTLY,
            "The source says a part of it, or says it with a reservation.",
            evidence=shown,
            said_instead=shown[0],
        )
    return None


def _is_sure_contradiction(one: StatementComparison) -> bool:
    """A model must quote a passage on the same subject; what words deny `contrary` tells alone."""
    said = one.judgement
    if not said.quote or said.judge == LEXICAL_NAME:
        return False
    quoted = build_sentence_features(said.quote, language=one.source.language)
    share = measure_stem_coverage(one.asked, quoted.terms)
    return share >= _MIN_JUDGED_SHARE or said.judge != NLI_NAME


def _decide_by_support(one: StatementComparison) -> SourceOpinion | None:
    said = one.judgement
    lost = [each for each in one.quotations if each.state is QuotationState.ABSENT]
    if said.judge == LEXICAL_NAME and one.values.apart:
        return None  # the words are there, and the number, but not together
    if said.relation is ClaimRelation.SUPPORTS and not one.values.unstated and not lost:
        reason = _MATCHED_WORDS if said.judge == LEXICAL_NAME else _JUDGED_SUPPORT
        if one.read.note:
            reason = f"{reason} {one.read.note}"
        return build_opinion(one, SourceStance.SUPPORTS, reason, evidence=one.show_judged_place())
    return None
