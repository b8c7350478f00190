"""Judges a sentence that a model wrote by the texts of the sources it cites.

It is the judgement that a statement of a draft gets. Another number or name, a denial, or what a source
does not speak of is told in nearly every case. Where words alone cannot tell, the sentence is WEAK, and
the reason says what of it the source was not found to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from citewell.core.values.research import ClaimRelation
from citewell.evidence.comparison.absent_terms import SourceNames, read_source_names
from citewell.evidence.comparison.statement_names import StatementName, list_statement_names
from citewell.evidence.judging.claim_judge import ClaimPair, Judgement
from citewell.evidence.judging.claim_judging import judge_by_words
from citewell.evidence.judging.source_opinions import ReadSource, SourceOpinion, SourceStance
from citewell.evidence.judging.statement_judgement import judge_statement
from citewell.evidence.signs.claim_support import SourceText, assess_support, can_share_language
from citewell.evidence.signs.sentence_features import (
    build_sentence_features,
    list_capital_names,
    list_figures,
    measure_stem_coverage,
)
from citewell.text.language import detection, word_forms
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.stated_quantities import StatedQuantity

MIN_FOREIGN_SCORE = 0.6  # of a source that the sentence does not cite, to be cited instead
_MIN_COMMON_SHARE = 0.35  # of its words, in a source that may say it in other words
# Between statements that each have a subject of their own.
_JOINT_PATTERN = re.compile(r"; |, (?:and|but|while|whereas|although|though|yet) ")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceFinding:
    verdict: SentenceVerdict
    reason: str = ""  # why it is not SUPPORTED, for the reader of the report
    is_located: bool = False  # the source has something else in the place of what is said


_VERDICTS = {
    SourceStance.SUPPORTS: SentenceVerdict.SUPPORTED,
    SourceStance.RELATED: SentenceVerdict.WEAK,
    SourceStance.UNREAD: SentenceVerdict.UNCHECKED,
}
_NOTHING_COMMON = SentenceFinding(
    verdict=SentenceVerdict.REFUSED, reason="The source does not speak of this."
)
_NOT_IN_ONE = SentenceFinding(
    verdict=SentenceVerdict.WEAK, reason="None of the sources says all of it."
)


class CitableText:
    """The text of one source, prepared to be compared with many sentences."""

    def __init__(self, source: SourceText, *, title: str = "", is_whole: bool = True) -> None:
        self.source = source
        self._title = title
        self._is_whole = is_whole

    def judge(self, sentence: str, judged: Judgement | None) -> SentenceFinding:
        """What the source says to a sentence; `judged` is the opinion of another judge than words."""
        read = ReadSource(
            text=self.source.text,
            language=self.source.language,
            title=self._title,
            is_whole=self._is_whole,
        )
        opinion = judged or judge_by_words(ClaimPair(claim=sentence, source=self.source))
        found = judge_statement(sentence, self.source, read, opinion)
        if found.stance is SourceStance.UNCOMPARED:
            return self._judge_distant(sentence, found)
        verdict = _VERDICTS.get(found.stance, SentenceVerdict.REFUSED)
        is_opposed = isinstance(opinion, Judgement) and (
            opinion.relation is ClaimRelation.CONTRADICTS
        )
        if verdict is SentenceVerdict.WEAK and is_opposed:
            verdict = SentenceVerdict.REFUSED
        return SentenceFinding(
            verdict=verdict, reason=found.reason, is_located=not found.is_by_absence
        )

    @cached_property
    def folded_sentences(self) -> frozenset[str]:
        return frozenset(
            _fold_sentence(features.text) for features in self.source.sentence_features
        )

    @cached_property
    def _names(self) -> SourceNames:
        return read_source_names(self.source.text, self._title)

    def lacks_name(self, name: StatementName) -> bool:
        return not self._names.mentions_name(name)

    def _judge_distant(self, sentence: str, found: SourceOpinion) -> SentenceFinding:
        """A sentence that has no near passage, or is in another language, where only numbers count."""
        if not can_share_language(sentence, self.source):
            quantities = extract_quantities(sentence)
            lost = {statement.low for statement in quantities} - {
                quantity.low for quantity in self.quantities
            }
            verdict = SentenceVerdict.REFUSED if lost else SentenceVerdict.UNCHECKED
            return SentenceFinding(verdict=verdict, reason=found.reason)
        asked = build_sentence_features(sentence, language=self.source.language)
        if measure_stem_coverage(asked, self.source.all_terms) < _MIN_COMMON_SHARE:
            return _NOTHING_COMMON
        return SentenceFinding(verdict=SentenceVerdict.WEAK, reason=found.reason)

    @cached_property
    def _plain_words(self) -> tuple[frozenset[str], str]:
        text = unicodedata.normalize("NFKC", f"{self._title} {self.source.text}").lower()
        return frozenset(word_forms.split_words(text)), text

    @cached_property
    def quantities(self) -> tuple[StatedQuantity, ...]:
        return tuple(
            quantity for each in self.source.sentence_features for quantity in each.quantities
        )

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
        are_whole: bool = True,
    ) -> None:
        """`texts` and `titles` are by src_N; a source without a text cannot be checked.

        `judged` holds what another judge than words found, by sentence and src_N. Of sources that
        are not `are_whole` only passages are known.
        """
        self._texts = {
            ref: CitableText(text, title=titles.get(ref, ""), is_whole=are_whole)
            for ref, text in texts.items()
        }
        self._question = CitableText(SourceText(text=question))
        self._judged = judged or {}
        self._joined: dict[tuple[str, ...], CitableText] = {}
        # Sentences compared with a source they cite, which another judge can be asked about.
        self.compared: dict[tuple[str, str], SourceText] = {}

    def judge_citation(self, sentence: str, ref: str) -> SentenceFinding:
        """What the source says about the sentence."""
        held = self._texts.get(ref)
        if held is None:
            return SentenceFinding(
                verdict=SentenceVerdict.UNCHECKED, reason="A source could not be read."
            )
        self.compared[sentence, ref] = held.source
        judged = self._judged.get((sentence, ref))
        found = self._judge(sentence, held, judged)
        # The two places of the source that a sentence joins may be far from each other.
        is_open = found.verdict is SentenceVerdict.WEAK and judged is None
        if is_open and self.find_joined_sources(sentence, (ref,)):
            return SentenceFinding(verdict=SentenceVerdict.SUPPORTED)
        return found

    def _judge(self, sentence: str, held: CitableText, judged: Judgement | None) -> SentenceFinding:
        if judged is None and _fold_sentence(sentence) in held.folded_sentences:
            return SentenceFinding(verdict=SentenceVerdict.SUPPORTED)
        found = held.judge(sentence, judged)
        if found.verdict not in {SentenceVerdict.SUPPORTED, SentenceVerdict.WEAK}:
            return found
        lost = self._find_missing_fact(sentence, held)
        if lost is None:
            return found
        reason = f"The source does not give or name “{lost}”."
        return SentenceFinding(verdict=SentenceVerdict.REFUSED, reason=reason)

    def _find_missing_fact(self, sentence: str, held: CitableText) -> str | None:
        """A number or name that neither the source nor the question has in any form."""
        known = (*self._question.quantities, *held.quantities)
        for quantity in extract_quantities(sentence):
            # Another text may call the 1700s the 18th century.
            is_period = sentence[quantity.end : quantity.end + 1] == "s"
            figures = list_figures(quantity.text)
            is_written = bool(figures) and figures <= held.source.figures
            if not (is_period or is_written or _is_number_stated(quantity, known)):
                return quantity.text
        numbered = (match[0] for match in _NUMBERED_NAME_PATTERN.finditer(sentence))
        for text in numbered:
            if not (held.has_name(text) or self._question.has_name(text)):
                return text
        for name in list_statement_names(sentence, language=held.source.language):
            if held.lacks_name(name) and self._question.lacks_name(name):
                return name.text
        return None

    def find_joined_sources(self, sentence: str, refs: Iterable[str]) -> list[str]:
        """The sources that support the parts of a sentence which joins them; none if a part has none."""
        parts = _JOINT_PATTERN.split(sentence)
        found: dict[str, None] = {}
        for part in parts if len(parts) > 1 else ():
            good = [ref for ref in refs if self._supports(part, ref)]
            if not good:
                return []
            found |= dict.fromkeys(good)
        return list(found)

    def judge_together(self, sentence: str, refs: Sequence[str]) -> SentenceFinding:
        """What remains against a sentence if any of the sources may say any part of it."""
        held = [self._texts[ref] for ref in refs if ref in self._texts]
        joined = self._joined.setdefault(
            tuple(refs),
            CitableText(SourceText(text="\n\n".join(item.source.text for item in held))),
        )
        found = self._judge(sentence, joined, None)
        return _NOT_IN_ONE if found.verdict is SentenceVerdict.SUPPORTED else found

    def find_supporting_source(
        self, sentence: str, *, except_for: Iterable[str] = ()
    ) -> str | None:
        """The source that supports a sentence best, if one clearly does."""
        left = set(except_for)
        best, found = MIN_FOREIGN_SCORE, None
        for ref, held in self._texts.items():
            if ref in left or not can_share_language(sentence, held.source):
                continue
            support = assess_support(sentence, held.source)
            if support.score > best and support.relation is ClaimRelation.SUPPORTS:
                best, found = support.score, ref
        return found if found is not None and self._supports(sentence, found) else None

    def _supports(self, sentence: str, ref: str) -> bool:
        return self.judge_citation(sentence, ref).verdict is SentenceVerdict.SUPPORTED

    def has_text(self, ref: str) -> bool:
        return ref in self._texts

    def has_lines(self, lines: Iterable[str]) -> bool:
        """Whether one source has all of these lines, word for word."""
        wanted = [" ".join(line.split()) for line in lines]
        plain = (" ".join(held.source.text.split()) for held in self._texts.values())
        return any(all(line in text for line in wanted) for text in plain)

    def has_all_facts(self, sentence: str) -> bool:
        """Whether every number and name of a heading is in the question or in one of the sources."""
        held = [self._question, *self._texts.values()]
        known = [quantity for text in held for quantity in text.quantities]
        quantities = extract_quantities(sentence)
        return not stated_quantities.find_missing_quantities(quantities, known) and all(
            any(item.has_name(name) for item in held) for name in list_names(sentence)
        )

    def states_fact(self, sentence: str) -> bool:
        """Whether a sentence has a number, a date or a name that is not in the question."""
        return bool(extract_quantities(sentence)) or bool(
            [name for name in list_names(sentence) if not self._question.has_name(name)]
        )


def _fold_sentence(text: str) -> str:
    return " ".join(_NO_LETTER_PATTERN.sub(" ", text).lower().split())


def _is_number_stated(quantity: StatedQuantity, known: Iterable[StatedQuantity]) -> bool:
    """Whether a number is given, or given more exactly: 98,765 does not follow from 100,000."""
    return any(
        {quantity.low, quantity.high} <= {other.low, other.high}
        or (quantity.precision >= other.precision and quantity.can_equal(other))
        or (
            not quantity.unit
            and quantity.low in {other.low / other.scale, other.high / other.scale}
        )
        for other in known
    )


def list_names(sentence: str) -> list[str]:
    """The names of a sentence, and words with a number in them."""
    numbered = [match[0] for match in _NUMBERED_NAME_PATTERN.finditer(sentence)]
    found = list_capital_names(sentence, language=detection.detect_language(sentence))
    return numbered + [
        name
        for name in found
        if name[0].isalpha() and _POSSESSIVE_PATTERN.sub("", name.lower()) not in _PLAIN_CAPITALS
    ]
