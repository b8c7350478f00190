"""What the numbers and dates of a statement tell of how a source stands to it."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.model.draft_findings import FindingEvidence, ValueDifference
from citewell.model.research import ClaimRelation
from citewell.services.drafts.source_reading import ReadSource
from citewell.services.drafts.statements.source_opinions import (
    SourceOpinion,
    SourceStance,
    StatementComparison,
    build_evidence,
    build_opinion,
)
from citewell.text.comparison.like_values import UnstatedValue
from citewell.text.comparison.value_comparison import (
    compare_foreign_values,
    compare_values,
)
from citewell.text.comparison.value_conflicts import ValueConflict
from citewell.text.evidence.claim_support import (
    SourceText,
)

_MIN_TELLING_SHARE = 0.6  # of the statement's words in the sentence with another value
_MIN_REST_SHARE = 0.4  # of its words in the sentence that says the rest of it
_MIN_LIKE_SHARE = 0.3  # the same, in an abstract that has a number of like digits


def decide_by_values(one: StatementComparison) -> SourceOpinion | None:
    """Another number where the source otherwise says the same."""
    conflicts = [each for each in one.values.conflicts if _is_telling(each, one)]
    if not conflicts:
        return None
    first = conflicts[0]
    strong = any(each.is_strong for each in conflicts) and not one.values.unstated
    relation = ClaimRelation.CONTRADICTS if strong else ClaimRelation.QUALIFIES
    shown = one.show_place(first.start, first.end, relation)
    kinds = "date" if first.kind == "date" else "number"
    return build_opinion(
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


def _is_telling(conflict: ValueConflict, one: StatementComparison) -> bool:
    """Whether the sentence with the other value is near enough to be about the same thing."""
    is_same_place = one.read.is_whole or conflict.has_company
    if conflict.is_strong or (conflict.is_in_place and is_same_place):
        return True
    twin = next((each for each in one.twins if each.start == conflict.start), None)
    return twin is not None and twin.share >= _MIN_TELLING_SHARE


def decide_by_unstated_values(one: StatementComparison) -> SourceOpinion | None:
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
        return build_opinion(
            one, SourceStance.UNCLEAR, _describe_unstated(first, share), evidence=shown
        )
    return build_opinion(
        one,
        SourceStance.PARTLY,
        _describe_unstated(first, share),
        evidence=shown,
        differences=_list_differences(lost),
        differing=frozenset(each.draft.text for each in lost),
        said_instead=shown[0] if shown else None,
        is_by_absence=True,
    )


def build_foreign_opinion(statement: str, source: SourceText, read: ReadSource) -> SourceOpinion:
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


def _list_differences(lost: Sequence[UnstatedValue]) -> tuple[ValueDifference, ...]:
    return tuple(
        ValueDifference(
            kind=each.kind,
            draft=each.draft.text.strip(),
            source=each.like.text.strip() if each.like else None,
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


def _describe_unstated(lost: UnstatedValue, share: float) -> str:
    written = lost.draft.text.strip()
    if lost.like is not None:
        return f"The source has {lost.like.text.strip()}, and nowhere {written}."
    if share >= _MIN_REST_SHARE:
        return f"The source says the rest, but {written} stands nowhere in it."
    return f"{written[:1].upper()}{written[1:]} stands nowhere in the source, whose words do not settle the rest."
