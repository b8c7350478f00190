"""Cuts the JSON of an answer to a number of bytes, so that its spine stays and every cut is listed.

Appendices lose whole entries first. Only when they are all empty are the longest body texts
shortened, and only when that is not enough do the lists of the body lose whole entries.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from citewell.core.values.wire_values import AnswerPart
from citewell.text import truncation
from citewell.text.truncation import cut_body

_CUT_ENTRY_BYTES = 110  # an entry in the list of cuts, besides its path

_CHUNKED_DEPTH = 3  # of objects in objects; what is further inside is written in one step
_PIECE_CHARS = 1 << 20  # of a long text that are written in one step

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
        kept = sum(total <= share - 2 for total in accumulate(_list_entry_sizes(entries)))
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
    measured = [  # with the bytes of the part's entry in the list of cuts
        (place, count_bytes_in_chunks(place.value), _CUT_ENTRY_BYTES + count_json_bytes(place.path))
        for place in places
    ]
    # Cutting what is hardly longer than the least that it keeps would save nothing.
    long = [row for row in measured if row[1] > least + row[2]]
    room = sum(size - note for _, size, note in long) + spare
    shares = truncation.split_byte_limit([size for _, size, _ in long], room)
    for (place, size, note), share in zip(long, shares, strict=True):
        if share < size:
            yield place, size, max(share, least), note


def _list_entry_sizes(entries: list[Any] | dict[str, Any]) -> Iterable[int]:
    """The bytes of each entry with its comma, and with its key and colon in a mapping."""
    if isinstance(entries, list):
        return (count_json_bytes(entry) + 1 for entry in entries)
    return (count_json_bytes(key) + count_json_bytes(entries[key]) + 2 for key in entries)


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
        shown = len(cut.text) // 4 * 3 if is_encoded else truncation.count_utf8_bytes(cut.text)
        _flag_truncation(place.holder, shown)
    kept, total = len(cut.text), len(text)
    return AnswerCut(path=place.path, unit="characters", kept=kept, total=total, inside=cut.inside)


def _flag_truncation(holder: dict[str, Any], shown_bytes: int) -> None:
    """Say in the fields of spec 1 that the content is not whole, and how much of it is shown."""
    holder["truncated"] = True
    if "contentLength" in holder:
        holder.setdefault("originalLength", holder["contentLength"])
        holder["contentLength"] = shown_bytes
        holder["estimatedTokens"] = truncation.estimate_token_count(shown_bytes)
        holder["sizeCategory"] = truncation.classify_size(shown_bytes)


def _is_shown(path: str, cuts: Iterable[AnswerCut]) -> bool:
    """Whether a cut text is not in an entry that was dropped afterwards."""
    for cut in cuts:
        if cut.unit == "items" and path.startswith(f"{cut.path}/"):
            place = path.removeprefix(f"{cut.path}/").partition("/")[0]
            return not place.isdigit() or int(place) < cut.kept
    return True


# Finds in a result model which fields are its spine, its body and its appendices; see `AnswerPart`.


@dataclass(frozen=True, slots=True, kw_only=True)
class PartPlan:
    """Which part of an answer a JSON value is. What the plan does not mention is spine."""

    part: AnswerPart | None = None  # None if nothing is declared
    fields: Mapping[str, PartPlan] = field(default_factory=dict)  # of an object, by its key
    item: PartPlan | None = None  # of each item of a list, or of each value of a mapping

    def find_member(self, key: str | int) -> PartPlan:
        """The plan of a field, given its key, or of a list's item, given its place.

        An object that is body and has no model has members that are body.
        """
        if self.part is AnswerPart.BODY and not self.fields and self.item is None:
            return self
        return (self.fields.get(key) if isinstance(key, str) else None) or self.item or _PLAIN_PLAN


_PLAIN_PLAN = PartPlan()


@cache
def build_part_plan(model: type[BaseModel]) -> PartPlan:
    """The plan of a model's wire form, whose keys are the model's aliases."""
    return PartPlan(
        fields={
            info.serialization_alias or info.alias or name: _add_mark(
                _plan_type(info.annotation), info.metadata
            )
            for name, info in model.model_fields.items()
        }
    )


def _plan_type(annotation: Any) -> PartPlan:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _add_mark(_plan_type(arguments[0]), arguments[1:])
    if origin in (Union, types.UnionType):
        plans = [_plan_type(option) for option in arguments if option is not types.NoneType]
        return next((plan for plan in plans if plan != _PLAIN_PLAN), _PLAIN_PLAN)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return build_part_plan(annotation)
    if origin in (list, tuple, dict):
        inner = arguments[-1] if origin is dict else arguments[0]
        return PartPlan(item=_plan_type(inner))
    return _PLAIN_PLAN


def _add_mark(plan: PartPlan, metadata: typing.Iterable[Any]) -> PartPlan:
    part = next((mark for mark in metadata if isinstance(mark, AnswerPart)), None)
    return replace(plan, part=part) if part else plan


# Writes a large answer as JSON without keeping other threads waiting.


def dump_in_chunks(value: Any) -> str:
    """Compact JSON, written piece by piece, because the encoder holds the interpreter for a whole piece."""
    return "".join(_iterate_chunks(value, _CHUNKED_DEPTH))


def count_bytes_in_chunks(value: Any) -> int:
    """The bytes of the compact JSON."""
    chunks = _iterate_chunks(value, _CHUNKED_DEPTH)
    return sum(len(chunk.encode("utf-8", "replace")) for chunk in chunks)


def _iterate_chunks(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth:
        yield "{"
        for number, (key, child) in enumerate(value.items()):
            yield f"{',' if number else ''}{dump_compact_json(key)}:"
            yield from _iterate_chunks(child, depth - 1)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for number, child in enumerate(value):
            yield ("," if number else "") + dump_compact_json(child)
        yield "]"
    elif isinstance(value, str) and len(value) > _PIECE_CHARS:
        yield '"'
        for start in range(0, len(value), _PIECE_CHARS):
            yield dump_compact_json(value[start : start + _PIECE_CHARS])[1:-1]
        yield '"'
    else:
        yield dump_compact_json(value)


# Sizes of JSON values in bytes.


def join_pointer(path: str, key: str | int) -> str:
    """The JSON pointer of a member of the value at `path`."""
    return f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}"


def dump_compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def count_json_bytes(value: Any) -> int:
    text = dump_compact_json(value)
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def find_fitting_length(text: str, most: int) -> int:
    """How many characters of the beginning fit into `most` bytes of JSON, with the quotes."""
    low, high = 0, min(len(text), max(0, most))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_json_bytes(text[:middle]) <= most else (low, middle - 1)
    return low
