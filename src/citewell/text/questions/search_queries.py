"""Turns sentences about what to find out into search queries of a few content words."""

from __future__ import annotations

import re

from citewell.text.language.detection import detect_language
from citewell.text.language.scripts import UNSPACED_CHARACTER_PATTERN
from citewell.text.language.stopwords import list_stopwords
from citewell.text.language.tokens import stem_word
from citewell.text.passages.term_weights import load_frequencies

MAX_QUERY_WORDS = 8
_TOPIC_SHARE = 0.4  # of the words, if the detail has many
_YEAR_DIGITS = 4  # a shorter number says little by itself
_MAX_WORD_CHARS = 40  # also of a sentence in a script without spaces
_WORD_BREAK_PATTERN = re.compile(r"[\s/|—–…]+")
_CONTRACTION_PATTERN = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_EDGE_CHARS = ".,;:!?¿¡()[]{}<>\"'’‘“”„«»*`_~-#=。、，：；？！「」"
# Words that ask, or say that something is not known, and so do not occur on the page looked for.
_ASKING_WORD_LIST = (
    "affect affects among answer answers based check ca clarify compare concerning confirm consider"
    " could detail details determine discover explain explore figure find finding findings found"
    " gap gaps gather get give given goal identify include including information investigate"
    " know known lack lacking lacks learn like look looking many matter matters missing much must need needed"
    " needs open question questions regarding related remain remains research search see shall"
    " show since still sure topic toward towards unanswered unclear understand understanding"
    " unknown unresolved unsure upon use using via want wants whether within without yet"
    " fehlen fehlende fehlt finden herausfinden offen offene suche suchen unbekannt unklar"
    " untersuchen verstehen wissen falta faltan encontrar buscar entender saber desconocido"
    " chercher comprendre inconnu manque manquent savoir trouver"
)
_ASKING_WORDS = frozenset(_ASKING_WORD_LIST.split())


def build_search_query(subject: str, detail: str = "", *, max_words: int = MAX_QUERY_WORDS) -> str:
    """The content words of a subject and of what is sought about it, each once, in their order.

    Of more than `max_words` the rarest are kept, most of them from the detail. Empty if there are none.
    """
    language = detect_language(f"{subject}\n{detail}")
    code = (language or "en")[:2]
    topic = _collect_words(subject, code)
    wanted = {
        stem: word for stem, word in _collect_words(detail, code).items() if stem not in topic
    }
    details = _keep_rarest(wanted, max_words - min(len(topic), round(_TOPIC_SHARE * max_words)))
    return " ".join([*_keep_rarest(topic, max_words - len(details)), *details])


def _collect_words(text: str, language: str) -> dict[str, str]:
    """The content words of a text by stem, as they are written where they first occur."""
    glue = _ASKING_WORDS | list_stopwords("en") | list_stopwords(language)
    found: dict[str, str] = {}
    for part in _WORD_BREAK_PATTERN.split(text):
        word = _CONTRACTION_PATTERN.sub("", part.strip(_EDGE_CHARS))[:_MAX_WORD_CHARS]
        if _is_word(word) and word.lower() not in glue:
            found.setdefault(stem_word(word.lower(), language), word)
    return found


def _is_word(word: str) -> bool:
    return len(word) > 1 or word.isdigit() or bool(UNSPACED_CHARACTER_PATTERN.match(word))


def _keep_rarest(words: dict[str, str], most: int) -> list[str]:
    """At most `most` of the words, those that the fewest pages contain, in their order."""
    if len(words) <= most:
        return list(words.values())
    counts, total = load_frequencies()

    def count_pages(stem: str) -> int:
        return total if stem.isdigit() and len(stem) < _YEAR_DIGITS else counts.get(stem, 1)

    kept = set(sorted(words, key=count_pages)[:most])
    return [word for stem, word in words.items() if stem in kept]
