"""What the numbers and dates of a statement tell of how a source stands to it."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.draft_findings import FindingEvidence, ValueDifference
from citewell.model.research import ClaimRelation
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.judging.statements.shown_values import show_source_value, show_value
from citewell.services.judging.statements.source_opinions import (
    SourceOpinion,
    SourceStance,
    StatementComparison,
    build_evidence,
    build_opinion,
)
from citewell.text.comparison.changed_numbers.changed_number import ChangedNumber
from citewell.text.comparison.like_values import UnstatedValue
from citewell.text.comparison.value_comparison import (
    compare_foreign_values,
    compare_values,
)
from citewell.text.comparison.value_conflicts import ValueConflict
from citewell.text.evidence.claim_support import SourceText
from citewell.text.quantities.stated_quantities import StatedQuantity

_MIN_TELLING_SHARE = 0.6  # of the statement's words in the sentence with another value
_MIN_REST_SHARE = 0.4  # of its words in the sentence that says the rest of it
_MIN_LIKE_SHARE = 0.3  # the same, in an abstract that has a number of like digits
# The chance that a number was changed, by the places of the source's numbers, from which it is told:
_MIN_CHANGED_CHANCE = 0.88  # by that alone
_MIN_CHANGED_SHARE = (
    0.4  # of its words where the other number stands: there the source speaks of it
)
_MIN_DOUBTED_CHANCE = 0.4  # by that alone, that the source does not support it
_MIN_DIFFERING_CHANCE = 0.3  # where a sentence has another number, or one of like digits
_MIN_REST_CHANCE = 0.5  # where the source says the rest, and has the number nowhere
_ONLY_FIGURES_NOTE = "The source is in another language, so only figures were compared."


def decide_by_values(one: StatementComparison) -> SourceOpinion | None:
    """Another number where the source otherwise says the same."""
    conflicts = [each for each in one.values.conflicts if _is_telling(each, one)]
    is_strong = any(each.is_strong for each in conflicts)
    if not conflicts or (one.is_hardly_changed(_MIN_DIFFERING_CHANCE) and not is_strong):
        return None
    first = conflicts[0]
    strong = is_strong and not (one.values.unstated or one.is_hardly_changed(_MIN_REST_CHANCE))
    relation = ClaimRelation.CONTRADICTS if strong else ClaimRelation.QUALIFIES
    shown = one.show_place(first.start, first.end, relation)
    kinds = "date" if first.kind == "date" else "number"
    differences = [
        ValueDifference(
            kind=each.kind,
            draft=_show_own_value(each.draft, one),
            source=show_source_value(each.source, one.source, each.start, each.end),
        )
        for each in conflicts
    ]
    return build_opinion(
        one,
        SourceStance.CONTRADICTS if strong else SourceStance.PARTLY,
        f"The source gives another {kinds}: {differences[0].source}, not {differences[0].draft}.",
        evidence=(shown,),
        differences=differences,
        differing=frozenset(each.draft.text for each in conflicts),
        said_instead=shown,
    )


def _is_telling(conflict: ValueConflict, one: StatementComparison) -> bool:
    """Whether the sentence with the other value is near enough to be about the same thing."""
    is_same_place = one.read.is_whole or conflict.has_company
    if conflict.is_strong or (conflict.is_in_place and is_same_place):
        return True
    twin = next((each for each in one.twins if each.start == conflict.start), None)
    return twin is not None and twin.share >= _MIN_TELLING_SHARE


def decide_by_unstated_values(one: StatementComparison) -> SourceOpinion | None:
    """A number that the source gives nowhere, where it says the rest or has one of like digits."""
    first = _choose_unstated_value(one)
    if first is None or not _is_accusing(first, one):
        return None
    shown = _show_unstated_place(one, first)
    lost = _list_unstated_values(one)
    return build_opinion(
        one,
        SourceStance.PARTLY,
        _describe_unstated(first, one.statement, one.source, is_rest_said=True),
        evidence=shown,
        differences=_list_differences(lost, one.statement, one.source),
        differing=frozenset(each.draft.text for each in lost),
        said_instead=shown[0] if shown else None,
        is_by_absence=True,
    )


def note_unstated_value(one: StatementComparison) -> SourceOpinion | None:
    """A number that the source gives nowhere, where it hardly says the rest: it may be reckoned."""
    first = _choose_unstated_value(one)
    if first is None:
        return None
    return build_opinion(
        one,
        SourceStance.RELATED,
        _describe_unstated(first, one.statement, one.source, is_rest_said=False),
        evidence=_show_unstated_place(one, first),
    )


def _choose_unstated_value(one: StatementComparison) -> UnstatedValue | None:
    lost = _list_unstated_values(one)
    return next((each for each in lost if each.like is not None), lost[0] if lost else None)


def _list_unstated_values(one: StatementComparison) -> list[UnstatedValue]:
    """Those that tell something; of an abstract only those for which it has one of like digits.

    A model that finds the statement in the source may know how a number was reckoned.
    """
    share = _measure_rest(one)
    return [
        each
        for each in one.values.unstated
        if one.read.is_whole or each.is_slip or (each.like and share >= _MIN_LIKE_SHARE)
        if each.like or not one.is_agreed_by_model
    ]


def _is_accusing(lost: UnstatedValue, one: StatementComparison) -> bool:
    """Whether it was changed rather than reckoned by the author."""
    if lost.like is not None:
        return not one.is_hardly_changed(_MIN_DIFFERING_CHANCE)
    is_rest_said = _measure_rest(one) >= _MIN_REST_SHARE
    return is_rest_said and not one.is_hardly_changed(_MIN_REST_CHANCE)


def _measure_rest(one: StatementComparison) -> float:
    """The share of the statement's words in the sentence that says most of it."""
    return one.twins[0].own_share if one.twins else 0.0


def decide_by_changed_number(one: StatementComparison) -> SourceOpinion | None:
    """Another number where a source that was read as a whole speaks of the same thing."""
    changed = one.likely_change if one.read.is_whole else None
    if changed is None or changed.chance < _MIN_CHANGED_CHANCE or one.is_agreed_by_model:
        return None
    if changed.share < _MIN_CHANGED_SHARE:
        return None
    shown = one.show_place(changed.start, changed.end, ClaimRelation.QUALIFIES)
    draft, said = _show_change(changed, one)
    return build_opinion(
        one,
        SourceStance.PARTLY,
        _describe_elsewhere(said, draft)
        if changed.is_elsewhere
        else f"Where the source discusses this, it gives {said}, not {draft}.",
        evidence=(shown,),
        differences=[ValueDifference(kind=changed.kind, draft=draft, source=said)],
        differing=frozenset({changed.draft.text}),
        said_instead=shown,
        is_by_absence=True,
    )


def doubt_number(one: StatementComparison) -> SourceOpinion | None:
    """A number that may be changed, where words alone would say that the source supports it."""
    changed = one.likely_change if one.read.is_whole else None
    is_supported = one.judgement.relation is ClaimRelation.SUPPORTS
    if changed is None or not is_supported or one.is_agreed_by_model:
        return None
    if changed.chance < _MIN_DOUBTED_CHANCE:
        return None
    return build_opinion(
        one,
        SourceStance.RELATED,
        _describe_doubt(*_show_change(changed, one), is_elsewhere=changed.is_elsewhere),
        evidence=(one.show_place(changed.start, changed.end, ClaimRelation.MENTIONS),),
    )


def _show_own_value(value: StatedQuantity, one: StatementComparison) -> str:
    return show_value(value, one.statement, one.source.language)


def _show_change(changed: ChangedNumber, one: StatementComparison) -> tuple[str, str]:
    """The number of the statement and that of the source."""
    said = show_source_value(changed.source, one.source, changed.start, changed.end)
    return _show_own_value(changed.draft, one), said


def _describe_doubt(draft: str, said: str, *, is_elsewhere: bool) -> str:
    if is_elsewhere:
        return (
            f"The source gives both {draft} and {said}; which one applies here was not confirmed."
        )
    return f"The source gives {said} where it may discuss this; whether it says {draft} was not confirmed."


def _describe_elsewhere(said: str, written: str) -> str:
    return (
        f"Where the source discusses this, it gives {said}; {written} appears only elsewhere in it."
    )


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
    one: StatementComparison, lost: UnstatedValue
) -> tuple[FindingEvidence, ...]:
    """The sentence with the number of like digits, or else the one that says most of the statement."""
    if lost.like is not None:
        return (one.show_place(lost.start, lost.end, ClaimRelation.QUALIFIES),)
    if one.twins:
        return (one.show_place(one.twins[0].start, one.twins[0].end, ClaimRelation.QUALIFIES),)
    return one.show_judged_place()


def _describe_unstated(
    lost: UnstatedValue, statement: str, source: SourceText, *, is_rest_said: bool
) -> str:
    written = show_value(lost.draft, statement, source.language)
    if lost.like is not None:
        said = show_source_value(lost.like, source, lost.start, lost.end)
        if written.lower() in source.text.lower():  # as the name of another part
            return _describe_elsewhere(said, written)
        return f"The source gives {said}; {written} appears nowhere in it."
    if is_rest_said:
        return f"The source says the rest, but {written} appears nowhere in it."
    return f"{written[:1].upper()}{written[1:]} appears nowhere in the source; whether it says the rest was not confirmed."
