"""Tells whether a sentence of a source says the contrary of a statement, and how sure that is.

A sentence opposes a statement if one of both denies what the other says, if an opposite word stands
in the same place, if the sides of a comparison have changed, or, in English, if the same things go
the other way. A sentence that agrees with the statement speaks against an opposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citewell.text.evidence.oppositions.clause_directions import find_opposed_direction
from citewell.text.evidence.oppositions.compared_sentence import ComparedSentence, measure_overlap
from citewell.text.evidence.oppositions.compared_sides import compares_things, find_side_contrast
from citewell.text.evidence.oppositions.denial_contrasts import find_denial_contrast
from citewell.text.evidence.oppositions.opposite_contrasts import find_opposite_contrast
from citewell.text.evidence.oppositions.sentence_contrast import (
    ANTONYM,
    COMPARISON,
    Certainty,
    SentenceContrast,
)
from citewell.text.evidence.oppositions.word_table import OPPOSITION_LANGUAGES

_MIN_SURE_TERMS = 3  # content words of a statement whose contrary can be sure
_MIN_SHARE = 0.5  # of the statement's content words in a sentence, to be compared at all
_MIN_OPEN_SHARE = 0.55  # of them in the sentence itself, for a contrary that is not sure
_MIN_CORE_SHARE = 0.7  # of them in a sentence that can speak for the statement
_MAX_NEAR_SENTENCES = 2  # that are compared as a whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposition:
    """What shows that a sentence of the source opposes a statement."""

    certainty: Certainty
    ground: str  # "negation", "antonym: increases/lower", "comparison"
    place: int  # of the sentence among those that were compared
    # The words that differ; one of both is empty if only the other sentence denies something.
    stated: str = ""
    said: str = ""


def find_opposition(
    statement: ComparedSentence,
    said: Sequence[ComparedSentence],
    *,
    contexts: Sequence[frozenset[str]] = (),
) -> Opposition | None:
    """The contrary of a statement in the sentences of a source, those with most of its words first.

    `contexts` has, for each sentence, the stems of those before it, in which its subject may stand.
    """
    if statement.code not in OPPOSITION_LANGUAGES:
        return None
    held = contexts or [frozenset()] * len(said)
    contrast = _find_contrast(statement.plain, list(zip(said, held, strict=True)))
    directed = find_opposed_direction(statement, said)
    if directed is None:
        return contrast
    certainty = Certainty.LIKELY if directed.is_likely else Certainty.POSSIBLE
    if contrast is None:
        return Opposition(certainty=certainty, ground=directed.ground, place=directed.place)
    ground = directed.ground if directed.is_likely else contrast.ground
    return replace(contrast, certainty=max(certainty, contrast.certainty), ground=ground)


def _find_contrast(
    statement: ComparedSentence, said: Sequence[tuple[ComparedSentence, frozenset[str]]]
) -> Opposition | None:
    """What a sentence that is nearly equal says to the contrary, in any of the languages."""
    if not statement.terms:
        return None
    most = Certainty.SURE if len(statement.terms) >= _MIN_SURE_TERMS else Certainty.LIKELY
    cut = [one.plain.cut_for(statement, context) for one, context in said]
    near = [at for at, one in enumerate(cut) if measure_overlap(statement, one)[0] >= _MIN_SHARE]
    for place in near[:_MAX_NEAR_SENTENCES]:
        found = _compare_sentences(statement, cut[place])
        if found is None:
            continue
        others = (one for at, one in enumerate(cut) if at != place)
        certainty = min(found.certainty, most)
        if any(_speaks_for(statement, one, found) for one in others):
            certainty = Certainty.UNSETTLED
        if certainty > Certainty.UNSETTLED or _share_words(statement, cut[place]):
            return Opposition(
                certainty=certainty,
                ground=_describe_ground(found),
                place=place,
                stated=found.stated,
                said=found.said,
            )
    return None


def _share_words(statement: ComparedSentence, said: ComparedSentence) -> bool:
    """Whether a sentence has so much of the statement that a contrary in it leaves something open."""
    shared = len(statement.terms & said.terms)
    return shared >= _MIN_OPEN_SHARE * len(statement.terms)


def _speaks_for(
    statement: ComparedSentence, said: ComparedSentence, against: SentenceContrast
) -> bool:
    """Whether a sentence has nearly all of a statement, and nothing against it."""
    shared = len(statement.terms & said.terms)
    return (
        shared >= _MIN_CORE_SHARE * len(statement.terms)
        and (against.kind != COMPARISON or compares_things(said))
        and _compare_sentences(statement, said) is None
    )


def _compare_sentences(
    statement: ComparedSentence, said: ComparedSentence
) -> SentenceContrast | None:
    denied = find_denial_contrast(statement, said)
    if denied is not None:
        return denied
    found = [find_opposite_contrast(statement, said)]
    if not statement.denials and not said.denials:
        found.append(find_side_contrast(statement, said))
    return max(filter(None, found), key=lambda one: one.certainty, default=None)


def _describe_ground(found: SentenceContrast) -> str:
    return f"{ANTONYM}: {found.stated}/{found.said}" if found.kind == ANTONYM else found.kind
