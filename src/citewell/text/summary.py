"""A few sentences of a text that say most of what it says, in its own words."""

from __future__ import annotations

import re
from collections import Counter

from citewell.text import sentences, tokens

_TABLE_OR_HEADING = re.compile(r"^\s*(?:\||#{1,6}\s|!\[).*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_MARKS = re.compile(r"\*\*|__|`+|^\s*(?:[-*+>]|\d+[.)])\s+", re.MULTILINE)
_LOOKED_AT = 60_000  # characters; beyond that a page repeats itself
_MOST = 400  # sentences


def summarise(markdown: str, *, limit: int = 500) -> str:
    """At most `limit` characters: the sentences that share most with the whole, in their order."""
    found = _candidates(plain(markdown[:_LOOKED_AT]))
    if not found:
        return plain(markdown)[:limit].strip()
    chosen: list[int] = []
    room = limit
    for place in _ranked(found):
        if len(found[place]) + 1 <= room:
            chosen.append(place)
            room -= len(found[place]) + 1
    if not chosen:
        return _shortened(found[0], limit)
    return _joined([found[place] for place in sorted(chosen)])


def plain(markdown: str) -> str:
    """The running text: no code, tables, headings, images or marks; links as their words."""
    text = _TABLE_OR_HEADING.sub("", _without_code(markdown))
    return _MARKS.sub("", _LINK.sub(r"\1", text)).strip()


def _without_code(markdown: str) -> str:
    """Lines outside fences; a fence that never closes hides only its own line."""
    parts = re.split(r"^(?:```|~~~).*$", markdown, flags=re.MULTILINE)
    if len(parts) % 2 == 0:
        parts.append("")
        return "\n".join([*parts[0:-2:2], parts[-2]])
    return "\n".join(parts[0::2])


def _candidates(text: str) -> list[str]:
    """Whole sentences, each once; fragments and menu words are left out."""
    split = sentences.split(text)[:_MOST]
    return [one for one in dict.fromkeys(split) if len(list(tokens.words(one))) >= 5]


def _ranked(found: list[str]) -> list[int]:
    """Places by how much a sentence shares with the others; earlier ones are favoured."""
    bags = [tokens.terms(sentence) for sentence in found]
    weight = Counter(term for bag in bags for term in bag)

    def worth(place: int) -> float:
        bag = bags[place]
        shared = sum(weight[term] - 1 for term in bag) / (len(bag) + 3)
        return shared + 2.0 / (1 + place)

    return sorted(range(len(found)), key=lambda place: (-worth(place), place))


def _joined(chosen: list[str]) -> str:
    """With a blank between sentences, but not after the full stop of a script without blanks."""
    return re.sub(r"(?<=[。！？｡]) ", "", " ".join(chosen))


def _shortened(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    start = sentence[: limit - 1]
    return start[: start.rfind(" ") if " " in start[limit // 2 :] else len(start)].rstrip() + "…"
