"""Stop-words of a few languages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_STOPWORD_LISTS = {
    "en": "a about above after again all also am an and any are as at be because been before being"
    " between both but by can could did do does doing down during each few for from further had has"
    " have having he her here hers him his how i if in into is it its just me more most my no nor"
    " not now of off on once only or other our ours out over own please same she should so some such"
    " tell than that the their theirs them then there these they this those through to too under"
    " until up very was we were what when where which while who whom why will with would you your",
    "de": "aber als am an auch auf aus bei bin bis bist da das dass dem den der des die dies diese"
    " dieser doch du durch ein eine einem einen einer eines er es für gegen hat hatte ich ihr im in"
    " ist ja kann kein mit nach nicht noch nur ob oder ohne sein sich sie sind so über um und uns"
    " unter vom von vor wann warum was weil wenn wer wie wir wird wo wurde zu zum zur",
    "es": "al algo ante como con cual cuando de del desde donde dos el ella en entre era es esa ese"
    " esta este fue ha hay la las le lo los más me mi muy no nos o para pero por porque que qué quien"
    " se ser si sin sobre son su sus también te tu un una uno y ya cómo cuándo dónde",
    "fr": "à au aux avec ce ces cette comme comment dans de des du elle en entre est et être eu il ils"
    " je la le les leur lui ma mais me mes moi mon ne nos notre nous on ou où par pas pour pourquoi"
    " qu quand que quel quelle qui sa sans se ses si son sont sur ta te tu un une vos votre vous",
    "it": "a ad al alla anche che chi ci come con cosa da dal dei del della di dove e è ed era gli ha"
    " ho i il in io la le lo ma mi nel nella no non o per perché più quale quando quanto che se si"
    " sono su sul sulla tra tu un una uno",
    "nl": "aan al als bij dan dat de der deze die dit door een en er had heeft het hij hoe ik in is je"
    " kan maar me met mijn naar niet nog nu of om ook op over te tot uit van voor waar waarom wanneer"
    " was wat we wel wie wordt zijn zo",
    "pt": "a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta este eu"
    " foi há isso já mais mas me muito na não nas no nos o onde os ou para pela pelo por porque qual"
    " quando que quem se sem ser seu sua são também te um uma",
    "ru": "а без бы был была были было в вам вас во вот все вы где да для до его ее если есть еще же за"
    " и из или им их к как когда кто ли мне мы на не нет но о об он она они от по при с со так то"
    " только у уже что чтобы это этот я",
}
_QUERY_PART_PATTERN = re.compile(r'"[^"]*"|\S+')
_EDGE_PUNCTUATION = ".,;:!?¿¡()[]'’"


@cache
def list_stopwords(language: str | None) -> frozenset[str]:
    """The stop-words of a language; English for None, empty for a language without a list."""
    return frozenset(_STOPWORD_LISTS.get((language or "en")[:2], "").split())


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
