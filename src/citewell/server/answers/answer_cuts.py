"""Cuts the JSON of an answer to a number of bytes, so that its spine stays and every cut is listed.

Appendices lose whole entries first. Only when they are all empty are the longest body texts
shortened, and only when that is not enough do the lists of the body lose whole entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, takewhile
from typing import Any

from citewell.model.wire_values import AnswerPart
from citewell.server.answers.answer_json import count_bytes_in_chunks
from citewell.server.answers.json_sizes import (
    count_json_bytes,
    estimate_entry_bytes,
    find_fitting_length,
    join_pointer,
)
from citewell.server.answers.part_plans import PartPlan
from citewell.text import text_size
from citewell.text.body_cuts import cut_body

MIN_BODY_BYTES = 400  # what a body text keeps at least


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCut:
    """One text or list that was cut: how much was kept, and how much there was."""

    path: str  # a JSON pointer, such as /sources/0/content
    unit: str  # characters or items
    kept: int
    total: int
    inside: str | None = None  # the code block or table row that the cut goes through

    def to_wire(self) -> dict[str, Any]:
        wire = {"path": self.path, "unit": self.unit, "kept": self.kept, "total": self.total}
        return wire | ({"inside": self.inside} if self.inside else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class CutAnswer:
    body: dict[str, Any]
    cuts: tuple[AnswerCut, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CuttablePart:
    """A text, list or mapping of the copied answer that may be cut, and the object that holds it."""

    holder: Any
    key: Any
    path: str

    @property
    def value(self) -> Any:
        return self.holder[self.key]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CuttableParts:
    appendices: list[_CuttablePart] = field(default_factory=list)
    texts: list[_CuttablePart] = field(default_factory=list)
    lists: list[_CuttablePart] = field(default_factory=list)


def cut_answer(body: Mapping[str, Any], plan: PartPlan, room: int) -> CutAnswer:
    """The answer and its list of cuts in at most `room` bytes of JSON; in more only for its spine.

    An answer that fits is returned unchanged. Keys, short fields and the order of items stay.
    """
    spare = room - count_bytes_in_chunks(body)
    if spare >= 0:
        return CutAnswer(body=dict(body), cuts=())
    copy, parts = _copy_value(body), _CuttableParts()
    _collect_parts(copy, plan, "", parts, in_entry=False)
    cuts: list[AnswerCut] = []
    for places, cut in (
        (parts.appendices, _cut_entries),
        (parts.texts, _cut_texts),
        (parts.lists, _cut_entries),
    ):
        if spare < 0:
            spare += cut(places, spare, cuts)
    return CutAnswer(body=copy, cuts=tuple(cut for cut in cuts if _is_shown(cut.path, cuts)))


def _copy_value(value: Any) -> Any:
    """A copy whose objects and lists can be changed."""
    if isinstance(value, dict):
        return {key: _copy_value(child) for key, child in value.items()}
    return [_copy_value(child) for child in value] if isinstance(value, list) else value


def _collect_parts(
    value: Any, plan: PartPlan, path: str, parts: _CuttableParts, *, in_entry: bool
) -> None:
    """Find what may be cut; inside an entry of a list only texts, because entries go as a whole."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in members:
        inner = plan.find_member(key)
        place = _CuttablePart(holder=value, key=key, path=join_pointer(path, key))
        if isinstance(child, str):
            if inner.part is AnswerPart.BODY:
                parts.texts.append(place)
        elif not isinstance(child, dict | list):
            continue
        elif inner.part is AnswerPart.APPENDIX and not in_entry:
            parts.appendices.append(place)
        else:
            is_list = isinstance(child, list)
            if is_list and inner.part is AnswerPart.BODY and not in_entry:
                parts.lists.append(place)
            _collect_parts(child, inner, place.path, parts, in_entry=in_entry or is_list)


def _cut_entries(places: Sequence[_CuttablePart], spare: int, cuts: list[AnswerCut]) -> int:
    """Drop entries from the ends of lists and mappings; returns the bytes saved."""
    saved = 0
    for place, size, share, note in _share_room(places, spare, least=2):
        entries = place.value
        kept = _count_fitting(_list_entry_sizes(entries), share - 2)
        place.holder[place.key] = (
            entries[:kept] if isinstance(entries, list) else dict(list(entries.items())[:kept])
        )
        cuts.append(AnswerCut(path=place.path, unit="items", kept=kept, total=len(entries)))
        saved += size - count_json_bytes(place.value) - note
    return saved


def _share_room(
    places: Sequence[_CuttablePart], spare: int, *, least: int
) -> Iterator[tuple[_CuttablePart, int, int, int]]:
    """Each part that must be cut: its bytes, the bytes it may keep, and those of its note."""
    measured = [
        (place, count_bytes_in_chunks(place.value), estimate_entry_bytes(place.path))
        for place in places
    ]
    # Cutting what is hardly longer than the least that it keeps would save nothing.
    long = [row for row in measured if row[1] > least + row[2]]
    room = sum(size - note for _, size, note in long) + spare
    shares = text_size.split_byte_limit([size for _, size, _ in long], room)
    for (place, size, note), share in zip(long, shares, strict=True):
        if share < size:
            yield place, size, max(share, least), note


def _list_entry_sizes(entries: list[Any] | dict[str, Any]) -> Iterable[int]:
    """The bytes of each entry with its comma, and with its key and colon in a mapping."""
    if isinstance(entries, list):
        return (count_json_bytes(entry) + 1 for entry in entries)
    return (count_json_bytes(key) + count_json_bytes(entries[key]) + 2 for key in entries)


def _count_fitting(sizes: Iterable[int], room: int) -> int:
    return sum(1 for _ in takewhile(lambda total: total <= room, accumulate(sizes)))


def _cut_texts(places: Sequence[_CuttablePart], spare: int, cuts: list[AnswerCut]) -> int:
    """Shorten the longest texts to equal lengths; returns the bytes saved."""
    saved = 0
    for place, size, share, note in _share_room(places, spare, least=MIN_BODY_BYTES):
        cuts.append(_cut_text(place, share))
        saved += size - count_json_bytes(place.value) - note
    return saved


def _cut_text(place: _CuttablePart, share: int) -> AnswerCut:
    """Cut a text to `share` bytes of JSON, and flag it in the object that holds it."""
    text: str = place.value
    length = find_fitting_length(text, share)
    is_encoded = place.key == "content" and "contentEncoding" in place.holder
    cut = cut_body(text, length - length % 4 if is_encoded else length)  # base64 is in groups of 4
    place.holder[place.key] = cut.text
    if place.key == "content" and "truncated" in place.holder:
        shown = len(cut.text) // 4 * 3 if is_encoded else text_size.count_utf8_bytes(cut.text)
        _flag_truncation(place.holder, shown)
    kept, total = len(cut.text), len(text)
    return AnswerCut(path=place.path, unit="characters", kept=kept, total=total, inside=cut.inside)


def _flag_truncation(holder: dict[str, Any], shown_bytes: int) -> None:
    """Say in the fields of spec 1 that the content is not whole, and how much of it is shown."""
    holder["truncated"] = True
    if "contentLength" in holder:
        holder.setdefault("originalLength", holder["contentLength"])
        holder["contentLength"] = shown_bytes
        holder["estimatedTokens"] = text_size.estimate_token_count(shown_bytes)
        holder["sizeCategory"] = text_size.classify_size(shown_bytes)


def _is_shown(path: str, cuts: Iterable[AnswerCut]) -> bool:
    """Whether a cut text is not in an entry that was dropped afterwards."""
    for cut in cuts:
        if cut.unit == "items" and path.startswith(f"{cut.path}/"):
            place = path.removeprefix(f"{cut.path}/").partition("/")[0]
            return not place.isdigit() or int(place) < cut.kept
    return True
