"""Numbers and days that sentences state, each found by two readings that must agree.

One reading starts at the number: does it belong to what the field counts or measures? The other starts at
the field: which number stands nearest to its words, in the sentence that has most of them?
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from itertools import chain

from citewell.research.structured.field_questions import (
    FieldQuestion,
    QuestionKind,
    is_plural,
    stem_term,
    stem_terms,
)
from citewell.text.language import sentences, word_forms
from citewell.text.quantities import stated_quantities
from citewell.text.quantities.quantity_extraction import extract_quantities
from citewell.text.quantities.spelt_numbers import find_spelt_counts

MAX_MENTIONS, _MAX_SENTENCE_CHARS = 2000, 600
_LEAST_COVERAGE, _LEAST_LEAD = 0.5, 0.2  # the lead is over places with another value
_AROUND_WORTH = 0.5  # of a word in the heading or the sentence before
# Words from a measure to what it measures, words that a border of clauses counts as, words behind a count.
_FARTHEST_WORDS, _BORDER_WORDS, _MAX_NOUN_WORDS = 8, 5, 4
_CURRENCIES = frozenset(stated_quantities.CURRENCY_CODES.values())
_MARKUP_PATTERN = re.compile(
    r"\]\([^()\n]{0,500}+\)|!\[|[*_`\[\]\\]|^\s*(?:#+|>|[-+]|\d{1,3}[.)])\s"
)
_WORD_PATTERN = re.compile(r"[^\W_]+(?:\.\d+)*")
_CLAUSE_BORDER_PATTERN = re.compile(
    r"[,;()—–](?=\s|\Z)|\s[(—–]|\b(?:while|but|whereas|compared|versus|and)\b"
)
_FIGURE_PATTERN = re.compile(
    r"[$€£¥\s]*[\d.,]*\d(?:\s?(?:million|billion|trillion|thousand)\b|[MBK](?![A-Za-z]))?"
)
_NEXT_WORD_PATTERN = re.compile(r"[\s-]([^\W\d_]+)(?!['’][^s])")
_PART_BEFORE_PATTERN = re.compile(
    r"(?:\b(?:than|over|up to|at least|at most|under|below|above|nearly|almost|as (?:many|much|low|high) as"
    r"|from|between|or|additional|another|extra|further|of (?:the|its|their|his|her|those|these|our)|first"
    r"|last|next|every|each|past|starts? at|starting at|(?:one|two|three|four|five|six|seven|eight|nine|\d)[\s-](?:in|of|out of)|\w+teen to|\d to)"
    r"|[<>≤≥~#])[\s-]{0,2}[$€£]?\Z",
    re.IGNORECASE,
)
_MORE_BEHIND_PATTERN = re.compile(
    r"\s?(?:\+|(?:or |and )?(?:more|less|fewer|over|so|higher|lower|off)\b|plus\b)"
)
_CHANGE_BEFORE_PATTERN = re.compile(
    r"\b(?:rose|rises?|risen|fell|falls?|fallen|up|down|by|increased?|decreased?|climbed|dropped|grew|grown"
    r"|gained|added|lost|cut|saved?)\s(?:by\s|about\s|approximately\s)?[$€£]?\Z",
    re.IGNORECASE,
)
_DENIAL_PATTERN = re.compile(r"\b(?:no|not|never|cannot)\b|n[’']t\b", re.IGNORECASE)
_NAME_PATTERN = re.compile(r"(?<=\w\s)[A-Z][a-z]{2,30}|\b[A-Z]\w{1,30}(?=\s[A-Z]\w|['’]s\b)")
_AGE_PATTERN = re.compile(r"\s?-?\s?years?(?:-|\s)old\b")
_RATE_PATTERN = re.compile(r"\s?(?:/|per\b|an?\b|each\b|every\b)\s?([a-z]+)")
# "A score of 734", "the population grew to 412": a number that counts no things of its own.
_LEVEL_PATTERN = re.compile(
    r"\b([^\W\d_]{1,40})\s(?:(?:has |have |had )?(?:risen|rose|grown|grew|fallen|fell|increased|climbed|dropped)\s)?"
    r"(?:of|is|was|were|at|to|reached|totalled|totaled)\s(?:about |around |roughly )?\Z"
)
_DOUBT_WORDS = (
    "if imagine suppose example instance would claim allege rumour unsubstantiated false hoax expect forecast"
    " predict estimate rival competitor previous prior former previously originally shipping minimum maximum"
)
_PART_WORDS = "hire lay fire recruit add lose reduce cut"
# A number with nothing but a time or a place behind it is another value of what the sentence speaks of.
_TIME_WORDS = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july"
    " august september october november december spring summer autumn winter morning evening night weekend"
    " day week month year season first second third later afterwards today yesterday now then"
)
_PLACE_BEHIND_PATTERN = re.compile(r"\s(?:on|in|at|during|after|before|by|for)\s", re.IGNORECASE)
# Words before a counted noun that make it a part of all of its kind, beside those that end in -ed.
_PART_ADJECTIVES = frozenset({
    "dead", "sick", "ill", "missing", "hurt", "new", "male", "female", "foreign", "homeless",
})  # fmt: skip
# In a clause with one of these a number is not asserted of the thing, or is a part of the count.
_DOUBTS, _PARTS = stem_terms(_DOUBT_WORDS.split()), stem_terms(_PART_WORDS.split())
_TIMES = stem_terms(_TIME_WORDS.split())


@dataclass(frozen=True, kw_only=True)
class NumberMention:
    """One number in its sentence; its offsets are in the sentence, `start` is in the text."""

    quantity: stated_quantities.StatedQuantity
    sentence: str
    start: int
    page: frozenset[str]  # stems of the title
    around: frozenset[str]  # those, and the stems of the heading and the sentence before

    @property
    def end(self) -> int:
        return self.start + len(self.sentence)

    @property
    def value(self) -> Decimal:
        """The number as it is written, in the unit that stands behind it."""
        return self.quantity.low / self.quantity.scale

    @cached_property
    def words(self) -> tuple[tuple[str, int], ...]:
        found = _WORD_PATTERN.finditer(self.sentence)
        return tuple((stem_term(match[0]), match.start()) for match in found)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(stem for stem, _ in self.words)

    @cached_property
    def clause_span(self) -> tuple[int, int]:
        borders = [item.span() for item in _CLAUSE_BORDER_PATTERN.finditer(self.sentence)]
        left = max((end for _, end in borders if end <= self.quantity.start), default=0)
        ends = [start for start, _ in borders if start >= self.quantity.end]
        return left, min(ends, default=len(self.sentence))

    @cached_property
    def clause(self) -> frozenset[str]:
        left, right = self.clause_span
        return frozenset(stem for stem, at in self.words if left <= at < right)

    @cached_property
    def before(self) -> str:
        return self.sentence[: self.quantity.start]

    @cached_property
    def unit_start(self) -> int:
        """The offset behind the figure, before its unit or noun."""
        at = self.quantity.start
        figure = _FIGURE_PATTERN.match(self.sentence, at) or _WORD_PATTERN.match(self.sentence, at)
        return figure.end() if figure else at

    def measure_field_coverage(self, terms: frozenset[str]) -> float:
        if not terms:
            return 1.0
        away = (terms - self.stems) & self.around
        return (len(terms & self.stems) + _AROUND_WORTH * len(away)) / len(terms)

    def measure_distance(self, terms: frozenset[str]) -> int:
        """Words between the number and the nearest of the terms."""
        here = sum(at < self.quantity.start for _, at in self.words)
        far = len(self.words) + _BORDER_WORDS
        places = [place for place, (stem, _) in enumerate(self.words) if stem in terms]
        left, right = self.clause_span
        return min(
            (
                abs(place - here) + (0 if left <= self.words[place][1] < right else _BORDER_WORDS)
                for place in places
            ),
            default=far,
        )


def find_stated_value(
    question: FieldQuestion, mentions: Sequence[NumberMention]
) -> NumberMention | None:
    """The place on whose value both readings agree; None if they differ or another is as likely."""
    if not question.heads and question.kind is not QuestionKind.AGE:
        return None
    fitting = [mention for mention in mentions if _has_fitting_unit(mention, question)]
    bound = [item for item in fitting if _is_bound(item, question) and _is_asserted(item, question)]
    bound = [
        item
        for item in bound
        if not _has_twin(item, fitting) and _is_nearest(item, bound, question)
    ]
    first = _choose_leader(bound, lambda item: item.measure_field_coverage(question.context))
    second = max(
        fitting,
        key=lambda item: (
            round(item.measure_field_coverage(question.terms), 2),
            -item.measure_distance(question.heads),
        ),
        default=None,
    )
    agree = first is not None and second is not None and first.value == second.value
    return first if agree else None


def _has_twin(mention: NumberMention, fitting: Sequence[NumberMention]) -> bool:
    """Whether the sentence goes on with another number for the same: "and $15 million in 2021"."""
    return any(
        other.start == mention.start
        and other.quantity.start > mention.quantity.start
        and _is_elliptical(other)
        for other in fitting
    )


def _is_elliptical(mention: NumberMention) -> bool:
    """Whether the clause has no subject and no noun for its number: "and 5,100 on Saturday"."""
    found, (left, right) = mention.quantity, mention.clause_span
    if not stated_quantities.is_fixed_unit(found.unit) and _list_counted_words(mention):
        return False
    if _PLACE_BEHIND_PATTERN.match(mention.sentence, found.end):
        right = found.start
    stems = {
        stem
        for stem, at in mention.words
        if left <= at < right and not found.start <= at < found.end and stem[0].isalpha()
    }
    return not stems - _list_empty_stems() - _TIMES


def _is_nearest(
    mention: NumberMention, bound: Sequence[NumberMention], question: FieldQuestion
) -> bool:
    """Whether no other number of the sentence is nearer to what is measured."""
    here = mention.measure_distance(question.heads)
    return question.kind is QuestionKind.COUNT or all(
        other.measure_distance(question.heads) >= here
        for other in bound
        if other.start == mention.start
    )


def _choose_leader(
    found: Sequence[NumberMention], score: Callable[[NumberMention], float]
) -> NumberMention | None:
    """The place with the best score, unless another value comes near to it."""
    ranked = sorted(found, key=score, reverse=True)
    if not ranked or score(ranked[0]) < _LEAST_COVERAGE:
        return None
    others = [item for item in ranked if item.value != ranked[0].value]
    return ranked[0] if not others or score(ranked[0]) - score(others[0]) >= _LEAST_LEAD else None


def _has_fitting_unit(mention: NumberMention, question: FieldQuestion) -> bool:
    found, kind = mention.quantity, question.kind
    is_age = _AGE_PATTERN.match(mention.sentence, mention.unit_start) is not None
    if found.low != found.high or is_age != (kind is QuestionKind.AGE):
        return False
    if kind is QuestionKind.COUNT:  # "one step ahead" and "zero waste" count nothing
        is_idiom = found.low <= 1 and mention.sentence[found.start].isalpha()
        return not stated_quantities.is_fixed_unit(found.unit) and not is_idiom
    if kind is QuestionKind.MEASURE and not stated_quantities.is_fixed_unit(question.unit):
        behind = mention.sentence[mention.unit_start :].lstrip(" -").lower()
        return re.match(rf"{question.unit}s?\b", behind) is not None
    wanted = {
        QuestionKind.AGE: {found.unit},
        QuestionKind.PERCENT: {"%"},
        QuestionKind.YEAR: {stated_quantities.YEAR_UNIT},
        QuestionKind.DATE: {stated_quantities.DATE_UNIT},
        QuestionKind.MONEY: {question.unit} if question.unit else _CURRENCIES,
        QuestionKind.MEASURE: {question.unit} if found.scale == question.scale else frozenset(),
    }
    return found.unit in wanted[kind]


def _is_bound(mention: NumberMention, question: FieldQuestion) -> bool:
    """Whether the number belongs to what is asked, by its own noun or by its clause."""
    known = mention.stems | mention.around
    if question.kind is QuestionKind.AGE:
        return bool(question.terms & known)
    if (
        not question.named <= known
        or not _has_asked_rate(mention, question)
        or _is_about_another(mention, question)
    ):
        return False
    if question.kind is QuestionKind.COUNT:
        *parts, noun = _list_counted_words(mention) or ("",)
        # A word may make a noun a part of all of its kind: "60 injured workers" are not all workers.
        is_part = any(
            word in _PART_ADJECTIVES or (word.endswith("ed") and len(word) > 4)
            for word in map(str.lower, parts)
        )
        if is_part and not stem_terms(parts) & question.terms:
            return False
        return bool(question.heads & (stem_terms((noun,)) or _find_level_stem(mention)))
    near = mention.stems if question.kind is QuestionKind.DATE else mention.clause
    distance = mention.measure_distance(question.heads)
    return bool(question.heads & near) and distance <= _FARTHEST_WORDS


def _has_asked_rate(mention: NumberMention, question: FieldQuestion) -> bool:
    """Whether "per month" stands behind the number if it is asked for, and nothing alike if not."""
    rate = _RATE_PATTERN.match(mention.sentence.lower(), mention.quantity.end)
    if rate is None:
        return not question.per or any(item.startswith(question.per) for item in mention.clause)
    if question.per:
        return question.per.startswith(rate[1][:3].removesuffix("s"))
    return stem_term(rate[1]) in question.terms


def _is_about_another(mention: NumberMention, question: FieldQuestion) -> bool:
    """Whether the clause names somebody, but nobody whom the field or the title of the page names."""
    if question.names:
        left, right = mention.clause_span
        capitals = re.findall(r"\b[A-Z]\w{2,}", mention.sentence[left:right])
        return not question.names & mention.clause and bool(
            stem_terms(capitals) - _list_empty_stems()
        )
    subject = stem_terms(_NAME_PATTERN.findall(mention.before[mention.clause_span[0] :]))
    return bool(subject) and not subject & (question.terms | mention.page)


def _is_asserted(mention: NumberMention, question: FieldQuestion) -> bool:
    """Whether the sentence says it as a fact: no question, bound, part, change, guess or denial."""
    before = mention.before
    if (
        mention.sentence.rstrip("\"'”’ ").endswith("?")
        or _DENIAL_PATTERN.search(before[-40:])
        or _PART_BEFORE_PATTERN.search(before)
        or _MORE_BEHIND_PATTERN.match(mention.sentence, mention.unit_start)
        or _MORE_BEHIND_PATTERN.match(mention.sentence, mention.quantity.end)
    ):
        return False
    if not question.asks_change and _CHANGE_BEFORE_PATTERN.search(before):
        return False
    is_part = question.kind is QuestionKind.COUNT and not before.lower().endswith("total of ")
    doubts = _DOUBTS | _PARTS if is_part else _DOUBTS
    return not (doubts & mention.clause) - question.terms


def _list_counted_words(mention: NumberMention) -> tuple[str, ...]:
    """The words to the plural behind a number, "criminal charges", or the noun of "752-room"."""
    plain, at = word_forms.list_stopwords("en"), mention.unit_start
    # A name may end right before the number: "Apollo 11 astronauts", "Windows 10 users".
    name = re.search(r"\b([A-Z][\w-]{0,40})\s\Z", mention.before)
    if name is not None and name[1].lower() not in plain:
        return ()
    words: list[str] = []
    for place in range(_MAX_NOUN_WORDS):
        match = _NEXT_WORD_PATTERN.match(mention.sentence, at)
        is_joined = match is not None and match[0].startswith("-")
        if match is None or (match[1].lower() in plain and not is_joined):
            break
        at = match.end()
        words.append(match[1])
        if is_plural(match[1]) or (is_joined and place == 0) or mention.quantity.low == 1:
            following = _NEXT_WORD_PATTERN.match(mention.sentence, at)
            is_compound = following is not None and following[1].lower() not in plain
            if is_compound and following is not None and is_plural(following[1]):
                break  # "400 sales employees" are no sales
            return tuple(words)
    return ()


def _find_level_stem(mention: NumberMention) -> frozenset[str]:
    """The noun before a number behind which none stands: "a score of 734"."""
    behind = _NEXT_WORD_PATTERN.match(mention.sentence, mention.unit_start)
    match = _LEVEL_PATTERN.search(mention.before)
    if match is None or (behind and behind[1].lower() not in word_forms.list_stopwords("en")):
        return frozenset()
    return frozenset((stem_term(match[1]),))


def iterate_mentions(text: str, title: str) -> Iterator[NumberMention]:
    """The numbers and days in the sentences of a page, tables and code left out."""
    page = _stem_text(title)
    heading, before = frozenset[str](), frozenset[str]()
    is_code, start = False, 0
    for line in text.splitlines(keepends=True):
        at, start = start, start + len(line)
        is_code ^= line.lstrip().startswith("```")
        if is_code or line.lstrip().startswith(("|", "```")):
            continue
        for begin, sentence in _split_line(line):
            for quantity in _list_quantities(sentence):
                yield NumberMention(
                    quantity=quantity,
                    sentence=sentence,
                    start=at + begin,
                    page=page,
                    around=page | heading | before,
                )
            before = _stem_text(sentence)
        if line.startswith("#"):
            heading, before = before, frozenset()


def _split_line(line: str) -> Iterator[tuple[int, str]]:
    """The sentences of a line with their offsets; markup is blanked out, so that offsets stay."""
    plain = _MARKUP_PATTERN.sub(lambda item: " " * len(item[0]), line.rstrip("\r\n"))
    for begin, end in sentences.find_sentence_spans(plain):
        if end - begin <= _MAX_SENTENCE_CHARS:
            yield begin, plain[begin:end]


def _list_quantities(sentence: str) -> Iterator[stated_quantities.StatedQuantity]:
    figures = extract_quantities(sentence)
    spelt = (
        count
        for count in find_spelt_counts(sentence, "en")
        if not any(other.start < count.end and count.start < other.end for other in figures)
    )
    return chain(figures, spelt)


@cache
def _list_empty_stems() -> frozenset[str]:
    return stem_terms((*word_forms.list_stopwords("en"), *stated_quantities.MAGNITUDE_FACTORS))


def _stem_text(text: str) -> frozenset[str]:
    return stem_terms(_WORD_PATTERN.findall(text))
