"""Detects negated statements by their negating words, in many languages."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cache

from citewell.text.language import tokens

# Negating words by language. In scripts without spaces they match anywhere, elsewhere as whole
# words.
NEGATION_REGEXES: dict[str, str] = {
    "en": r"not|n[o']t|\w+n['’]t|no|never|none|nobody|nothing|neither|nor|without|cannot|cant|dont"
    r"|doesnt|isnt|wasnt|fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|unable|unlikely|hardly|scarcely"
    r"|den(?:y|ies|ied)|refut(?:e|es|ed|ing)|disprov\w+|debunk\w*|false|falsely|incorrect|untrue"
    r"|myth|unproven|unfounded|baseless|absence|insufficient|ineffective",
    "de": r"nicht|kein\w*|nie|niemals|niemand|nichts|ohne|weder|kaum|falsch|mangels|widerleg\w*",
    "fr": r"pas|jamais|aucune?|rien|personne|sans|ni|nullement|faux|fausse|guère",
    "es": r"no|nunca|jamás|ningun[ao]?|ningún|nadie|nada|sin|ni|tampoco|falso|falsa",
    "it": r"non|mai|nessun[ao]?|niente|nulla|senza|né|neanche|falso|falsa",
    "pt": r"não|nunca|jamais|nenhuma?|ninguém|nada|sem|nem|tampouco|falso|falsa",
    "nl": r"niet|geen|nooit|niemand|niets|zonder|noch|nauwelijks|onjuist",
    "sv": r"inte|ej|aldrig|ingen|inget|inga|utan|varken|knappast|falskt?",
    "da": r"ikke|aldrig|ingen|intet|uden|hverken|næppe|falsk",
    "no": r"ikke|aldri|ingen|intet|uten|verken|neppe|falsk",
    "fi": r"ei|eivät|en|emme|ette|älä|ilman|eikä|tuskin",
    "pl": r"nie|nigdy|żaden|żadn\w+|nikt|nic|bez|ani|fałszyw\w+",
    "cs": r"ne|není|nejsou|nikdy|žádn\w+|nikdo|nic|bez|ani|ne\w{4,}",
    "ru": r"не|нет|никогда|никто|ничего|без|ни|нельзя|ложн\w+|неверно",
    "uk": r"не|немає|ніколи|ніхто|нічого|без|ні|хибн\w+",
    "tr": r"değil|yok|hiç|asla|\w+(?:mez|maz|medi|madı|miyor|mıyor|muyor|müyor)",
    "ar": r"لا|لم|لن|ليس|ليست|غير|بدون|ما",
    "zh": r"不|没有|沒有|没|沒|无|無|未|并非|非",
    "ja": r"ない|ません|なかった|なく|ぬ|ず|非|未|無",
    "ko": r"않|없|못하|아니",
    "hi": r"नहीं|न|मत|बिना",
}
# Phrases that contain a negating word but do not negate.
_NON_NEGATING_PATTERN = re.compile(
    r"\bnot only\b|\bwhether or not\b|\bno doubt\b|\bnot least\b|\bno longer than\b|\bnot to mention\b"
    r"|\bno\. ?\d|\bno (?:less|fewer|more) than\b|\bnothing but\b|\bnot until\b|\bnot just\b"
    r"|\bnicht nur\b|\bnon seulement\b|\bno solo\b|\bno sólo\b|\bnon solo\b|\bnão só\b|\bниче(?:го|м) не\b"
    r"|\bне только\b|\bniet alleen\b|不仅|不但|不僅|だけでなく|\bwithout (?:a )?doubt\b|\bnot surprising\w*",
    re.IGNORECASE,
)
_UNSPACED_LANGUAGES = frozenset(("zh", "ja", "ko"))
# Negation is part of the verb, so it is unknown which word is negated.
_VERB_NEGATION_LANGUAGES = _UNSPACED_LANGUAGES | {"tr"}
_CLAUSE_BREAK_PATTERN = re.compile(r"[;:.!?]|, ")
_NEGATION_REACH_WORDS = 2  # content words after a negating word that it negates


def count_negations(text: str, *, language: str | None = None) -> int:
    """The number of negating words in the text."""
    return len(
        _compile_negation_pattern((language or "en")[:2]).findall(
            _NON_NEGATING_PATTERN.sub(" ", text)
        )
    )


def is_negated_statement(text: str, *, language: str | None = None) -> bool:
    """Whether the statement is negated; two negations cancel each other."""
    return count_negations(text, language=language) % 2 == 1


def has_opposite_polarity(first: str, second: str, *, language: str | None = None) -> bool:
    """Whether one of two texts on the same subject is negated and the other is not."""
    return is_negated_statement(first, language=language) != is_negated_statement(
        second, language=language
    )


def has_negated_terms(text: str, terms: AbstractSet[str], *, language: str | None = None) -> bool:
    """Whether the text negates one of these stems; negations of other words do not count."""
    code = (language or "en")[:2]
    plain = _NON_NEGATING_PATTERN.sub(" ", text)
    found = _compile_negation_pattern(code).finditer(plain)
    if code in _VERB_NEGATION_LANGUAGES:
        return sum(1 for _ in found) % 2 == 1
    return sum(_has_negated_neighbour(plain, match, terms, language) for match in found) % 2 == 1


def _has_negated_neighbour(
    text: str, match: re.Match[str], terms: AbstractSet[str], language: str | None
) -> bool:
    """Whether a stem follows the negating word or, if the clause ends there, stands before it."""
    behind = _CLAUSE_BREAK_PATTERN.split(text[match.end() :], maxsplit=1)[0]
    said = tokens.list_terms(behind, language=language)[:_NEGATION_REACH_WORDS]
    if not said:
        said = tokens.list_terms(
            _CLAUSE_BREAK_PATTERN.split(text[: match.start()])[-1], language=language
        )[-1:]
    return any(stem in terms for stem in said)


@cache
def _compile_negation_pattern(language: str) -> re.Pattern[str]:
    words = NEGATION_REGEXES.get(language, NEGATION_REGEXES["en"])
    if language in _UNSPACED_LANGUAGES:
        return re.compile(words)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
