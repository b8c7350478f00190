"""What the numbers and dates of a statement tell of how a source stands to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from citewell.core.values.research import ClaimRelation
from citewell.evidence.comparison.borne_out_values import UnstatedValue
from citewell.evidence.comparison.changed_number import ChangedNumber
from citewell.evidence.comparison.value_comparison import compare_foreign_values, compare_values
from citewell.evidence.comparison.value_conflicts import ValueConflict
from citewell.evidence.judging.source_opinions import (
    FindingEvidence,
    ReadSource,
    SourceOpinion,
    SourceStance,
    StatementComparison,
    ValueDifference,
    build_evidence,
    build_opinion,
)
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.sentence_features import build_sentence_features
from citewell.text.quantities.stated_quantities import StatedQuantity, is_fixed_unit

_COUNTED_PATTERN = re.compile(r"(?P<number>.*\d)\s+[^\W\d_][^\s\d]*", re.DOTALL)
_NEXT_WORD_PATTERN = re.compile(r"\s+([^\W\d_]{3,})")

_MIN_TELLING_SHARE = 0.6  # of the statement's words in the sentence with another value
_MIN_REST_SHARE = 0.4  # of its words in the sentence that says the rest of it
_MIN_LIKE_SHARE = 0.3  # the same, in an abstract that has a number of like digits
# The chance that a number was changed, by the places of the source's numbers, from which it is told:
_MIN_CHANGED_CHANCE = 0.88  # by that alone
# Of its words where the other number stands: there the source speaks of it
_MIN_CHANGED_SHARE = 0.4
_MIN_DOUBTED_CHANCE = 0.4  # by that alone, that the source does not support it
_MIN_DIFFERING_CHANCE = 0.3  # where a sentence has another number, or one of like digits
_MIN_REST_CHANCE = 0.5  # where the source says the rest, and has the number nowhere
_ONLY_FIGURES_NOTE = "The source is in another language, so only figures were compared."


def decide_by_values(compared: StatementComparison) -> SourceOpinion | None:
    """Another number where the source otherwise says the same."""
    conflicts = [each for each in compared.values.conflicts if _is_telling(each, compared)]
    is_strong = any(each.is_strong for each in conflicts)
    if not conflicts or (compared.is_hardly_changed(_MIN_DIFFERING_CHANCE) and not is_strong):
        return None
    first = conflicts[0]
    strong = is_strong and not (
        compared.values.unstated or compared.is_hardly_changed(_MIN_REST_CHANCE)
    )
    relation = ClaimRelation.CONTRADICTS if strong else ClaimRelation.QUALIFIES
    shown = compared.show_place(first.start, first.end, relation)
    kinds = "date" if first.kind == "date" else "number"
    differences = [
        ValueDifference(
            kind=each.kind,
            draft=_show_own_value(each.draft, compared),
            source=show_source_value(each.source, compared.source, each.start, each.end),
        )
        for each in conflicts
    ]
    return build_opinion(
        compared,
        SourceStance.CONTRADICTS if strong else SourceStance.PARTLY,
        f"The source gives another {kinds}: {differences[0].source}, not {differences[0].draft}.",
        evidence=(shown,),
        differences=differences,
        differing=frozenset(each.draft.text for each in conflicts),
        said_instead=shown,
    )


def _is_telling(conflict: ValueConflict, compared: StatementComparison) -> bool:
    """Whether the sentence with the other value is near enough to be about the same thing."""
    is_same_place = compared.read.is_whole or conflict.has_company
    if conflict.is_strong or (conflict.is_in_place and is_same_place):
        return True
    twin = next((each for each in compared.twins if each.start == conflict.start), None)
    return twin is not None and twin.share >= _MIN_TELLING_SHARE


def decide_by_unstated_values(compared: StatementComparison) -> SourceOpinion | None:
    """A number that the source gives nowhere, where it says the rest or has one of like digits."""
    first = _choose_unstated_value(compared)
    if first is None or (first.like is None and _measure_rest(compared) < _MIN_REST_SHARE):
        return None
    # It must have been changed rather than reckoned by the author.
    if compared.is_hardly_changed(
        _MIN_REST_CHANCE if first.like is None else _MIN_DIFFERING_CHANCE
    ):
        return None
    shown = _show_unstated_place(compared, first)
    lost = _list_unstated_values(compared)
    return build_opinion(
        compared,
        SourceStance.PARTLY,
        _describe_unstated(first, compared.statement, compared.source, is_rest_said=True),
        evidence=shown,
        differences=_list_differences(lost, compared.statement, compared.source),
        differing=frozenset(each.draft.text for each in lost),
        said_instead=shown[0] if shown else None,
        is_by_absence=True,
    )


def note_unstated_value(compared: StatementComparison) -> SourceOpinion | None:
    """A number that the source gives nowhere, where it hardly says the rest: it may be reckoned."""
    first = _choose_unstated_value(compared)
    if first is None:
        return None
    return build_opinion(
        compared,
        SourceStance.RELATED,
        _describe_unstated(first, compared.statement, compared.source, is_rest_said=False),
        evidence=_show_unstated_place(compared, first),
    )


def _choose_unstated_value(compared: StatementComparison) -> UnstatedValue | None:
    lost = _list_unstated_values(compared)
    return next((each for each in lost if each.like is not None), lost[0] if lost else None)


def _list_unstated_values(compared: StatementComparison) -> list[UnstatedValue]:
    """Those that tell something; of an abstract only those for which it has one of like digits.

    A model that finds the statement in the source may know how a number was reckoned.
    """
    share = _measure_rest(compared)
    return [
        each
        for each in compared.values.unstated
        if compared.read.is_whole or each.is_slip or (each.like and share >= _MIN_LIKE_SHARE)
        if each.like or not compared.is_agreed_by_model
    ]


def _measure_rest(compared: StatementComparison) -> float:
    """The share of the statement's words in the sentence that says most of it."""
    return compared.twins[0].own_share if compared.twins else 0.0


def decide_by_changed_number(compared: StatementComparison) -> SourceOpinion | None:
    """Another number where a source that was read as a whole speaks of the same thing."""
    changed = compared.likely_change if compared.read.is_whole else None
    if changed is None or changed.chance < _MIN_CHANGED_CHANCE or compared.is_agreed_by_model:
        return None
    if changed.share < _MIN_CHANGED_SHARE:
        return None
    shown = compared.show_place(changed.start, changed.end, ClaimRelation.QUALIFIES)
    draft, given = _show_change(changed, compared)
    return build_opinion(
        compared,
        SourceStance.PARTLY,
        _describe_elsewhere(given, draft)
        if changed.is_elsewhere
        else f"Where the source discusses this, it gives {given}, not {draft}.",
        evidence=(shown,),
        differences=[ValueDifference(kind=changed.kind, draft=draft, source=given)],
        differing=frozenset({changed.draft.text}),
        said_instead=shown,
        is_by_absence=True,
    )


def doubt_number(compared: StatementComparison) -> SourceOpinion | None:
    """A number that may be changed, where words alone would say that the source supports it."""
    changed = compared.likely_change if compared.read.is_whole else None
    is_supported = compared.judgement.relation is ClaimRelation.SUPPORTS
    if changed is None or not is_supported or compared.is_agreed_by_model:
        return None
    if changed.chance < _MIN_DOUBTED_CHANCE:
        return None
    return build_opinion(
        compared,
        SourceStance.RELATED,
        _describe_doubt(*_show_change(changed, compared), is_elsewhere=changed.is_elsewhere),
        evidence=(compared.show_place(changed.start, changed.end, ClaimRelation.MENTIONS),),
    )


def _show_own_value(value: StatedQuantity, compared: StatementComparison) -> str:
    return show_value(value, compared.statement, compared.source.language)


def _show_change(changed: ChangedNumber, compared: StatementComparison) -> tuple[str, str]:
    """The number of the statement and that of the source."""
    given = show_source_value(changed.source, compared.source, changed.start, changed.end)
    return _show_own_value(changed.draft, compared), given


def _describe_doubt(draft: str, given: str, *, is_elsewhere: bool) -> str:
    if is_elsewhere:
        return (
            f"The source gives both {draft} and {given}; which one applies here was not confirmed."
        )
    return f"The source gives {given} where it may discuss this; whether it says {draft} was not confirmed."


def _describe_elsewhere(given: str, written: str) -> str:
    return f"Where the source discusses this, it gives {given}; {written} appears only elsewhere in it."


def build_foreign_opinion(statement: str, source: SourceText, read: ReadSource) -> SourceOpinion:
    """Across languages only figures are compared: they show no support, and only slips of digits."""
    values = compare_values(statement, source, known_years=read.years)
    lost = compare_foreign_values(statement, source, known_years=read.years)
    if not lost or not read.is_whole:
        return SourceOpinion(
            stance=SourceStance.UNCOMPARED,
            reason="The source is in another language, so its wording could not be compared.",
            stated_values=values.stated,
            is_whole=read.is_whole,
        )
    shown = build_evidence(source, read, (lost[0].start, lost[0].end), ClaimRelation.QUALIFIES)
    return SourceOpinion(
        stance=SourceStance.PARTLY,
        reason=f"{_describe_unstated(lost[0], statement, source, is_rest_said=False)} {_ONLY_FIGURES_NOTE}",
        evidence=(shown,),
        differences=_list_differences(lost, statement, source),
        stated_values=values.stated,
        differing_values=frozenset(each.draft.text for each in lost),
        is_whole=True,
        said_instead=shown,
        is_by_absence=True,
    )


def _list_differences(
    lost: Sequence[UnstatedValue], statement: str, source: SourceText
) -> tuple[ValueDifference, ...]:
    return tuple(
        ValueDifference(
            kind=each.kind,
            draft=show_value(each.draft, statement, source.language),
            source=show_source_value(each.like, source, each.start, each.end)
            if each.like
            else None,
        )
        for each in lost
    )


def _show_unstated_place(
    compared: StatementComparison, lost: UnstatedValue
) -> tuple[FindingEvidence, ...]:
    """The sentence with the number of like digits, or else the one that says most of the statement."""
    if lost.like is not None:
        return (compared.show_place(lost.start, lost.end, ClaimRelation.QUALIFIES),)
    if compared.twins:
        return (
            compared.show_place(
                compared.twins[0].start, compared.twins[0].end, ClaimRelation.QUALIFIES
            ),
        )
    return compared.show_judged_place()


def _describe_unstated(
    lost: UnstatedValue, statement: str, source: SourceText, *, is_rest_said: bool
) -> str:
    written = show_value(lost.draft, statement, source.language)
    if lost.like is not None:
        given = show_source_value(lost.like, source, lost.start, lost.end)
        if written.lower() in source.text.lower():  # as the name of another part
            return _describe_elsewhere(given, written)
        return f"The source gives {given}; {written} appears nowhere in it."
    if is_rest_said:
        return f"The source says the rest, but {written} appears nowhere in it."
    return f"{written[:1].upper()}{written[1:]} appears nowhere in the source; whether it says the rest was not confirmed."


# Writes the numbers of a statement and of a source as a finding shows them.


def show_source_value(value: StatedQuantity, source: SourceText, start: int, end: int) -> str:
    """The value of the sentence from `start` to `end` of a source."""
    return show_value(value, source.text[start:end], source.language)


def show_value(value: StatedQuantity, sentence: str, language: str | None) -> str:
    """The number with its unit; "300", not "300 school", where the sentence has "300 school districts"."""
    text = value.text.strip()
    counted = _COUNTED_PATTERN.fullmatch(text)
    if counted is None or is_fixed_unit(value.unit):
        return text
    following = _NEXT_WORD_PATTERN.match(sentence, sentence.find(text) + len(text))
    if text not in sentence or following is None:
        return text
    is_noun_part = build_sentence_features(following[1], language=language).word_terms
    return counted["number"] if is_noun_part else text
