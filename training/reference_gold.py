"""References with gold fields, as labelled tokens to learn from.

The gold fields are strings; each is found again in the reference, the longest first. What no field
claims is labelled by `impute` later, with the labels that gold fields do not have.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from citewell.citations.references.prose_references import blank_reference_noise
from citewell.citations.references.reference_fields import clean_reference_value
from citewell.citations.references.reference_tagger import ReferenceToken, split_reference_tokens

FIELD_LABELS = {
    "author": "A", "title": "T", "venue": "J", "year": "D", "volume": "V", "issue": "I",
    "pages": "P", "publisher": "U",
}  # fmt: skip
LONG_FIELDS = ("title", "venue", "author", "publisher")
OPENING = frozenset("([{“«„‘`\"'")
MONTHS = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]{0,6}|spring|summer|autumn|fall|winter"
    r"|janvier|février|mars|avril|mai|juin|juillet|août|januar|februar|märz|juni|juli|oktober|dezember"
    r"|enero|febrero|marzo|mayo|junio|julio|octubre|diciembre"
)


@dataclass
class Labelled:
    source: str
    raw: str  # the tokens are those of the text without links and identifiers
    gold: dict[str, str]
    tokens: list[ReferenceToken]
    labels: list[str]

    @property
    def group(self) -> int:
        """The same for references to the same work, so that no fold learns what it is judged on."""
        words = re.findall(r"[^\W\d_]{3,}", (self.gold.get("title") or self.raw).lower())
        return zlib.crc32(" ".join(words[:6]).encode())


def read_gold(path: Path) -> list[Labelled]:
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    return [align_fields(row["set"], row["raw"], row["gold"]) for row in rows]


def align_fields(source: str, raw: str, gold: dict[str, str]) -> Labelled:
    text = " ".join(blank_reference_noise(clean_reference_value(raw)).split())
    tokens = split_reference_tokens(text)
    labels: list[str] = ["?"] * len(tokens)
    ends: dict[str, int] = {}
    for field in (*LONG_FIELDS, "pages", "volume", "issue", "year"):
        value = clean_reference_value(gold.get(field) or "")
        if not value:
            continue
        near = max((ends[name] for name in near_fields(field) if name in ends), default=0)
        spans = list(find_spans(tokens, labels, [t.text for t in split_reference_tokens(value)]))
        if not spans:
            continue
        start, end = min(spans, key=lambda span: (span[0] < near, abs(span[0] - near)))
        ends[field] = end
        labels[start:end] = [FIELD_LABELS[field]] * (end - start)
    split_volumes(tokens, labels)
    widen_dates(tokens, labels)
    join_labels(tokens, labels)
    settle_marks(tokens, labels)
    label_collaborations(tokens, labels)
    labels = [label if label != "?" else "O" for label in labels]
    return Labelled(source, raw, gold, tokens, labels)


def near_fields(field: str) -> tuple[str, ...]:
    """The fields after which this one usually stands."""
    return {
        "volume": ("venue",), "issue": ("volume", "venue"), "pages": ("venue",),
        "publisher": ("title", "venue"), "venue": ("title",),
    }.get(field, ())  # fmt: skip


def find_spans(
    tokens: list[ReferenceToken], labels: list[str], wanted: list[str]
) -> Iterator[tuple[int, int]]:
    size = len(wanted)
    for start in range(len(tokens) - size + 1):
        if tokens[start].text == wanted[0] and all(
            tokens[start + step].text == wanted[step] and labels[start + step] == "?"
            for step in range(size)
        ):
            yield start, start + size


def split_volumes(tokens: list[ReferenceToken], labels: list[str]) -> None:
    """Some gold counts the issue to the volume: "61, no. 1", "76(2)"."""
    at = 0
    while at < len(tokens):
        if labels[at] != "V":
            at += 1
            continue
        end = at
        while end < len(tokens) and labels[end] == "V":
            end += 1
        first = next((place for place in range(at, end) if is_numeral(tokens[place])), None)
        if first is not None:
            cut = first + 1
            while cut < end and not tokens[cut].is_spaced and not tokens[cut].is_mark:
                cut += 1  # 12a
            if cut + 1 < end and tokens[cut].text in {"-", "–", "/"}:
                cut += 2
            rest = [place for place in range(cut, end) if is_numeral(tokens[place])]
            if rest:
                labels[cut:end] = ["I"] * (end - cut)
        at = end


def is_numeral(token: ReferenceToken) -> bool:
    return token.text.isdigit() or bool(re.fullmatch(r"[IVXLC]{1,8}|[ivxlc]{2,8}", token.text))


def widen_dates(tokens: list[ReferenceToken], labels: list[str]) -> None:
    """Month and day beside the year belong to the date."""
    for at in [place for place, label in enumerate(labels) if label == "D"]:
        for step in (-1, 1):
            end = find_date_end(tokens, labels, at, step)
            low, high = sorted((at, end))
            labels[low : high + 1] = ["D"] * (high + 1 - low)
        after = at + 1
        if (
            after < len(tokens)
            and tokens[after].shape == "x"
            and not tokens[after].is_spaced
            and labels[after] == "?"
        ):
            labels[after] = "D"  # 1998a


def find_date_end(tokens: list[ReferenceToken], labels: list[str], at: int, step: int) -> int:
    """The last token of the date in one direction: a month, or the day beyond it."""
    end = place = at
    month = False
    while 0 <= place + step < len(tokens) and labels[place + step] == "?" and abs(place - at) < 6:
        place += step
        token = tokens[place]
        day = token.shape in {"d1", "d2"}
        if MONTHS.fullmatch(token.word) or (day and month):
            month, end = True, place
        elif not (day or token.text in ",./-–"):
            break
    return end


def label_collaborations(tokens: list[ReferenceToken], labels: list[str]) -> None:
    """Some gold has no author where a collaboration stands in the place of one."""
    end = next((at for at, label in enumerate(labels) if label != "?"), 0)
    if 1 < end < 9 and any(token.word in {"collaboration", "consortium"} for token in tokens[:end]):
        labels[:end] = ["A"] * end


LABEL_WORDS = {
    "V": frozenset(
        {"vol", "volume", "vols", "v", "bd", "band", "tome", "t", "jg", "jahrgang", "vol."}
    ),
    "I": frozenset(
        {"no", "nr", "n", "number", "issue", "iss", "heft", "h", "num", "nos", "º", "°"}
    ),
    "P": frozenset({"p", "pp", "pages", "page", "s", "pag", "pgs", "pg", "seiten"}),
    "J": frozenset({"in", "dans", "en", "im"}),
}


def join_labels(tokens: list[ReferenceToken], labels: list[str]) -> None:
    """Words such as "vol." and "In" are counted to the field that they announce."""
    for at in range(len(tokens) - 1, -1, -1):
        wanted = LABEL_WORDS.get(labels[at + 1]) if at + 1 < len(tokens) else None
        if (
            labels[at] == "?"
            and wanted
            and (
                tokens[at].word in wanted
                or (tokens[at].text in ".:°º" and at and tokens[at - 1].word in wanted)
            )
        ):
            labels[at] = labels[at + 1]


def settle_marks(tokens: list[ReferenceToken], labels: list[str]) -> None:
    """Marks between fields: opening ones go to the field after them, others to the one before."""
    count = len(tokens)
    for at in range(count - 1, -1, -1):
        if tokens[at].is_mark and is_opening(tokens, at) and at + 1 < count:
            labels[at] = labels[at + 1]
    for at in range(1, count):
        if tokens[at].is_mark and labels[at] == "?" and not is_opening(tokens, at):
            labels[at] = labels[at - 1]
    for at in range(1, count):  # a stop that a gold field starts with belongs to the field before
        if tokens[at].is_mark and labels[at] != labels[at - 1] and tokens[at].text in ".,;:)”»":
            labels[at] = labels[at - 1]


def is_opening(tokens: list[ReferenceToken], at: int) -> bool:
    text = tokens[at].text
    if text not in OPENING:
        return False
    if text in "\"'":
        return (
            (tokens[at].is_spaced or at == 0)
            and at + 1 < len(tokens)
            and not tokens[at + 1].is_spaced
        )
    return True
