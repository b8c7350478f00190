"""Resolves how text looks after inheritance: visibility, size, colour and background."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css import colours
from citewell.fetch.css.colours import BLACK, TRANSPARENT, WHITE, RgbColour
from citewell.fetch.css.hiding_techniques import MIN_READABLE_PIXELS
from citewell.fetch.css.lengths import EM_PIXELS, parse_pixels
from citewell.fetch.css.style_cascade import ElementStyle, PageStyles

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE_TAGS = frozenset({"a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "u"})
_BLOCK_TAGS = frozenset({"div", "p", "li", "td", "section"})
_FONT_SIZE_FACTORS = {"smaller": 0.83, "larger": 1.2}
_MIN_SIBLING_CHARS = (
    40  # characters of unstyled text beside it, to know how text usually looks there
)


_SUSPECT_PROPERTIES = frozenset(
    {"visibility", "font-size", "z-index", "-webkit-text-fill-color", "fill"}
)
_MAX_COLOUR_PAIRS = 400


class TextAppearance(NamedTuple):
    shown: bool = True
    size: float = EM_PIXELS  # font size in pixels
    ink: RgbColour | None = BLACK  # text colour; None if it is unknown
    ground: RgbColour | None = WHITE
    painter: int = 0  # the element that set the background; 0 for the page's canvas
    drawn: bool = False  # the letters are filled with the background (background-clip: text)


class PageAppearance:
    """The appearance of text in every styled element; others inherit from the nearest one above."""

    def __init__(self, styles: PageStyles) -> None:
        self._styles = styles
        self._known: dict[int, TextAppearance] = {}

    def find_unseen_text(self) -> Iterator[tuple[ElementStyle, str, bool]]:
        """Elements whose own text is invisible, with the technique and whether that is certain."""
        if not self._may_hide_text():
            return
        for style in list(self._styles.found.values()):
            look = self.resolve_appearance(style)
            if not look.shown:
                yield style, "visibility", True
            elif look.size < MIN_READABLE_PIXELS:
                yield style, "fontSize", self._is_certain_size(style)
            elif self._is_unreadable(look):
                yield style, "colour", self._is_certain_colour(style, look)
            elif self._is_behind_ancestor(style):
                yield style, "behind", True

    def _may_hide_text(self) -> bool:
        """Whether any values could hide text: a fast check that rules out most pages."""
        inks, grounds = {"black"}, {"white"}
        for style in self._styles.found.values():
            values = style.values
            if not values.keys().isdisjoint(_SUSPECT_PROPERTIES):
                return True
            inks.add(values.get("color", "black"))
            grounds.add(values.get("background-color", "white"))
        if len(inks) * len(grounds) > _MAX_COLOUR_PAIRS:
            return True
        behind = [colours.parse_colour(_choose_light_colour(ground)) for ground in grounds]
        if any(shade is not None and 0 < shade.alpha < 1 for shade in behind):
            return True
        fronts = [
            shade
            for ink in inks
            if (shade := colours.parse_colour(_choose_light_colour(ink))) is not None
        ]
        solid = [shade for shade in behind if shade is not None and shade.alpha == 1]
        return any(
            shade.alpha < 0.03 or colours.is_unreadable_on(shade, ground)
            for shade in fronts
            for ground in solid
        )

    def resolve_appearance(self, style: ElementStyle) -> TextAppearance:
        chain = [style]
        while (above := self._find_styled_ancestor(chain[-1].node)) is not None and chain[
            -1
        ] is not above:
            if above.node.mem_id in self._known:
                break
            chain.append(above)
        base = self._known[above.node.mem_id] if above is not None else TextAppearance()
        for each in reversed(chain):
            key = each.node.mem_id
            if key not in self._known:
                self._known[key] = _derive_appearance(base, each)
            base = self._known[key]
        return base

    def _find_styled_ancestor(self, node: LexborNode) -> ElementStyle | None:
        parent = node.parent
        while parent is not None:
            found = self._styles.found.get(parent.mem_id)
            if found is not None:
                return found
            parent = parent.parent
        return None

    def _is_unreadable(self, look: TextAppearance) -> bool:
        if look.ink is None or look.drawn:
            return False
        if look.ink.alpha < 0.03:
            return True
        return look.ground is not None and colours.is_unreadable_on(look.ink, look.ground)

    def _is_certain_size(self, style: ElementStyle) -> bool:
        """Whether the size is certain: set on this element, or the page has no external style sheet."""
        own = style.find_value("font-size")
        return bool(own) or not self._styles.outside

    def _is_certain_colour(self, style: ElementStyle, look: TextAppearance) -> bool:
        """Whether the background is known, although external sheets may paint elements with a class or id."""
        if not self._styles.outside or (look.ink is not None and look.ink.alpha < 0.03):
            return True
        node: LexborNode | None = style.node
        while node is not None and node.mem_id != look.painter and node.tag not in {"body", "html"}:
            if any(_read_id_and_class(node)):
                return self._is_among_plain_text(style)
            node = node.parent
        return True

    def _is_among_plain_text(self, style: ElementStyle) -> bool:
        """Whether unstyled text stands beside it, so that the background there cannot be dark."""
        node = style.node
        if any(_read_id_and_class(node)) or node.parent is None:
            return False
        wanted = (
            {"-text"}
            if node.tag in _INLINE_TAGS
            else _BLOCK_TAGS
            if node.tag in _BLOCK_TAGS
            else {node.tag}
        )
        total = 0
        child = node.parent.first_child
        while child is not None:
            plain = child.mem_id not in self._styles.found and not any(_read_id_and_class(child))
            if child.tag in wanted and plain:
                total += len(
                    (
                        child.text(deep=True) if child.tag != "-text" else child.text_content or ""
                    ).strip()
                )
            child = child.next
        return total >= (10 if node.tag in _INLINE_TAGS else _MIN_SIBLING_CHARS)

    def _is_behind_ancestor(self, style: ElementStyle) -> bool:
        """Whether a negative z-index puts it behind the opaque background of an ancestor."""
        if not style.find_value("z-index").startswith("-") or style.find_value("position") in {
            "",
            "static",
        }:
            return False
        above = self._find_styled_ancestor(style.node)
        while above is not None and above.node.tag not in {"body", "html"}:
            shade = colours.parse_colour(above.find_value("background-color"))
            if shade is not None and shade.alpha > 0.9 and not above.find_value("z-index"):
                return True
            above = self._find_styled_ancestor(above.node)
        return False


def _derive_appearance(base: TextAppearance, style: ElementStyle) -> TextAppearance:
    if style.node.tag in {"html", "body"}:  # a script will show the page, or nobody could see it
        return _apply_background(base._replace(ink=_resolve_text_colour(base, style)), style)
    look = base._replace(
        shown=_resolve_visibility(base, style.find_value("visibility")),
        size=_resolve_font_size(base, style.find_value("font-size")),
        drawn=base.drawn or style.find_value("background-clip") == "text",
    )
    return _apply_background(look._replace(ink=_resolve_text_colour(base, style)), style)


def _resolve_text_colour(base: TextAppearance, style: ElementStyle) -> RgbColour | None:
    ink = style.find_value("-webkit-text-fill-color") or style.find_value("color")
    if style.node.tag in {"text", "tspan", "textpath"}:
        ink = style.find_value("fill") or ink
    return _parse_text_colour(base, ink) if ink else base.ink


def _read_id_and_class(node: LexborNode) -> tuple[str, str]:
    attributes = node.attributes
    return attributes.get("id") or "", attributes.get("class") or ""


def _resolve_visibility(base: TextAppearance, value: str) -> bool:
    if value in {"hidden", "collapse"}:
        return False
    return True if value in {"visible", "initial"} else base.shown


def _resolve_font_size(base: TextAppearance, value: str) -> float:
    if not value or value in {"inherit", "unset"}:
        return base.size
    if value in _FONT_SIZE_FACTORS:
        return base.size * _FONT_SIZE_FACTORS[value]
    size = parse_pixels(value, em=base.size, percent=base.size / 100)
    return EM_PIXELS if size is None else size


def _parse_text_colour(base: TextAppearance, value: str) -> RgbColour | None:
    if value in {"inherit", "currentcolor", "unset", "revert"}:
        return base.ink
    if value == "initial":
        return BLACK
    if value == "none":
        return TRANSPARENT
    return colours.parse_colour(_choose_light_colour(value))


def _apply_background(look: TextAppearance, style: ElementStyle) -> TextAppearance:
    picture = style.find_value("background-image", "none")
    if picture not in {"none", "initial", "unset"}:
        return look._replace(ground=None, painter=style.node.mem_id)
    value = style.find_value("background-color")
    if not value or value in {"inherit", "initial", "unset", "revert", "none"}:
        return look
    shade = colours.parse_colour(_choose_light_colour(value))
    if shade is not None and shade.alpha == 0:
        return look
    ground = (
        None
        if shade is None
        else shade
        if shade.alpha >= 1
        else _blend_on_ground(shade, look.ground)
    )
    return look._replace(ground=ground, painter=style.node.mem_id)


def _blend_on_ground(shade: RgbColour, ground: RgbColour | None) -> RgbColour | None:
    return colours.blend_over(shade, ground) if ground is not None else None


def _choose_light_colour(value: str) -> str:
    """The first colour of `light-dark(...)`; any other value as it is."""
    return (
        value[len("light-dark(") :].partition(",")[0] if value.startswith("light-dark(") else value
    )
