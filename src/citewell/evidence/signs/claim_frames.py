"""Doubts about how a claim puts what its passage says: how much of it, why, and whether the source believes it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.evidence.signs.grounding_signs import (
    ClaimPassage,
    GroundingDoubt,
    list_strength_words,
    list_ungrounded_words,
)
from citewell.evidence.signs.sentence_features import SentenceFeatures
from citewell.text.language import word_forms

# Kinds of words for amounts: of each kind the passage must have one if the claim has.
_MAJORITIES = "majorities"
_AMOUNTS = (_MAJORITIES, "minorities", "singles", "halves", "doubles")
_MIN_MAJORITY = 50  # per cent
_PERCENT_UNITS = frozenset({"%", "percent"})
# "The most common" is a superlative, "most stations" an amount.
_SUPERLATIVE_PATTERN = re.compile(
    r"\b(?:the|a|an|its|their|his|her|our|your|\w+['’]s?) most\b|\b(?:at )?most (?=\w+ly\b)|\bat most\b",
    re.IGNORECASE,
)
# What follows is a reason or a purpose; some of these are a part of it.
_REASON_PATTERN = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|thanks to|(?:in order|so as) to|for the sake of|as a result of|in response to"
    r"|at the request of|for fear of|(?=in (?:honou?r|memory|recognition|protest|anticipation|celebration|exchange|retaliation|return)\b))"
    r"(?P<reason>[^,;:]{3,300})",
    re.IGNORECASE,
)
_MIN_INVENTED_WORDS = 2  # of a reason; one may be another word for the same


# A part that a sentence sets apart from what it says: "for defence, not as a fighting line".
_SET_APART_PATTERN = re.compile(
    r"\b(?:not|rather than|instead of|as opposed to|unlike)\s(?P<part>[^,;:.]{3,120})",
    re.IGNORECASE,
)
_SET_APART_WORDS = 3  # of such a part, that all stand in a claim which says it of the same
# "Among the largest" is one of several; "the highest among member states" is not.
_ONE_OF_PATTERN = re.compile(
    r"\b(?:one|some|part) of\b|\bamong (?:the|its|their|our|his|her) (?:\w{1,30} )?(?:\w{3,30}est|most)\b",
    re.IGNORECASE,
)
_EXTREME_PATTERN = re.compile(r"\b(?:\w{3,}est|most \w+)\b", re.IGNORECASE)
# Such a sentence speaks of what the one before it names.
_ANAPHORIC_PATTERN = re.compile(
    r"\W*(?:(?i:he|she|it|its|his|her|they|their|this|these|those|that|both|such|here|there)\b|(?i:the|an?) [a-z])"
)
# A name of at least four letters; shorter first words are mostly articles and pronouns.
_FIRST_NAME_PATTERN = re.compile(r"[A-Z][\w-]{3,40}(?: [A-Z][\w-]{1,40}){0,3}")
_INNER_NAME_PATTERN = re.compile(r"(?<=\w )[A-Z][\w-]{2,40}(?: [A-Z][\w-]{1,40}){0,3}")
_BY_PATTERN = re.compile(r"\bby\b", re.IGNORECASE)
_HEAD_LETTERS = 5  # of words that count as forms of each other


def find_frame_doubts(claim: SentenceFeatures, passage: ClaimPassage) -> Iterator[GroundingDoubt]:
    """What forbids to call a claim supported though its words are there; in English alone."""
    if claim.compared.code != "en":
        return
    nearest = passage.sentences[0]
    own, given = (frozenset(word_forms.split_words(sentence.text)) for sentence in (claim, nearest))
    if _is_amount_lost(claim, passage):
        yield GroundingDoubt.AMOUNT
    if _is_reason_invented(claim, passage):
        yield GroundingDoubt.REASON
    disputes = list_strength_words("disputes", "en")
    if given & disputes and not own & disputes:
        yield GroundingDoubt.DISPUTED
    absolutes = list_strength_words("absolutes", "en") & own
    if (absolutes and not absolutes & given) or _is_one_of_dropped(claim.text, nearest.text):
        yield GroundingDoubt.ABSOLUTE
    if _is_set_apart(claim, nearest):
        yield GroundingDoubt.SET_APART
    if _has_other_subject(claim, passage):
        yield GroundingDoubt.SUBJECT
    if _is_first_name_turned(claim.text, nearest.text):
        yield GroundingDoubt.ORDER


def _is_one_of_dropped(claim: str, sentence: str) -> bool:
    return bool(
        _EXTREME_PATTERN.search(claim)
        and _ONE_OF_PATTERN.search(sentence)
        and not _ONE_OF_PATTERN.search(claim)
    )


def _is_set_apart(claim: SentenceFeatures, nearest: SentenceFeatures) -> bool:
    """Whether the claim says plainly what the sentence sets apart from what it says."""
    if claim.is_negated or _SET_APART_PATTERN.search(claim.text):
        return False
    for found in _SET_APART_PATTERN.finditer(nearest.text):
        part = word_forms.list_terms(found["part"])[:_SET_APART_WORDS]
        if len(part) == _SET_APART_WORDS and claim.terms.issuperset(part):
            return True
    return False


def _has_other_subject(claim: SentenceFeatures, passage: ClaimPassage) -> bool:
    """Whether the claim begins with something that the passage has, and its nearest sentence does not."""
    nearest = passage.sentences[0]
    if not claim.stems or not nearest.stems or _ANAPHORIC_PATTERN.match(nearest.text):
        return False
    first = claim.stems[0]
    heads = {stem[:_HEAD_LETTERS] for stem in nearest.terms}
    return (
        first in passage.held_stems
        and first[:_HEAD_LETTERS] not in heads
        and nearest.stems[0] not in claim.terms
    )


def _is_first_name_turned(claim: str, sentence: str) -> bool:
    """Whether the name that begins the claim comes after another of its names in the sentence.

    "A is buying B" is not "B is buying A"; with "by" on one side alone it may be the same.
    """
    first = _FIRST_NAME_PATTERN.match(claim)
    if first is None or bool(_BY_PATTERN.search(claim)) != bool(_BY_PATTERN.search(sentence)):
        return False
    place = sentence.find(f" {first[0]}")
    others = (match[0] for match in _INNER_NAME_PATTERN.finditer(claim, first.end()))
    places = [sentence.find(other) for other in others if other not in first[0]]
    return place > 0 and any(0 <= other < place for other in places)


def _is_amount_lost(claim: SentenceFeatures, passage: ClaimPassage) -> bool:
    words = word_forms.split_words(_SUPERLATIVE_PATTERN.sub(" ", claim.text))
    own = {word for word in words if not _has_adjective(word, passage.held_words)}
    lost = {
        kind
        for kind in _AMOUNTS
        if (words := list_strength_words(kind, "en")) & own and not words & passage.held_words
    }
    return bool(lost - {_MAJORITIES} if _gives_majority(passage) else lost)


def _has_adjective(word: str, held: frozenset[str]) -> bool:
    """Whether the words have the adjective of an adverb: "the main cause" for "mainly caused"."""
    stem = word.removesuffix("ly")
    return stem != word and (stem in held or f"{stem.removesuffix('i')}y" in held)


def _gives_majority(passage: ClaimPassage) -> bool:
    """Whether the passage gives a share of more than half, which "most" may stand for."""
    return any(
        value.unit in _PERCENT_UNITS and value.high > _MIN_MAJORITY
        for each in passage.sentences
        for value in each.quantities
    )


def _is_reason_invented(claim: SentenceFeatures, passage: ClaimPassage) -> bool:
    found = _REASON_PATTERN.search(claim.text)
    if found is None:
        return False
    lost = frozenset(map(str.lower, list_ungrounded_words(claim, passage)))
    return len(lost.intersection(word_forms.split_words(found["reason"]))) >= _MIN_INVENTED_WORDS
