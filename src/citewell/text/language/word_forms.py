"""Finds another form of a stem among others: an ending, a participle, a strong past, a part of a compound.

Stemmers leave apart what German joins: "Haushaltsdefizit" and "Defizit", "aufzustocken" and "Aufstockung", "rief … hervor"
and "hervorgerufen".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

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
_VERB_SIGNS_PATTERN = re.compile(rf"\A({'|'.join(_PARTICLES)}|zuruck)?(?:zu|ge)(?=\w{{3}})")
# Roots of German strong verbs, each with those of its past and participle, as the stemmer leaves them.
_STRONG_VERB_ROWS = (
    "beginn begann begonn|befehl befahl befohl|beiss biss|bieg bog|biet bot|bind band bund|bitt bat|blas blies|bleib blieb"
    "|brech brach broch|brenn brannt|bring bracht|denk dacht|empfehl empfahl empfohl|ess ass|fahr fuhr|fall fiel|fang fing"
    "|find fand fund|flieg flog|flieh floh|fliess floss|fress frass|frier fror|geb gab|geh ging gang|geling gelang gelung"
    "|geniess genoss|gewinn gewann gewonn|giess goss|gleich glich|grab grub|greif griff|halt hielt|hang hing|heb hob"
    "|heiss hiess|helf half holf|kenn kannt|komm kam|kriech kroch|lad lud|lass liess|lauf lief|leid litt|leih lieh|les las"
    "|lieg lag|meid mied|mess mass|nehm nahm nomm|nenn nannt|reiss riss|reit ritt|renn rannt|riech roch|ruf rief|schaff schuf"
    "|scheid schied|schein schien|schieb schob|schiess schoss|schlaf schlief|schlag schlug|schliess schloss|schneid schnitt"
    "|schreib schrieb|schreit schritt|schweig schwieg|schwimm schwamm schwomm|seh sah|send sandt|sing sang sung|sink sank sunk"
    "|sitz sass sess|sprech sprach sproch|spring sprang sprung|steh stand|stehl stahl stohl|steig stieg|sterb starb storb"
    "|stoss stiess|streich strich|streit stritt|trag trug|treff traf troff|treib trieb|tret trat|trink trank trunk|verlier verlor"
    "|vergess vergass|wachs wuchs|wasch wusch|weich wich|weis wies|wend wandt|werb warb worb|werf warf worf|wieg wog|wiss wusst"
    "|zieh zog|zwing zwang zwung"
)
_BASES_BY_PAST = {
    past: base
    for base, *pasts in (row.split() for row in _STRONG_VERB_ROWS.split("|"))
    for past in pasts
}
_STRONG_PAST_PATTERN = re.compile(
    rf"\A((?:{'|'.join(_PARTICLES)}|zuruck|be|er|ver|zer|ent|uber|unter|wider){{0,2}})({'|'.join(sorted(_BASES_BY_PAST, key=len, reverse=True))})(?:es)?\Z"
)


def find_held_form(
    stem: str, held: Iterable[str], code: str, *, particles: Iterable[str] = ()
) -> str | None:
    """The stem among `held` that is nearest in length to the other form it has there; None if none is.

    `particles` are those that may belong to a verb of either side (`list_particles`).
    """
    known = tuple(held)
    joined = [f"{one}{stem}" for one in particles]
    apart = [reduce_verb(stem).removeprefix(one) for one in particles if stem.startswith(one)]
    for form in (stem, *joined, *apart):
        forms = [other for other in known if _shares_word_parts(form, other, code)]
        if forms:
            return min(forms, key=lambda other: (abs(len(other) - len(form)), other))
    return None


def list_particles(words: Iterable[str], code: str) -> tuple[str, ...]:
    """The words that may be parts of separable verbs."""
    return tuple(one for one in _PARTICLES if one in words) if code == "de" else ()


def _shares_word_parts(one: str, other: str, code: str) -> bool:
    if code not in _COMPOUND_CODES:
        return _differs_by_ending(one, other)
    first, second = reduce_verb(one), reduce_verb(other)
    return first == second or _differs_by_ending(first, second) or _ends_compound(one, other)


def _differs_by_ending(one: str, other: str) -> bool:
    if one[:_MIN_ROOT_LETTERS] != other[:_MIN_ROOT_LETTERS]:
        return False
    pairs = zip(one, other, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    shorter, longer = sorted((len(one), len(other)))
    return same >= _MIN_ROOT_LETTERS and (same == shorter or longer - same <= _MAX_ENDING_LETTERS)


def _ends_compound(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    added = len(long) - len(short)
    if len(short) < _MIN_ROOT_LETTERS or added < _MIN_ADDED_LETTERS:
        return False
    return long.endswith(short) and not long[:added].startswith(_OPPOSITE_PARTS)


@lru_cache(maxsize=_CACHED_STEMS)
def reduce_verb(stem: str) -> str:
    """A German stem without the "ge" or "zu" of its verb, and in the present if it is a strong past."""
    bare = _VERB_SIGNS_PATTERN.sub(lambda match: match[1] or "", stem)
    past = _STRONG_PAST_PATTERN.fullmatch(bare)
    return past[1] + _BASES_BY_PAST[past[2]] if past else bare
