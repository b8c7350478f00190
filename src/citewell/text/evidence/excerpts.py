"""The part of a text that contains most of a query's words."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator

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
