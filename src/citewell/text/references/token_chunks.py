"""Parts the tokens of a reference at its marks, and tells what each part is like."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from citewell.text.references.reference_tokens import WORD_SHAPES, ReferenceToken

CHUNK_ENDS = frozenset(',.;:()[]{}“”"«»„?!‘')
SENTENCE_ENDS = frozenset(".?!")
_NAME_WORDS = frozenset(
    {
        "and",
        "et",
        "und",
        "y",
        "e",
        "van",
        "von",
        "de",
        "der",
        "den",
        "la",
        "le",
        "du",
        "da",
        "di",
        "dos",
        "al",
        "in",
        "eds",
        "ed",
        "el",
        "ten",
        "ter",
        "zu",
    }
)  # small words that stand in lists of names


@dataclass(slots=True)
class TokenChunk:
    """A run of tokens between marks; what it and its neighbours are like."""

    kind: str
    first: str = ""
    last: str = ""
    number: int = 0
    opening: str = ""
    closing: str = ""
    before: str = ""  # the kind of the chunk before
    after: str = ""
    next_first: str = ""
    before_last: str = ""


def _find_chunk_starts(tokens: list[ReferenceToken], ends: frozenset[str]) -> list[int]:
    """The places after marks that end a chunk.

    A stop within a token run ends none, and the stop after an initial only if a title seems to
    follow: words, one of them in lower case, before the next stop.
    """
    starts = [0]
    for at, token in enumerate(tokens):
        if token.shape not in ends:
            continue
        if token.shape == "." and at + 1 < len(tokens):
            if not tokens[at + 1].is_spaced:
                continue
            if at and tokens[at - 1].shape in {"X", "x"} and not _starts_title(tokens, at + 1):
                continue
        starts.append(at + 1)
    return starts


def _starts_title(tokens: list[ReferenceToken], at: int) -> bool:
    for token in tokens[at : at + 6]:
        if token.shape in {".", "&", ";"}:
            return False
        if token.shape == "xx" and token.word not in _NAME_WORDS:
            return True
    return False


def describe_chunks(tokens: list[ReferenceToken], ends: frozenset[str]) -> list[TokenChunk]:
    """The chunk of each token."""
    of_token: list[TokenChunk] = []
    before: TokenChunk | None = None
    number = 0
    for start, end in pairwise([*_find_chunk_starts(tokens, ends), len(tokens)]):
        if start == end:
            continue
        part = tokens[start:end]
        inner = [token for token in part if token.shape not in CHUNK_ENDS]
        if not inner and before is not None:
            before.closing += part[0].shape if len(before.closing) < 3 else ""
            of_token.extend([before] * len(part))
            continue
        chunk = TokenChunk(
            _classify_chunk(inner),
            first=inner[0].word if inner else "",
            last=inner[-1].word if inner else "",
            number=number,
            opening=tokens[start - 1].shape if start else "<s>",
            closing=part[-1].shape if part[-1].shape in CHUNK_ENDS else "",
        )
        if before is not None:
            before.after, before.next_first = chunk.kind, chunk.first
            chunk.before, chunk.before_last = before.kind, before.last
        number += 1
        of_token.extend([chunk] * len(part))
        before = chunk
    return of_token


def _classify_chunk(tokens: list[ReferenceToken]) -> str:
    """The make of a chunk: its numbers, the case of its words, and how long it is."""
    counts = {"word": 0, "capital": 0, "small": 0, "upper": 0, "initial": 0, "number": 0, "year": 0}
    for token in tokens:
        shape = token.shape
        if shape in WORD_SHAPES:
            counts["word"] += 1
            counts["capital"] += shape in {"Xx", "xX", "aa"}
            counts["upper"] += shape in {"XX", "XXX"}
            counts["initial"] += shape == "X"
            counts["small"] += shape in {"xx", "x"}
        elif shape == "year":
            counts["year"] += 1
        elif shape[0] == "d" and len(shape) == 2:
            counts["number"] += 1
    if not counts["word"]:
        return (
            "Y"
            if counts["year"] and not counts["number"]
            else "1"
            if counts["number"] or counts["year"]
            else "-"
        )
    length = counts["word"]
    size = str(length) if length < 4 else "5" if length < 7 else "9"
    digits = "y" if counts["year"] else "d" if counts["number"] else ""
    if counts["initial"] == length:
        return "I" + digits
    big = counts["capital"] + counts["upper"] + counts["initial"]
    initials = "i" if counts["initial"] else ""
    if counts["upper"] + counts["initial"] == length:
        return "U" + size + initials + digits
    if big == length:
        return "A" + size + initials + digits
    if not big:
        return "s" + size + digits
    return ("M" if big > counts["small"] else "m") + size + initials + digits
