"""Excerpts of a text: the part with most of a query's words, and its most representative sentences."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator

from citewell.text.language import sentences, word_forms

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

_MAX_EXCERPT_SOURCE_CHARS = 400_000  # characters
_MAX_WORD_OCCURRENCES = 500  # occurrences of one word that are considered
_MAX_ENDING_CHARS = 3  # letters that may differ at the end of a word
_WHITESPACE_PATTERN = re.compile(r"\s+")


def extract_query_excerpt(text: str, query_words: Collection[str], *, width: int = 300) -> str:
    """About `width` characters around most of the words; the start of the text if none occurs.

    `query_words` come from `tokens.split_words`; their endings may differ from the text's.
    """
    looked = text[:_MAX_EXCERPT_SOURCE_CHARS]
    return _cut_excerpt_window(looked, _find_densest_start(looked, query_words, width), width)


def _find_densest_start(text: str, wanted: Collection[str], width: int) -> int:
    """The start of the stretch of about `width` characters with the most different words."""
    roots = {
        word[: max(_MAX_ENDING_CHARS, len(word) - _MAX_ENDING_CHARS)] if len(word) > 4 else word
        for word in wanted
    }
    low = text.lower()
    places = sorted((place, root) for root in roots for place in _find_root_positions(low, root))
    held: deque[tuple[int, str]] = deque()
    counts: Counter[str] = Counter()
    best, start = 0, 0
    for place, root in places:
        held.append((place, root))
        counts[root] += 1
        while held[0][0] < place - width * 2 // 3:
            counts[held.popleft()[1]] -= 1
        found = sum(count > 0 for count in counts.values())
        if found > best:
            best, start = found, held[0][0]
    return start


def _find_root_positions(text: str, root: str) -> Iterator[int]:
    """The offsets at which a word starts with this root; in scripts without spaces, any offset."""
    place = text.find(root) if root else -1
    for _ in range(_MAX_WORD_OCCURRENCES):
        if place < 0:
            return
        if not (root.isascii() and place and text[place - 1].isalnum()):
            yield place
        place = text.find(root, place + 1)


def _cut_excerpt_window(text: str, start: int, width: int) -> str:
    begin = max(0, start - width // 6)
    if begin:
        space = text.find(" ", begin, start)
        begin = space + 1 if space >= 0 else begin
    piece = text[begin : begin + width]
    end = begin + width
    if end < len(text) and (cut := piece.rfind(" ")) > width // 2:
        piece, end = piece[:cut], begin + cut
    shown = _WHITESPACE_PATTERN.sub(" ", piece).strip()
    return f"{'… ' if begin else ''}{shown}{' …' if end < len(text) else ''}"


# Summarises a text by its most representative sentences.


def summarise_markdown(markdown: str, *, max_chars: int = 500) -> str:
    """At most `max_chars` characters: the sentences that share most terms with the text, in order."""
    # The distinct sentences of at least five words; fragments and menu items are shorter.
    split = sentences.split_sentences(extract_running_text(markdown[:_MAX_SUMMARISED_CHARS]))[
        :_MAX_SUMMARY_CANDIDATES
    ]
    found = [
        sentence
        for sentence in dict.fromkeys(split)
        if len(list(word_forms.split_words(sentence))) >= 5
    ]
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
    # The sentences joined by spaces, except after the full stop of a script without spaces.
    return re.sub(r"(?<=[。！？｡]) ", "", " ".join([found[place] for place in sorted(chosen)]))


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


def _rank_by_shared_terms(found: list[str]) -> list[int]:
    """Indexes ordered by how many terms a sentence shares with the others; early ones are favoured."""
    bags = [word_forms.extract_terms(sentence) for sentence in found]
    weight = Counter(term for bag in bags for term in bag)

    def worth(place: int) -> float:
        bag = bags[place]
        shared = sum(weight[term] - 1 for term in bag) / (len(bag) + 3)
        return shared + 2.0 / (1 + place)

    return sorted(range(len(found)), key=lambda place: (-worth(place), place))


def _shorten_sentence(sentence: str, limit: int) -> str:
    if len(sentence) <= limit:
        return sentence
    start = sentence[: limit - 1]
    return start[: start.rfind(" ") if " " in start[limit // 2 :] else len(start)].rstrip() + "…"
