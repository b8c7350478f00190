"""Lists the proper names of a statement, also one that begins it, and which of their words are telling.

A word is telling if it is hardly ever written without a capital: "Boeing" is, "Gates" and "Foundation"
are not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise

from citewell.evidence.comparison.quoted_words import fold_scan_letters
from citewell.evidence.comparison.statement_twins import StatementTwin, find_statement_twins
from citewell.evidence.signs.claim_support import HEAD_LETTERS, SourceText, remove_citation_marks
from citewell.evidence.signs.sentence_features import SentenceFeatures, build_sentence_features
from citewell.text.calendar_dates import WHOLE_MONTH_NAMES
from citewell.text.data_tables import load_table, load_words
from citewell.text.language import word_forms
from citewell.text.language.sentences import is_sentence_opener
from citewell.text.passages.term_weights import load_frequencies

# Runs of capitalized words inside a sentence; the first word of a sentence has a capital anyway.
_INNER_NAME_PATTERN = re.compile(
    r"(?<=[a-z,;)] )[A-ZÀ-Þ][\w’'-]+(?: (?:(?:of|the|de|van|von|der|la|and|for) ){0,2}[A-ZÀ-Þ][\w’'-]+){0,4}"
)
_POSSESSIVE_PATTERN = re.compile(r"['’]s?\Z")
_NOUN_CAPITAL_CODES = frozenset({"de", "lb"})
_MIN_TWIN_SHARE = 0.8  # of the statement's other words
_MIN_SHARED_BACK = 0.5
# Capitals that name nothing.
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PLAIN_CAPITALS = WHOLE_MONTH_NAMES | frozenset(
    (
        *_WEEKDAYS, *(f"{day}s" for day in _WEEKDAYS), "celsius", "fahrenheit", "kelvin",
        "table", "figure", "section", "chapter", "appendix",
    )
)  # fmt: skip

_CAPITAL_WORD = r"(?:(?:[A-Z]\.){2,8}|[A-ZÀ-Þ]\w*(?:[’'](?!s\b)\w+)?|[a-z][A-Z]\w+)"
_NAME_PATTERN = re.compile(
    rf"(?<![\w&’'.-]){_CAPITAL_WORD}(?:[ -](?:(?:of|the|de|la|le|du|del|van|von|der|den|for|&) ){{0,2}}{_CAPITAL_WORD}){{0,6}}"
)
_WORD_PATTERN = re.compile(r"(?:[A-Z]\.){2,8}|\w+(?:[’']\w+)?")
_DOTTED_PATTERN = re.compile(r"\b(?:[a-z]\.){2,8}")
_SENTENCE_END_SIGNS = '.!?:;“”"„«»(–—‘…'
_MAX_CAPITAL_SHARE, _MIN_CAPITALS = 0.6, 4  # of the words of a statement; more are a headline
_MIN_TELLING_LETTERS = 3
_MIN_ORGANISATION_WORDS = 3  # "Health Department" is any of them
_MAX_RARE_PASSAGES = 50  # of 21,859 passages of English pages that have the word

# Of English words that are no names.
_ORDINARY_ENDINGS = (
    "ion", "ions", "ing", "ings", "ness", "ment", "ments", "ity", "ities", "ous", "ive", "ives", "al", "als",
    "ic", "ics", "ism", "ist", "ists", "ed", "ly", "able", "ible", "ful", "less", "ers", "ors",
)  # fmt: skip
_MIN_PART_LETTERS = 4  # of a compound


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementName:
    """A run of words with capitals, and those of them that name something by themselves."""

    text: str
    words: tuple[str, ...]  # folded: lower case, without accents
    telling: tuple[str, ...]
    forms: frozenset[str]  # of a well-known name: its other forms, and what belongs to it
    start: int
    end: int

    @property
    def is_acronym(self) -> bool:
        """Whether it is a single word that is no ordinary one: BBC, COQ2, TiO2."""
        return len(self.words) == 1 and not self.text[1:].islower()

    @property
    def is_plain_organisation(self) -> bool:
        """Whether it is made of ordinary words and countries: World Health Organization."""
        plain = all(find_name_group(word) for word in self.telling)
        return (
            plain and len(self.words) >= _MIN_ORGANISATION_WORDS and _ends_organisation(self.words)
        )

    @property
    def family_name(self) -> str:
        """The last of two or three telling words, as of a person; others are often called so alone."""
        is_person = self.telling == self.words and self.text.count(" ") in {1, 2} and not self.forms
        is_plain = len(self.words) == self.text.count(" ") + 1  # without "of" and the like
        return self.words[-1] if is_person and is_plain else ""

    @property
    def name_initials(self) -> str:
        return "".join(word[0] for word in self.words)


def list_statement_names(
    statement: str, *, language: str | None = None
) -> tuple[StatementName, ...]:
    """The names in text order; none in a headline, and in German only those of known countries."""
    words = _WORD_PATTERN.findall(statement)
    capitals = sum(word[0].isupper() for word in words)
    if capitals >= max(_MIN_CAPITALS, _MAX_CAPITAL_SHARE * len(words)):
        return ()
    code = (language or "en")[:2]
    found = (_build_name(match, statement, code) for match in _NAME_PATTERN.finditer(statement))
    return tuple(name for name in found if name is not None)


def _build_name(match: re.Match[str], statement: str, code: str) -> StatementName | None:
    before = statement[: match.start()].rstrip()
    is_first = not before or before[-1] in _SENTENCE_END_SIGNS
    words = [word for word in _WORD_PATTERN.findall(match[0]) if word[:2] != word[:2].lower()]
    start = match.start()
    if code in _NOUN_CAPITAL_CODES:  # "Naturregion Belgiens" has a noun before the name
        noun = next((word for word in words if _is_telling_word(word, code)), "")
        is_first = is_first and words[:1] == [noun]
        words = words[words.index(noun) :] if noun else []
        start += match[0].find(noun)
    if statement[match.end() : match.end() + 1] == "-" and is_first and len(words) == 1:
        return None  # Pro-inflammatory
    if is_first and words and _opens_sentence(words[0], code, is_alone=len(words) == 1):
        start += len(words[0])
        words = words[1:]
    if not words or fold_name_letters(words[0]) in PLAIN_CAPITALS:
        return None
    folded = tuple(_fold_name_word(word, code) for word in words)
    telling = tuple(_fold_name_word(word, code) for word in words if _is_telling_word(word, code))
    if not telling and _ends_organisation(folded):
        # Words that are rare enough to tell one organisation from another.
        counts = load_frequencies()[0]
        telling = tuple(
            word
            for word in folded[:-1]
            if len(word) >= _MIN_TELLING_LETTERS
            and counts.get(word_forms.stem_word(word, "en"), 0) <= _MAX_RARE_PASSAGES
        )
    pairs = (f"{first} {second}" for first, second in pairwise(folded))
    name = StatementName(
        text=statement[start : match.end()].strip(" -"),
        words=folded,
        telling=telling,
        forms=frozenset().union(*map(find_name_group, (*folded, *pairs))),
        start=start,
        end=match.end(),
    )
    return name if name.telling or name.forms or name.is_plain_organisation else None


def _opens_sentence(word: str, code: str, *, is_alone: bool) -> bool:
    """Whether the first word of a sentence has its capital from there, and is no name."""
    if is_sentence_opener(word) or word.lower() in word_forms.list_stopwords(code):
        return True
    if not word[1:].islower():
        return False  # BBC, COQ2
    stem = word_forms.stem_word(word.lower(), "en")
    if stem in load_english_name_stems() or find_name_group(_fold_name_word(word, code)):
        return False
    if is_alone and (code != "en" or _is_formed_word(word.lower())):
        return True  # only for English is it known which words are no names
    return stem in load_frequencies()[0]


def _is_formed_word(word: str) -> bool:
    """Whether a rare word is formed as ordinary ones are: eruptions, postnatal, doorstep."""
    known = load_frequencies()[0]
    parts = (
        (word[:at], word[at:]) for at in range(_MIN_PART_LETTERS, len(word) - _MIN_PART_LETTERS + 1)
    )
    return word.endswith(_ORDINARY_ENDINGS) or any(
        word_forms.stem_word(first, "en") in known and word_forms.stem_word(last, "en") in known
        for first, last in parts
    )


def _fold_name_word(word: str, code: str) -> str:
    """The folded word; a German genitive without its ending, if that is a well-known name."""
    folded = fold_name_letters(word)
    root = folded.removesuffix("s")
    return root if code in _NOUN_CAPITAL_CODES and find_name_group(root) else folded


def _is_telling_word(word: str, code: str) -> bool:
    folded = _fold_name_word(word, code)
    if find_name_group(folded):
        return True
    if code in _NOUN_CAPITAL_CODES or len(folded) < _MIN_TELLING_LETTERS:
        return False
    if folded in PLAIN_CAPITALS | load_words(
        __package__, "name_words", "implied"
    ) or is_sentence_opener(word):
        return False
    return is_telling_stem(word_forms.stem_word(word.lower(), "en"))


def is_telling_stem(stem: str) -> bool:
    """Whether a word is rare in English, or nearly always written with a capital."""
    return stem in load_english_name_stems() or stem not in load_frequencies()[0]


def _ends_organisation(folded: Sequence[str]) -> bool:
    return folded[-1] in load_table(__package__, "name_words")["organisations"]


def fold_name_letters(text: str) -> str:
    """Lower case without accents, and U.S. as us."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    bare = parts.translate(dict.fromkeys(map(ord, filter(unicodedata.combining, set(parts)))))
    return _DOTTED_PATTERN.sub(lambda match: match[0].replace(".", ""), bare)


@cache
def find_name_group(folded: str) -> frozenset[str]:
    """All forms of the name of a country or other well-known thing, and of what belongs to it."""
    return _load_groups().get(folded, frozenset())


@cache
def load_english_name_stems() -> frozenset[str]:
    """The stems of English words that are nearly always written with a capital."""
    text = resources.files(__package__).joinpath("name_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


@cache
def _load_groups() -> dict[str, frozenset[str]]:
    """Each name and its own forms, with the group; what merely belongs to it stands for it only."""
    groups: dict[str, frozenset[str]] = {}
    for name, row in load_table(__package__, "same_names").items():
        group = frozenset(map(fold_name_letters, (name, *row["forms"], *row.get("parts", ()))))
        groups |= {fold_name_letters(form): group for form in (name, *row["forms"])}
    return groups


# Compares the names of a statement with those of the sentence that says the same in its source.


@dataclass(frozen=True, slots=True, kw_only=True)
class NameConflict:
    """A name of the statement that the source does not have, and the one in its place."""

    draft: str
    source: str
    start: int
    end: int


def find_name_conflict(
    statement: str, source: SourceText, *, title: str = ""
) -> NameConflict | None:
    """The one name that differs in an otherwise equal sentence; None if that is not certain."""
    if (source.language or "en")[:2] in _NOUN_CAPITAL_CODES:
        return None
    plain = remove_citation_marks(statement)
    foreign = [name for name in list_names(plain) if not _has_name(name, source, title)]
    if len(foreign) != 1:
        return None
    asked = build_sentence_features(plain, language=source.language)
    rest = build_sentence_features(asked.text.replace(foreign[0], " "), language=source.language)
    twins = find_statement_twins(rest, source, min_share=_MIN_TWIN_SHARE)
    if not twins or twins[0].shared_back < _MIN_SHARED_BACK:
        return None
    return _compare_twin_names(foreign[0], asked, twins[0])


def _compare_twin_names(
    name: str, asked: SentenceFeatures, twin: StatementTwin
) -> NameConflict | None:
    rivals = [
        other
        for other in list_names(twin.features.text)
        if not (word_forms.extract_terms(other) & asked.terms) and not _is_short_form(name, other)
    ]
    if len(rivals) != 1 or fold_scan_letters(rivals[0]) == fold_scan_letters(name):
        return None
    return NameConflict(draft=name, source=rivals[0], start=twin.start, end=twin.end)


def list_names(text: str) -> tuple[str, ...]:
    found = (_POSSESSIVE_PATTERN.sub("", match[0]) for match in _INNER_NAME_PATTERN.finditer(text))
    return tuple(
        dict.fromkeys(row for row in found if row.split()[0].lower() not in PLAIN_CAPITALS)
    )


def _has_name(name: str, source: SourceText, title: str) -> bool:
    """Whether any part of the name is in the source: people are called by their family name."""
    stems = word_forms.extract_terms(name)
    known = word_forms.extract_terms(title)
    heads = {term[:HEAD_LETTERS] for term in known}
    return not stems or any(
        stem in source.all_terms
        or stem in known
        or (
            len(stem) >= HEAD_LETTERS
            and (stem[:HEAD_LETTERS] in heads or stem[:HEAD_LETTERS] in source.sentences_by_head)
        )
        for stem in stems
    )


def _is_short_form(first: str, other: str) -> bool:
    """Whether one is made of the other's first letters: WHO and World Health Organization."""
    return any(
        short.isupper()
        and "".join(word[0] for word in long.split() if word[0].isupper()).startswith(short[:3])
        for short, long in ((first, other), (other, first))
    )
