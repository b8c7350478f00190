"""Resolves the values of styled elements, and tells which of them show text that nobody can read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from citewell.reading.css import colours, declarations, visual_effects
from citewell.reading.css import element_boxes as box_styles
from citewell.reading.css.colours import RgbColour
from citewell.reading.css.hiding_techniques import MIN_READABLE_OPACITY, find_box_technique
from citewell.reading.css.style_cascade import ElementStyle, PageStyles
from citewell.reading.css.text_look import GroundDoubts, Grounds, TextLook, derive_look
from citewell.reading.css.value_parts import VariableScope, parse_number, split_arguments
from citewell.reading.page_nodes import iterate_upwards, list_child_nodes

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

MIN_READABLE_ALPHA = 0.03
_SVG_TEXT_TAGS = frozenset({"text", "tspan", "textpath"})

MIN_READABLE_PIXELS = 3.0  # font size in pixels below which nothing can be read
_INLINE_TAGS = frozenset({"a", "b", "em", "font", "i", "mark", "s", "small", "span", "strong", "u"})
_BLOCK_TAGS = frozenset({"div", "p", "li", "td", "section"})
_MIN_SIBLING_CHARS = 40  # of unstyled text beside it, to know how text usually looks there
_SUBSTITUTIONS = ("env(", *declarations.SUBSTITUTION_MARKS)
_INHERITED_NAMES = (
    "visibility font-size text-indent white-space line-height -webkit-text-security letter-spacing color"
    " -webkit-text-fill-color fill stroke text-shadow color-scheme fill-opacity font-size-adjust"
)
_INHERITED = frozenset(_INHERITED_NAMES.split())
_GROUND_PROPERTIES = frozenset({"background-color", "background-image"})
_UNKNOWN_COLOUR = "unknown"  # no colour: what depends on a variable that may be set elsewhere
_COLOUR_NAMES = frozenset({"color", "background-color", "-webkit-text-fill-color", "fill"})
_MAX_WAIT_SECONDS = 30.0  # nobody waits longer for text to appear
_MAX_ANIMATIONS = 8


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
                # Certain if it is set on this element, or the page has no external style sheet.
                own = not {"font-size", "zoom", "transform"}.isdisjoint(style.values)
                yield style, technique, own or not self._styles.outside
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
        around = self._resolve_around(style.node)
        known = self._resolve_values(style, around.scope, around, values)
        return self._build_look(around, style.node, known, self.resolve_look(style).scope)

    def _build_look(
        self, around: TextLook, node: LexborNode, values: dict[str, str], scope: VariableScope
    ) -> TextLook:
        parent = self._find_parent_look(node)
        more = {"parent_values": parent.values} if parent is not None else {}
        return derive_look(around, (node.tag or "").lower(), values, scope, **more)

    def _find_parent_look(self, node: LexborNode) -> TextLook | None:
        return self._looks.get(node.parent.mem_id) if node.parent is not None else None

    def resolve_node(self, node: LexborNode) -> TextLook:
        """The look of any element: an unstyled one has what browsers give to its tag."""
        style = self._styles.found.get(node.mem_id)
        if style is not None:
            return self.resolve_look(style)
        around = self._resolve_around(node)
        return derive_look(around, (node.tag or "").lower(), {}, around.scope)

    def _resolve_around(self, node: LexborNode) -> TextLook:
        above = self.find_styled_ancestor(node)
        return self.resolve_look(above) if above is not None else self._root

    def find_styled_ancestor(self, node: LexborNode) -> ElementStyle | None:
        passed: list[int] = []
        nearest: ElementStyle | None = None
        for above in iterate_upwards(node.parent):
            key = above.mem_id
            nearest = self._styles.found.get(key) or self._styled_above.get(key)
            if nearest is not None or key in self._styled_above:
                break
            passed.append(key)
        self._styled_above.update(dict.fromkeys(passed, nearest))
        return nearest

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
        parent = self._find_parent_look(style.node)
        key = (id(around), id(parent), style.node.tag, *style.values.items())
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
            important = {name for name, rank in style.ranks.items() if rank[0]}
            states = list_animation_states(values, important, self._styles.keyframes)
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
            if found in declarations.CSS_WIDE_KEYWORDS and name not in _INHERITED:
                if found == "inherit":
                    found = around.values.get(name, "")
                else:
                    is_display = name == "display" and found.startswith("revert")
                    found = "none" if is_display and _is_closed(style.node) else ""
            if found:
                values[name] = found
        return values

    def _substitute_value(self, name: str, value: str, scope: VariableScope) -> str:
        found = scope.substitute_references(value)
        if found is None:
            unknown = name in _COLOUR_NAMES and self._may_be_set_elsewhere
            return _UNKNOWN_COLOUR if unknown else "unset"
        if found.startswith(declarations.PENDING_MARK):
            return declarations.expand_pending(found.lower(), name) or "unset"
        return found.strip().lower()

    def _is_certain_colour(self, style: ElementStyle, look: TextLook) -> bool:
        """Whether the background is known, although external sheets may paint elements with a class or id."""
        ink = look.fill or look.ink
        if ink is not None and ink.alpha < MIN_READABLE_ALPHA:
            return True
        painter = style if look.is_painted else None  # the element that paints the background
        while painter is not None and not self.resolve_look(painter).paints:
            painter = self.find_styled_ancestor(painter.node)
        painter_id = painter.node.mem_id if painter is not None else 0
        if self._doubts.may_be_painted(style.node, painter_id):
            return False
        if not self._styles.outside:
            return True
        if painter is not None and _GROUND_PROPERTIES.isdisjoint(painter.values):
            return False  # a browser's own colour, which style sheets mostly reset
        for node in iterate_upwards(style.node):
            if node.mem_id == painter_id or node.tag in {"body", "html"}:
                break
            if _is_named(node):
                return self._is_among_plain_text(style)
        return True

    def _is_among_plain_text(self, style: ElementStyle) -> bool:
        """Whether unstyled text stands beside it, so that the background there cannot be dark."""
        node = style.node
        if _is_named(node) or node.parent is None:
            return False
        wanted = {"-text"} if node.tag in _INLINE_TAGS else {node.tag}
        wanted |= _BLOCK_TAGS if node.tag in _BLOCK_TAGS else set()
        total = 0
        for child in list_child_nodes(node.parent):
            is_plain = child.mem_id not in self._styles.found and not _is_named(child)
            if child.tag in wanted and is_plain:
                text = child.text_content if child.tag == "-text" else child.text(deep=True)
                total += len((text or "").strip())
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
        grounds = (
            style.values.get("background-color", "transparent")
            for style in self._styles.found.values()
            if style.node.tag == "html"
        )
        return any(ground != "transparent" for ground in grounds)


def _is_closed(node: LexborNode) -> bool:
    """Whether browsers by themselves do not show the element."""
    attributes = node.attributes
    return "hidden" in attributes or (node.tag == "dialog" and "open" not in attributes)


def _is_named(node: LexborNode) -> bool:
    return bool(node.attributes.get("id") or node.attributes.get("class"))


# Finds the states in which an element's animations leave it, as a reader gets to see it.


def list_animation_states(
    values: Mapping[str, str],
    important: Collection[str],
    keyframes: Mapping[str, Mapping[float, declarations.Declarations]],
) -> list[dict[str, str]]:
    """The element's values in each state that its animations show for long; the last one first.

    An element is hidden by an animation only if all of these states hide it.
    """
    states: list[dict[str, str]] = [dict(values)]
    names = split_arguments(values.get("animation-name", ""))[:_MAX_ANIMATIONS]
    for place, name in enumerate(names):
        moments = keyframes.get(name.strip("\"'"))
        if moments:
            shown = _list_moments(_AnimationTiming(values, place), moments)
            if shown is not None:
                changes = [
                    {name: value for name, (value, _) in moment.items() if name not in important}
                    for moment in shown
                ]
                states = [{**state, **change} for state in states for change in changes]
                del states[_MAX_ANIMATIONS:]
    return states


class _AnimationTiming:
    def __init__(self, values: Mapping[str, str], place: int) -> None:
        self.duration = _parse_seconds(_pick_list_item(values.get("animation-duration", ""), place))
        self.delay = _parse_seconds(_pick_list_item(values.get("animation-delay", ""), place))
        self.fill = _pick_list_item(values.get("animation-fill-mode", ""), place)
        self.count = _pick_list_item(values.get("animation-iteration-count", ""), place)
        self.direction = _pick_list_item(values.get("animation-direction", ""), place)
        self.is_paused = _pick_list_item(values.get("animation-play-state", ""), place) == "paused"
        self.by_scrolling = values.get("animation-timeline", "auto") not in {"auto", "none", ""}

    @property
    def is_reversed(self) -> bool:
        return self.direction in {"reverse", "alternate-reverse"}

    @property
    def ends_at_start(self) -> bool:
        turns = int(parse_number(self.count) or 1) if self.count != "infinite" else 1
        if self.direction in {"alternate", "alternate-reverse"}:
            return (turns % 2 == 0) is not self.is_reversed
        return self.is_reversed


def _list_moments(
    timing: _AnimationTiming, moments: Mapping[float, declarations.Declarations]
) -> Sequence[declarations.Declarations] | None:
    """The keyframes that stay in force; None if the element is left as its style says."""
    first, last = moments.get(0.0, {}), moments.get(100.0, {})
    if timing.is_reversed:
        first, last = last, first
    if timing.by_scrolling:
        return [last, first]
    if timing.delay > _MAX_WAIT_SECONDS:
        return [first] if timing.fill in {"backwards", "both"} else None
    if timing.is_paused:
        elapsed = -timing.delay / timing.duration if timing.duration > 0 else 0.0
        return [last if elapsed >= 0.5 else first, last]
    if timing.count == "infinite" and timing.duration > 0:
        rest = [] if 0.0 in moments and 100.0 in moments else [declarations.Declarations()]
        return [*(moments[place] for place in sorted(moments)), *rest]
    if timing.duration > _MAX_WAIT_SECONDS:
        return [first]
    if timing.fill in {"forwards", "both"}:
        return [moments.get(0.0, {}) if timing.ends_at_start else moments.get(100.0, {})]
    return None


def _pick_list_item(text: str, place: int) -> str:
    parts = split_arguments(text) if text else ()
    return parts[place % len(parts)] if parts else ""


def _parse_seconds(text: str) -> float:
    number = text.removesuffix("s").removesuffix("m")
    try:
        return float(number) * (0.001 if text.endswith("ms") else 1.0)
    except ValueError:
        return 0.0


# Tells whether text can be read on what lies behind it, through all filters and blend modes around it.


def is_unreadable_text(tag: str, look: TextLook) -> bool:
    """Whether neither the letters nor their outlines stand out from the background."""
    ink = look.svg_fill if tag in _SVG_TEXT_TAGS else look.fill or look.ink
    if ink is None or look.drawn is None:
        return False
    inks = [ink]
    if look.drawn and ink.alpha < 1:
        inks = [colours.blend_over(ink, drawn) for drawn in look.drawn]
    fronts: list[RgbColour | None] = [*inks, *look.shadows, *look.outlines]
    return all(front is not None and _is_lost(front, look) for front in fronts)


def _is_lost(front: RgbColour, look: TextLook) -> bool:
    """Whether a colour cannot be told from what lies behind it."""
    if look.opacity >= MIN_READABLE_OPACITY:  # below, the whole element is hidden
        front = front._replace(alpha=front.alpha * look.opacity)
    if look.grounds is None:
        return front.alpha < MIN_READABLE_ALPHA
    for ground in look.grounds:
        pair = _pass_groups(front, ground, look)
        if pair is None or not colours.is_unreadable_on(*pair):
            return False
    return True


def _pass_groups(
    front: RgbColour, ground: RgbColour, look: TextLook
) -> tuple[RgbColour, RgbColour] | None:
    """Both colours after the filters and blend modes around them; None if that is not known."""
    for depth in range(len(look.groups), 0, -1):
        group = look.groups[depth - 1]
        inside = look.ground_groups >= depth
        if group.filter != "none":
            front = visual_effects.filter_colour(group.filter, front)
            ground = visual_effects.filter_colour(group.filter, ground) if inside else ground
        if group.blend != "normal":
            backdrop: Grounds = group.backdrop
            if not backdrop:
                return None
            mixed = visual_effects.blend_colours(group.blend, front, backdrop[0])
            under = visual_effects.blend_colours(group.blend, ground, backdrop[0])
            if mixed is None or under is None:
                return None
            front, ground = mixed, under if inside else ground
    return front, ground
