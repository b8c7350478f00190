"""Resolves the values of styled elements, and tells which of them show text that nobody can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from citewell.fetch.css import box_styles
from citewell.fetch.css.animations import list_animation_states
from citewell.fetch.css.element_styles import ElementStyle
from citewell.fetch.css.ground_doubts import GroundDoubts
from citewell.fetch.css.hiding_techniques import find_box_technique
from citewell.fetch.css.sheets.declarations import (
    CSS_WIDE_KEYWORDS,
    PENDING_MARK,
    SUBSTITUTION_MARKS,
    expand_pending,
)
from citewell.fetch.css.style_cascade import PageStyles
from citewell.fetch.css.text_contrast import MIN_READABLE_ALPHA, is_unreadable_text
from citewell.fetch.css.text_look import TextLook, derive_look
from citewell.fetch.css.values import colours
from citewell.fetch.css.values.custom_properties import VariableScope

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MIN_READABLE_PIXELS = 3.0  # font size in pixels below which nothing can be read
_INLINE_TAGS = frozenset({"a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "u"})
_BLOCK_TAGS = frozenset({"div", "p", "li", "td", "section"})
_MIN_SIBLING_CHARS = 40  # of unstyled text beside it, to know how text usually looks there
_SUBSTITUTIONS = ("env(", *SUBSTITUTION_MARKS)
_UNKNOWN_COLOUR = "unknown"  # no colour: what depends on a variable that may be set elsewhere
_COLOUR_NAMES = frozenset({"color", "background-color", "-webkit-text-fill-color", "fill"})


class PageAppearance:
    """The appearance of text in every styled element; others inherit from the nearest one above."""

    def __init__(self, styles: PageStyles, *, has_scripts: bool = False) -> None:
        self._styles = styles
        self._may_be_set_elsewhere = styles.outside or has_scripts
        self._doubts = GroundDoubts(styles, has_scripts=has_scripts)
        self._looks: dict[int, TextLook] = {}
        # For unstyled elements, the nearest styled one around them.
        self._styled_above: dict[int, ElementStyle | None] = {}
        self._shared: dict[tuple[object, ...], TextLook] = {}
        self._verdicts: dict[tuple[int, str], str | None] = {}
        self._root = TextLook(VariableScope(styles.registered, None, {}))

    def find_unseen_text(self) -> Iterator[tuple[ElementStyle, str, bool]]:
        """Elements whose own text is invisible, with the technique and whether that is certain."""
        for style in list(self._styles.found.values()):
            look = self.resolve_look(style)
            key = (id(look), style.node.tag or "")
            if key not in self._verdicts:
                self._verdicts[key] = self.judge_text(style.node, look)
            technique = self._verdicts[key]
            if technique == "fontSize":
                yield style, technique, self._is_certain_size(style)
            elif technique == "colour":
                yield style, technique, self._is_certain_colour(style, look)
            elif technique is not None:
                yield style, technique, True
            elif self._is_behind_ancestor(style, look):
                yield style, "behind", True

    def resolve_look(self, style: ElementStyle) -> TextLook:
        """The look of a styled element; those of the elements around it are resolved first."""
        chain: list[ElementStyle] = []
        at: ElementStyle | None = style
        while at is not None and at.node.mem_id not in self._looks:
            chain.append(at)
            at = self.find_styled_ancestor(at.node)
        look = self._looks[at.node.mem_id] if at is not None else self._root
        for each in reversed(chain):
            look = self._looks[each.node.mem_id] = self._derive_look(look, each)
        return look

    def try_values(self, style: ElementStyle, values: dict[str, str]) -> TextLook:
        """The look that a styled element would have with other values."""
        above = self.find_styled_ancestor(style.node)
        around = self.resolve_look(above) if above is not None else self._root
        known = self._resolve_values(style, around.scope, around, values)
        return self._build_look(around, style.node, known, self.resolve_look(style).scope)

    def _build_look(
        self, around: TextLook, node: LexborNode, values: dict[str, str], scope: VariableScope
    ) -> TextLook:
        parent = self._looks.get(node.parent.mem_id) if node.parent is not None else None
        more = {"parent_values": parent.values} if parent is not None else {}
        return derive_look(around, (node.tag or "").lower(), values, scope, **more)

    def resolve_node(self, node: LexborNode) -> TextLook:
        """The look of any element: an unstyled one has what browsers give to its tag."""
        style = self._styles.found.get(node.mem_id)
        if style is not None:
            return self.resolve_look(style)
        above = self.find_styled_ancestor(node)
        around = self.resolve_look(above) if above is not None else self._root
        return derive_look(around, (node.tag or "").lower(), {}, around.scope)

    def find_styled_ancestor(self, node: LexborNode) -> ElementStyle | None:
        passed: list[int] = []
        found: ElementStyle | None = None
        parent = node.parent
        while parent is not None:
            key = parent.mem_id
            found = self._styles.found.get(key)
            if found is not None:
                break
            if key in self._styled_above:
                found = self._styled_above[key]
                break
            passed.append(key)
            parent = parent.parent
        for key in passed:
            self._styled_above[key] = found
        return found

    def judge_text(self, node: LexborNode, look: TextLook) -> str | None:
        """The technique by which the element's own text cannot be read; None if it can be."""
        tag = (node.tag or "").lower()
        if not look.shown:
            return "visibility"
        if look.is_dotted:
            return "textSecurity"
        if look.size * look.letter_share * look.scale * look.zoom < MIN_READABLE_PIXELS:
            return "fontSize"
        return "colour" if is_unreadable_text(tag, look) else None

    def _derive_look(self, around: TextLook, style: ElementStyle) -> TextLook:
        """The look of a styled element; elements alike in the same surroundings share one."""
        node = style.node
        parent = self._looks.get(node.parent.mem_id) if node.parent is not None else None
        key = (id(around), id(parent), node.tag, *style.values.items())
        look = self._shared.get(key)
        if look is None:
            look = self._compute_look(around, style)
            if not any("attr(" in value for value in style.values.values()):
                self._shared[key] = look
        return look

    def _compute_look(self, around: TextLook, style: ElementStyle) -> TextLook:
        node = style.node
        own = {name: value for name, value in style.values.items() if name.startswith("--")}
        scope = around.scope
        if own or any("attr(" in value for value in style.values.values()):
            scope = VariableScope(self._styles.registered, around.scope, own, node)
        values = self._resolve_values(style, scope, around, style.values)
        if "animation-name" in values and self._styles.keyframes:
            states = list_animation_states(values, style.list_important(), self._styles.keyframes)
            values = self._choose_seen_state(states, around, style, scope)
        return self._build_look(around, node, values, scope)

    def _choose_seen_state(
        self,
        states: list[dict[str, str]],
        around: TextLook,
        style: ElementStyle,
        scope: VariableScope,
    ) -> dict[str, str]:
        """The first state in which the text can be read; the last one if there is none."""
        for values in states:
            look = self._build_look(around, style.node, values, scope)
            hidden = self.judge_text(style.node, look) or find_box_technique(
                (style.node.tag or "").lower(), look
            )
            if hidden is None:
                return values
        return states[0]

    def _resolve_values(
        self,
        style: ElementStyle,
        scope: VariableScope,
        around: TextLook,
        written: Mapping[str, str],
    ) -> dict[str, str]:
        values: dict[str, str] = {}
        for name, value in written.items():
            if name.startswith("--"):
                continue
            found = value
            if "(" in value and any(word in value for word in _SUBSTITUTIONS):
                found = self._substitute_value(name, value, scope)
            if found in CSS_WIDE_KEYWORDS and name not in _INHERITED:
                if found == "inherit":
                    found = around.values.get(name, "")
                else:
                    found = "none" if _is_hidden_by_browser(style.node, name, found) else ""
            if found:
                values[name] = found
        return values

    def _substitute_value(self, name: str, value: str, scope: VariableScope) -> str:
        found = scope.substitute_references(value)
        if found is None:
            unknown = name in _COLOUR_NAMES and self._may_be_set_elsewhere
            return _UNKNOWN_COLOUR if unknown else "unset"
        if found.startswith(PENDING_MARK):
            return expand_pending(found.lower(), name) or "unset"
        return found.strip().lower()

    def _is_certain_size(self, style: ElementStyle) -> bool:
        """Whether the size is certain: set on this element, or the page has no external style sheet."""
        own = "font-size" in style.values or "zoom" in style.values or "transform" in style.values
        return own or not self._styles.outside

    def _is_certain_colour(self, style: ElementStyle, look: TextLook) -> bool:
        """Whether the background is known, although external sheets may paint elements with a class or id."""
        ink = look.fill or look.ink
        if ink is not None and ink.alpha < MIN_READABLE_ALPHA:
            return True
        painter = self._find_painter(style) if look.is_painted else None
        painter_id = painter.node.mem_id if painter is not None else 0
        if self._doubts.may_be_painted(style.node, painter_id):
            return False
        if not self._styles.outside:
            return True
        if painter is not None and not _paints_ground(painter):
            return False  # a browser's own colour, which style sheets mostly reset
        node: LexborNode | None = style.node
        while node is not None and node.mem_id != painter_id and node.tag not in {"body", "html"}:
            if any(_read_id_and_class(node)):
                return self._is_among_plain_text(style)
            node = node.parent
        return True

    def _find_painter(self, style: ElementStyle) -> ElementStyle | None:
        """The element that paints the background behind the text."""
        at: ElementStyle | None = style
        while at is not None and not self.resolve_look(at).paints:
            at = self.find_styled_ancestor(at.node)
        return at

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
                text = child.text_content if child.tag == "-text" else child.text(deep=True)
                total += len((text or "").strip())
            child = child.next
        return total >= (10 if node.tag in _INLINE_TAGS else _MIN_SIBLING_CHARS)

    def _is_behind_ancestor(self, style: ElementStyle, look: TextLook) -> bool:
        """Whether a negative z-index puts it behind the opaque background of an ancestor."""
        if not look.values.get("z-index", "").startswith("-"):
            return False
        if not (box_styles.is_positioned(look.values) or look.is_item):
            return False
        above = self.find_styled_ancestor(style.node)
        while above is not None and above.node.tag != "html":
            around = self.resolve_look(above)
            if box_styles.makes_context(around.values, is_item=around.is_item):
                return False
            if above.node.tag == "body" and not self._is_root_painted():
                return False  # the body's background is painted on the canvas, behind everything
            shade = colours.parse_colour(around.values.get("background-color", ""))
            if shade is not None and shade.alpha > 0.9:
                return True
            above = self.find_styled_ancestor(above.node)
        return False

    def _is_root_painted(self) -> bool:
        return any(
            style.node.tag == "html"
            and style.find_value("background-color", "transparent") != "transparent"
            for style in self._styles.found.values()
        )


_INHERITED = frozenset(
    [
        "visibility",
        "font-size",
        "text-indent",
        "white-space",
        "line-height",
        "-webkit-text-security",
        "letter-spacing",
        "color",
        "-webkit-text-fill-color",
        "fill",
        "stroke",
        "text-shadow",
        "color-scheme",
        "fill-opacity",
        "font-size-adjust",
    ]
)


def _paints_ground(style: ElementStyle) -> bool:
    return "background-color" in style.values or "background-image" in style.values


def _is_hidden_by_browser(node: LexborNode, name: str, value: str) -> bool:
    if name != "display" or not value.startswith("revert"):
        return False
    attributes = node.attributes
    return "hidden" in attributes or (node.tag == "dialog" and "open" not in attributes)


def _read_id_and_class(node: LexborNode) -> tuple[str, str]:
    attributes = node.attributes
    return attributes.get("id") or "", attributes.get("class") or ""
