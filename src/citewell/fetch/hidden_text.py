"""Removes text that a person looking at the page would not see, and counts what was removed.

Text hidden by the page's own styles, attributes and elements is removed. Two sorts stay unless they
contain instructions to a machine: text that a reader can open or that appears by itself (closed
`details`, panels of tabs and accordions, slides, what scripts show on scrolling), and text whose
visibility depends on an external style sheet or on the layout. The latter is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from citewell.fetch.hiding import hidden_elements
from citewell.fetch.hiding.hidden_commands import has_hidden_commands
from citewell.fetch.hiding.hidden_nodes import HiddenNodes
from citewell.fetch.hiding.node_texts import list_child_nodes, read_text_without_scripts
from citewell.fetch.hiding.page_sizes import MIN_PAGE_CHARS, PageSizes
from citewell.fetch.hiding.shadow_trees import open_cloned_templates, open_shadow_trees
from citewell.fetch.hiding.sparing_rules import is_math_element
from citewell.fetch.hiding.styled_hiding import StyledHiding
from citewell.model.counted_words import pluralize

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

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
    for node, technique in hidden_elements.find_noscript_texts(tree):
        nodes.mark_node(node, technique)
    for node, technique in hidden_elements.find_unshown_elements(tree):
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
        or _is_behind_dialog(node, text, sizes)
        or _has_hidden_twin(node, nodes)
        or is_math_element(node, text)
    )
    return not keeps or has_hidden_commands(text)


def _is_behind_dialog(node: LexborNode, text: str, sizes: PageSizes) -> bool:
    """Whether this is the page behind an open dialog, which is marked `aria-hidden` too."""
    return len(text) * 2 > sizes.page_chars and node.css_matches("h1, main, article, p")


def _has_hidden_twin(node: LexborNode, nodes: HiddenNodes) -> bool:
    if node.parent is None:
        return False
    return any(
        nodes.find_technique(child) in {"clip", "size", "offScreen"}
        for child in list_child_nodes(node.parent)
    )
