"""Words of a question that point back to an earlier one, by language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from citewell.text.data_tables import load_table

# Languages without blanks: one pattern says whether a question points back.
UNSPACED_REFERENCE_PATTERN = re.compile(
    r"它|他们|她们|这个|那个|这些|那些|那里|那儿|那边|这种|那种|呢[?？]?\Z|それ|そこ|あそこ|これ|その|この|彼ら|彼女|^では|は[?？]\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferringWords:
    """The patterns of one language."""

    opening: re.Pattern[str]  # "and …", "what about …", without anything after it
    place: re.Pattern[str]  # "there"
    thing: re.Pattern[str]  # "it", "they", "that" where it stands for a noun
    owned: re.Pattern[str]  # "its", "their"
    pointed: re.Pattern[str]  # "this method", "these drugs"
    border: re.Pattern[str]  # words that begin a new clause
    expletive: re.Pattern[str]  # "is there", "it takes … to": points to nothing
    prepositions: frozenset[str]
    place_preposition: str  # "in"


@cache
def load_referring_words() -> Mapping[str, ReferringWords]:
    """The patterns by language."""
    table = load_table(__package__, "referring_words")
    time_noun = rf"(?:{'|'.join(table['time_nouns'])})\b"
    return {code: _compile_words(told, time_noun) for code, told in table["languages"].items()}


@cache
def load_aspect_words() -> frozenset[str]:
    """What can be asked of anything: a question with only these words has no subject of its own."""
    return frozenset(load_table(__package__, "referring_words")["aspects"])


def _compile_words(told: Mapping[str, Any], time_noun: str) -> ReferringWords:
    patterns = {
        name: re.compile("|".join(told[name]).replace("<time noun>", time_noun), re.IGNORECASE)
        for name in told.keys() - {"prepositions", "place_preposition"}
    }
    return ReferringWords(
        prepositions=frozenset(told["prepositions"]),
        place_preposition=told["place_preposition"],
        **patterns,
    )
