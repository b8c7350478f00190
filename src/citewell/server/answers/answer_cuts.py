"""Cuts the JSON of an answer to a number of bytes, so that every key stays and every cut is listed.

Lists lose items from their end until the rest fits, with at least a beginning of each long body.
Then the longest bodies are cut to the room that is left. No more of a list or text is looked at
than could be kept, so the time depends on the room and not on the size of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.server.answers.body_plans import BodyPlan
from citewell.server.answers.json_sizes import (
    MIN_BODY_BYTES,
    count_json_bytes,
    count_text_bytes,
    estimate_entry_bytes,
    find_fitting_length,
    join_pointer,
    list_members,
    measure_least_bytes,
)
from citewell.text.body_cuts import cut_body
from citewell.text.text_size import count_utf8_bytes, split_byte_limit


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
class _MemberPlace:
    """Where in a copy of the answer a list or a long text belongs."""

    holder: Any  # the object or list that it is a member of
    key: Any
    path: str
    value: Any  # as it was in the answer
    plan: BodyPlan


def cut_answer(body: Mapping[str, Any], plan: BodyPlan, room: int) -> CutAnswer:
    """The answer and its list of cuts in at most `room` bytes of JSON; in more only if they must.

    An answer that fits is returned unchanged. Keys, short fields and the order of items stay.
    """
    if count_json_bytes(body) <= room:  # the measures below count a comma too many here and there
        return CutAnswer(body=dict(body), cuts=())
    cuts: list[AnswerCut] = []
    fitted = _fit_lists(dict(body), plan, "", room, cuts)
    bodies: list[_MemberPlace] = []
    _blank_bodies(fitted, plan, "", bodies)
    spare = room - measure_least_bytes(fitted, plan, "", room)
    spare -= sum(estimate_entry_bytes(cut.path) for cut in cuts)
    shares = _share_room(bodies, spare, room)
    for place, share in zip(bodies, shares, strict=True):
        place.holder[place.key] = place.value
        if share is not None:
            cuts.append(_cut_member(place, share))
    return CutAnswer(body=fitted, cuts=tuple(cuts))


def _fit_lists(value: Any, plan: BodyPlan, path: str, room: int, cuts: list[AnswerCut]) -> Any:
    """A copy in which lists have lost items until the least form of the rest fits into `room`."""
    if isinstance(value, list):
        return _fit_items(value, plan.find_member(0), path, room, cuts)
    lists: list[_MemberPlace] = []
    copy = _copy_without_lists(value, plan, path, lists)
    fixed = measure_least_bytes(copy, plan, path, room)
    sizes = [measure_least_bytes(one.value, one.plan, one.path, room) for one in lists]
    shares = split_byte_limit(sizes, room - fixed + 2 * len(lists))
    for place, share in zip(lists, shares, strict=True):
        place.holder[place.key] = _fit_items(
            place.value, place.plan.find_member(0), place.path, share, cuts
        )
    return copy


def _copy_without_lists(value: Any, plan: BodyPlan, path: str, lists: list[_MemberPlace]) -> Any:
    """A copy of an object with its lists empty; `lists` receives what belongs into them."""
    if not isinstance(value, dict):
        return value
    copy: dict[str, Any] = {}
    for key, child in value.items():
        inner, below = plan.find_member(key), join_pointer(path, key)
        if isinstance(child, list):
            copy[key] = []
            lists.append(_MemberPlace(holder=copy, key=key, path=below, value=child, plan=inner))
        else:
            copy[key] = _copy_without_lists(child, inner, below, lists)
    return copy


def _fit_items(
    items: list[Any], plan: BodyPlan, path: str, room: int, cuts: list[AnswerCut]
) -> list[Any]:
    """As many items as fit into `room`; of the first one a part, if it is too large alone."""
    if not items or measure_least_bytes(items, BodyPlan(item=plan), path, room) <= room:
        return [_copy_value(item) for item in items]
    kept, used = [], 2 + estimate_entry_bytes(path)
    for number, item in enumerate(items):
        least = measure_least_bytes(item, plan, join_pointer(path, number), room - used) + 1
        if used + least > room:
            break
        kept.append(_copy_value(item))
        used += least
    if not kept and isinstance(items[0], dict | list):
        kept = _fit_first_item(items[0], plan, join_pointer(path, 0), room - used, cuts)
    if len(kept) < len(items):
        cuts.append(AnswerCut(path=path, unit="items", kept=len(kept), total=len(items)))
    return kept


def _copy_value(value: Any) -> Any:
    """A copy whose objects and lists can be changed."""
    if isinstance(value, dict):
        return {key: _copy_value(child) for key, child in value.items()}
    return [_copy_value(child) for child in value] if isinstance(value, list) else value


def _fit_first_item(
    item: Any, plan: BodyPlan, path: str, room: int, cuts: list[AnswerCut]
) -> list[Any]:
    """The item with its own lists cut; nothing if it is still too large."""
    inner: list[AnswerCut] = []
    part = _fit_lists(item, plan, path, room, inner)
    if measure_least_bytes(part, plan, path, room) > room:
        return []
    cuts += inner
    return [part]


def _blank_bodies(value: Any, plan: BodyPlan, path: str, bodies: list[_MemberPlace]) -> None:
    """Replace every long body by an empty text; `bodies` receives the texts and their places."""
    if not isinstance(value, dict | list):
        return
    for key, child in list(list_members(value)):
        inner, below = plan.find_member(key), join_pointer(path, key)
        if isinstance(child, str) and inner.is_long:
            bodies.append(_MemberPlace(holder=value, key=key, path=below, value=child, plan=inner))
            bodies[-1].holder[key] = ""
        else:
            _blank_bodies(child, inner, below, bodies)


def _share_room(bodies: Sequence[_MemberPlace], spare: int, room: int) -> list[int | None]:
    """The bytes of JSON for each body that must be cut; None for a body that stays whole."""
    sizes = [count_text_bytes(one.value, room) for one in bodies]
    entries = [estimate_entry_bytes(one.path) for one in bodies]
    # Cutting a body that is hardly longer than the beginning it keeps would save nothing.
    long = [place for place, size in enumerate(sizes) if size > MIN_BODY_BYTES + entries[place]]
    short_bytes = sum(sizes) - sum(sizes[place] for place in long)
    spare += 2 * len(bodies) - short_bytes  # each body is still there as an empty text
    granted: dict[int, int] = {}
    while True:  # ends, because the entries for cuts only ever take more of the room
        shares = split_byte_limit(
            [sizes[place] for place in long], spare - sum(entries[place] for place in granted)
        )
        found = {
            place: share for place, share in zip(long, shares, strict=True) if share < sizes[place]
        }
        is_stable, granted = found.keys() == granted.keys(), found
        if is_stable:
            break
    return [
        max(granted[place], MIN_BODY_BYTES) if place in granted else None
        for place in range(len(bodies))
    ]


def _cut_member(place: _MemberPlace, share: int) -> AnswerCut:
    """Cut a body to `share` bytes of JSON, and flag it in the object that holds it."""
    text: str = place.value
    cut = cut_body(text, find_fitting_length(text, share))
    place.holder[place.key] = cut.text
    if place.key == "content" and "truncated" in place.holder:
        _flag_truncation(place.holder, cut.text)
    return AnswerCut(
        path=place.path,
        unit="characters",
        kept=len(cut.text),
        total=len(text),
        inside=cut.inside,
    )


def _flag_truncation(holder: dict[str, Any], kept: str) -> None:
    """Say in the fields of spec 1 that the content is not whole."""
    holder["truncated"] = True
    if "contentLength" in holder and "contentEncoding" not in holder:
        holder.setdefault("originalLength", holder["contentLength"])
        holder["contentLength"] = count_utf8_bytes(kept)
