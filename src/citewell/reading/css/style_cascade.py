"""Applies a page's own style sheets and attributes to its elements; unstyled elements are absent."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from citewell.reading.css import selectors
from citewell.reading.css.at_rule_conditions import ContainerRules
from citewell.reading.css.declarations import Declarations, parse_style_attribute
from citewell.reading.css.hiding_declarations import DeclarationChoice, covers_holder, hides_as_box
from citewell.reading.css.page_styles import PageSheets, list_attribute_styles
from citewell.reading.css.style_sheets import UNLAYERED, LayerRank, rank_layers
from citewell.reading.css.value_parts import RegisteredProperties
from citewell.reading.page_nodes import list_child_nodes

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.reading.css.style_sheets import StyleRule

# Whether it is important, whether it is in a `style` attribute, its layer, weight and order.
DeclarationPriority = tuple[bool, bool, LayerRank, selectors.Specificity, int]


_NO_SPECIFICITY = selectors.Specificity(0, 0, 0)
_MAX_LIST_CHARS = 100_000  # of one selector list
_MAX_ACTIVE_SELECTORS = 20_000
_MAX_STYLED_ELEMENTS = 60_000
_MAX_CLIPPED_CHILDREN = 20
# Boxes with one of these may cut off their children.
_CHILD_CLIPPING = frozenset(
    {"overflow-x", "grid-template-rows", "grid-template-columns", "line-height"}
)


class ActiveRule(NamedTuple):
    """A selector whose classes and ids are all on the page, with its rule."""

    selector: str
    rule: StyleRule
    layer: LayerRank
    order: int


class PageStyles:
    """The elements whose visibility may depend on the page's own styles."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self.has_scripts = tree.css_matches("script")
        page_sheets = PageSheets(tree)
        self.outside = page_sheets.has_outside
        self.found: dict[int, ElementStyle] = {}
        self._box_nodes: list[LexborNode] = []
        self.boxes: set[int] = set()  # those of them that may hide more than by colour
        self._sheets = page_sheets.sheets
        self.keyframes = dict(ChainMap(*(sheet.keyframes for sheet in reversed(self._sheets))))
        rules = ChainMap(*(sheet.registered for sheet in reversed(self._sheets)))
        self.registered = RegisteredProperties(rules)
        self._active: list[ActiveRule] = []
        self._is_cut = page_sheets.is_cut
        self._layer_ranks = rank_layers(self._sheets)
        # The browser's defaults and presentational attributes, which any rule overrides.
        rank: DeclarationPriority = (False, False, (-1.0,), _NO_SPECIFICITY, -1)
        for node, name, value in list_attribute_styles(tree):
            self._ensure_style(node).set_if_stronger(name, value, rank)
        self._apply_rules(tree)

    @cached_property
    def element_index(self) -> selectors.ElementIndex:
        return selectors.ElementIndex(self._tree, quirks=not has_doctype(self._tree))

    @property
    def is_cut(self) -> bool:
        """Whether some rules were left out because of a limit."""
        return self._is_cut or (self.built_index is not None and self.built_index.is_exhausted)

    @property
    def built_index(self) -> selectors.ElementIndex | None:
        """The index of the page's names, if some rule needed it."""
        return self.element_index if "element_index" in self.__dict__ else None

    def _ensure_style(self, node: LexborNode) -> ElementStyle:
        if node.mem_id not in self.found:
            self.found[node.mem_id] = ElementStyle(node)
        return self.found[node.mem_id]

    def _apply_rules(self, tree: LexborHTMLParser) -> None:
        written = [(node, node.attributes.get("style") or "") for node in tree.css("[style]")]
        read = {style: parse_style_attribute(style) for style in {style for _, style in written}}
        rules = self._collect_active_rules()
        # Containers must be known first.
        rules.sort(key=lambda active: bool(active.rule.containers))
        self._active = rules
        blocks = [*read.values(), *(active.rule.hiding_declarations for active in rules)]
        choice = DeclarationChoice(blocks, self.registered.initial)
        self._collect_universal(rules, choice.needed_variables)
        # First the declarations that can hide text or set colours; then, only for the elements found
        # and their parents, those that may undo them.
        self._apply_selected(rules, choice.choose_hiding, None)
        self._apply_written(written, read, choice.choose_hiding, None)
        self.boxes = self._list_boxes()
        if self.boxes:
            self._apply_selected(rules, choice.choose_other, self.boxes)
            self._apply_written(written, read, choice.choose_other, self.boxes)

    @cached_property
    def overlaid_elements(self) -> frozenset[int]:
        """The elements that are taken out of the flow, and may lie over or under others."""
        nodes = list(self._tree.css("[style*=absolute], [style*=fixed]"))
        for active in self._active:
            if active.rule.hiding_declarations.get("position", ("",))[0] in {"absolute", "fixed"}:
                nodes += self._select_active(active)
        return frozenset(node.mem_id for node in nodes)

    def _collect_active_rules(self) -> list[ActiveRule]:
        """The selectors whose classes and ids are all on the page; the others may be of use to scripts."""
        active: list[ActiveRule] = []
        rules = (rule for sheet in self._sheets for rule in sheet.rules)
        for order, rule in enumerate(rules, start=1):
            self._sort_selectors(rule, order, active)
        return active

    def _sort_selectors(self, rule: StyleRule, order: int, found: list[ActiveRule]) -> None:
        if len(rule.selectors) > _MAX_LIST_CHARS or len(found) >= _MAX_ACTIVE_SELECTORS:
            self._is_cut = True
            return
        index = self.element_index
        if "," not in rule.selectors and not index.has_all_names(rule.selectors):
            return
        layer = self._layer_ranks.get(rule.layer, UNLAYERED) if rule.layer else UNLAYERED
        found.extend(
            ActiveRule(selector, rule, layer, order)
            for selector in rule.selector_parts
            if index.has_all_names(selector)
        )

    def _select_active(self, active: ActiveRule) -> Sequence[LexborNode]:
        """The elements that a rule applies to; none if a browser would not accept the rule."""
        if ":" in active.rule.selectors and not selectors.is_valid_list(active.rule.selector_parts):
            return ()
        if self.has_scripts and (
            selectors.is_loading_state(active.selector)
            or any(name in active.selector for name in self._passing_classes)
        ):
            return ()  # a script ends this state before anyone reads the page
        return self.element_index.select_elements(active.selector)

    @cached_property
    def _passing_classes(self) -> tuple[str, ...]:
        """The classes of the root and the body that a script of the page takes away."""
        names = {
            name
            for node in self._tree.css("html[class], body[class]")
            for name in (node.attrs.get("class") or "").split()
        }
        if not names:
            return ()
        code = "".join(node.text(deep=True) for node in self._tree.css("script:not([src])"))
        return tuple(
            f".{name}" for name in names if f"remove('{name}'" in code or f'remove("{name}"' in code
        )

    def list_dormant_rules(self, words: Collection[str]) -> Iterator[tuple[str, StyleRule]]:
        """The selectors that match nothing until a script sets a class, or a reader clicks.

        Only rules with one of the words in their declarations are looked at.
        """
        index = self.element_index
        for rule in (rule for sheet in self._sheets for rule in sheet.rules):
            if len(rule.selectors) > _MAX_LIST_CHARS or not any(map(rule.body.count, words)):
                continue
            for selector in rule.selector_parts:
                if selectors.has_script_state(selector) or not index.has_all_names(selector):
                    yield selector, rule

    def list_pseudo_rules(self, name: str) -> Iterator[tuple[str, Declarations]]:
        """The rules for a pseudo-element, such as `before`, each with the selector of its element."""
        for active in self._active:
            head, mark, _ = active.selector.partition(f":{name}")
            if mark and selectors.is_valid_list(active.rule.selector_parts):
                yield head.rstrip(":") or "*", active.rule.all_declarations

    def _collect_universal(self, rules: Sequence[ActiveRule], kept: Container[str]) -> None:
        """Keep custom properties of `*` apart: every element has them, so no element need be listed."""
        for active in rules:
            declared = active.rule.hiding_declarations if active.selector == "*" else {}
            self.registered.universal.update(
                (name, value) for name, (value, _) in declared.items() if name in kept
            )

    def _apply_selected(
        self,
        rules: Iterable[ActiveRule],
        choose: Callable[[Declarations], Declarations],
        among: Container[int] | None,
    ) -> None:
        containers = ContainerRules(self.found)
        names = None if among is None else self._list_box_names()
        for active in rules:
            if names is not None and not selectors.may_match_names(active.selector, names):
                continue
            declared = choose(
                active.rule.hiding_declarations if among is None else active.rule.all_declarations
            )
            if active.selector == "*":  # its custom properties are kept apart
                declared = {name: worth for name, worth in declared.items() if name[:2] != "--"}
            if not declared:
                continue
            specificity: selectors.Specificity | None = None
            for node in self._select_active(active):
                if among is not None and node.mem_id not in among:
                    continue
                conditions = active.rule.containers
                if not all(containers.matches_container(text, node) for text in conditions):
                    continue
                specificity = specificity or selectors.measure_specificity(active.selector)
                self._add_declarations(node, declared, active.layer, specificity, active.order)

    def _list_box_names(self) -> set[str]:
        """The tags, classes and ids of the boxes, as selectors write them."""
        names: set[str] = {"*"}
        for node in self._box_nodes:
            attributes = node.attributes
            names.add(node.tag or "")
            names.update(f".{name}" for name in (attributes.get("class") or "").split())
            names.add(f"#{attributes.get('id') or ''}")
        return names

    def _apply_written(
        self,
        written: Iterable[tuple[LexborNode, str]],
        read: dict[str, Declarations],
        choose: Callable[[Declarations], Declarations],
        among: Container[int] | None,
    ) -> None:
        """Apply the `style` attributes, which are stronger than any rule of their importance."""
        chosen = {style: choose(declared) for style, declared in read.items()}
        for node, style in written:
            if chosen[style] and (among is None or node.mem_id in among):
                target = self._ensure_style(node)
                for name, (value, important) in chosen[style].items():
                    rank = (important, True, UNLAYERED, _NO_SPECIFICITY, 0)
                    target.set_if_stronger(name, value, rank)

    def _add_declarations(
        self,
        node: LexborNode,
        declared: Declarations,
        layer: LayerRank,
        specificity: selectors.Specificity,
        order: int,
    ) -> None:
        if len(self.found) >= _MAX_STYLED_ELEMENTS:
            self._is_cut = True
            return
        style = self._ensure_style(node)
        normal: DeclarationPriority = (False, False, layer, specificity, order)
        for name, (value, important) in declared.items():
            if important:  # among important declarations the first layer is the strongest
                reverse = tuple(-part for part in layer)
                style.set_if_stronger(name, value, (True, False, reverse, specificity, order))
            else:
                style.set_if_stronger(name, value, normal)

    def _list_boxes(self) -> set[int]:
        """The elements that may hide something as boxes, with their parents, which decide how they lie."""
        for style in list(self.found.values()):
            if not hides_as_box(style.values):
                continue
            self._box_nodes.append(style.node)
            if style.node.parent is not None:
                self._box_nodes.append(style.node.parent)
            if not _CHILD_CLIPPING.isdisjoint(style.values):
                self._add_children(style.node)
            if style.node.parent is not None and covers_holder(style.values):
                self._add_children(style.node.parent)
        return {node.mem_id for node in self._box_nodes}

    def _add_children(self, node: LexborNode) -> None:
        for child in list_child_nodes(node)[:_MAX_CLIPPED_CHILDREN]:
            if child.is_element_node:
                self._ensure_style(child)
                self._box_nodes.append(child)


def has_doctype(tree: LexborHTMLParser) -> bool:
    """Whether the page has a doctype: without one, class names match in any case."""
    node = tree.root.prev if tree.root is not None else None
    while node is not None:
        if node.tag == "-doctype":
            return True
        node = node.prev
    return False


# The winning declarations of an element.


class ElementStyle:
    """The winning declarations of one element."""

    __slots__ = ("node", "ranks", "values")

    def __init__(self, node: LexborNode) -> None:
        self.node = node
        self.values: dict[str, str] = {}
        self.ranks: dict[str, DeclarationPriority] = {}

    def set_if_stronger(self, name: str, value: str, rank: DeclarationPriority) -> None:
        if name not in self.ranks or rank >= self.ranks[name]:
            self.ranks[name] = rank
            self.values[name] = value

    def find_value(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)
