"""Whether two names are of one author, however their languages, registries and typists write them."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache

from citewell.model.paper import Person
from citewell.text import names
from citewell.text.scripts import UNSPACED
from citewell.text.titles import fold, telling

_PARTICLES = frozenset(
    {
        "van", "von", "vom", "der", "den", "de", "da", "di", "du", "del", "della", "dalla", "la", "le", "los", "las",
        "dos", "das", "do", "ter", "ten", "te", "zu", "zur", "zum", "af", "av", "bin", "ibn", "ben", "al", "el", "ul",
        "st", "saint", "san", "santa", "mac", "mc", "o", "d", "l", "y", "e", "i", "och", "und", "jr", "sr", "ii", "iii",
    }
)  # fmt: skip
_DIGRAPHS = (
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("aa", "a"),
    ("kh", "h"),
    ("ij", "y"),
    ("sch", "sh"),
)
_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[a-z]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_ALIKE = 0.8
_FUZZY = 5


@lru_cache(maxsize=4096)  # an author is held against many others
def keys(person: Person) -> frozenset[str]:
    """The words a work may be filed under: each part of a family name, without its particle."""
    return frozenset(_key(word) for word in _filed(person) if word)


def same(one: Person, other: Person) -> bool | None:
    """None where the names cannot be compared: another script, or a body against a person."""
    if not _comparable(one, other):
        return None
    if _joined(one) == _joined(other) or keys(one) & keys(other):
        return True
    if _initials(one.name) == other.name or _initials(other.name) == one.name:
        return True
    if _body(one) or _body(other):
        return _same_body(one, other)
    return _spelt_alike(keys(one), keys(other))


def comparable(named: str, person: Person) -> bool:
    """Whether a name as written can be held against a person's: the same script, and no body."""
    return not _body(person) and _script(named) == _script(person.name or person.family) == "latin"


def mentioned(person: Person, text: str) -> bool:
    """Whether a text names this person somewhere."""
    words = {_key(word) for word in _WORD.findall(fold(text))}
    wanted = keys(person)
    if _body(person):
        return _abbreviates(text, person.name) or not set(telling(person.name)) - set(telling(text))
    joined = _joined(person)
    return bool(wanted & words) or (len(joined) >= _FUZZY and joined in _key(_run(text)))


def _filed(person: Person) -> list[str]:
    if _body(person):
        return []
    if person.family:
        return _parts(person.family)
    whole = _parts(person.name)
    if "," in person.name:
        return _parts(person.name.partition(",")[0])
    # Nobody says which end the family name is at, so both may be it.
    return [word for word in (whole[:1] + whole[-1:]) if len(word) > 1] or whole


def _parts(name: str) -> list[str]:
    words = [word for word in _WORD.findall(fold(name)) if word]
    kept = [word for word in words if word not in _PARTICLES and len(word) > 1]
    return kept or words


def _key(word: str) -> str:
    for long, short in _DIGRAPHS:
        word = word.replace(long, short)
    return word


@lru_cache(maxsize=4096)
def _joined(person: Person) -> str:
    family = (
        person.family or names.Author(name=person.name, organisation=person.organisation).family
    )
    return _key(_run(family))


def _run(text: str) -> str:
    return "".join(_WORD.findall(fold(text)))


@lru_cache(maxsize=4096)
def _body(person: Person) -> bool:
    """A body, or a name that cannot be taken apart."""
    if person.organisation:
        return True
    if person.family:
        return False
    return names.Author(name=person.name).collective and " " in person.name.strip()


def _same_body(one: Person, other: Person) -> bool | None:
    """A body and the people who wrote in its name are not each other's contradiction."""
    if not (_body(one) and _body(other)):
        return None
    first, second = set(telling(one.name)), set(telling(other.name))
    shared = len(first & second)
    return True if shared and shared >= min(len(first), len(second)) / 2 else None


def _abbreviates(text: str, name: str) -> bool:
    letters = _initials(name)
    return bool(letters and re.search(rf"\b{re.escape(letters)}\b", text))


def _initials(name: str) -> str:
    """What a body is called for short; empty for a single word."""
    letters = "".join(word[0] for word in re.findall(r"[A-ZÀ-Þ][\w'’-]*", name))
    return letters if len(letters) > 2 else ""


def _comparable(one: Person, other: Person) -> bool:
    return _script(one.name or one.family) == _script(other.name or other.family)


def _script(name: str) -> str:
    if _UNSPACED.search(name):
        return "unspaced"
    return "latin" if _LATIN.search(unicodedata.normalize("NFKD", name).lower()) else "other"


def _spelt_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """One transliterated or mistyped into the other: Chebyshev, Tchebychev."""
    return any(
        len(first) >= _FUZZY
        and len(second) >= _FUZZY
        and SequenceMatcher(None, first, second, autojunk=False).ratio() >= _ALIKE
        for first in one
        for second in other
    )
