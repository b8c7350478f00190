"""Compares the name of a case as an author wrote it with the name that a registry has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache, lru_cache

from citewell.text.data_tables import load_table

GOVERNMENT_WORDS = frozenset({"people", "state", "commonwealth"})

_MAX_COMPARED_CHARS = 400
_VERSUS_SPLIT_PATTERN = re.compile(r" (?:v|vs|versus)\.? ", re.IGNORECASE)
_MATTER_START_PATTERN = re.compile(
    r"(?:in re|ex parte|in the matter of|matter of|in the interest of|estate of|application of|petition of)\b:? ?",
    re.IGNORECASE,
)
_NAME_WORD_PATTERN = re.compile(r"[^\W_](?:[^\W_]|['.&-](?=[^\W_]))*+")
_UNITED_STATES_PATTERN = re.compile(
    r"\b(?:United States(?: of America)?|U\. ?S\.(?: ?A\.)?(?!\w)|USA?\b)"
)
_JOINED_STATES_PATTERN = re.compile(
    r"\b(New|North|South|West|Rhode|Puerto) (Hampshire|Jersey|Mexico|York|Carolina|Dakota|Virginia|Island|Rico)\b"
)
_SPACED_INITIALS_PATTERN = re.compile(r"\b([NSWRDLP])\. (?=(?:Va|Y|J|H|M|C|D|I|A|R)\.)")
_ACRONYM_PATTERN = re.compile(r"[A-Z][A-Z.&-]{1,9}")
_MAX_ACRONYM_CHARS = 12
_MAX_ACRONYM_WORDS = 12
_MIN_PREFIX_CHARS = 3
_MIN_TYPO_CHARS = 6


class NameAgreement(StrEnum):
    SAME = "same"
    PARTIAL = "partial"  # one party agrees, the other does not
    OTHER = "other"
    UNKNOWN = "unknown"  # too little is said to compare


def compare_case_names(
    written: str, recorded: str, *, full_name: str | None = None
) -> NameAgreement:
    """Whether both are names of one case: abbreviations, order of parties and additions do not matter."""
    parties, other = _split_parties(written), _split_parties(recorded)
    if not any(map(_list_name_words, parties)) or not any(map(_list_name_words, other)):
        return NameAgreement.UNKNOWN
    if len(parties) == 2 and len(other) == 2:
        best = max(
            (_count_agreeing(parties, other), _count_agreeing(parties, other[::-1])),
            key=lambda found: found[0],
        )
        if best[0] == 2:
            return NameAgreement.SAME
        if best[0] == 1 and full_name and _is_named_in(parties[best[1].index(False)], full_name):
            return NameAgreement.SAME
        return NameAgreement.PARTIAL if best[0] else NameAgreement.OTHER
    whole, record = " ".join(parties), " ".join(other)
    if _agree_party(whole, record) or (full_name and _agree_party(whole, full_name)):
        return NameAgreement.SAME
    return NameAgreement.OTHER


def list_party_words(name: str) -> tuple[tuple[str, ...], ...]:
    """For each party its words in full, the most telling first, for a search."""
    return tuple(
        tuple(sorted(_list_searchable_words(party), key=lambda word: _is_common_word(word.lower())))
        for party in _split_parties(name)
    )


def is_government_name(name: str) -> bool:
    """Whether one party is a state or the United States: many cases share the rest of such a name."""
    known = GOVERNMENT_WORDS | load_state_names()
    return any(
        words
        and all(
            word in {"unitedstates", "usa"}
            or not known.isdisjoint((word.rstrip("."), *find_meanings(word.rstrip("."))))
            for word in words
        )
        for words in map(_list_name_words, _split_parties(name))
    )


def _list_searchable_words(party: str) -> list[str]:
    """Words of a party for a search; abbreviations with one meaning are spelt out, others left out."""
    words = [word.removesuffix("'s") for word in _NAME_WORD_PATTERN.findall(party)]
    kept = [word for word in words if word.lower() not in load_filling_words() and word != "&"]
    clear = [
        next((meaning.capitalize() for meaning in find_meanings(word.lower())), word)
        for word in kept
        if not set("'.").intersection(word)
        and len(find_meanings(word.lower())) <= 1
        and not _ACRONYM_PATTERN.fullmatch(word)
    ]
    return clear or kept


def is_single_party_of(written: str, recorded: str) -> bool:
    """Whether a short name such as "Roe" is a party of the recorded case."""
    return any(_agree_party(written, party) for party in (*_split_parties(recorded), recorded))


def _count_agreeing(this: tuple[str, ...], other: tuple[str, ...]) -> tuple[int, tuple[bool, ...]]:
    agreeing = tuple(_agree_party(first, second) for first, second in zip(this, other, strict=True))
    return sum(agreeing), agreeing


def _split_parties(name: str) -> tuple[str, ...]:
    name = " ".join(name[:_MAX_COMPARED_CHARS].replace("’", "'").split())
    parts = _VERSUS_SPLIT_PATTERN.split(f" {name} ", maxsplit=1)
    if len(parts) == 2:
        return parts[0].strip(" ,;"), parts[1].strip(" ,;")
    return (_MATTER_START_PATTERN.sub("", name, count=1),)


@lru_cache(maxsize=512)
def _list_name_words(party: str) -> tuple[str, ...]:
    """The words of a party that tell it from others, in small letters, abbreviations as they are."""
    text = _UNITED_STATES_PATTERN.sub("UnitedStates", party)
    text = _JOINED_STATES_PATTERN.sub(r"\1\2", _SPACED_INITIALS_PATTERN.sub(r"\1.", text))
    words = (word.lower().removesuffix("'s") for word in _NAME_WORD_PATTERN.findall(text))
    return tuple(word for word in words if word not in load_filling_words() and word != "&")


def _agree_party(written: str, recorded: str) -> bool:
    words, other = _list_name_words(written), _list_name_words(recorded)
    if not words or not other:
        # "The Company" against anything: nothing to compare.
        return not words and not other
    if _are_same_government(words, other):
        return True
    shared = [word for word in words if any(_is_same_word(word, second) for second in other)]
    if any(not _is_common_word(word) for word in shared):
        return True
    if (
        shared
        and len(shared) * 3 >= 2 * min(len(words), len(other))
        and _are_common_side(words, other)
    ):
        return True
    return _is_acronym_of(written, recorded) or _is_acronym_of(recorded, written)


def _are_common_side(this: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether one side has only words that many parties share, so that these must do."""
    return all(map(_is_common_word, this)) or all(map(_is_common_word, other))


def _is_common_word(word: str) -> bool:
    common = load_common_words()
    return any(meaning in common for meaning in (word, *find_meanings(word.rstrip("."))))


def _are_same_government(this: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """People, State and Commonwealth mean the state whose court it is."""

    def read_government(words: tuple[str, ...]) -> str | None:
        named = {meaning for word in words for meaning in (word, *find_meanings(word.rstrip(".")))}
        states = named & load_state_names()
        if states and len(words) <= 3:
            return next(iter(sorted(states)))
        return "" if named & GOVERNMENT_WORDS and len(words) == 1 else None

    first, second = read_government(this), read_government(other)
    if first is None or second is None:
        return False
    return first == second or not first or not second


@lru_cache(maxsize=4096)
def _is_same_word(this: str, other: str) -> bool:
    if this == other:
        return True
    first, second = this.rstrip("."), other.rstrip(".")
    if first == second or first.replace(".", "") == second.replace(".", ""):
        return True
    if second in find_meanings(first) or first in find_meanings(second):
        return True
    if _is_contraction(first, second) or _is_contraction(second, first):
        return True
    if first[0] != second[0]:
        return False
    short, long = sorted((first, second), key=len)
    is_cut = len(short) >= _MIN_PREFIX_CHARS and long.startswith(short)
    # Kan. for Kansas; Smith is not Smithson, though: names of people are not cut.
    if is_cut and (find_meanings(short) or long.removeprefix(short) in {"es", "'s"}):
        return True
    return len(short) >= _MIN_TYPO_CHARS and _is_one_slip(short, long)


def _is_contraction(short: str, long: str) -> bool:
    """Dep't for department: the beginning and the end of the word around an apostrophe."""
    head, mark, tail = short.partition("'")
    return bool(mark and head and tail) and long.startswith(head) and long.endswith(tail)


def _is_one_slip(short: str, long: str) -> bool:
    """Whether one letter was changed, left out or added, or two neighbours changed places."""
    if len(long) - len(short) > 1:
        return False
    start = 0
    while start < len(short) and short[start] == long[start]:
        start += 1
    rest_short, rest_long = short[start:], long[start:]
    if len(short) == len(long):
        swapped = rest_short[:2] == rest_long[:2][::-1] and rest_short[2:] == rest_long[2:]
        return rest_short[1:] == rest_long[1:] or swapped
    return rest_short == rest_long[1:]


def _is_acronym_of(party: str, full: str) -> bool:
    """Whether a party such as FEC, N.L.R.B. or Alcoa is put together from the beginnings of the other's words."""
    short = party.strip(" .,")
    if " " in short or not 2 <= len(short) <= _MAX_ACRONYM_CHARS:
        return False
    letters = "".join(char for char in short.lower() if char.isalpha())
    words = [word.lower() for word in _NAME_WORD_PATTERN.findall(full)][:_MAX_ACRONYM_WORDS]
    if _ACRONYM_PATTERN.fullmatch(short):
        initials = "".join(word[0] for word in words if word not in load_filling_words())
        return len(letters) >= 2 and (
            letters == initials or (len(letters) >= 3 and letters in initials)
        )
    telling = [word for word in words if word not in {"of", "the", "and", "for"}]
    return len(telling) > 1 and letters[:2] == telling[0][:2] and _is_blend(letters, telling)


def _is_blend(letters: str, words: list[str]) -> bool:
    """Whether the letters are beginnings of all the words, one after the other: al-co-a."""
    ends = {0}
    for word in words:
        ends = {
            end + size
            for end in ends
            for size in range(1, len(word) + 1)
            if letters.startswith(word[:size], end)
        }
    return len(letters) in ends


def _is_named_in(party: str, full_name: str) -> bool:
    recorded = _list_name_words(full_name[:4000])
    wanted = [word for word in _list_name_words(party) if not _is_common_word(word)]
    return bool(wanted) and all(
        any(_is_same_word(word, second) for second in recorded) for word in wanted
    )


# Abbreviations and filling words in the names of cases.


def find_meanings(word: str) -> tuple[str, ...]:
    """The words that an abbreviation (without its last dot) stands for; empty for any other word."""
    return _load_meanings().get(word, ())


@cache
def load_filling_words() -> frozenset[str]:
    """Words that say nothing about which party it is."""
    return frozenset(load_table(__package__, "name_words")["filling"])


@cache
def load_common_words() -> frozenset[str]:
    """Words that many parties share: they count only if nothing better is there."""
    return frozenset(load_table(__package__, "name_words")["common_party"])


@cache
def load_state_names() -> frozenset[str]:
    return frozenset(load_table(__package__, "name_words")["states"])


@cache
def _load_meanings() -> Mapping[str, tuple[str, ...]]:
    table = load_table(__package__, "name_words")["abbreviations"]
    return {short: tuple(meanings.split()) for short, meanings in table.items()}
