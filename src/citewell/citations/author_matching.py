"""Matches authors across spellings, name orders and scripts, and compares author lists name by name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from citewell.citations import author_names
from citewell.citations.title_matching import extract_title_words, fold_text
from citewell.core.values.paper import WorkAuthor
from citewell.text.language.scripts import classify_script

# Words that do not distinguish one family name from another.
_COMMON_SURNAME_WORDS = author_names.NAME_PARTICLES | {
    "te", "ben", "ul", "saint", "san", "santa", "mac", "mc", "o", "d", "l", "y", "e", "i", "och", "und",
    "jr", "sr", "ii", "iii",
}  # fmt: skip
_TRANSLITERATION_PAIRS = (
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("aa", "a"),
    ("kh", "h"),
    ("ij", "y"),
    ("sch", "sh"),
)
_NAME_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_MIN_SURNAME_RATIO = 0.8
_MIN_FUZZY_LETTERS = 5

_WORD_PATTERN = re.compile(r"[^\W\d_]+")
_MAX_FUZZY_PAIRS = 4000  # pairs of names compared letter by letter; beyond, only neighbours are
_NEIGHBOUR_PLACES = 2  # places around its own in which a name is looked for in long lists
_MIN_ALIGNED_RATIO = 0.6  # similarity of two spellings of a name at the same place
_MAX_NAME_WORDS = 5  # a longer "name" is a list of names in one field
_MAX_GLUED_INITIALS = 3  # capitals: "JA" are two initials, "Jan" is a name
_MIN_GIVEN_LETTERS = 3  # a shorter given name is an initial


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorListDifference:
    """How a cited list differs from a record's."""

    matched_count: int
    added: tuple[WorkAuthor, ...] = ()  # cited, and nowhere in the record
    doubtful: tuple[WorkAuthor, ...] = ()  # cited, and not comparable with anybody in the record
    skipped: tuple[WorkAuthor, ...] = ()  # in the record between two cited ones, but not cited
    renamed: tuple[WorkAuthor, ...] = ()  # cited with other given names than in the record
    is_reordered: bool = False
    is_extension: bool = False  # the whole record in its order, then the added ones


def compare_author_lists(
    cited: Sequence[WorkAuthor], record: Sequence[WorkAuthor]
) -> AuthorListDifference:
    """The difference; names in other scripts and organisations are in doubt, never missing."""
    index = _RecordIndex(record)
    places = [index.find_author_place(person, at) for at, person in enumerate(cited)]
    unmatched = [(at, cited[at]) for at, place in enumerate(places) if place is None]
    for at, person in unmatched:
        places[at] = index.find_similar(person, at, len(unmatched))
    strangers = [cited[at] for at, place in enumerate(places) if place is None]
    doubtful = tuple(person for person in strangers if index.is_incomparable(person))
    known = [place for place in places if place is not None]
    added = tuple(person for person in strangers if person not in doubtful)
    return AuthorListDifference(
        matched_count=len(known),
        added=added,
        doubtful=doubtful,
        skipped=index.list_skipped(known),
        renamed=tuple(
            cited[at]
            for at, place in enumerate(places)
            if place is not None and not share_given_name(cited[at], record[place])
        ),
        is_reordered=any(first > second for first, second in pairwise(known)),
        is_extension=bool(added)
        and known == list(range(len(record)))
        and all(place is not None for place in places[: len(known)]),
    )


def share_given_name(this: WorkAuthor, other: WorkAuthor) -> bool:
    """False if both given names are known and have neither a word nor a first initial in common."""
    first, second = _list_given_words(this), _list_given_words(other)
    if not first or not second or classify_script(this.name) != classify_script(other.name):
        return True
    if len(_list_whole_words(this) & _list_whole_words(other)) > 1:
        return True  # family and given names in another order
    letters, others = {word[0] for word in first}, {word[0] for word in second}
    return first[0][0] in others or second[0][0] in letters


class _RecordIndex:
    """The authors of a record by every word of their names; each can be matched once."""

    def __init__(self, record: Sequence[WorkAuthor]) -> None:
        self._record = record
        self._taken: set[int] = set()
        self._free_scripts: frozenset[str] | None = None
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for at, person in enumerate(record):
            for word in _list_family_keys(person) | _list_whole_words(person):
                self._by_word[word].append(at)

    def find_author_place(self, person: WorkAuthor, at: int) -> int | None:
        """The place of the author with this family name: the likeliest of several."""
        keys = _list_family_keys(person)
        places = {place for key in keys for place in self._by_word.get(key, ())}
        if not places:  # family and given names may have been exchanged
            places = {
                place
                for word in _list_whole_words(person)
                for place in self._by_word.get(word, ())
                if word in _list_family_keys(self._record[place])
            }
        free = [place for place in places if self._is_free(place)]
        if not free:
            # The given name of the author before, which was taken for an author of its own.
            return next(
                (index for index in places if not keys & _list_family_keys(self._record[index])),
                None,
            )
        best = min(free, key=lambda place: (self._rank_place(person, place), abs(place - at)))
        self._taken.add(best)
        return best

    def find_similar(self, person: WorkAuthor, at: int, count: int) -> int | None:
        """The place of an author whose name is written somewhat differently, or None."""
        near = range(len(self._record))
        if count * len(self._record) > _MAX_FUZZY_PAIRS:
            near = range(
                max(0, at - _NEIGHBOUR_PLACES), min(len(self._record), at + _NEIGHBOUR_PLACES + 1)
            )
        for place in sorted(near, key=lambda item: abs(item - at)):
            other = self._record[place]
            if self._is_free(place) and _is_same_person(person, other, is_aligned=place == at):
                self._taken.add(place)
                return place
        return None

    def is_incomparable(self, person: WorkAuthor) -> bool:
        """Whether somebody in the record who was not matched may be this author, for all we can tell."""
        if is_collective_author(person):
            return True
        return bool(self._list_free_scripts() - {classify_script(person.name or person.family)})

    def _list_free_scripts(self) -> frozenset[str]:
        """The scripts of the names not matched; an organisation, which may stand for anybody, has none."""
        if self._free_scripts is None:
            self._free_scripts = frozenset(
                ""
                if is_collective_author(author)
                else classify_script(author.name or author.family)
                for at, author in enumerate(self._record)
                if at not in self._taken
            )
        return self._free_scripts

    def list_skipped(self, known: Sequence[int]) -> tuple[WorkAuthor, ...]:
        last = max(known, default=0)
        return tuple(
            person
            for at, person in enumerate(self._record[:last])
            if at not in self._taken and not is_collective_author(person)
        )

    def _is_free(self, place: int) -> bool:
        return (
            place not in self._taken
            or len(_WORD_PATTERN.findall(self._record[place].name)) > _MAX_NAME_WORDS
        )

    def _rank_place(self, person: WorkAuthor, place: int) -> int:
        other = self._record[place]
        by_family = bool(_list_family_keys(person) & _list_family_keys(other))
        return 2 * (not by_family) + (not share_given_name(person, other))


def _list_family_keys(person: WorkAuthor) -> frozenset[str]:
    joined = build_joined_surname(person)
    return build_surname_keys(person) | ({joined} if joined else set())


@lru_cache(maxsize=8192)
def _list_whole_words(person: WorkAuthor) -> frozenset[str]:
    words = _WORD_PATTERN.findall(fold_text(f"{person.name} {person.family} {person.given}"))
    return frozenset(normalize_surname(word) for word in words if len(word) > 1)


def _is_same_person(this: WorkAuthor, other: WorkAuthor, *, is_aligned: bool) -> bool:
    alike = match_authors(this, other)
    if alike or not is_aligned or alike is None:
        return bool(alike)
    first, second = _list_given_words(this), _list_given_words(other)
    if first and first[:1] == second[:1] and len(first[0]) >= _MIN_GIVEN_LETTERS:
        return True  # people change their family names
    if not (first and second and first[0][0] == second[0][0]):
        return False
    ours, theirs = map(build_joined_surname, (this, other))
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio() >= _MIN_ALIGNED_RATIO


def _list_given_words(person: WorkAuthor) -> tuple[str, ...]:
    """Given names and initials in lower case; empty if they are not known."""
    is_split = bool(person.given or person.family or person.organisation)
    words: list[str] = []
    for word in _WORD_PATTERN.findall(person.given if is_split else person.name):
        is_glued = word.isupper() and len(word) <= _MAX_GLUED_INITIALS
        if is_split or is_glued:  # in a name in one piece only initials are surely given names
            words.extend(word if is_glued else [word])
    return tuple(filter(None, map(fold_text, words)))


# Matches author names across spellings, name orders, transliterations and scripts.


@lru_cache(maxsize=4096)  # each author is compared with many others
def build_surname_keys(person: WorkAuthor) -> frozenset[str]:
    """Normalized words of the family name, without particles; empty for organisations."""
    return frozenset(normalize_surname(word) for word in _list_filing_words(person) if word)


@lru_cache(maxsize=16384)  # a list of authors is compared with those of many candidates
def match_authors(this: WorkAuthor, other: WorkAuthor) -> bool | None:
    """Whether two names can be the same author.

    None if they cannot be compared: different scripts, or an organisation and a person.
    """
    has_same_script = classify_script(this.name or this.family) == classify_script(
        other.name or other.family
    )
    if not has_same_script:
        return None
    if build_joined_surname(this) == build_joined_surname(other) or build_surname_keys(
        this
    ) & build_surname_keys(other):
        return True
    if _build_abbreviation(this.name) == other.name or _build_abbreviation(other.name) == this.name:
        return True
    if is_collective_author(this) or is_collective_author(other):
        return _match_organisations(this, other)
    return _has_similar_spelling(build_surname_keys(this), build_surname_keys(other))


def can_compare_surname(named: str, person: WorkAuthor) -> bool:
    """Whether a written name can be compared with a person: both in Latin script, no organisation."""
    return (
        not is_collective_author(person)
        and classify_script(named) == classify_script(person.name or person.family) == "latin"
    )


def is_author_mentioned(person: WorkAuthor, text: str) -> bool:
    """Whether the text contains this author's name; for organisations, their abbreviation too."""
    words = {normalize_surname(word) for word in _NAME_WORD_PATTERN.findall(fold_text(text))}
    wanted = build_surname_keys(person)
    if is_collective_author(person):
        letters = _build_abbreviation(person.name)
        has_abbreviation = bool(letters and re.search(rf"\b{re.escape(letters)}\b", text))
        return has_abbreviation or not set(extract_title_words(person.name)) - set(
            extract_title_words(text)
        )
    return bool(wanted & words) or _has_joined_surname(person, text)


def _has_joined_surname(person: WorkAuthor, text: str) -> bool:
    """Whether a name is in the text with other spaces: "Mc Carthy", or divided at the end of a line.

    "Anderson" is not in "Shanderson".
    """
    joined = build_joined_surname(person)
    if len(joined) < _MIN_FUZZY_LETTERS:
        return False
    if len(_NAME_WORD_PATTERN.findall(fold_text(person.family))) > 1:
        return joined in normalize_surname(_join_name_letters(text))
    words = [normalize_surname(word) for word in _NAME_WORD_PATTERN.findall(fold_text(text))]
    return any(first + second == joined for first, second in pairwise(words))


def _list_filing_words(person: WorkAuthor) -> list[str]:
    if is_collective_author(person):
        return []
    if person.family:
        return _split_surname_words(person.family)
    whole = _split_surname_words(person.name)
    if "," in person.name:
        return _split_surname_words(person.name.partition(",")[0])
    # The family name may be at either end.
    return [word for word in (whole[:1] + whole[-1:]) if len(word) > 1] or whole


def _split_surname_words(name: str) -> list[str]:
    words = [word for word in _NAME_WORD_PATTERN.findall(fold_text(name)) if word]
    kept = [word for word in words if word not in _COMMON_SURNAME_WORDS and len(word) > 1]
    return kept or words


def normalize_surname(word: str) -> str:
    for long, short in _TRANSLITERATION_PAIRS:
        word = word.replace(long, short)
    return word


@lru_cache(maxsize=4096)
def build_joined_surname(person: WorkAuthor) -> str:
    family = (
        person.family
        or author_names.AuthorName(name=person.name, organisation=person.organisation).family
    )
    return normalize_surname(_join_name_letters(family))


def _join_name_letters(text: str) -> str:
    return "".join(_NAME_WORD_PATTERN.findall(fold_text(text)))


@lru_cache(maxsize=4096)
def is_collective_author(person: WorkAuthor) -> bool:
    """Whether this is an organisation, or a name of several words that cannot be split."""
    if person.organisation:
        return True
    if person.family:
        return False
    return author_names.AuthorName(name=person.name).is_indivisible and " " in person.name.strip()


def _match_organisations(this: WorkAuthor, other: WorkAuthor) -> bool | None:
    """True if two organisations share half their words, else None: a person may write for one."""
    if not (is_collective_author(this) and is_collective_author(other)):
        return None
    first, second = set(extract_title_words(this.name)), set(extract_title_words(other.name))
    shared = len(first & second)
    return True if shared and shared >= min(len(first), len(second)) / 2 else None


def _build_abbreviation(name: str) -> str:
    """The abbreviation of an organisation's capitalised words; empty for fewer than three."""
    letters = "".join(word[0] for word in re.findall(r"[A-ZÀ-Þ][\w'’-]*", name))
    return letters if len(letters) > 2 else ""


def _has_similar_spelling(this: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two keys are nearly equal, as Chebyshev and Tchebychev."""
    return any(
        len(first) >= _MIN_FUZZY_LETTERS
        and len(second) >= _MIN_FUZZY_LETTERS
        and SequenceMatcher(None, first, second, autojunk=False).ratio() >= _MIN_SURNAME_RATIO
        for first in this
        for second in other
    )
