"""Tells whether a sentence of a source says the contrary of a statement, and how sure that is.

A sentence opposes a statement if one of both denies what the other says, if an opposite word stands
in the same place, if the sides of a comparison have changed, or, in English, if the same things go
the other way. A sentence that agrees with the statement speaks against an opposition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from citewell.evidence.signs.oppositions import contrary_words
from citewell.evidence.signs.oppositions.clause_directions import find_opposed_direction
from citewell.evidence.signs.oppositions.compared_sentence import (
    ANTONYM,
    COMPARISON,
    NEGATION,
    Certainty,
    ComparedSentence,
    Denial,
    SentenceContrast,
    SentenceWord,
    measure_overlap,
)
from citewell.evidence.signs.oppositions.opposite_contrasts import (
    find_opposite_contrast,
    find_side_contrast,
    split_sides,
)
from citewell.text.data_tables import load_table

_MIN_STATED_SHARE = 0.8  # of the statement's content words in the sentence
_MIN_SAID_SHARE = 0.35  # the source may say more in the same sentence
_MIN_CLAUSE_SHARE = 0.6  # of the words that both sentences have, in the clause of the denial
_MIN_SHARED_TERMS = 4  # unless the sentence has all of the statement's

_MIN_SURE_TERMS = 3  # content words of a statement whose contrary can be sure
_MIN_SHARE = 0.5  # of the statement's content words in a sentence, to be compared at all
_MIN_OPEN_SHARE = 0.55  # of them in the sentence itself, for a contrary that is not sure
_MIN_CORE_SHARE = 0.7  # of them in a sentence that can speak for the statement
_MAX_NEAR_SENTENCES = 2  # that are compared as a whole
# Of the statement's content words, in the sentence that says it with a limit
_MIN_STRENGTH_SHARE = 0.5
_SCOPE = "scope"
_REACH_WORDS = 3  # content words after a word of strength that it may be about


@dataclass(frozen=True, slots=True, kw_only=True)
class Opposition:
    """What shows that a sentence of the source opposes a statement."""

    certainty: Certainty
    ground: str  # "negation", "antonym: increases/lower", "comparison"
    place: int  # of the sentence among those that were compared
    # The words that differ; one of both is empty if only the other sentence denies something.
    stated: str = ""
    given: str = ""


def find_opposition(
    statement: ComparedSentence,
    sentences: Sequence[ComparedSentence],
    *,
    contexts: Sequence[frozenset[str]] = (),
) -> Opposition | None:
    """The contrary of a statement in the sentences of a source, those with most of its words first.

    `contexts` has, for each sentence, the stems of those before it, in which its subject may stand.
    """
    if statement.code not in contrary_words.OPPOSITION_LANGUAGES:
        return None
    held = contexts or [frozenset()] * len(sentences)
    contrast = _find_contrast(statement.plain, list(zip(sentences, held, strict=True)))
    directed = find_opposed_direction(statement, sentences)
    if directed is None:
        return contrast
    certainty = Certainty.LIKELY if directed.is_likely else Certainty.POSSIBLE
    if contrast is None:
        return Opposition(certainty=certainty, ground=directed.ground, place=directed.place)
    ground = directed.ground if directed.is_likely else contrast.ground
    return replace(contrast, certainty=max(certainty, contrast.certainty), ground=ground)


def _find_contrast(
    statement: ComparedSentence, sentences: Sequence[tuple[ComparedSentence, frozenset[str]]]
) -> Opposition | None:
    """What a sentence that is nearly equal says to the contrary, in any of the languages."""
    if not statement.terms:
        return None
    most = Certainty.SURE if len(statement.terms) >= _MIN_SURE_TERMS else Certainty.LIKELY
    cut = [sentence.plain.cut_for(statement, context) for sentence, context in sentences]
    near = [
        at
        for at, sentence in enumerate(cut)
        if measure_overlap(statement, sentence)[0] >= _MIN_SHARE
    ]
    for place in near[:_MAX_NEAR_SENTENCES]:
        found = _compare_sentences(statement, cut[place])
        if found is None:
            continue
        others = (sentence for at, sentence in enumerate(cut) if at != place)
        certainty = min(found.certainty, most)
        if any(_speaks_for(statement, other, found) for other in others):
            certainty = Certainty.UNSETTLED
        # A sentence that has so much of the statement leaves something open at least.
        shared = len(statement.terms & cut[place].terms)
        if certainty > Certainty.UNSETTLED or shared >= _MIN_OPEN_SHARE * len(statement.terms):
            return Opposition(
                certainty=certainty,
                ground=_describe_ground(found),
                place=place,
                stated=found.stated,
                given=found.given,
            )
    return None


def _speaks_for(
    statement: ComparedSentence, sentence: ComparedSentence, against: SentenceContrast
) -> bool:
    """Whether a sentence has nearly all of a statement, and nothing against it."""
    shared = len(statement.terms & sentence.terms)
    return (
        shared >= _MIN_CORE_SHARE * len(statement.terms)
        and (against.kind != COMPARISON or split_sides(sentence) is not None)
        and _compare_sentences(statement, sentence) is None
    )


def _compare_sentences(
    statement: ComparedSentence, sentence: ComparedSentence
) -> SentenceContrast | None:
    denied = find_denial_contrast(statement, sentence)
    if denied is not None:
        return denied
    found = [find_opposite_contrast(statement, sentence)]
    if not statement.denials and not sentence.denials:
        found.append(find_side_contrast(statement, sentence))
    return max(filter(None, found), key=lambda contrast: contrast.certainty, default=None)


def _describe_ground(found: SentenceContrast) -> str:
    return f"{ANTONYM}: {found.stated}/{found.given}" if found.kind == ANTONYM else found.kind


# Finds what one of two sentences denies and the other says.


def find_denial_contrast(
    statement: ComparedSentence, sentence: ComparedSentence
) -> SentenceContrast | None:
    """A denial in one of both, of something that the other has as well."""
    mine = [denial for denial in statement.denials if _is_denied_alone(denial, sentence)]
    theirs = [denial for denial in sentence.denials if _is_denied_alone(denial, statement)]
    if mine and theirs:
        return SentenceContrast(
            kind=NEGATION,
            stated=mine[0].shown,
            given=theirs[0].shown,
            certainty=Certainty.SURE
            if _deny_each_other(statement, sentence)
            else Certainty.UNSETTLED,
        )
    if not mine and not theirs:
        return None
    denying, plain, found = (statement, sentence, mine) if mine else (sentence, statement, theirs)
    is_sure = (
        len(found) == _count_denials(denying, plain) - _count_denials(plain, denying)
        and _is_near(statement, sentence, found[0])
        and _is_plain_denial(found[0], denying, plain)
    )
    return SentenceContrast(
        kind=NEGATION,
        stated=found[0].shown if mine else "",
        given="" if mine else found[0].shown,
        certainty=Certainty.SURE if is_sure else Certainty.UNSETTLED,
    )


def _is_denied_alone(denial: Denial, other: ComparedSentence) -> bool:
    """Whether a denial is about something that the other sentence has and does not deny."""
    about = [stem for stem in denial.stems if stem in other.terms]
    denied = {stem for each in other.denials for stem in each.stems}
    return bool(about) and not any(stem in denied for stem in about)


def _count_denials(sentence: ComparedSentence, other: ComparedSentence) -> int:
    """How many denials of a sentence are about something that the other has."""
    return sum(not other.terms.isdisjoint(each.stems) for each in sentence.denials)


def _deny_each_other(statement: ComparedSentence, sentence: ComparedSentence) -> bool:
    """Whether each denies what the other says, as "A rather than B" and "B rather than A" do."""
    if len(statement.denials) != 1 or len(sentence.denials) != 1:
        return False
    mine, theirs = statement.denials[0].stems, sentence.denials[0].stems
    stated_share = measure_overlap(statement, sentence)[0]
    return stated_share >= _MIN_STATED_SHARE and not set(mine) & set(theirs)


def _is_near(statement: ComparedSentence, sentence: ComparedSentence, denial: Denial) -> bool:
    # "It is not necessary to sign" is opposed by "Sign it".
    lifted = (
        frozenset(denial.stems) & contrary_words.list_duty_stems(statement.code) - sentence.terms
    )
    stated_share, given_share = measure_overlap(statement, sentence, lifted)
    # The source may say much more outside the clause that is denied or denies.
    denied_terms = denial.clause_terms
    if denial not in sentence.denials:
        start = next((word.start for word in sentence.words if word.stem in denial.stems), 0)
        denied_terms = sentence.list_clause_terms(start)
    given_share = max(given_share, len(denied_terms & statement.terms) / max(1, len(denied_terms)))
    shared = len(statement.terms & sentence.terms)
    permits = not sentence.word_texts.isdisjoint(
        contrary_words.load_opposition_words(sentence.code).permissions
    )
    return (
        stated_share >= _MIN_STATED_SHARE
        and given_share >= _MIN_SAID_SHARE
        and (shared >= _MIN_SHARED_TERMS or stated_share == 1)
        and not (lifted and permits)
    )


def _is_plain_denial(denial: Denial, denying: ComparedSentence, plain: ComparedSentence) -> bool:
    """Whether a denial is of the whole, and neither it nor what it denies is limited in any way."""
    about = tuple(stem for stem in denial.stems if stem in plain.terms)
    shared = denying.terms & plain.terms
    start, end = denying.find_clause(denial.start)
    beside = {word.stem for word in denying.words if not start <= word.start < end}
    # The sentence without a denying word may deny in another way, as by "stays out of".
    hidden = contrary_words.compile_hidden_pattern(plain.code).finditer(plain.text)
    return (
        # The clause of the denial has most of what the sentences share.
        len(denial.clause_terms & shared) >= _MIN_CLAUSE_SHARE * len(shared)
        and not beside.issuperset(about)  # "is not in orbit there; it orbits the Sun"
        and not any(match[0].lower() not in denying.text.lower() for match in hidden)
        and not plain.is_limited_near(about, denying)
        and not _is_limited_denial(denial, denying, plain)
    )


def _is_limited_denial(denial: Denial, denying: ComparedSentence, plain: ComparedSentence) -> bool:
    """Whether a word such as "only" or "unless" stands in the clause of a denial, and only there."""
    start, end = denying.find_clause(denial.start)
    found = contrary_words.compile_limit_pattern(denying.code).finditer(denying.text, start, end)
    return any(
        not plain.has_word(match[0].lower())
        for match in found
        if not denial.start <= match.start() < denial.end
    )


# Finds statements that say more than their source: "all" for "most", "proved" for "may".


@dataclass(frozen=True, slots=True, kw_only=True)
class Overstatement:
    """The strong word of the statement, and the weaker one that the source has in its place."""

    stated: str
    given: str
    place: int  # of the sentence among those that were compared


def find_overstatement(
    statement: ComparedSentence, sentences: Sequence[ComparedSentence]
) -> Overstatement | None:
    """What a statement overstates; None if a sentence that is as near says it as strongly."""
    if statement.code not in contrary_words.OPPOSITION_LANGUAGES:
        return None
    for kind in (_SCOPE, "certainty"):
        strong, weak = _compile_strength(kind, statement.code)
        stated = strong.search(weak.sub(_blank, statement.text))
        if stated is None or weak.search(statement.text):
            continue
        near = [
            place
            for place, sentence in enumerate(sentences)
            if _shares_statement_words(statement, sentence, strong, weak)
        ]
        if any(_says_strongly(statement, sentences[place], strong, weak) for place in near):
            continue
        about = statement.terms
        if kind == _SCOPE:  # "no drug" says nothing against "many effects"
            about = frozenset(word.stem for word in _list_following(statement, stated.end()))
        found = ((place, _find_weaker_word(about, sentences[place], weak)) for place in near)
        for place, limit in found:
            if limit:
                return Overstatement(stated=stated[0].lower(), given=limit, place=place)
    return None


def _find_weaker_word(
    about: frozenset[str], sentence: ComparedSentence, weak: re.Pattern[str]
) -> str:
    """The first weak word that is about one of these."""
    for match in weak.finditer(sentence.text):
        if any(word.stem in about for word in _list_following(sentence, match.end())):
            return match[0].lower()
    return ""


def _says_strongly(
    statement: ComparedSentence,
    sentence: ComparedSentence,
    strong: re.Pattern[str],
    weak: re.Pattern[str],
) -> bool:
    """Whether a strong word stands right before something which the statement has too."""
    found = strong.finditer(weak.sub(_blank, sentence.text))
    about = (_list_following(sentence, match.end())[:1] for match in found)
    return any(word.stem in statement.terms for words in about for word in words)


def _list_following(sentence: ComparedSentence, end: int) -> list[SentenceWord]:
    limit = sentence.find_clause(end)[1]
    return [word for word in sentence.words if end <= word.start < limit and word.stem][
        :_REACH_WORDS
    ]


def _shares_statement_words(
    statement: ComparedSentence,
    sentence: ComparedSentence,
    strong: re.Pattern[str],
    weak: re.Pattern[str],
) -> bool:
    wanted = frozenset(
        word.stem
        for word in statement.words
        if word.stem in statement.terms
        and not strong.fullmatch(word.text)
        and not weak.fullmatch(word.text)
    )
    return bool(wanted) and len(wanted & sentence.terms) >= _MIN_STRENGTH_SHARE * len(wanted)


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@cache
def _compile_strength(kind: str, code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    strong, weak = load_table(__package__, "strength_words")[kind][code]
    return contrary_words.compile_word_list((strong,)), contrary_words.compile_word_list((weak,))
