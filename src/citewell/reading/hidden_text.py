"""Removes text that a person looking at the page would not see, and counts what was removed.

Text hidden by the page's own styles, attributes and elements is removed. Two sorts stay unless they
contain instructions to a machine: text that a reader can open or that appears by itself (closed
`details`, panels of tabs and accordions, slides, what scripts show on scrolling), and text whose
visibility depends on an external style sheet or on the layout. The latter is noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citewell.core.values.counted_words import pluralize
from citewell.reading.hiding import hidden_elements
from citewell.reading.hiding.hidden_elements import MIN_PAGE_CHARS, HiddenNodes, PageSizes
from citewell.reading.hiding.sparing_rules import is_math_element
from citewell.reading.hiding.styled_hiding import StyledHiding, has_hidden_commands
from citewell.reading.page_nodes import list_child_nodes, read_text_without_scripts

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_SHADOW_TREES = 500
_MAX_CLONED_TEMPLATES = 20
_MAX_MENTIONS = 10
_CLONING_REACH_CHARS = 60
_CLONING_WORDS = re.compile(r"\.content\b|cloneNode|importNode")
_NAME_STARTS = frozenset("'\"`#")
_UNREAD_TAGS = frozenset({"style", "script", "template"})

_HIDING_CLASS_NAMES = (
    ".sr-only .visually-hidden .visuallyhidden .screen-reader-text .screen-reader-only .hidden .d-none"
    " .invisible .hide .is-hidden .u-hidden .offscreen .off-screen .assistive-text"
    " .element-invisible .a11y-hidden .show-for-sr .display-none .opacity-0"
)
_HIDING_CLASSES = tuple(_HIDING_CLASS_NAMES.split())
_ROOT_TAGS = frozenset({"html", "head", "body"})
_LETTER_PATTERN = re.compile(r"[^\W\d_]")
_MAX_SHADOW_DEPTH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedText:
    """How many pieces of text were removed, by hiding technique, and how many characters."""

    counts: Mapping[str, int] = field(default_factory=dict)
    removed_chars: int = 0
    visible_chars: int = 0  # characters left on the page; counted only where much was removed
    doubtful_count: int = 0  # pieces left in that may be hidden
    notes: tuple[str, ...] = ()  # what the caller should know, in plain words

    @property
    def is_mostly_hidden(self) -> bool:
        """Whether most of the page's text was hidden: scripts that did not run would show it."""
        return self.removed_chars > MIN_PAGE_CHARS and self.visible_chars * 4 < self.removed_chars


def remove_hidden_text(tree: LexborHTMLParser, *, depth: int = 0) -> RemovedText:
    """Clean the tree in place. Read metadata first: comments and templates are removed too.

    `depth` counts the shadow trees around this one.
    """
    if tree.root is None:
        return RemovedText()
    nodes = HiddenNodes()

    def clean_inner(inner: LexborHTMLParser) -> Mapping[str, int]:
        return remove_hidden_text(inner, depth=depth + 1).counts

    if depth < _MAX_SHADOW_DEPTH and tree.css_matches("template"):
        open_shadow_trees(tree, nodes, clean_inner)
        open_cloned_templates(tree, nodes, clean_inner)
    sizes = PageSizes(tree)
    for find_nodes in (hidden_elements.find_noscript_texts, hidden_elements.find_unshown_elements):
        for node, technique in find_nodes(tree):
            nodes.mark_node(node, technique)
    styled = StyledHiding(tree, nodes, sizes)
    styled.mark_hidden()
    _mark_by_label(tree, nodes, styled, sizes)
    removed = nodes.remove_marked()
    has_much = removed.chars > MIN_PAGE_CHARS
    return RemovedText(
        counts=removed.counts,
        removed_chars=removed.chars,
        visible_chars=PageSizes(tree).page_chars if has_much else 0,
        doubtful_count=styled.doubtful_count,
        notes=tuple(_write_notes(styled)),
    )


def _write_notes(styled: StyledHiding) -> Iterator[str]:
    if styled.doubtful_count:
        yield (
            f"Text was left in that may be hidden ({styled.doubtful_count} {pluralize(styled.doubtful_count, 'piece')}): it depends on "
            "style sheets or a layout that were not read."
        )
    if styled.is_cut:
        yield "The page's style sheets are too large to be read whole: hidden text may be left in."


def _mark_by_label(
    tree: LexborHTMLParser, nodes: HiddenNodes, styled: StyledHiding, sizes: PageSizes
) -> None:
    """Mark `aria-hidden` text, and instructions in elements that are named as hidden."""
    for node in tree.css("[aria-hidden=true i]"):
        if node.tag in _ROOT_TAGS or nodes.has_element(node) or nodes.is_inside_marked(node):
            continue
        if _is_aria_hidden(node, nodes, styled, sizes):
            nodes.mark_node(node, "ariaHidden")
    present = [name for name in _HIDING_CLASSES if styled.may_have_class(name)]
    found = tree.css(", ".join(present)) if present else []
    named = [node for node in found if not nodes.has_element(node)]
    texts = [read_text_without_scripts(node) for node in named]
    if has_hidden_commands("\n".join(texts)):
        for node, text in zip(named, texts, strict=True):
            if has_hidden_commands(text):
                nodes.mark_node(node, "suspect")


def _is_aria_hidden(
    node: LexborNode, nodes: HiddenNodes, styled: StyledHiding, sizes: PageSizes
) -> bool:
    """Whether the text is to go: not symbols, openable parts, formulas and visible twins."""
    text = read_text_without_scripts(node).strip()
    if len(text) <= 2 or not _LETTER_PATTERN.search(text):
        return False
    controls = styled.sparing.disclosure_controls
    keeps = (
        controls.can_be_opened(node)
        or controls.is_slide(node)
        # The page behind an open dialog is marked `aria-hidden` too.
        or (len(text) * 2 > sizes.page_chars and node.css_matches("h1, main, article, p"))
        or _has_hidden_twin(node, nodes)
        or is_math_element(node, text)
    )
    return not keeps or has_hidden_commands(text)


def _has_hidden_twin(node: LexborNode, nodes: HiddenNodes) -> bool:
    if node.parent is None:
        return False
    return any(
        nodes.find_technique(child) in {"clip", "size", "offScreen"}
        for child in list_child_nodes(node.parent)
    )


# Puts the content of declarative shadow trees where readers see it.


def open_shadow_trees(
    tree: LexborHTMLParser,
    nodes: HiddenNodes,
    clean_tree: Callable[[LexborHTMLParser], Mapping[str, int]],
) -> None:
    """Insert each shadow tree into its host, and mark the host's children that have no slot in it.

    `clean_tree` removes the hidden text of a shadow tree, which has styles of its own, and counts it.
    """
    for template in _list_shadow_templates(tree)[:_MAX_SHADOW_TREES]:
        host = template.parent
        shadow = _parse_template(template)
        if shadow.body is None or host is None:
            continue
        nodes.more_counts.update(clean_tree(shadow))
        slots = [(slot, slot.attributes.get("name") or "") for slot in shadow.css("slot")]
        for slot, name in slots:
            # What a slot shows only while nothing is put into it goes.
            for child in list_child_nodes(slot) if _has_given_content(host, name) else ():
                nodes.more_counts["slot"] += bool(read_text_without_scripts(child).strip())
                child.decompose()
        names = {name for _, name in slots}
        for child in _list_unslotted(host, names):
            nodes.mark_node(child, "slot")
        _insert_content(shadow.body, template)


def open_cloned_templates(
    tree: LexborHTMLParser,
    nodes: HiddenNodes,
    clean_tree: Callable[[LexborHTMLParser], Mapping[str, int]],
) -> None:
    """Insert the content of templates that a script of the page copies into it."""
    templates = tree.css("template[id]")[:_MAX_CLONED_TEMPLATES]
    scripts = tree.css("script:not([src])") if templates else ()
    code = "\n".join(node.text(deep=True) for node in scripts)
    for template in templates:
        if not _is_cloned(code, template.id or "") or template.parent is None:
            continue
        content = _parse_template(template)
        if content.body is not None:
            nodes.more_counts.update(clean_tree(content))
            _insert_content(content.body, template)


def _parse_template(template: LexborNode) -> LexborHTMLParser:
    from selectolax.lexbor import LexborHTMLParser

    return LexborHTMLParser((template.html or "").partition(">")[2].rpartition("</template")[0])


def _is_cloned(code: str, name: str) -> bool:
    """Whether a script names the template and copies its content right there."""
    place = code.find(name) if name else -1
    for _ in range(_MAX_MENTIONS):
        if place < 0:
            return False
        if code[place - 1 : place] in _NAME_STARTS and _CLONING_WORDS.search(
            code, place, place + _CLONING_REACH_CHARS
        ):
            return True
        place = code.find(name, place + len(name))
    return False


def _insert_content(body: LexborNode, template: LexborNode) -> None:
    for child in list_child_nodes(body):
        if child.is_element_node and child.tag not in _UNREAD_TAGS:
            template.insert_before(child)
        elif child.is_text_node and (child.text_content or "").strip():
            template.insert_before(child.text_content or "")


def _list_unslotted(host: LexborNode, slots: set[str]) -> Iterator[LexborNode]:
    """The children of a shadow host for which its shadow tree has no slot."""
    for child in list_child_nodes(host):
        if child.tag == "template" or not (child.is_text_node or child.is_element_node):
            continue
        name = child.attributes.get("slot") or "" if child.is_element_node else ""
        if name not in slots:
            yield child


def _has_given_content(host: LexborNode, name: str) -> bool:
    """Whether a child of a shadow host goes into the slot of this name."""
    for child in list_child_nodes(host):
        if child.tag == "template":
            continue
        if child.is_text_node and not name and (child.text_content or "").strip():
            return True
        if child.is_element_node and (child.attributes.get("slot") or "") == name:
            return True
    return False


def _list_shadow_templates(tree: LexborHTMLParser) -> list[LexborNode]:
    """The templates that browsers turn into the shadow tree of their parent."""
    return [
        node
        for node in tree.css("template[shadowrootmode]")
        if (node.attributes.get("shadowrootmode") or "").lower() in {"open", "closed"}
        and node.parent is not None
    ]
