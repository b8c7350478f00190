"""Removes text that a person looking at the page would not see, and counts what was removed.

Text hidden by the page's own styles, attributes and elements is removed. Two sorts stay unless they
contain instructions to a machine: text that a reader can open or that appears by itself (closed
`details`, panels of tabs and accordions, slides, a page that fades in), and text whose visibility
depends on an external style sheet (a class named `sr-only`, white words perhaps on a dark banner).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from citewell.fetch.css.hiding_techniques import find_hiding_technique
from citewell.fetch.css.style_cascade import ElementStyle, PageStyles
from citewell.fetch.css.text_appearance import PageAppearance
from citewell.fetch.disclosure_controls import DisclosureControls
from citewell.text.safety.injection_signals import has_injection_signal
from citewell.text.safety.invisible_characters import extract_visible_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSHOWN_ELEMENTS = (
    "template, noembed, noframes, datalist, mphantom, input[type=hidden i], svg title, svg desc,"
    " svg metadata, img[width='0'], img[height='0'], img[width='1'], img[height='1']"
)
_FALLBACK_ELEMENTS = "canvas, audio, video, iframe"
_HIDING_CLASSES = (
    ".sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text, .screen-reader-only, .hidden,"
    " .d-none, .invisible, .hide, .is-hidden, .u-hidden, .offscreen, .off-screen, .assistive-text,"
    " .element-invisible, .a11y-hidden, .show-for-sr, .display-none, .opacity-0"
)
_ROOT_TAGS = frozenset({"html", "head", "body"})
_MATH_ELEMENTS = "math, mjx-container, .katex, .katex-mathml, .MathJax"
_PROSE_PATTERN = re.compile(r"(?:[^\W\d_]{2,}\s+){6}")
_LETTER_PATTERN = re.compile(r"[^\W\d_]")
_MIN_COMMAND_CHARS = 20  # characters; shorter text is not checked for instructions
_MIN_PAGE_CHARS = 600  # characters; a hidden element with more may be the page itself


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedText:
    """How many pieces of text were removed, by hiding technique, and how many characters."""

    counts: Mapping[str, int] = field(default_factory=dict)
    removed_chars: int = 0
    visible_chars: int = 0  # characters left on the page

    @property
    def is_mostly_hidden(self) -> bool:
        """Whether most of the page's text was hidden: scripts that did not run would show it."""
        return self.removed_chars > _MIN_PAGE_CHARS and self.visible_chars * 4 < self.removed_chars


def remove_hidden_text(tree: LexborHTMLParser) -> RemovedText:
    """Clean the tree in place. Read metadata first: comments and templates are removed too."""
    if tree.root is None:
        return RemovedText()
    sweep = _HiddenTextSweep(tree)
    sweep.collect_by_element()
    sweep.collect_by_style()
    sweep.collect_by_label()
    return sweep.remove_collected()


class _HiddenTextSweep:
    """Collects all nodes before it removes any, because a removed node must not be read again."""

    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._styles = PageStyles(tree)
        self._looks = PageAppearance(self._styles)
        self._judged: dict[tuple[tuple[str, str], ...], str | None] = {}
        self._whole: dict[int, tuple[LexborNode, str]] = {}
        self._texts: dict[int, tuple[LexborNode, str]] = {}

    @cached_property
    def _disclosure_controls(self) -> DisclosureControls:
        return DisclosureControls(self._tree)

    @cached_property
    def _page_chars(self) -> int:
        return _count_text_chars(self._tree.body) if self._tree.body is not None else 0

    @cached_property
    def _main_chars(self) -> int:
        cores = self._tree.css("main, [role=main]")
        return _count_text_chars(cores[0]) if len(cores) == 1 else self._page_chars

    def collect_by_element(self) -> None:
        root = self._tree.root
        for node in root.traverse(include_text=False) if root is not None else ():
            if node.is_comment_node:
                self._whole[node.mem_id] = (node, "comment")
        for node in self._tree.css(_UNSHOWN_ELEMENTS):
            self._whole[node.mem_id] = (node, "element")
        for node in self._tree.css(_FALLBACK_ELEMENTS):
            for child in _list_text_children(node):
                self._texts[child.mem_id] = (child, "element")
        for node in self._tree.css("annotation, annotation-xml, rp"):
            text = _read_text_without_scripts(node)
            if _PROSE_PATTERN.search(text) or (node.tag == "rp" and len(text.strip()) > 2):
                self._whole[node.mem_id] = (node, "element")

    def collect_by_style(self) -> None:
        for style in list(self._styles.found.values()):
            if style.node.tag in _ROOT_TAGS:
                continue
            technique = self._find_technique(style)
            if technique is not None:
                self._consider_element(style.node, technique)
        for style, technique, certain in self._looks.find_unseen_text():
            self._consider_own_texts(style, technique, certain=certain)

    def _find_technique(self, style: ElementStyle) -> str | None:
        """The hiding technique, cached by style: pages have thousands of elements of one style."""
        key = tuple(style.values.items())
        if key not in self._judged:
            self._judged[key] = find_hiding_technique(self._apply_animation_end(style))
        return self._judged[key]

    def collect_by_label(self) -> None:
        for node in self._tree.css("[aria-hidden=true i]"):
            if node.mem_id not in self._whole and node.tag not in _ROOT_TAGS:
                self._consider_aria_hidden(node)
        for node in self._tree.css(_HIDING_CLASSES):
            text = _read_text_without_scripts(node)
            if (
                len(text) >= _MIN_COMMAND_CHARS
                and node.mem_id not in self._whole
                and _has_hidden_commands(text)
            ):
                self._whole[node.mem_id] = (node, "suspect")

    def remove_collected(self) -> RemovedText:
        counts: Counter[str] = Counter()
        gone = 0
        total = self._page_chars
        kept_texts = [pair for pair in self._texts.values() if not self._is_inside_removed(pair[0])]
        kept_whole = [pair for pair in self._whole.values() if not self._is_inside_removed(pair[0])]
        for node, technique in (*kept_texts, *kept_whole):
            size = len(_read_text_without_scripts(node).strip())
            gone += size if technique != "comment" else 0
            if size or technique == "comment" or node.tag in {"img", "template"}:
                counts[technique] += 1
            node.decompose()
        return RemovedText(
            counts=dict(counts), removed_chars=gone, visible_chars=max(0, total - gone)
        )

    def _is_inside_removed(self, node: LexborNode) -> bool:
        above = node.parent
        while above is not None:
            if above.mem_id in self._whole:
                return True
            above = above.parent
        return False

    def _apply_animation_end(self, style: ElementStyle) -> Mapping[str, str]:
        """The style's values after its animation, if the animation keeps its final state."""
        motion = style.find_value("animation")
        if not motion or not re.search(r"\b(?:forwards|both|infinite)\b", motion):
            return style.values
        ends = (self._styles.sheet.animation_ends.get(word) for word in motion.split())
        end = next((each for each in ends if each), {})
        return {**style.values, **{name: value for name, (value, _) in end.items()}}

    def _consider_element(self, node: LexborNode, technique: str) -> None:
        text = _read_text_without_scripts(node)
        if not text.strip() and not node.css_matches("img[alt]"):
            return
        if self._is_spared(node, technique, text) and not _has_hidden_commands(text):
            return
        self._whole[node.mem_id] = (node, technique)

    def _is_spared(self, node: LexborNode, technique: str, text: str) -> bool:
        if technique in {"clip", "size", "offScreen"} and _is_math_element(node, text):
            return True
        if technique in {"opacity", "transform"} and self._disclosure_controls.is_slide(node):
            return True
        if technique == "opacity" and self._is_fading_element(node):
            return True
        return self._disclosure_controls.can_be_opened(node) or self._is_main_wrapper(node, text)

    def _is_fading_element(self, node: LexborNode) -> bool:
        style = self._styles.found[node.mem_id]
        rest = {name: value for name, value in style.values.items() if name != "opacity"}
        moving = self._disclosure_controls.is_fading_in(node, style.find_value("transform"))
        return moving and find_hiding_technique(rest) is None and self._tree.css_matches("script")

    def _is_main_wrapper(self, node: LexborNode, text: str) -> bool:
        """Whether the element holds most of the page: a script must show it, or there would be no page."""
        share = len(text) / max(1, self._main_chars if _is_in_main(node) else self._page_chars)
        if len(text) > _MIN_PAGE_CHARS and share > 0.5 and node.css_matches("h1, main, article"):
            return True
        return len(text) > 3 * _MIN_PAGE_CHARS and share > 0.6

    def _consider_own_texts(self, style: ElementStyle, technique: str, *, certain: bool) -> None:
        nodes = list(self._list_own_texts(style.node))
        text = " ".join(node.text_content or "" for node in nodes)
        if not text.strip():
            return
        spared = (
            not certain
            or self._disclosure_controls.can_be_opened(style.node)
            or self._is_main_wrapper(style.node, text)
        )
        if spared and not _has_hidden_commands(text):
            return
        for node in nodes:
            self._texts[node.mem_id] = (node, technique)
        if technique == "visibility":
            self._collect_images(style.node)

    def _list_own_texts(self, node: LexborNode) -> Iterator[LexborNode]:
        """Text nodes below the element that have no styled element in between."""
        waiting = [node]
        while waiting:
            child = waiting.pop().first_child
            while child is not None:
                if child.tag == "-text":
                    yield child
                elif child.mem_id not in self._styles.found and child.tag not in {
                    "script",
                    "style",
                }:
                    waiting.append(child)
                child = child.next

    def _collect_images(self, node: LexborNode) -> None:
        for picture in node.css("img[alt]"):
            self._whole[picture.mem_id] = (picture, "visibility")

    def _consider_aria_hidden(self, node: LexborNode) -> None:
        """Mark `aria-hidden` text for removal, except symbols, openable parts, formulas and visible twins."""
        text = _read_text_without_scripts(node).strip()
        if len(text) <= 2 or not _LETTER_PATTERN.search(text):
            return
        keeps = (
            self._disclosure_controls.can_be_opened(node)
            or self._disclosure_controls.is_slide(node)
            or self._is_behind_dialog(node, text)
            or self._has_hidden_twin(node)
            or _is_math_element(node, text)
        )
        if keeps and not _has_hidden_commands(text):
            return
        self._whole[node.mem_id] = (node, "ariaHidden")

    def _is_behind_dialog(self, node: LexborNode, text: str) -> bool:
        """Whether this is the page behind an open dialog, which is marked `aria-hidden` too."""
        return len(text) * 2 > self._page_chars and node.css_matches("h1, main, article, p")

    def _has_hidden_twin(self, node: LexborNode) -> bool:
        parent = node.parent
        child = parent.first_child if parent is not None else None
        while child is not None:
            if self._whole.get(child.mem_id, (child, ""))[1] in {"clip", "size", "offScreen"}:
                return True
            child = child.next
        return False


def _has_hidden_commands(text: str) -> bool:
    """Whether the text instructs a machine, also with invisible characters between its letters."""
    return has_injection_signal(extract_visible_text(text))


def _read_text_without_scripts(node: LexborNode) -> str:
    """The text below the node, without scripts and style sheets."""
    if node.tag == "-text":
        return node.text_content or ""
    text = node.text(deep=True)
    if text and node.css_matches("script, style"):
        for inner in node.css("script, style"):
            text = text.replace(inner.text(deep=True), " ", 1)
    return text


def _count_text_chars(node: LexborNode) -> int:
    programs = sum(len(inner.text(deep=True)) for inner in node.css("script, style"))
    return len(node.text(deep=True)) - programs


def _is_in_main(node: LexborNode | None) -> bool:
    while node is not None:
        if node.tag == "main" or node.attributes.get("role") == "main":
            return True
        node = node.parent
    return False


def _list_text_children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        if child.tag == "-text":
            yield child
        child = child.next


def _is_math_element(node: LexborNode, text: str) -> bool:
    return node.css_matches(_MATH_ELEMENTS) and not _PROSE_PATTERN.search(text)
