"""Chooses the declarations that may take part in hiding text, so that other rules need not be applied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import product

from citewell.reading.css import declarations
from citewell.reading.css.value_parts import (
    EM_PIXELS,
    RegisteredProperties,
    VariableScope,
    list_references,
    parse_number,
    parse_pixels,
)
from citewell.reading.css.visual_effects import MAX_SPECK_PIXELS, has_colour_filter, is_empty_rect

_MIN_FAR_PIXELS = 300.0  # shifts shorter than this move nothing off screen
_MAX_CLIP_PIXELS = 64.0  # a box as low as this may cut off what is moved inside it
# Inherited properties that hide: a descendant may reset them, so all their values are needed.
_INHERITED_NAMES = "visibility font-size text-indent -webkit-text-security letter-spacing"
_INHERITED_PROPERTIES = tuple(_INHERITED_NAMES.split())
# Properties that hide an element's own text, and never its box.
TEXT_PROPERTIES = declarations.COLOUR_PROPERTIES | {
    "visibility", "font-size", "white-space", "font-size-adjust", "-webkit-text-security",
}  # fmt: skip
_HIDING_DISPLAYS = frozenset({"none", "table-column", "table-column-group"})
_OVERFLOWS = ("overflow-x", "overflow-y")
_ZERO_LENGTHS = frozenset({"0", "0px", "0%", "0em"})
_FULL_WIDTHS = frozenset({"100%", "100vw"})
_FULL_HEIGHTS = frozenset({"100%", "100vh"})
_GRID_ZEROS = ("0fr", "0px", "0 ", "0%")

_MAX_VALUES = 6  # of one custom property on a page; with more, it may be anything
_MAX_COMBINATIONS = 24
# Properties that variables set on every other page, and hardly ever to hide something.
_SELDOM_HIDING = frozenset(
    {"letter-spacing", "line-height", "max-width", "margin-top", "margin-left", "margin-right"}
)


class DeclarationChoice:
    """Sorts each block of a page into declarations that may hide text, and those that may undo it."""

    def __init__(
        self, blocks: Sequence[declarations.Declarations], initial: Mapping[str, str]
    ) -> None:
        self._variables = _collect_variables(blocks)
        for name, value in initial.items():
            self._variables.setdefault(name, []).append(value)
        self._judged: dict[tuple[str, str], bool] = {}
        self._chosen: dict[tuple[int, bool], declarations.Declarations] = {}
        self._kept = declarations.COLOUR_PROPERTIES | find_inherited_hiding(blocks, self._may_hide)
        hiding = [self.choose_hiding(declared) for declared in blocks]
        self.needed_variables = _find_needed_variables(hiding, blocks)
        self._chosen.clear()
        self._kept |= self.needed_variables

    def choose_hiding(self, declared: declarations.Declarations) -> declarations.Declarations:
        """The declarations that can hide text or set colours."""
        return self._choose_declarations(declared, hides=True)

    def choose_other(self, declared: declarations.Declarations) -> declarations.Declarations:
        """The declarations that can only undo or complete what others do."""
        return self._choose_declarations(declared, hides=False)

    def _choose_declarations(
        self, declared: declarations.Declarations, *, hides: bool
    ) -> declarations.Declarations:
        key = (id(declared), hides)
        if key not in self._chosen:
            whole = needs_whole_block(declared)
            self._chosen[key] = {
                name: worth
                for name, worth in declared.items()
                if (name in self._kept or whole or self._may_hide(name, worth[0])) is hides
                and (hides or name[:2] != "--")
            }
        return self._chosen[key]

    def _may_hide(self, name: str, value: str) -> bool:
        if "var(" not in value:
            return may_hide(name, value)
        key = (name, value)
        if key not in self._judged:
            self._judged[key] = may_hide(name, value) and self._may_hide_by_variable(name, value)
        return self._judged[key]

    def _may_hide_by_variable(self, name: str, value: str) -> bool:
        """Whether the value may hide with any of the values that its variables have on the page."""
        references = list(dict.fromkeys(list_references(value)))
        choices = [self._variables.get(reference, [""]) for reference in references]
        total = 1
        for choice in choices:
            total *= len(choice)
            if total > _MAX_COMBINATIONS or len(choice) > _MAX_VALUES:
                return name not in _SELDOM_HIDING
        for chosen in product(*choices):
            own = {each: text for each, text in zip(references, chosen, strict=True) if text}
            found = VariableScope(RegisteredProperties({}), None, own).substitute_references(value)
            if found is not None and self._is_hiding_text(name, found):
                return True
        return False

    def _is_hiding_text(self, name: str, value: str) -> bool:
        text = value.strip().lower()
        if "var(" in text:
            return True
        if text.startswith(declarations.PENDING_MARK):
            text = declarations.expand_pending(text, name) or ""
        return bool(text) and may_hide(name, text)


def _collect_variables(blocks: Iterable[declarations.Declarations]) -> dict[str, list[str]]:
    """The values that each custom property has on the page; those that refer to others may be any."""
    variables: dict[str, list[str]] = {}
    for declared in blocks:
        for name, (value, _) in declared.items():
            values = variables.setdefault(name, []) if name[:2] == "--" else []
            if name[:2] == "--" and value not in values and len(values) <= _MAX_VALUES:
                values.append(value)
    for values in variables.values():
        if any("var(" in value for value in values):
            values.extend([""] * (_MAX_VALUES + 1))
    return variables


def _find_needed_variables(
    chosen: Iterable[declarations.Declarations], blocks: Iterable[declarations.Declarations]
) -> frozenset[str]:
    """The custom properties that chosen declarations refer to, directly or through one another."""
    needed = {
        reference
        for declared in chosen
        for name, (value, _) in declared.items()
        if name[:2] != "--" and "--" in value
        for reference in list_references(value)
    }
    if not needed:
        return frozenset()
    references: dict[str, set[str]] = {}
    for declared in blocks:
        for name, (value, _) in declared.items():
            if name[:2] == "--" and "--" in value:
                references.setdefault(name, set()).update(list_references(value))
    waiting = list(needed)
    while waiting:
        for name in references.get(waiting.pop(), ()):
            if name not in needed:
                needed.add(name)
                waiting.append(name)
    return frozenset(needed)


# Picks the declarations that may take part in hiding text, so that other rules need not be applied.


@lru_cache(maxsize=8192)
def may_hide(name: str, value: str) -> bool:
    """Whether this declaration may take part in hiding: a fast check that says yes when in doubt."""
    test = _MAY_HIDE_TESTS.get(name)
    if test is None:
        return False
    if value.startswith(declarations.PENDING_MARK) or (
        "(" in value and any(word in value for word in declarations.SUBSTITUTION_MARKS)
    ):
        return True
    return value not in declarations.CSS_WIDE_KEYWORDS and test(value)


def needs_whole_block(declared: declarations.Declarations) -> bool:
    """Whether all of a block counts: it sets a container, or a low box that may cut off what it holds."""
    if "container-type" in declared and declared["container-type"][0] != "normal":
        return True
    if (
        declared.get("position", ("",))[0] in {"absolute", "fixed"}
        and "background-color" in declared
    ):
        return True
    if "overflow-x" not in declared or not ("height" in declared or "max-height" in declared):
        return False
    return _is_low_clip({name: worth[0] for name, worth in declared.items()})


def _is_low_clip(values: Mapping[str, str]) -> bool:
    if not any(values.get(name, "") in {"hidden", "clip"} for name in _OVERFLOWS):
        return False
    sizes = (parse_pixels(values.get(name, "")) for name in ("height", "max-height"))
    return any(size is not None and size <= _MAX_CLIP_PIXELS for size in sizes)


def find_inherited_hiding(
    every: Iterable[declarations.Declarations], test: Callable[[str, str], bool]
) -> frozenset[str]:
    """The inherited properties that hide something on this page, and that a descendant may reset."""
    found = set()
    for declared in every:
        for name in _INHERITED_PROPERTIES:
            if name in declared and name not in found and test(name, declared[name][0]):
                found.add(name)
    if "text-indent" in found:  # it also hides in a box that cuts off what it holds
        found.update((*_OVERFLOWS, "white-space"))
    return frozenset(found)


def hides_as_box(values: Mapping[str, str]) -> bool:
    """Whether the values may hide an element with all its content, and not only its own text."""
    for name, value in values.items():
        if name not in TEXT_PROPERTIES and name[:2] != "--" and may_hide(name, value):
            return True
    return ("overflow-x" in values and _is_low_clip(values)) or covers_holder(values)


def covers_holder(values: Mapping[str, str]) -> bool:
    """Whether an element out of the flow lies over the whole of what it is placed in."""
    if values.get("position") not in {"absolute", "fixed"} or "background-color" not in values:
        return False
    if values.get("z-index", "0").startswith("-"):
        return False
    sides = [values.get(name, "") in _ZERO_LENGTHS for name in ("top", "left", "right", "bottom")]
    wide = values.get("width", "") in _FULL_WIDTHS or (sides[1] and sides[2])
    high = values.get("height", "") in _FULL_HEIGHTS or (sides[0] and sides[3])
    return wide and high and (sides[0] or sides[3]) and (sides[1] or sides[2])


def _is_below(limit: float, parse: Callable[[str], float | None]) -> Callable[[str], bool]:
    """A test whether a value is a number below the limit."""
    return lambda value: (size := parse(value)) is not None and size < limit


def _is_far(percent: float) -> Callable[[str], bool]:
    """A test whether a length leads off screen, where one per cent is so many pixels."""
    return lambda value: abs(parse_pixels(value, percent=percent) or 0.0) >= _MIN_FAR_PIXELS


def _is_speck(value: str) -> bool:
    size = parse_pixels(value)
    return size is not None and 0 <= size <= MAX_SPECK_PIXELS


def _is_set(value: str) -> bool:
    return value not in {"none", "normal", "auto"}


_MAY_HIDE_TESTS: dict[str, Callable[[str], bool]] = {
    "display": lambda value: value in _HIDING_DISPLAYS,
    "content-visibility": "hidden".__eq__,
    "visibility": "visible".__ne__,
    "opacity": _is_below(0.9, parse_number),
    "filter": lambda value: "opacity" in value or "blur" in value or has_colour_filter(value),
    "font-size": _is_below(10, lambda value: parse_pixels(value, percent=EM_PIXELS / 100)),
    "font-size-adjust": _is_set,
    "zoom": _is_below(0.7, parse_number),
    "clip": is_empty_rect,
    "clip-path": lambda value: "(" in value,
    "mask-image": lambda value: "gradient" in value or "#" in value,
    "content": lambda value: "url(" in value,
    "contain": lambda value: any(word in value for word in ("paint", "strict", "content", "size")),
    "container-type": lambda value: value not in {"normal", "none"},
    "text-indent": lambda value: _is_far(4.0)((value.split() or [""])[0]),
    "letter-spacing": lambda value: abs(parse_pixels(value) or 0.0) >= 8,
    "line-height": _is_below(
        0.1,
        lambda value: parse_number(value) if value[-1:].isdigit() else parse_pixels(value),
    ),
    "z-index": lambda value: value.startswith("-"),
    "mix-blend-mode": _is_set,
    "-webkit-text-security": _is_set,
    "animation-name": _is_set,
    "backface-visibility": "hidden".__eq__,
    **dict.fromkeys(
        ("grid-template-rows", "grid-template-columns"),
        lambda value: f"{value} ".startswith(_GRID_ZEROS),
    ),
    "flex-grow": lambda _: False,
    "flex-basis": lambda value: _is_speck(value) and not value.endswith("%"),
    **dict.fromkeys(("width", "max-width", "height", "max-height"), _is_speck),
    **dict.fromkeys(("transform", "translate", "scale", "rotate", "offset-path"), _is_set),
    **dict.fromkeys(("left", "right", "top", "bottom"), _is_far(4.0)),
    **dict.fromkeys(("margin-left", "margin-right", "margin-top"), _is_far(0.0)),
}
