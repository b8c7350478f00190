"""Words of a text: terms and stems, stop words, and other forms of a stem in inflected languages.

Stemmers leave apart what German joins: "Haushaltsdefizit" and "Defizit", "aufzustocken" and "Aufstockung".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import takewhile

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_table, load_words
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN, UNSPACED_SCRIPT_RANGES

_QUERY_PART_PATTERN = compile_on_use(r'"[^"]*"|\S+')
_EDGE_PUNCTUATION = ".,;:!?¿¡()[]'’"

STEMMER_LANGUAGES = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish",
    "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch",
    "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
    "tr": "turkish",
}  # fmt: skip

_WORD_RUN_PATTERN = compile_on_use(
    rf"[{UNSPACED_SCRIPT_RANGES}]+|[^\W_](?:(?![{UNSPACED_SCRIPT_RANGES}])[^\W_]|[.,](?=\d)|['’](?=[^\W\d_]))*"
)
_MIN_TERM_LETTERS = 3
_STEM_CACHE_ENTRIES = 2**15
# The same words as _WORD_RUN_PATTERN finds, for ASCII text only: faster.
_ASCII_WORD_PATTERN = compile_on_use(r"[a-z0-9]++(?:(?:[.,](?=[0-9])|'(?=[a-z]))[a-z0-9]++)*+")
# The same words again, for text without characters of scripts without spaces.
_SPACED_WORD_PATTERN = compile_on_use(r"[^\W_]++(?:(?:[.,](?=\d)|['’](?=[^\W\d_]))[^\W_]++)*+")
# British endings and their American spelling.
_BRITISH_AMERICAN_ENDINGS = (("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"), ("yse", "yze"), ("ysed", "yzed"), ("our", "or"), ("oured", "ored"), ("ours", "ors"), ("tre", "ter"), ("tres", "ters"))  # fmt: skip

_COMPOUND_CODES = frozenset({"de", "nl", "sv", "da", "no"})
_MIN_ROOT_LETTERS = 5
_MAX_ENDING_LETTERS = 3
_CACHED_STEMS = 2**14
_MIN_ADDED_LETTERS = 3  # of the other part of a compound; "un" makes an opposite
_OPPOSITE_PARTS = ("anti", "gegen", "nicht", "miss", "fehl")
# Particles that stand at the end of a German clause, or before the verb.
_PARTICLE_LIST = (
    "zurück zusammen hervor heraus hinaus hinzu herbei vorbei voraus wieder durch nieder statt teil fest"
    " dar her hin weg los bei auf aus ein vor nach um ab an zu"
)
_PARTICLES = tuple(_PARTICLE_LIST.split())
# "zu" and "ge" inside or before a verb, and the ending of the noun that is made of it.
_VERB_SIGNS_PATTERN = compile_on_use(rf"\A({'|'.join(_PARTICLES)}|zuruck)?(?:zu|ge)(?=\w{{3}})")


def find_held_form(
    stem: str, held: Iterable[str], code: str, *, particles: Iterable[str] = ()
) -> str | None:
    """The stem among `held` that is nearest in length to the other form it has there; None if none is.

    `particles` are those that may belong to a verb of either side (`list_particles`).
    """
    known = tuple(held)
    joined = [f"{part}{stem}" for part in particles]
    apart = [reduce_verb(stem).removeprefix(part) for part in particles if stem.startswith(part)]
    for form in (stem, *joined, *apart):
        forms = [other for other in known if _shares_word_parts(form, other, code)]
        if forms:
            return min(forms, key=lambda other: (abs(len(other) - len(form)), other))
    return None


def list_particles(words: Iterable[str], code: str) -> tuple[str, ...]:
    """The words that may be parts of separable verbs."""
    return tuple(particle for particle in _PARTICLES if particle in words) if code == "de" else ()


def _shares_word_parts(word: str, other: str, code: str) -> bool:
    if code not in _COMPOUND_CODES:
        return _differs_by_ending(word, other)
    first, second = reduce_verb(word), reduce_verb(other)
    return first == second or _differs_by_ending(first, second) or _ends_compound(word, other)


def _differs_by_ending(word: str, other: str) -> bool:
    if word[:_MIN_ROOT_LETTERS] != other[:_MIN_ROOT_LETTERS]:
        return False
    pairs = zip(word, other, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shorter, longer = sorted((len(word), len(other)))
    return same >= _MIN_ROOT_LETTERS and (same == shorter or longer - same <= _MAX_ENDING_LETTERS)


def _ends_compound(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    added = len(long) - len(short)
    if len(short) < _MIN_ROOT_LETTERS or added < _MIN_ADDED_LETTERS:
        return False
    return long.endswith(short) and not long[:added].startswith(_OPPOSITE_PARTS)


@lru_cache(maxsize=_CACHED_STEMS)
def reduce_verb(stem: str) -> str:
    """A German stem without the "ge" or "zu" of its verb, and in the present if it is a strong past."""
    bare = _VERB_SIGNS_PATTERN.sub(lambda match: match[1] or "", stem)
    pattern, bases = load_strong_verbs()
    past = pattern.fullmatch(bare)
    return past[1] + bases[past[2]] if past else bare


@cache
def load_strong_verbs() -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern for the past of German strong verbs, and the root for that of the past.

    Each row has a root and those of its past and participle, as the stemmer leaves them.
    """
    rows = map(str.split, load_table(__package__, "irregular_forms")["strong_verbs"])
    bases = {past: base for base, *pasts in rows for past in pasts}
    prefixes = "|".join(
        (*_PARTICLES, *["zuruck", "be", "er", "ver", "zer", "ent", "uber", "unter", "wider"])
    )
    roots = "|".join(sorted(bases, key=len, reverse=True))
    return re.compile(rf"\A((?:{prefixes}){{0,2}})({roots})(?:es)?\Z"), bases


# Splits text into comparable terms: stems, or character pairs in scripts without spaces.


def split_words(text: str) -> Iterable[str]:
    """Every word in lower case; text without spaces as overlapping pairs of characters."""
    return (
        _ASCII_WORD_PATTERN.findall(text.lower()) if text.isascii() else _split_unicode_words(text)
    )


def count_words(text: str) -> int:
    """How many words `split_words` finds."""
    if text.isascii():
        return len(_ASCII_WORD_PATTERN.findall(text.lower()))
    plain = unicodedata.normalize("NFKC", text).lower()
    if UNSPACED_CHARACTER_PATTERN.search(plain):
        return sum(1 for _ in _split_unicode_words(text))
    return len(_SPACED_WORD_PATTERN.findall(plain))


def _split_unicode_words(text: str) -> Iterator[str]:
    for match in _WORD_RUN_PATTERN.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match[0]
        if UNSPACED_CHARACTER_PATTERN.match(run):
            yield from (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        else:
            yield run


def extract_terms(text: str, *, language: str | None = None) -> frozenset[str]:
    """The set of stems of a text: words of three letters or more and numbers, no stop-words."""
    return frozenset(list_terms(text, language=language))


def list_terms(
    text: str, *, language: str | None = None, min_letters: int = _MIN_TERM_LETTERS
) -> list[str]:
    """The same stems as a list in text order, with repetitions."""
    plain = list_stopwords(language)
    code = (language or "en")[:2]
    return [
        stem_word(word, code)
        for word in split_words(text)
        if word not in plain and is_content_word(word, min_letters=min_letters)
    ]


def is_content_word(word: str, *, min_letters: int = _MIN_TERM_LETTERS) -> bool:
    """Whether a word of `split_words` is long enough to carry a meaning."""
    return (
        len(word) >= min_letters
        or word[0].isdigit()
        or bool(UNSPACED_CHARACTER_PATTERN.match(word))
    )


@lru_cache(maxsize=_STEM_CACHE_ENTRIES)
def stem_word(word: str, language: str) -> str:
    """The stem of a word; for English, British spellings and irregular forms are unified first."""
    if language == "en":
        plain = word.replace("’", "'")
        word = load_irregular_bases().get(plain) or _convert_to_american(plain)
    return load_stemmer(language)(word)


def _convert_to_american(word: str) -> str:
    if len(word) > 5:
        for british, american in _BRITISH_AMERICAN_ENDINGS:
            if word.endswith(british):
                root = word.removesuffix(british)
                return (
                    word
                    if f"{root}ise" in load_words(__package__, "tokens", "shared_ise_words")
                    else root + american
                )
    return word


# Irregular English forms that a stemmer cannot reduce: fell, written, children.


@cache
def load_irregular_bases() -> dict[str, str]:
    return dict(load_table(__package__, "irregular_forms")["irregular_bases"])


# Snowball stemmers by language, loaded on first use.


@cache
def load_stemmer(language: str) -> Callable[[str], str]:
    """A function that stems one word; for a language without a stemmer it changes nothing."""
    name = STEMMER_LANGUAGES.get(language)
    if name is None:
        return str
    import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

    # 0 turns off its cache, because the callers cache stems themselves.
    found: Callable[[str], str] = Stemmer.Stemmer(name, 0).stemWord
    return found


# Stop-words of a few languages.


@cache
def list_stopwords(language: str | None) -> frozenset[str]:
    """The stop-words of a language; English for None, empty for a language without a list."""
    return frozenset(load_table(__package__, "stopwords").get((language or "en")[:2], ()))


def drop_query_stopwords(query: str, *, language: str | None) -> str:
    """The query without stop-words; unchanged if fewer than two words would be left.

    Quoted phrases are kept whole.
    """
    words = list_stopwords(language)
    parts = _QUERY_PART_PATTERN.findall(query)
    kept = [part for part in parts if part.strip(_EDGE_PUNCTUATION).lower() not in words]
    return " ".join(kept) if 2 <= len(kept) < len(parts) else query


def choose_telling_words(words: Sequence[str], *, count: int, min_chars: int = 1) -> list[str]:
    """The first `count` words that are no English stop-words and have `min_chars`, each once.

    All words count if none of them is left.
    """
    stopwords = list_stopwords("en")
    telling = [word for word in words if len(word) >= min_chars and word.lower() not in stopwords]
    return list(dict.fromkeys(telling or words))[:count]


# The tokeniser of the search index and its queries: stems, or character pairs without spaces.

_QUERY_PHRASE_PATTERN = compile_on_use(r'["“”„«»]([^"“”„«»]+)["“”„«»]')
_MAX_TERM_CHARS = 64  # characters; longer words are data, not language


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryTerms:
    """The words of a query, and the quoted phrases that must occur."""

    words: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]


def choose_stem_language(language: str | None) -> str:
    """The language code whose stemmer is used for a text; English if unknown."""
    return (language or "en")[:2].lower()


def list_unspaced_characters(text: str) -> Iterator[str]:
    """The characters of scripts without spaces one by one, for queries of a single character."""
    if text.isascii():
        return iter(())
    return iter(UNSPACED_CHARACTER_PATTERN.findall(unicodedata.normalize("NFKC", text).lower()))


def parse_query_terms(query: str, *, language: str | None = None) -> QueryTerms:
    """The words and phrases of a query; stop-words are dropped unless nothing else is left."""
    phrases = tuple(tuple(split_words(quoted)) for quoted in _QUERY_PHRASE_PATTERN.findall(query))
    loose = [*split_words(_QUERY_PHRASE_PATTERN.sub(" ", query))]
    plain = list_stopwords(language)
    telling = [word for word in loose if word not in plain]
    return QueryTerms(
        words=tuple(dict.fromkeys(telling or ([] if any(phrases) else loose))),
        phrases=tuple(phrase for phrase in phrases if phrase),
    )


def list_term_variants(word: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The terms that a word is indexed under in texts of these languages."""
    return tuple(
        dict.fromkeys(
            stem_index_word(word, choose_stem_language(language)) for language in languages
        )
    )


@lru_cache(maxsize=_STEM_CACHE_ENTRIES)
def stem_index_word(word: str, language: str) -> str:
    """The stem of a word and, in Latin script, without accents."""
    short = load_stemmer(language)(word[:_MAX_TERM_CHARS].replace("’", "'"))
    if short.isascii():
        return short
    parts = unicodedata.normalize("NFD", short)
    latin = parts[0] < "\u0250"
    bare = "".join(part for part in parts if not unicodedata.combining(part)) if latin else ""
    return bare or short
