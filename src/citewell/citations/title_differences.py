"""Finds where two titles say something else: words replaced, put in or left out, not mere spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from citewell.citations import title_matching
from citewell.text.language import word_forms

_WORD_PATTERN = re.compile(r"[^\W_]+")
_TITLE_BREAK_PATTERN = re.compile(r"[:;.,?!()\[\]/|=–—\"“”]|\s-\s|-{2}")
_NUMBER_WORDS = {
    word: str(value)
    for value, words in enumerate(
        ("one i first", "two ii second", "three iii third", "four iv fourth", "five v fifth",
         "six vi sixth", "seven vii", "eight viii", "nine ix", "ten x"), start=1)
    for word in words.split()
}  # fmt: skip
# Short words that turn the meaning of a title around.
_NEGATIONS = frozenset({"not", "no", "non", "without", "never"})
_TURNING_WORDS = _NEGATIONS | {
    "with",
    "before",
    "after",
    "under",
    "over",
    "up",
    "down",
    "above",
    "below",
}
# What may stand before one word to make another of it, or the opposite.
_CONTRAST_PREFIXES = (
    "un", "in", "im", "ir", "il", "dis", "non", "anti", "a", "de", "re", "pre", "post", "hyper", "hypo", "inter", "intra",
    "extra", "over", "under", "up", "down", "micro", "macro", "mono", "poly", "multi", "bi", "uni", "homo", "hetero",
    "endo", "exo", "sub", "super", "pro", "semi", "self", "epi", "meta", "para", "cross", "trans", "cis", "ex", "en",
)  # fmt: skip
_MIN_STEM_LETTERS = 4  # left after a prefix
_MIN_TYPO_LETTERS = 5  # letters of a word in which one slip is forgiven
_MIN_LONG_LETTERS = 9  # letters of a word in which two slips are forgiven
_MIN_RUN_WORDS = 2  # words in a row that show where in a text a title stands
_MAX_LOST_WORDS = 3  # content words put in or left out; more are a part of the title
_MIN_SHARED_BEGINNING = 5  # letters that two forms of one word have in common
_ENDINGS = frozenset((
    "", "s", "es", "ed", "ing", "d", "r", "er", "ers", "al", "ally", "ly", "ic", "ical", "ically", "y", "ies",
    "ion", "ions", "ation", "ations", "ized", "ised", "izing", "ising", "ise", "ize", "ises", "izes", "isation",
    "ization", "isations", "izations", "our", "or", "ours", "ors", "ogue", "og", "re", "se", "ce", "sed", "zed",
    "lling", "ling", "lled", "led", "e", "is", "ae", "a", "um", "us", "i", "yse", "yze", "ysed", "yzed",
    "ysing", "yzing", "aemia", "emia", "ement", "ment",
))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleDifference:
    """The words of each title that the other has not at this place; one side may be empty."""

    cited: tuple[str, ...]
    record: tuple[str, ...]

    @property
    def is_mere_loss(self) -> bool:
        """Whether the citation only lacks words, as after a slip of the pen, and no negation."""
        return not self.cited and not _NEGATIONS & set(self.record)


def measure_shared_words(cited: str, record: str) -> float:
    """The share of the shorter title's words that the other has in the same order; 0 for a single one."""
    first, second = _split_compared_title(cited), _split_compared_title(record)
    matcher = SequenceMatcher(None, _key_words(first), _key_words(second), autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return same / min(len(first), len(second)) if same >= _MIN_RUN_WORDS else 0.0


def list_title_differences(
    cited: str, record: str, *, is_exact: bool
) -> tuple[TitleDifference, ...]:
    """Where the cited title says something else than the record's.

    What only one of them has after the other is no difference: a subtitle, or a title cut short. Without
    `is_exact` the bounds of the cited title are a guess, and words before the other are none either.
    """
    found = []
    for block in _list_changed_blocks(_split_compared_title(cited), _split_compared_title(record)):
        made = _judge_block(block.cited, block.record)
        is_loose_end = block.is_end or (block.is_start and not is_exact)
        if made is not None and not (is_loose_end and not (made.cited and made.record)):
            found.append(made)
    return tuple(found)


def find_added_words(cited: str, record: str) -> str:
    """What a cited title has around the record's without a break; what a break parts is a subtitle."""
    folded = title_matching.fold_title(title_matching.strip_translation_marks(cited))
    words = r"\W+".join(map(re.escape, _split_compared_title(record)))
    place = re.search(rf"\b{words}\b", folded) if words else None
    if place is None:
        return ""
    before = _TITLE_BREAK_PATTERN.split(folded[: place.start()])[-1]
    return f"{before} {_TITLE_BREAK_PATTERN.split(folded[place.end() :])[0]}"


def has_title_words(text: str, title: str) -> bool:
    """Whether the text has all words of the title, one after the other."""
    return (
        f" {' '.join(_split_compared_title(title))} "
        in f" {' '.join(_split_compared_title(text))} "
    )


def find_title_stretch(text: str, title: str) -> str:
    """The words of a text from the first to the last that it has in common with the title."""
    words, wanted = _split_compared_title(text), _split_compared_title(title)
    matcher = SequenceMatcher(None, _key_words(words), _key_words(wanted), autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size >= _MIN_RUN_WORDS]
    return " ".join(words[blocks[0].a : blocks[-1].a + blocks[-1].size]) if blocks else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ChangedBlock:
    cited: tuple[str, ...]
    record: tuple[str, ...]
    is_start: bool
    is_end: bool


def _list_changed_blocks(first: Sequence[str], second: Sequence[str]) -> Iterator[_ChangedBlock]:
    matcher = SequenceMatcher(None, _key_words(first), _key_words(second), autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield _ChangedBlock(
                cited=tuple(first[a:b]),
                record=tuple(second[c:d]),
                is_start=a == 0 or c == 0,
                is_end=b == len(first) or d == len(second),
            )


def _judge_block(cited: tuple[str, ...], record: tuple[str, ...]) -> TitleDifference | None:
    """The block without what is only written differently; None if nothing is left."""
    if "".join(cited) == "".join(record):
        return None
    turned = [_TURNING_WORDS & set(words) for words in (cited, record)]
    if all(turned) and turned[0] != turned[1]:
        return TitleDifference(cited=cited, record=record)
    if _is_abbreviated_title_word(cited, record):
        return None
    ours = list(filter(_is_title_content_word, cited))
    theirs = list(filter(_is_title_content_word, record))
    for word in tuple(ours):
        twin = next((other for other in theirs if _is_same_title_word(word, other)), None)
        if twin is not None:
            ours.remove(word)
            theirs.remove(twin)
    if not ours and not theirs:
        return None
    if "".join(ours) == "".join(theirs) or _is_abbreviated_title_word(ours, theirs):
        return None
    if not (ours and theirs) and len(ours or theirs) > _MAX_LOST_WORDS:
        return None
    return TitleDifference(cited=tuple(ours), record=tuple(theirs))


def _is_title_content_word(word: str) -> bool:
    if word in _NEGATIONS:
        return True
    return word not in word_forms.list_stopwords("en") and (len(word) > 1 or word.isdigit())


def _is_same_title_word(this: str, other: str) -> bool:
    if this == other or _key_word(this) == _key_word(other):
        return True
    if _is_contrast(this, other):
        return False
    return _is_inflection(this, other) or _is_typing_slip(this, other)


def _is_contrast(this: str, other: str) -> bool:
    """Whether two words differ by a prefix that changes the meaning, as hyper- and hypotension."""
    ends = {
        this[len(prefix) :]
        for prefix in ("", *_CONTRAST_PREFIXES)
        if this.startswith(prefix) and len(this) - len(prefix) >= _MIN_STEM_LETTERS
    }
    return this != other and any(
        other.startswith(prefix) and other[len(prefix) :] in ends
        for prefix in ("", *_CONTRAST_PREFIXES)
    )


def _is_inflection(this: str, other: str) -> bool:
    """Whether two words differ only in a usual ending, or in its British or American spelling."""
    shared = _count_common_letters(this, other)
    ends = this[shared:], other[shared:]
    if shared < min(_MIN_SHARED_BEGINNING, len(this), len(other)) or shared < _MIN_STEM_LETTERS - 1:
        return False
    return all(end in _ENDINGS for end in ends)


def _count_common_letters(this: str, other: str) -> int:
    pairs = zip(this, other, strict=False)
    return next(
        (at for at, (left, right) in enumerate(pairs) if left != right), min(len(this), len(other))
    )


def _is_typing_slip(this: str, other: str) -> bool:
    """Whether one word is the other with a typing error: letters put in, left out, changed or exchanged."""
    if min(len(this), len(other)) < _MIN_TYPO_LETTERS or not (this + other).isalpha():
        return False
    start = _count_common_letters(this, other)
    end = _count_common_letters(this[start:][::-1], other[start:][::-1])
    left, right = this[start : len(this) - end], other[start : len(other) - end]
    allowed = 2 if min(len(this), len(other)) >= _MIN_LONG_LETTERS else 1
    return max(len(left), len(right)) <= allowed or (left == right[::-1] and len(left) == 2)


def _is_abbreviated_title_word(this: Sequence[str], other: Sequence[str]) -> bool:
    """Whether one side is the initials of the other, or each of its words begins one of the other's."""
    for short, long in ((this, other), (other, this)):
        if len(short) == 1 and len(long) > 1:
            letters = "".join(word[0] for word in long)
            content = "".join(word[0] for word in long if _is_title_content_word(word))
            if short[0] in {letters, content}:
                return True
    return (
        bool(this)
        and len(this) == len(other)
        and all(
            min(len(a), len(b)) >= 3
            and (a.startswith(b) or b.startswith(a))
            and min(len(a), len(b)) <= 5
            for a, b in zip(this, other, strict=True)
        )
    )


def _key_words(words: Sequence[str]) -> list[str]:
    return [_key_word(word) for word in words]


@lru_cache(maxsize=4096)
def _key_word(word: str) -> str:
    """A key that spellings of one word share: numbers as figures, plurals without their s."""
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    is_plural = len(word) > _MIN_STEM_LETTERS and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if is_plural else word


@lru_cache(maxsize=512)
def _split_compared_title(title: str) -> tuple[str, ...]:
    folded = title_matching.fold_title(title_matching.strip_translation_marks(title))
    return tuple(_WORD_PATTERN.findall(folded))
