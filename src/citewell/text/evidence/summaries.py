"""Summarises a text by its most representative sentences."""

from __future__ import annotations

import re
from collections import Counter

from citewell.text.language import sentences, tokens

_NON_PROSE_LINE_PATTERN = re.compile(r"^[^\S\n]*+(?:\||#{1,6}\s|!\[).*$", re.MULTILINE)
_MARKDOWN_LINK_PATTERN = re.compile(
    r"!?\[([^\[\]\n]*+)\]\([^()\n]*+(?:\([^()\n]*+\)[^()\n]*+){0,20}\)"
)
# Blank lines before a list mark are tried once, from their first; the line end before them is kept.
_MARKDOWN_MARKS_PATTERN = re.compile(
    r"\*\*|__|`+|(?:(?:\A|(?<!\s)([^\S\n]*+\n))\s*+|^)(?:[-*+>]|\d+[.)])\s+", re.MULTILINE
)
_MAX_SUMMARISED_CHARS = 60_000  # characters; later text adds little
_MAX_SUMMARY_CANDIDATES = 400  # sentences


def summarise_markdown(markdown: str, *, max_chars: int = 500) -> str:
    """At most `max_chars` characters: the sentences that share most terms with the text, in order."""
    found = _collect_summary_candidates(extract_running_text(markdown[:_MAX_SUMMARISED_CHARS]))
    if not found:
        return extract_running_text(markdown)[:max_chars].strip()
    chosen: list[int] = []
    room = max_chars
    for place in _rank_by_shared_terms(found):
        if len(found[place]) + 1 <= room:
            chosen.append(place)
            room -= len(found[place]) + 1
    if not chosen:
        return _shorten_sentence(found[0], max_chars)
    return _join_sentences([found[place] for place in sorted(chosen)])


def extract_running_text(markdown: str) -> str:
    """The running text without code, tables, headings, images and markup; links as their labels."""
    text = _NON_PROSE_LINE_PATTERN.sub("", _drop_code_blocks(markdown))
    return _MARKDOWN_MARKS_PATTERN.sub(r"\1", _MARKDOWN_LINK_PATTERN.sub(r"\1", text)).strip()


def _drop_code_blocks(markdown: str) -> str:
    """The text outside code fences; of an unclosed fence only its own line is dropped."""
    parts = re.split(r"^(?:```|~~~).*$", markdown, flags=re.MULTILINE)
    if len(parts) % 2 == 0:
        parts.append("")
        return "\n".join([*parts[0:-2:2], parts[-2]])
    return "\n".join(parts[0::2])


def _collect_summary_candidates(text: str) -> list[str]:
    """The distinct sentences of at least five words; fragments and menu items are shorter."""
    split = sentences.split_sentences(text)[:_MAX_SUMMARY_CANDIDATES]
    return [one for one in dict.fromkeys(split) if len(list(tokens.split_words(one))) >= 5]


def _rank_by_shared_terms(found: list[str]) -> list[int]:
    """Indexes ordered by how many terms a sentence shares with the others; early ones are favoured."""
    bags = [tokens.extract_terms(sentence) for sentence in found]
    weight = Counter(term for bag in bags for term in bag)

    def worth(place: int) -> float:
        bag = bags[place]
        shared = sum(weight[term] - 1 for term in bag) / (len(bag) + 3)
        return shared + 2.0 / (1 + place)

    return sorted(range(len(found)), key=lambda place: (-worth(place), place))


def _join_sentences(chosen: list[str]) -> str:
    """The sentences joined by spaces, except after the full stop of a script without spaces."""
    return re.sub(r"(?<=[。！？｡]) ", "", " ".join(chosen))


def _shorten_sentence(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    start = sentence[: limit - 1]
    return start[: start.rfind(" ") if " " in start[limit // 2 :] else len(start)].rstrip() + "…"
