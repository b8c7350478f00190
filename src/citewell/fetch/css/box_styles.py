"""Answers questions about an element's box that its computed values settle: what kind it is, what it clips."""

from __future__ import annotations

from collections.abc import Mapping

from citewell.fetch.css.values.lengths import parse_pixels
from citewell.fetch.css.values.transforms import has_transform

_BLOCK_TAG_NAMES = (
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main"
    " menu nav ol optgroup option p plaintext pre search section summary ul xmp table tbody thead"
    " tfoot tr td th caption colgroup col marquee"
)
_BLOCK_TAGS = frozenset(_BLOCK_TAG_NAMES.split())
# Elements that have a size of their own, though they stand in a line.
_ATOMIC_TAGS = frozenset(
    [
        "img",
        "button",
        "input",
        "select",
        "textarea",
        "svg",
        "video",
        "audio",
        "canvas",
        "iframe",
        "object",
        "embed",
        "math",
        "meter",
        "progress",
        "marquee",
        "foreignobject",
    ]
)
_TABLE_TAGS = frozenset(
    ["table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup", "col"]
)
SVG_SHAPE_TAGS = frozenset({"text", "tspan", "textpath", "g", "use", "switch"})
_INLINE_DISPLAYS = frozenset({"inline", "ruby", "ruby-text", "inline flow", "inline ruby"})
_ITEM_DISPLAYS = ("flex", "grid", "-webkit-flex", "-webkit-box", "-ms-flexbox")
_CLIPPING_OVERFLOWS = frozenset({"hidden", "clip", "scroll", "auto", "overlay"})
_POSITIONED = frozenset({"relative", "absolute", "fixed", "sticky", "-webkit-sticky"})


def is_positioned(values: Mapping[str, str]) -> bool:
    return values.get("position", "") in _POSITIONED


def lays_out_items(values: Mapping[str, str]) -> bool:
    """Whether the element's children are items of a flex box or a grid."""
    display = values.get("display", "")
    return display.startswith(("flex", "grid", "inline-flex", "inline-grid", "-")) or any(
        word in _ITEM_DISPLAYS for word in display.split()
    )


def is_inline(tag: str, values: Mapping[str, str], *, is_item: bool) -> bool:
    """Whether the element is part of a line, where it has no size and no transform of its own."""
    if is_item or values.get("position") in {"absolute", "fixed"}:
        return False
    if values.get("float", "none") in {"left", "right", "inline-start", "inline-end"}:
        return False
    display = values.get("display", "")
    if display:
        return display in _INLINE_DISPLAYS and tag not in _ATOMIC_TAGS
    return tag not in _BLOCK_TAGS and tag not in _ATOMIC_TAGS


def is_table_part(tag: str, values: Mapping[str, str]) -> bool:
    """Whether the box is a table or part of one: its height is only a minimum."""
    display = values.get("display", "")
    return display.startswith(("table", "inline-table")) if display else tag in _TABLE_TAGS


def clips_content(values: Mapping[str, str]) -> bool:
    """Whether what reaches out of the box is cut off."""
    if any(values.get(name, "") in _CLIPPING_OVERFLOWS for name in ("overflow-x", "overflow-y")):
        return True
    words = values.get("contain", "").split()
    return any(word in {"paint", "strict", "content"} for word in words)


def holds_positioned(values: Mapping[str, str], *, fixed: bool = False) -> bool:
    """Whether positioned descendants are placed in this box, and so clipped by it."""
    if not fixed and is_positioned(values):
        return True
    contain = values.get("contain", "")
    return (
        has_transform(values)
        or values.get("filter", "none") != "none"
        or values.get("perspective", "none") != "none"
        or any(word in contain for word in ("paint", "strict", "content", "layout"))
        or values.get("content-visibility", "") in {"auto", "hidden"}
    )


def makes_context(values: Mapping[str, str], *, is_item: bool) -> bool:
    """Whether the element stacks its descendants, so that none of them goes behind its background."""
    z_index = values.get("z-index", "auto")
    if z_index != "auto" and (is_positioned(values) or is_item):
        return True
    return (
        values.get("position", "") in {"fixed", "sticky", "-webkit-sticky"}
        or has_transform(values)
        or values.get("opacity", "1") not in {"1", "100%", "1.0"}
        or values.get("filter", "none") != "none"
        or values.get("isolation", "") == "isolate"
        or values.get("mix-blend-mode", "normal") != "normal"
        or values.get("clip-path", "none") != "none"
        or values.get("mask-image", "none") != "none"
        or any(
            word in values.get("contain", "") for word in ("paint", "strict", "content", "layout")
        )
        or values.get("container-type", "normal") not in {"normal", ""}
        or values.get("will-change", "") in {"transform", "opacity"}
    )


def measure_height(values: Mapping[str, str]) -> float | None:
    """The height of the content box, if the values settle it; padding below shows text too."""
    height = _combine_size_limits(values, "height", percent_counts=_is_taken_out(values))
    words = values.get("contain", "").split()
    if height is None and (
        any(word in {"size", "strict"} for word in words)
        or values.get("container-type", "") == "size"
    ):
        height = parse_pixels(values.get("min-height", "")) or 0.0
    return None if height is None else height + _measure_padding(values, "padding-bottom")


def measure_width(values: Mapping[str, str]) -> float | None:
    """The width of the content box, if the values settle it; padding at the right shows text too."""
    width = _combine_size_limits(values, "width", percent_counts=True)
    return None if width is None else width + _measure_padding(values, "padding-right")


def _combine_size_limits(
    values: Mapping[str, str], name: str, *, percent_counts: bool
) -> float | None:
    """The least of the size and its maximum, but not below its minimum."""
    sizes = []
    for each in (name, f"max-{name}"):
        text = values.get(each, "")
        size = parse_pixels(text)
        if size is not None and (percent_counts or not text.endswith("%")):
            sizes.append(size)
    if not sizes:
        return None
    return max(min(sizes), parse_pixels(values.get(f"min-{name}", "")) or 0.0)


def _measure_padding(values: Mapping[str, str], name: str) -> float:
    text = values.get(name, "0")
    return max(0.0, parse_pixels(text) or 0.0)


def _is_taken_out(values: Mapping[str, str]) -> bool:
    return values.get("position") in {"absolute", "fixed"}
