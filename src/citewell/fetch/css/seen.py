"""How text looks once styles are inherited: shown or not, its size, its colour and what is behind it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from citewell.fetch.css import colour
from citewell.fetch.css.cascade import Style, Styles
from citewell.fetch.css.colour import BLACK, CLEAR, WHITE, Colour
from citewell.fetch.css.hiding import TINY
from citewell.fetch.css.length import EM, px

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_INLINE = frozenset({"a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "u"})
_BLOCKS = frozenset({"div", "p", "li", "td", "section"})
_KEYWORD_SIZES = {"smaller": 0.83, "larger": 1.2}
_ENOUGH = 40  # characters of other text beside, to tell how text usually looks there


_TELLING = frozenset({"visibility", "font-size", "z-index", "-webkit-text-fill-color", "fill"})
_PAIRS = 400


class Look(NamedTuple):
    shown: bool = True
    size: float = EM  # of type, in pixels
    ink: Colour | None = BLACK  # None when it cannot be worked out
    ground: Colour | None = WHITE
    painter: int = 0  # the element that set the ground; 0 for the canvas
    drawn: bool = False  # the background shows through the letters


class Looks:
    """The looks of every styled element; an element without styles looks like the one above."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._known: dict[int, Look] = {}

    def unseen(self) -> Iterator[tuple[Style, str, bool]]:
        """Elements whose own text cannot be seen, by which technique, and whether that is certain."""
        if not self._possible():
            return
        for style in list(self._styles.found.values()):
            look = self.of(style)
            if not look.shown:
                yield style, "visibility", True
            elif look.size < TINY:
                yield style, "fontSize", self._certain_size(style)
            elif self._lost(look):
                yield style, "colour", self._certain_colour(style, look)
            elif self._behind(style):
                yield style, "behind", True

    def _possible(self) -> bool:
        """A quick look at all values: most pages have no two that hide text in one another."""
        inks, grounds = {"black"}, {"white"}
        for style in self._styles.found.values():
            values = style.values
            if not values.keys().isdisjoint(_TELLING):
                return True
            inks.add(values.get("color", "black"))
            grounds.add(values.get("background-color", "white"))
        if len(inks) * len(grounds) > _PAIRS:
            return True
        behind = [colour.read(_light(ground)) for ground in grounds]
        if any(shade is not None and 0 < shade.alpha < 1 for shade in behind):
            return True
        fronts = [shade for ink in inks if (shade := colour.read(_light(ink))) is not None]
        solid = [shade for shade in behind if shade is not None and shade.alpha == 1]
        return any(
            shade.alpha < 0.03 or colour.lost(shade, ground) for shade in fronts for ground in solid
        )

    def of(self, style: Style) -> Look:
        chain = [style]
        while (above := self._above(chain[-1].node)) is not None and chain[-1] is not above:
            if above.node.mem_id in self._known:
                break
            chain.append(above)
        base = self._known[above.node.mem_id] if above is not None else Look()
        for each in reversed(chain):
            key = each.node.mem_id
            if key not in self._known:
                self._known[key] = _derive(base, each)
            base = self._known[key]
        return base

    def source(self, style: Style) -> Style:
        """The element whose visibility this one has."""
        at: Style | None = style
        while at is not None and at.get("visibility") not in {"hidden", "collapse"}:
            at = self._above(at.node)
        return at or style

    def _above(self, node: LexborNode) -> Style | None:
        parent = node.parent
        while parent is not None:
            found = self._styles.found.get(parent.mem_id)
            if found is not None:
                return found
            parent = parent.parent
        return None

    def _lost(self, look: Look) -> bool:
        if look.ink is None or look.drawn:
            return False
        if look.ink.alpha < 0.03:
            return True
        return look.ground is not None and colour.lost(look.ink, look.ground)

    def _certain_size(self, style: Style) -> bool:
        """A sheet elsewhere may set the type of a named element back; it cannot for a bare one."""
        own = style.get("font-size")
        return bool(own) or not self._styles.outside

    def _certain_colour(self, style: Style, look: Look) -> bool:
        """Whether the ground is what we think, though a sheet elsewhere may paint named elements."""
        if not self._styles.outside or (look.ink is not None and look.ink.alpha < 0.03):
            return True
        node: LexborNode | None = style.node
        while node is not None and node.mem_id != look.painter and node.tag not in {"body", "html"}:
            if any(_names(node)):
                return self._stands_out(style)
            node = node.parent
        return True

    def _stands_out(self, style: Style) -> bool:
        """Among plain text of the same place, so that the place cannot be dark."""
        node = style.node
        if any(_names(node)) or node.parent is None:
            return False
        wanted = (
            {"-text"} if node.tag in _INLINE else _BLOCKS if node.tag in _BLOCKS else {node.tag}
        )
        total = 0
        child = node.parent.first_child
        while child is not None:
            plain = child.mem_id not in self._styles.found and not any(_names(child))
            if child.tag in wanted and plain:
                total += len(
                    (
                        child.text(deep=True) if child.tag != "-text" else child.text_content or ""
                    ).strip()
                )
            child = child.next
        return total >= (10 if node.tag in _INLINE else _ENOUGH)

    def _behind(self, style: Style) -> bool:
        """Under the opaque ground of an element around it."""
        if not style.get("z-index").startswith("-") or style.get("position") in {"", "static"}:
            return False
        above = self._above(style.node)
        while above is not None and above.node.tag not in {"body", "html"}:
            shade = colour.read(above.get("background-color"))
            if shade is not None and shade.alpha > 0.9 and not above.get("z-index"):
                return True
            above = self._above(above.node)
        return False


def _derive(base: Look, style: Style) -> Look:
    if style.node.tag in {"html", "body"}:  # hidden only until a script has run, or all would be
        return _painted(base._replace(ink=_own_ink(base, style)), style)
    look = base._replace(
        shown=_shown(base, style.get("visibility")),
        size=_size(base, style.get("font-size")),
        drawn=base.drawn or style.get("background-clip") == "text",
    )
    return _painted(look._replace(ink=_own_ink(base, style)), style)


def _own_ink(base: Look, style: Style) -> Colour | None:
    ink = style.get("-webkit-text-fill-color") or style.get("color")
    if style.node.tag in {"text", "tspan", "textpath"}:
        ink = style.get("fill") or ink
    return _ink(base, ink) if ink else base.ink


def _names(node: LexborNode) -> tuple[str, str]:
    attributes = node.attributes
    return attributes.get("id") or "", attributes.get("class") or ""


def _shown(base: Look, value: str) -> bool:
    if value in {"hidden", "collapse"}:
        return False
    return True if value in {"visible", "initial"} else base.shown


def _size(base: Look, value: str) -> float:
    if not value or value in {"inherit", "unset"}:
        return base.size
    if value in _KEYWORD_SIZES:
        return base.size * _KEYWORD_SIZES[value]
    size = px(value, em=base.size, percent=base.size / 100)
    return EM if size is None else size


def _ink(base: Look, value: str) -> Colour | None:
    if value in {"inherit", "currentcolor", "unset", "revert"}:
        return base.ink
    if value == "initial":
        return BLACK
    if value == "none":
        return CLEAR
    return colour.read(_light(value))


def _painted(look: Look, style: Style) -> Look:
    picture = style.get("background-image", "none")
    if picture not in {"none", "initial", "unset"}:
        return look._replace(ground=None, painter=style.node.mem_id)
    value = style.get("background-color")
    if not value or value in {"inherit", "initial", "unset", "revert", "none"}:
        return look
    shade = colour.read(_light(value))
    if shade is not None and shade.alpha == 0:
        return look
    ground = None if shade is None else shade if shade.alpha >= 1 else _over(shade, look.ground)
    return look._replace(ground=ground, painter=style.node.mem_id)


def _over(shade: Colour, ground: Colour | None) -> Colour | None:
    return colour.over(shade, ground) if ground is not None else None


def _light(value: str) -> str:
    """A two-sided colour as it is by day."""
    return (
        value[len("light-dark(") :].partition(",")[0] if value.startswith("light-dark(") else value
    )
