"""Finds what one of two sentences denies and the other says."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.text.evidence.oppositions.compared_sentence import (
    ComparedSentence,
    Denial,
    measure_overlap,
)
from citewell.text.evidence.oppositions.contrary_words import (
    compile_hidden_pattern,
    compile_limit_pattern,
    list_duty_stems,
)
from citewell.text.evidence.oppositions.sentence_contrast import (
    NEGATION,
    Certainty,
    SentenceContrast,
)
from citewell.text.evidence.oppositions.word_table import load_opposition_words

_MIN_STATED_SHARE = 0.8  # of the statement's content words in the sentence
_MIN_SAID_SHARE = 0.35  # the source may say more in the same sentence
_MIN_CLAUSE_SHARE = 0.6  # of the words that both sentences have, in the clause of the denial
_MIN_SHARED_TERMS = 4  # unless the sentence has all of the statement's


def find_denial_contrast(
    statement: ComparedSentence, said: ComparedSentence
) -> SentenceContrast | None:
    """A denial in one of both, of something that the other has as well."""
    mine = [one for one in statement.denials if _is_denied_alone(one, said)]
    theirs = [one for one in said.denials if _is_denied_alone(one, statement)]
    if mine and theirs:
        return SentenceContrast(
            kind=NEGATION,
            stated=mine[0].shown,
            said=theirs[0].shown,
            certainty=_rate_denial(is_sure=_deny_each_other(statement, said)),
        )
    if not mine and not theirs:
        return None
    denying, plain, found = (statement, said, mine) if mine else (said, statement, theirs)
    is_sure = (
        len(found) == _count_denials(denying, plain) - _count_denials(plain, denying)
        and _is_near(statement, said, found[0])
        and _is_plain_denial(found[0], denying, plain)
    )
    return SentenceContrast(
        kind=NEGATION,
        stated=found[0].shown if mine else "",
        said="" if mine else found[0].shown,
        certainty=_rate_denial(is_sure=is_sure),
    )


def _rate_denial(*, is_sure: bool) -> Certainty:
    return Certainty.SURE if is_sure else Certainty.UNSETTLED


def _is_denied_alone(one: Denial, other: ComparedSentence) -> bool:
    """Whether a denial is about something that the other sentence has and does not deny."""
    about = [stem for stem in one.stems if stem in other.terms]
    denied = {stem for each in other.denials for stem in each.stems}
    return bool(about) and not any(stem in denied for stem in about)


def _count_denials(one: ComparedSentence, other: ComparedSentence) -> int:
    """How many denials of a sentence are about something that the other has."""
    return sum(not other.terms.isdisjoint(each.stems) for each in one.denials)


def _deny_each_other(statement: ComparedSentence, said: ComparedSentence) -> bool:
    """Whether each denies what the other says, as "A rather than B" and "B rather than A" do."""
    if len(statement.denials) != 1 or len(said.denials) != 1:
        return False
    mine, theirs = statement.denials[0].stems, said.denials[0].stems
    stated_share = measure_overlap(statement, said)[0]
    return stated_share >= _MIN_STATED_SHARE and not set(mine) & set(theirs)


def _is_near(statement: ComparedSentence, said: ComparedSentence, denial: Denial) -> bool:
    # "It is not necessary to sign" is opposed by "Sign it".
    lifted = frozenset(denial.stems) & list_duty_stems(statement.code) - said.terms
    stated_share, said_share = measure_overlap(statement, said, lifted)
    # The source may say much more outside the clause that is denied or denies.
    told = _find_told_clause(said, denial)
    said_share = max(said_share, len(told & statement.terms) / max(1, len(told)))
    shared = len(statement.terms & said.terms)
    return (
        stated_share >= _MIN_STATED_SHARE
        and said_share >= _MIN_SAID_SHARE
        and (shared >= _MIN_SHARED_TERMS or stated_share == 1)
        and not (lifted and _permits(said))
    )


def _find_told_clause(said: ComparedSentence, denial: Denial) -> frozenset[str]:
    """The stems of the clause of the source that a denial stands in, or is about."""
    if denial in said.denials:
        return denial.clause_terms
    place = next((one.start for one in said.words if one.stem in denial.stems), 0)
    return said.list_clause_terms(place)


def _permits(one: ComparedSentence) -> bool:
    return not one.word_texts.isdisjoint(load_opposition_words(one.code).permissions)


def _is_plain_denial(one: Denial, denying: ComparedSentence, plain: ComparedSentence) -> bool:
    """Whether a denial is of the whole, and neither it nor what it denies is limited in any way."""
    about = tuple(stem for stem in one.stems if stem in plain.terms)
    return (
        _denies_whole(one, denying, plain)
        and not _is_said_beside(one, denying, about)
        and not _has_hidden_denial(plain, denying)
        and not plain.is_limited_near(about, denying)
        and not _is_limited_denial(one, denying, plain)
    )


def _denies_whole(one: Denial, denying: ComparedSentence, plain: ComparedSentence) -> bool:
    """Whether the clause of a denial has most of what the sentences share."""
    shared = denying.terms & plain.terms
    return len(one.clause_terms & shared) >= _MIN_CLAUSE_SHARE * len(shared)


def _is_said_beside(one: Denial, denying: ComparedSentence, about: Sequence[str]) -> bool:
    """Whether another clause says what a denial is about: "is not in orbit there; it orbits the Sun"."""
    start, end = denying.find_clause(one.start)
    held = {word.stem for word in denying.words if not start <= word.start < end}
    return held.issuperset(about)


def _has_hidden_denial(plain: ComparedSentence, denying: ComparedSentence) -> bool:
    """Whether the sentence without a denying word denies in another way, as by "stays out of"."""
    found = compile_hidden_pattern(plain.code).finditer(plain.text)
    return any(match[0].lower() not in denying.text.lower() for match in found)


def _is_limited_denial(one: Denial, denying: ComparedSentence, plain: ComparedSentence) -> bool:
    """Whether a word such as "only" or "unless" stands in the clause of a denial, and only there."""
    start, end = denying.find_clause(one.start)
    found = compile_limit_pattern(denying.code).finditer(denying.text, start, end)
    return any(
        not plain.has_word(match[0].lower())
        for match in found
        if not one.start <= match.start() < one.end
    )
