"""Whether a sentence says that something is so, or that it is not: by the words that negate."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cache

from citewell.text import tokens

# Words of each language that turn a statement round. Where a script has no spaces they may stand
# inside a run; everywhere else they are whole words.
NEGATIONS: dict[str, str] = {
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
# Phrases that hold such a word and negate nothing.
_EMPTY = re.compile(
    r"\bnot only\b|\bwhether or not\b|\bno doubt\b|\bnot least\b|\bno longer than\b|\bnot to mention\b"
    r"|\bno\. ?\d|\bno (?:less|fewer|more) than\b|\bnothing but\b|\bnot until\b|\bnot just\b"
    r"|\bnicht nur\b|\bnon seulement\b|\bno solo\b|\bno sólo\b|\bnon solo\b|\bnão só\b|\bниче(?:го|м) не\b"
    r"|\bне только\b|\bniet alleen\b|不仅|不但|不僅|だけでなく|\bwithout (?:a )?doubt\b|\bnot surprising\w*",
    re.IGNORECASE,
)
_UNSPACED = frozenset(("zh", "ja", "ko"))
_INSIDE = _UNSPACED | {"tr"}  # negation is part of the verb: what it turns round cannot be told
_PART = re.compile(r"[;:.!?]|, ")
_REACH = 2  # words that speak, behind a word that negates


def negations(text: str, *, language: str | None = None) -> int:
    """How many words of the text negate it."""
    return len(_pattern((language or "en")[:2]).findall(_EMPTY.sub(" ", text)))


def negated(text: str, *, language: str | None = None) -> bool:
    """Whether the statement is turned round: two negations make none."""
    return negations(text, language=language) % 2 == 1


def opposed(first: str, second: str, *, language: str | None = None) -> bool:
    """Whether one of two texts on the same subject is negated and the other is not."""
    return negated(first, language=language) != negated(second, language=language)


def about(text: str, terms: AbstractSet[str], *, language: str | None = None) -> bool:
    """Whether the text turns round what these stems say: a negation of something else is left out."""
    code = (language or "en")[:2]
    plain = _EMPTY.sub(" ", text)
    found = _pattern(code).finditer(plain)
    if code in _INSIDE:
        return sum(1 for _ in found) % 2 == 1
    return sum(_touches(plain, match, terms, language) for match in found) % 2 == 1


def _touches(
    text: str, match: re.Match[str], terms: AbstractSet[str], language: str | None
) -> bool:
    """What stands behind the word is negated; at the end of a part of a sentence, what is before."""
    behind = _PART.split(text[match.end() :], maxsplit=1)[0]
    said = tokens.sequence(behind, language=language)[:_REACH]
    if not said:
        said = tokens.sequence(_PART.split(text[: match.start()])[-1], language=language)[-1:]
    return any(stem in terms for stem in said)


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = NEGATIONS.get(language, NEGATIONS["en"])
    if language in _UNSPACED:
        return re.compile(words)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)
