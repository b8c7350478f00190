"""Splits a reference into tokens, and labels each with the field that it belongs to.

A linear-chain model: every feature of a token speaks for or against each label, every pair of
neighbouring labels is more or less likely, and the best sequence as a whole is chosen. training/
has the scripts that learn the weights.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import TypedDict

from citewell.text.data_tables import load_table, load_words
from citewell.text.language.scripts import CJK_RANGES

_TOKEN_PATTERN = re.compile(r"(?P<number>\d+)|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)?)|\S")
_CJK_WORD_PATTERN = re.compile(f"[{CJK_RANGES}]")
_UNCASED_SHAPE = "aa"  # of scripts without capitals
WORD_SHAPES = frozenset({"X", "x", "XX", "XXX", "Xx", "xx", "xX", _UNCASED_SHAPE})
_MAX_WORD_CHARS = 20  # of a word among the features


@dataclass(frozen=True, slots=True)
class ReferenceToken:
    start: int
    end: int
    text: str  # as written
    word: str  # in lower case; of a number its shape
    shape: str  # a mark is its own shape
    is_spaced: bool  # white space stands before it

    @property
    def is_mark(self) -> bool:
        return self.shape == self.text


def split_reference_tokens(text: str) -> list[ReferenceToken]:
    tokens: list[ReferenceToken] = []
    end = -1
    for found in _TOKEN_PATTERN.finditer(text):
        piece = found[0]
        kind = found.lastgroup
        if kind == "word":
            shape, word = _shape_word(piece), piece.lower()[:_MAX_WORD_CHARS]
            if shape == _UNCASED_SHAPE and _CJK_WORD_PATTERN.match(piece):
                word = f"cjk{min(len(piece), 7)}"  # names have two to four characters
        elif kind == "number":
            is_year = len(piece) == 4 and "1400" <= piece <= "2099"
            shape = word = "year" if is_year else f"d{min(len(piece), 5)}"
        else:
            shape = word = piece
        tokens.append(
            ReferenceToken(found.start(), found.end(), piece, word, shape, found.start() != end)
        )
        end = found.end()
    return tokens


def _shape_word(word: str) -> str:
    """One letter by its case; a longer word: Xx, xx, XX (up to three letters), XXX or xX."""
    if len(word) == 1:
        return "X" if word.isupper() else "x"
    if word.isupper():
        return "XX" if len(word) < 4 else "XXX"
    if word.islower():
        return "xx"
    if word[0].isupper() and word[1:].islower():
        return "Xx"
    return "xX" if any(char.isupper() for char in word) else _UNCASED_SHAPE


# Labels the tokens.

CHUNK_ENDS = frozenset(',.;:()[]{}“”"«»„?!‘')
SENTENCE_ENDS = frozenset(".?!")

_OPENING_QUOTES = frozenset('“«„"‘`')
_CLOSING_QUOTES = frozenset("”»\"“’'")

OTHER_LABEL = "O"
WEIGHTS_FILE = "reference_weights.json"
_WEIGHT_STEPS = 100  # weights are whole numbers of this part of one, to keep the file small


class StoredWeights(TypedDict):
    """The weights as their file has them, in whole steps."""

    labels: str
    transitions: list[list[int]]
    features: dict[str, list[int]]  # label number, weight, label number, weight


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerWeights:
    labels: str  # one letter for each field; O is none
    transitions: tuple[tuple[float, ...], ...]  # of a label, by the label before it
    features: dict[str, tuple[tuple[int, float], ...]]  # label numbers with their weights


@cache
def load_tagger_weights() -> TaggerWeights:
    """The weights in the file beside this module; cached."""
    text = resources.files(__package__).joinpath(WEIGHTS_FILE).read_text("utf-8")
    return parse_tagger_weights(json.loads(text))


def parse_tagger_weights(stored: StoredWeights) -> TaggerWeights:
    return TaggerWeights(
        labels=stored["labels"],
        transitions=tuple(
            tuple(weight / _WEIGHT_STEPS for weight in row) for row in stored["transitions"]
        ),
        features={
            name: tuple((row[at], row[at + 1] / _WEIGHT_STEPS) for at in range(0, len(row), 2))
            for name, row in stored["features"].items()
        },
    )


def tag_reference_tokens(
    tokens: list[ReferenceToken],
    weights: TaggerWeights | None = None,
    *,
    other_penalty: float = 0.0,
) -> str:
    """The most likely labels, one letter for each token; a penalty leaves fewer without a field."""
    weights = weights or load_tagger_weights()
    if not tokens:
        return ""
    count = len(weights.labels)
    places = range(count)
    other = weights.labels.index(OTHER_LABEL)
    scores = [0.0] * count
    came_from: list[list[int]] = []
    table = weights.features
    for at, names in enumerate(extract_token_features(tokens)):
        own = [0.0] * count
        own[other] = -other_penalty
        for name in names:
            if (row := table.get(name)) is not None:
                for label, weight in row:
                    own[label] += weight
        if at == 0:
            scores = own
            continue
        best: list[int] = []
        reached: list[float] = []
        for label in places:
            sums = [
                score + step for score, step in zip(scores, weights.transitions[label], strict=True)
            ]
            top = max(sums)
            reached.append(top + own[label])
            best.append(sums.index(top))
        scores = reached
        came_from.append(best)
    label = scores.index(max(scores))
    path = [label]
    for best in reversed(came_from):
        label = best[label]
        path.append(label)
    return "".join(weights.labels[label] for label in reversed(path))


# What the tagger sees of each token of a reference: itself, its neighbours and its surroundings.


def extract_token_features(tokens: list[ReferenceToken]) -> list[list[str]]:
    """The names of the features of every token, in the order of the tokens."""
    count = len(tokens)
    words = ["<s>", "<s>", *(token.word for token in tokens), "</s>", "</s>"]
    known = _load_word_kinds()
    kinds = [known.get(token.word) or token.shape for token in tokens]
    shapes = ["<s>", "<s>", *kinds, "</s>", "</s>"]
    spaces = ["s" if token.is_spaced else "n" for token in tokens] + ["s"]
    chunks = describe_chunks(tokens, CHUNK_ENDS)
    sentences = describe_chunks(tokens, SENTENCE_ENDS)
    quotes = _find_quote_states(tokens)
    brackets = _find_bracket_states(tokens)
    dates = _find_date_states(tokens)
    features: list[list[str]] = []
    for at, token in enumerate(tokens):
        b2, b1, w, a1, a2 = words[at : at + 5]
        t2, t1, s, n1, n2 = shapes[at : at + 5]
        glue = spaces[at] + spaces[at + 1]
        chunk, sentence = chunks[at], sentences[at]
        found = [
            "b",
            "w" + w,
            "<" + b1,
            ">" + a1,
            "<<" + b2,
            ">>" + a2,
            f"2{b1} {w}",
            f"3{w} {a1}",
            f"4{t1} {s}{glue}",
            f"5{s} {n1}{glue}",
            f"6{t1} {s} {n1}",
            f"7{t2} {t1} {s}",
            f"8{s} {n1} {n2}",
            f"9{t2} {t1} {s} {n1} {n2}",
            f"p{10 * at // count}{s}",
            f"i{min(at, 6)}",
            f"e{min(count - at, 5)}{s}",
            f"q{quotes[at]}",
            f"k{brackets[at]}{s}",
            f"y{dates[at]}",
            f"Y{dates[at]}{quotes[at]}{brackets[at]}",
            f"c{chunk.kind}",
            f"C{chunk.opening}{chunk.kind}{chunk.closing}",
            f"d{chunk.before} {chunk.kind}",
            f"D{chunk.kind} {chunk.after}",
            f"f{chunk.before} {chunk.kind} {chunk.after}",
            f"F{chunk.first}",
            f"l{chunk.last}",
            f"N{chunk.next_first}",
            f"L{chunk.before_last}",
            f"n{min(chunk.number, 8)}{dates[at]}",
            f"S{min(sentence.number, 4)}{sentence.kind}",
            f"t{sentence.first}",
            f"T{sentence.before} {sentence.kind} {sentence.after}",
            f"u{min(sentence.number, 4)}{dates[at]}{quotes[at]}{chunk.kind}",
            f"m{chunk.kind}{sentence.kind}{dates[at]}",
        ]
        if token.shape in WORD_SHAPES:
            if len(w) > 3:
                found += (f"z{w[-3:]}", f"Z{w[-2:]}{s}", f"x{w[:3]}")
        else:
            found += (
                f"g{t1}{s}{n1}{glue}{dates[at]}",
                f"h{w}{b1} {a1}",
                f"j{s}{chunk.kind}{chunk.after}{chunk.next_first}",
            )
        features.append(found)
    return features


def _find_quote_states(tokens: list[ReferenceToken]) -> list[str]:
    """Of each token: 0 no quotation in the reference, else before, in or after the first."""
    start = end = -1
    for at, token in enumerate(tokens):
        if start < 0:
            opens = token.shape in _OPENING_QUOTES and (token.is_spaced or at == 0)
            if opens or (token.shape == "'" and token.is_spaced):
                start = at
        elif (
            at > start + 3
            and token.shape in _CLOSING_QUOTES
            and (at + 1 == len(tokens) or tokens[at + 1].is_spaced or tokens[at + 1].is_mark)
        ):
            end = at
            break
    if end < 0:
        return ["0"] * len(tokens)
    return ["b" if at < start else "i" if at <= end else "a" for at in range(len(tokens))]


def _find_bracket_states(tokens: list[ReferenceToken]) -> list[str]:
    states: list[str] = []
    inside = ""
    since = 0
    for token in tokens:
        if token.shape in {"(", "["}:
            inside, since = token.shape, 0
        since += 1
        if since > 30:
            inside = ""
        states.append(inside)
        if token.shape in {")", "]"}:
            inside = ""
    return states


def _find_date_states(tokens: list[ReferenceToken]) -> list[str]:
    """Of each token: whether the first year of the reference comes, and how early it stands."""
    years = [at for at, token in enumerate(tokens) if token.shape == "year"]
    if not years:
        return ["n"] * len(tokens)
    first = years[0]
    bracketed = first and tokens[first - 1].shape in {"(", "["}
    early = "e" if 2 * first < len(tokens) else "l"
    style = early + ("b" if bracketed else "p")
    last = years[-1]
    return [
        style
        + (
            "<"
            if at < first
            else "="
            if at == first
            else ">"
            if at < last or last == first
            else ">>"
            if at > last
            else "=="
        )
        for at in range(len(tokens))
    ]


@cache
def _load_word_kinds() -> dict[str, str]:
    """Words that announce a field or tell what it is, with their kind."""
    table = load_table(__package__, "token_features")["kind_words"]
    return {word: kind for kind, words in table.items() for word in words.split()}


# Parts the tokens of a reference at its marks, and tells what each part is like.


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
        if token.shape == "xx" and token.word not in load_words(
            __package__, "token_chunks", "name_words"
        ):
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
