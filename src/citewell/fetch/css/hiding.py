"""Which declarations take an element, with all that is in it, out of sight."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from citewell.fetch.css.length import EM, number, px

FAINT = 0.12  # opacity below which nothing can be read
TINY = 3.0  # pixels of type below which nothing can be read
_SPECK = 1.5  # pixels
_FAR = -400.0
_VERY_FAR = 3000.0
_CUT = frozenset({"hidden", "clip", "scroll", "auto"})
_CALL = re.compile(r"([a-z0-9-]+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_SPLIT = re.compile(r"[\s,]+")
_SHADE = re.compile(
    r"#[0-9a-f]+|\b(?:black|white|red|green|blue|gr[ae]y|currentcolor)\b|rgba?\([^()]*\)"
)
_CLEAR = re.compile(r"rgba?\([^()]*[,/]\s*0?\.?0+%?\s*\)|#[0-9a-f]{6}00\b|#[0-9a-f]{3}0\b")
_SIZES = ("width", "height", "max-width", "max-height")
_SIDES = ("left", "right", "top", "bottom")


def hides(values: Mapping[str, str]) -> str | None:
    """The technique by which these values hide the whole element, or None."""
    return next((name for name, test in _TESTS if test(values)), None)


@lru_cache(maxsize=4096)
def may_hide(name: str, value: str) -> bool:
    """Whether this one declaration could be part of hiding; a quick look, on the safe side."""
    if "var(" in value:
        return True
    test = _CHARGES.get(name)
    return test is not None and test(value)


def _display(values: Mapping[str, str]) -> bool:
    return values.get("display") == "none"


def _content(values: Mapping[str, str]) -> bool:
    return values.get("content-visibility") == "hidden"


def _opacity(values: Mapping[str, str]) -> bool:
    return _faint(values.get("opacity", "1")) or any(
        name == "opacity" and _faint(inside)
        for name, inside in _CALL.findall(values.get("filter", ""))
    )


def _faint(value: str) -> bool:
    share = number(value.strip())
    return share is not None and share < FAINT


def _size(values: Mapping[str, str]) -> bool:
    cut = any(
        word in _CUT
        for name in ("overflow", "overflow-x", "overflow-y")
        for word in values.get(name, "").split()
    )
    small = any(_speck(values.get(name, "")) for name in _SIZES)
    flat = _flat(values.get("line-height", ""))
    return (cut and (small or flat)) or values.get("zoom") in {"0", "0%"}


def _speck(value: str) -> bool:
    size = px(value)
    return size is not None and 0 <= size <= _SPECK


def _flat(value: str) -> bool:
    height = number(value) if value[-1:].isdigit() else px(value)
    return height is not None and height < 0.1


def _clip(values: Mapping[str, str]) -> bool:
    return _clipped(values.get("clip", "")) or _clipped_path(values.get("clip-path", ""))


def _clipped(value: str) -> bool:
    match = _CALL.fullmatch(value)
    if match is None or match[1] != "rect":
        return False
    sides = [px(part) for part in _SPLIT.split(match[2].strip())]
    if len(sides) != 4 or None in sides:
        return False
    top, right, bottom, left = (side or 0.0 for side in sides)
    return bottom - top <= _SPECK or right - left <= _SPECK


def _clipped_path(value: str) -> bool:
    match = _CALL.search(value)
    if match is None:
        return False
    shape, inside = match[1], match[2].partition(" at ")[0].partition(" round ")[0].strip()
    if shape == "polygon":
        return _no_area(inside)
    sizes = [px(part, percent=1.0) for part in _SPLIT.split(inside) if part]
    if shape == "inset":
        return _nothing_left(sizes)
    if shape in {"circle", "ellipse"}:
        return any(size is not None and size <= _SPECK for size in sizes)
    return shape == "rect" and _clipped(f"rect({inside})")


def _nothing_left(sizes: list[float | None]) -> bool:
    if not sizes or None in sizes:
        return False
    known = [size or 0.0 for size in sizes]
    top, right, bottom, left = (
        (known * 4)[:4] if len(known) != 3 else (known[0], known[1], known[2], known[1])
    )
    return top + bottom >= 99 or left + right >= 99


def _no_area(inside: str) -> bool:
    points = [_SPLIT.split(point.strip()) for point in inside.split(",") if point.strip()]
    places = [[px(part, percent=1.0) or 0.0 for part in point[:2]] for point in points]
    if not places or any(len(place) != 2 for place in places):
        return False
    wide = max(x for x, _ in places) - min(x for x, _ in places)
    high = max(y for _, y in places) - min(y for _, y in places)
    return wide <= _SPECK or high <= _SPECK


def _indent(values: Mapping[str, str]) -> bool:
    value = values.get("text-indent", "")
    return _far(value.split()[0] if value else "")


def _far(value: str) -> bool:
    place = px(value)
    return place is not None and (place <= _FAR or place >= _VERY_FAR)


def _off_screen(values: Mapping[str, str]) -> bool:
    if _beside(values):
        return True
    if values.get("position", "static") in {"static", "inherit", "initial", "unset"}:
        return False
    return any(_far(values.get(side, "")) for side in _SIDES) or any(
        _far(part) for part in values.get("inset", "").split()
    )


def _beside(values: Mapping[str, str]) -> bool:
    """Pushed away by a margin; a percentage is layout."""
    sides = [
        values.get("margin-left", ""),
        values.get("margin-top", ""),
        *values.get("margin", "").split(),
    ]
    return any(not side.endswith("%") and (px(side) or 0.0) <= _FAR for side in sides)


def _transform(values: Mapping[str, str]) -> bool:
    wide = max(px(values.get("width", "")) or 0.0, px(values.get("max-width", "")) or 0.0)
    calls = _CALL.findall(values.get("transform", ""))
    if values.get("scale"):
        calls.append(("scale", values["scale"]))
    if values.get("translate"):
        calls.append(("translate", values["translate"]))
    return any(_moved(name, inside, wide) for name, inside in calls)


def _moved(name: str, inside: str, wide: float) -> bool:
    parts = [part for part in _SPLIT.split(inside.strip()) if part]
    if name.startswith("scale"):
        return any((number(part) or 0.0) < 0.02 for part in parts[:2] if number(part) is not None)
    if name == "matrix" and len(parts) == 6:
        return px(parts[0]) == 0 or px(parts[3]) == 0 or _gone(parts[4:], wide)
    if name.startswith("translate"):
        # A long track moved along inside its window is a carousel.
        return _gone(parts[:2], wide)
    if name in {"rotatex", "rotatey"}:
        angle = px(parts[0]) if parts else None
        return angle is not None and abs(abs(angle) % 180 - 90) < 1
    return False


def _gone(parts: list[str], wide: float) -> bool:
    for part in parts:
        place = px(part)
        if (
            place is not None
            and not part.endswith("%")
            and (place <= min(_FAR, -wide) or place >= max(_VERY_FAR, wide))
        ):
            return True
        if part.endswith("%") and (place or 0.0) <= 4 * -300:
            return True
    return False


def _mask(values: Mapping[str, str]) -> bool:
    value = values.get("mask-image", "")
    if "gradient(" not in value:
        return False
    rest = _CLEAR.sub("", value).replace("transparent", "")
    return rest != value and not _SHADE.search(rest)


def _spacing(values: Mapping[str, str]) -> bool:
    space = px(values.get("letter-spacing", ""))
    cut = values.get("overflow", "").startswith(("hidden", "clip"))
    return space is not None and (space <= -8 or (space >= 100 and cut))


_TESTS: tuple[tuple[str, Callable[[Mapping[str, str]], bool]], ...] = (
    ("display", _display),
    ("contentVisibility", _content),
    ("opacity", _opacity),
    ("clip", _clip),
    ("size", _size),
    ("indent", _indent),
    ("offScreen", _off_screen),
    ("transform", _transform),
    ("mask", _mask),
    ("letterSpacing", _spacing),
)


def _small_type(value: str) -> bool:
    size = px(value, percent=EM / 100)
    return size is not None and size < 8


def _any(_: str) -> bool:
    return True


_CHARGES: dict[str, Callable[[str], bool]] = {
    "display": "none".__eq__,
    "content-visibility": "hidden".__eq__,
    "visibility": lambda value: value != "visible",
    "opacity": _faint,
    "fill-opacity": _faint,
    "filter": lambda value: "opacity" in value,
    "font-size": _small_type,
    "clip": _clipped,
    "clip-path": _clipped_path,
    "text-indent": lambda value: _far(value.split()[0] if value else ""),
    "inset": lambda value: any(_far(part) for part in value.split()),
    "margin": lambda value: any((px(part) or 0.0) <= _FAR for part in value.split()),
    "transform": _any,
    "scale": lambda value: (number(value.split()[0]) or 0.0) < 0.02 if value else False,
    "translate": _any,
    "mask-image": lambda value: "gradient" in value,
    "letter-spacing": lambda value: abs(px(value) or 0.0) >= 8,
    "line-height": _flat,
    "z-index": lambda value: value.startswith("-"),
    "zoom": lambda value: value in {"0", "0%"},
    **dict.fromkeys(_SIZES, _speck),
    **dict.fromkeys((*_SIDES, "margin-left", "margin-top"), _far),
}
