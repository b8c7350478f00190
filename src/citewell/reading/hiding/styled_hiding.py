"""Marks text that a page's styles hide, as far as its own style sheets tell."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from citewell.reading import page_nodes
from citewell.reading.css import element_boxes as box_styles
from citewell.reading.css.colours import parse_colour
from citewell.reading.css.hiding_declarations import covers_holder
from citewell.reading.css.hiding_techniques import find_box_technique
from citewell.reading.css.style_cascade import ElementStyle, PageStyles
from citewell.reading.css.text_appearance import PageAppearance
from citewell.reading.css.text_look import BROWSER_STYLED_TAGS, TextLook, derive_look
from citewell.reading.hiding.hidden_elements import find_collapsed_cells
from citewell.reading.hiding.sparing_rules import SparingRules, belongs_to_furniture
from citewell.text.safety.injection_signals import has_injection_signal
from citewell.text.safety.text_cleaning import extract_visible_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.hiding.hidden_elements import HiddenNodes, PageSizes

_MIN_COMMAND_CHARS = 20  # characters; shorter text is not checked for instructions

_COVER_CONTENT = "img, video, canvas, svg, iframe, input, button"
_MIN_OPAQUE = 0.97
_MAX_COVERED_SHARE = 0.3  # of the page; what covers more is taken away by a script

_ROOT_TAGS = frozenset({"html", "head", "body"})
_ESCAPABLE_TECHNIQUES = frozenset({"size", "offScreen", "indent", "letterSpacing"})
_FIRST_LINE_CHARS = 120  # text that surely fits in the first line of a desktop window
_MAX_TRACKS = 64
_MAX_PLACED = 2000
_ESCAPING_PROPERTIES = frozenset({"position", "text-indent", "letter-spacing"})


class StyledHiding:
    """Marks what the styles of one page hide."""

    def __init__(self, tree: LexborHTMLParser, nodes: HiddenNodes, sizes: PageSizes) -> None:
        self._tree = tree
        self._nodes = nodes
        self._sizes = sizes
        self._styles = PageStyles(tree)
        self._looks = PageAppearance(self._styles, has_scripts=self._styles.has_scripts)
        self.sparing = SparingRules(tree, self._styles, self._looks, sizes)
        self.doubtful_count = 0

    @property
    def is_cut(self) -> bool:
        """Whether some style rules were left out because of a limit."""
        return self._styles.is_cut

    def may_have_class(self, name: str) -> bool:
        """Whether an element of the page may have a class, which is written with its dot."""
        index = self._styles.built_index
        return index is None or index.has_name(name)

    @cached_property
    def _empty_clips(self) -> frozenset[str]:
        """The ids of clip paths and masks that have no shape with a size."""
        return frozenset(
            node.attributes.get("id") or ""
            for node in self._tree.css("clippath[id], mask[id]")
            if not any(_has_extent(child) for child in page_nodes.list_child_nodes(node))
        )

    def mark_hidden(self) -> None:
        boxes = self._styles.boxes
        for key, style in list(self._styles.found.items()):
            node = style.node
            if key in boxes and node.tag not in _ROOT_TAGS and not self._nodes.has_element(node):
                self._judge_box(style)
        for style, technique, certain in self._looks.find_unseen_text():
            self._consider_own_texts(style, technique, certain=certain)
        for node, technique in find_collapsed_cells(self._styles):
            self._nodes.mark_node(node, technique)
        for node in find_covered_nodes(self._styles, self._looks, self._sizes):
            self._nodes.mark_node(node, "covered")
        self._mark_first_lines()

    def _judge_box(self, style: ElementStyle) -> None:
        look = self._looks.resolve_look(style)
        if not look.values:
            return
        technique = self._find_technique(style, look, chars=0)
        if technique is None:
            return
        text = page_nodes.read_text_without_scripts(style.node)
        if not text.strip() and not style.node.css_matches("img[alt], slot"):
            return
        technique = self._find_technique(style, look, chars=len(text.strip()))
        if technique is not None:
            self._consider_element(style, look, technique, text)

    def _find_technique(self, style: ElementStyle, look: TextLook, *, chars: int) -> str | None:
        shapes = (look.values.get(name, "") for name in ("clip-path", "mask-image"))
        refers_to_shape = any("url(" in shape for shape in shapes)
        return find_box_technique(
            (style.node.tag or "").lower(),
            look,
            chars=chars,
            place=_count_place(style.node) if look.is_item else 0,
            empty_clips=self._empty_clips if refers_to_shape else (),
        )

    def _consider_element(
        self, style: ElementStyle, look: TextLook, technique: str, text: str
    ) -> None:
        if self.sparing.is_spared(style, technique, text) and not has_hidden_commands(text):
            return
        escaping = self._list_escaping(style, look, technique)
        if escaping:
            self._mark_around(style.node, escaping, technique)
        else:
            self._nodes.mark_node(style.node, technique)

    def _list_escaping(self, style: ElementStyle, look: TextLook, technique: str) -> set[int]:
        """The descendants that are seen although the element is not: they are placed elsewhere."""
        if technique not in _ESCAPABLE_TECHNIQUES:
            return set()
        inside = self._placed_inside.get(style.node.mem_id, ())
        return {
            other.node.mem_id for other in inside if _is_placed_elsewhere(other, look, technique)
        }

    @cached_property
    def _placed_inside(self) -> dict[int, list[ElementStyle]]:
        """The elements that may escape from those around them, by each element around them."""
        found: dict[int, list[ElementStyle]] = {}
        placed = [
            style
            for style in self._styles.found.values()
            if not _ESCAPING_PROPERTIES.isdisjoint(style.values)
        ]
        for style in placed[:_MAX_PLACED]:
            for above in page_nodes.iterate_upwards(style.node.parent):
                found.setdefault(above.mem_id, []).append(style)
        return found

    def _mark_around(self, node: LexborNode, escaping: set[int], technique: str) -> None:
        """Mark everything below the node except the descendants that escape."""
        for child in page_nodes.list_child_nodes(node):
            if child.mem_id in escaping:
                continue
            if child.tag == "-text":
                self._nodes.mark_node(child, technique)
            elif any(inner.mem_id in escaping for inner in child.css("*")):
                self._mark_around(child, escaping, technique)
            elif child.is_element_node:
                self._nodes.mark_node(child, technique)

    def _consider_own_texts(self, style: ElementStyle, technique: str, *, certain: bool) -> None:
        nodes = list(self._list_own_texts(style.node, technique))
        text = " ".join(node.text_content or "" for node in nodes)
        if not text.strip():
            return
        spared = not certain or self.sparing.is_cause_spared(style, technique, text)
        if spared and not has_hidden_commands(text):
            self.doubtful_count += not certain
            return
        for node in nodes:
            self._nodes.mark_node(node, technique)
        if technique == "visibility":
            for picture in style.node.css("img[alt]"):
                self._nodes.mark_node(picture, "visibility")

    def _list_own_texts(self, node: LexborNode, technique: str) -> Iterator[LexborNode]:
        """Text nodes below the element that have no styled element in between."""
        waiting = [node]
        while waiting:
            for child in page_nodes.list_child_nodes(waiting.pop()):
                if child.tag == "-text":
                    yield child
                elif child.mem_id in self._styles.found or child.tag in {"script", "style"}:
                    continue
                elif child.tag not in BROWSER_STYLED_TAGS or self._is_unseen(child, technique):
                    waiting.append(child)

    def _is_unseen(self, node: LexborNode, technique: str) -> bool:
        """Whether an element that browsers style by themselves is hidden in the same way."""
        if node.tag == "a" and "href" not in node.attributes:
            return True
        return self._looks.judge_text(node, self._looks.resolve_node(node)) == technique

    def _mark_first_lines(self) -> None:
        """Mark short texts that `::first-line` makes unreadable."""
        for selector, declared in self._styles.list_pseudo_rules("first-line"):
            values = {name: value for name, (value, _) in declared.items()}
            for node in self._styles.element_index.select_elements(selector):
                text = page_nodes.read_text_without_scripts(node)
                if not 0 < len(text.strip()) <= _FIRST_LINE_CHARS:
                    continue
                look = self._looks.resolve_node(node)
                line = derive_look(look, "span", values, look.scope)
                if self._looks.judge_text(node, line) is not None:
                    self._nodes.mark_node(node, "firstLine")


def _is_placed_elsewhere(style: ElementStyle, holder: TextLook, technique: str) -> bool:
    if technique in {"indent", "letterSpacing"}:
        name = "text-indent" if technique == "indent" else "letter-spacing"
        return style.find_value(name, "inherit") not in {"inherit", "unset"}
    position = style.find_value("position")
    if position == "fixed":
        return not box_styles.holds_positioned(holder.values, fixed=True)
    return (
        position == "absolute"
        and technique == "size"
        and not box_styles.holds_positioned(holder.values)
    )


def _has_extent(shape: LexborNode) -> bool:
    """Whether a child of a clip path or mask is a shape with a size."""
    if not shape.is_element_node:
        return False
    attributes = shape.attributes
    sizes = [
        attributes[name] for name in ("width", "height", "r", "rx", "ry") if name in attributes
    ]
    return not any((size or "").strip() in {"0", "0px", "0%"} for size in sizes)


def _count_place(node: LexborNode) -> int:
    """How many elements stand before it among its siblings."""
    place, before = 0, node.prev
    while before is not None and place < _MAX_TRACKS:
        place += before.is_element_node
        before = before.prev
    return place


# Finds text that lies under an opaque element without content of its own.


def find_covered_nodes(
    styles: PageStyles, looks: PageAppearance, sizes: PageSizes
) -> Iterator[LexborNode]:
    """The siblings of elements that cover the box they share."""
    for style in list(styles.found.values()):
        node = style.node
        if not covers_holder(style.values) or node.parent is None or node.parent.tag == "body":
            continue
        look = looks.resolve_look(style)
        if not _is_opaque(look) or not box_styles.holds_positioned(look.parent_values):
            continue
        if node.text(deep=True).strip() or node.css_matches(_COVER_CONTENT):
            continue
        covered = list(_list_covered(node, styles))
        chars = sum(len(page_nodes.read_text_without_scripts(each)) for each in covered)
        is_passing = styles.has_scripts and belongs_to_furniture(node)
        if not is_passing and chars <= _MAX_COVERED_SHARE * sizes.page_chars:
            yield from covered


def _is_opaque(look: TextLook) -> bool:
    shade = parse_colour(look.values.get("background-color", ""))
    return (
        shade is not None
        and shade.alpha * look.opacity >= _MIN_OPAQUE
        and look.shown
        and look.values.get("display", "") not in {"none", "contents"}
        and look.effect.scale >= 1
        and look.values.get("mix-blend-mode", "normal") == "normal"
        and look.values.get("clip-path", "none") == "none"
    )


def _list_covered(cover: LexborNode, styles: PageStyles) -> Iterator[LexborNode]:
    """The siblings below the cover: those in the flow, and those placed before it."""
    is_before = True
    for sibling in page_nodes.list_child_nodes(cover.parent) if cover.parent is not None else ():
        if sibling.mem_id == cover.mem_id:
            is_before = False
            continue
        if sibling.tag == "-text":
            yield sibling
        elif sibling.is_element_node:
            style = styles.found.get(sibling.mem_id)
            values = style.values if style is not None else {}
            if not box_styles.is_positioned(values) or (is_before and "z-index" not in values):
                yield sibling


# Tells whether a hidden text instructs a machine.


def has_hidden_commands(text: str) -> bool:
    """Whether the text instructs a machine, also with invisible characters between its letters."""
    return len(text) >= _MIN_COMMAND_CHARS and _has_commands(text)


@lru_cache(maxsize=64)
def _has_commands(text: str) -> bool:
    return has_injection_signal(extract_visible_text(text))
