"""Judges a sentence that a model wrote by the texts of the sources it cites.

Only verdicts that were measured to be reliable are given (`python -m benchmarks evidence`): a wrong
number, a denial and a foreign name are told in nearly every case, and so is a sentence that shares
almost no words with its source. In between, words alone cannot tell: such a sentence is WEAK.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property

from citewell.model.research import ClaimRelation
from citewell.services.judging.claim_judge import Judgement
from citewell.text.evidence.capital_names import list_name_words
from citewell.text.evidence.claim_support import (
    UNSUPPORTED_BELOW_SCORE,
    ClaimSupport,
    SourceText,
    assess_support,
    can_share_language,
)
from citewell.text.language import detection, tokens
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import StatedQuantity

MIN_FOREIGN_SCORE = 0.6  # of a source that the sentence does not cite, to be cited instead
# Names with a number in them: IPv4, CO2, COVID-19, i7-10700K.
_NUMBERED_NAME_PATTERN = re.compile(r"(?<![\w.,-])[^\W\d_][^\W\d_]*+[-,.]?\d[\w,.-]*+(?<![,.-])")
_NO_LETTER_PATTERN = re.compile(r"[\W_]++")
_POSSESSIVE_PATTERN = re.compile(r"['’]s?$")
_NAME_PREFIX_LETTERS = 5  # European and Europe, Italian and Italy
# Capitals that are no names of anything.
_PLAIN_CAPITAL_LIST = (
    "i a an the and or but it they he she we you this that these those there source sources not no yes"
    " january february march april may june july august september october november december"
    " monday tuesday wednesday thursday friday saturday sunday"
)
_PLAIN_CAPITALS = frozenset(_PLAIN_CAPITAL_LIST.split())


class SentenceVerdict(StrEnum):
    SUPPORTED = "supported"
    WEAK = "weak"  # near to what the source says, but words cannot tell
    REFUSED = "refused"  # another number, name or subject, or the opposite
    UNCHECKED = "unchecked"  # the source is not there, or in another language


class CitableText:
    """The text of one source, prepared to be compared with many sentences."""

    def __init__(self, source: SourceText, *, title: str = "") -> None:
        self.source = source
        self._title = title

    @cached_property
    def _plain_words(self) -> tuple[frozenset[str], str]:
        text = unicodedata.normalize("NFKC", f"{self._title} {self.source.text}").lower()
        return frozenset(tokens.split_words(text)), text

    @cached_property
    def quantities(self) -> tuple[StatedQuantity, ...]:
        return tuple(one for each in self.source.sentence_features for one in each.quantities)

    @cached_property
    def _letters(self) -> str:
        return _NO_LETTER_PATTERN.sub("", self._plain_words[1])

    def has_name(self, name: str) -> bool:
        """Whether a name, or a word with the same beginning, is in the text or its title."""
        words, text = self._plain_words
        plain = _POSSESSIVE_PATTERN.sub("", unicodedata.normalize("NFKC", name).lower())
        if plain in words or plain in text:
            return True
        if _NUMBERED_NAME_PATTERN.fullmatch(name):  # IPv4 is not IPv6, but CO2 is CO₂
            return _NO_LETTER_PATTERN.sub("", plain) in self._letters
        head = plain[:_NAME_PREFIX_LETTERS]
        return len(plain) >= _NAME_PREFIX_LETTERS and any(word.startswith(head) for word in words)


class SentenceJudge:
    """Compares sentences with sources; `question` names things that any sentence may name."""

    def __init__(
        self,
        texts: Mapping[str, SourceText],
        *,
        titles: Mapping[str, str],
        question: str,
        judged: Mapping[tuple[str, str], Judgement] | None = None,
    ) -> None:
        """`texts` and `titles` are by src_N; a source without a text cannot be checked.

        `judged` holds what another judge than words found, by sentence and src_N.
        """
        self._texts = {
            ref: CitableText(text, title=titles.get(ref, "")) for ref, text in texts.items()
        }
        self._question = CitableText(SourceText(text=question))
        self._judged = judged or {}
        # Sentences compared with a source they cite, which another judge can be asked about.
        self.compared: dict[tuple[str, str], SourceText] = {}

    def judge_citation(self, said: str, ref: str) -> SentenceVerdict:
        """What the source says about the sentence."""
        held = self._texts.get(ref)
        if held is None:
            return SentenceVerdict.UNCHECKED
        self.compared[said, ref] = held.source
        judged = self._judged.get((said, ref))
        if judged is not None and judged.relation is ClaimRelation.SUPPORTS:
            return self._judge_support(said, judged, [held])
        if not can_share_language(said, held.source):
            by_words = self._judge_foreign_language(said, held)
        else:
            by_words = self._judge_support(said, assess_support(said, held.source), [held])
        return by_words if judged is None else _lower_verdict(by_words, judged.relation)

    def judge_together(self, said: str, refs: Iterable[str]) -> SentenceVerdict:
        """What several sources say to a sentence that joins them, each with its best place."""
        held = [self._texts[ref] for ref in refs if ref in self._texts]
        places = [assess_support(said, one.source).snippet for one in held]
        joined = SourceText(text="\n".join(filter(None, places)))
        return self._judge_support(said, assess_support(said, joined), held)

    def find_supporting_source(self, said: str, *, except_for: Iterable[str] = ()) -> str | None:
        """The source that supports a sentence best, if one clearly does."""
        left = set(except_for)
        best, found = MIN_FOREIGN_SCORE, None
        for ref, held in self._texts.items():
            if ref in left or not can_share_language(said, held.source):
                continue
            support = assess_support(said, held.source)
            if (
                support.score > best
                and self._judge_support(said, support, [held]) is SentenceVerdict.SUPPORTED
            ):
                best, found = support.score, ref
        return found

    def has_text(self, ref: str) -> bool:
        return ref in self._texts

    def has_lines(self, lines: Iterable[str]) -> bool:
        """Whether one source has all of these lines, word for word."""
        wanted = [" ".join(line.split()) for line in lines]
        plain = (" ".join(held.source.text.split()) for held in self._texts.values())
        return any(all(line in text for line in wanted) for text in plain)

    def has_all_facts(self, said: str) -> bool:
        """Whether every number and name of a heading is in the question or in one of the sources."""
        held = [self._question, *self._texts.values()]
        known = [one for text in held for one in text.quantities]
        told = extract_quantities(said)
        return not stated_quantities.find_missing_quantities(told, known) and all(
            any(one.has_name(name) for one in held) for name in list_names(said)
        )

    def states_fact(self, said: str) -> bool:
        """Whether a sentence has a number, a date or a name that is not in the question."""
        return bool(extract_quantities(said)) or bool(
            [name for name in list_names(said) if not self._question.has_name(name)]
        )

    def _judge_support(
        self, said: str, support: ClaimSupport | Judgement, held: Iterable[CitableText]
    ) -> SentenceVerdict:
        if support.relation is ClaimRelation.CONTRADICTS or support.missing_numbers:
            return SentenceVerdict.REFUSED
        texts = [self._question, *held]
        known = [one for text in texts for one in text.quantities]
        if any(not _is_number_stated(one, known) for one in extract_quantities(said)):
            return SentenceVerdict.REFUSED
        if any(not any(one.has_name(name) for one in texts) for name in list_names(said)):
            return SentenceVerdict.REFUSED
        if support.relation is ClaimRelation.SUPPORTS:
            return SentenceVerdict.SUPPORTED
        return (
            SentenceVerdict.REFUSED
            if support.score < UNSUPPORTED_BELOW_SCORE
            else SentenceVerdict.WEAK
        )

    def _judge_foreign_language(self, said: str, held: CitableText) -> SentenceVerdict:
        """In another language only numbers can be compared."""
        told = extract_quantities(said)
        missing = {one.low for one in told} - {one.low for one in held.quantities}
        return SentenceVerdict.REFUSED if missing else SentenceVerdict.UNCHECKED


def _lower_verdict(by_words: SentenceVerdict, relation: ClaimRelation) -> SentenceVerdict:
    """The verdict by words, as far as a judge that does not find support lets it stand."""
    if relation is ClaimRelation.CONTRADICTS:
        return SentenceVerdict.REFUSED
    return SentenceVerdict.REFUSED if by_words is SentenceVerdict.REFUSED else SentenceVerdict.WEAK


def _is_number_stated(one: StatedQuantity, known: Iterable[StatedQuantity]) -> bool:
    """Whether a number is given, or given more exactly: 98,765 does not follow from 100,000."""
    return any(
        {one.low, one.high} <= {other.low, other.high}
        or (one.precision >= other.precision and one.can_equal(other))
        for other in known
    )


def list_names(said: str) -> list[str]:
    """The names of a sentence, and words with a number in them."""
    numbered = [match[0] for match in _NUMBERED_NAME_PATTERN.finditer(said)]
    found = list_name_words(said, language=detection.detect_language(said))
    return numbered + [
        name
        for name in found
        if name[0].isalpha() and _POSSESSIVE_PATTERN.sub("", name.lower()) not in _PLAIN_CAPITALS
    ]
