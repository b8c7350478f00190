"""Renders the inline content of a block (emphasis, links, images, formulas) and code listings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from citewell.reading.markdown import markdown_text
from citewell.reading.page_nodes import iterate_upwards, list_child_nodes

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

# Deeper pages could exhaust the interpreter's stack; real pages stay below 60.
MAX_RENDER_DEPTH = 150

_LANGUAGE_CLASS = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight-text|highlight|src)-|brush:\s*|sourceCode\s+)"
    r"([A-Za-z][\w+#.-]*)"
)
_PLAIN_TEXT_NAMES = "none plain plaintext text default block wrapper notranslate container"
_PLAIN_TEXT_LANGUAGES = frozenset(_PLAIN_TEXT_NAMES.split())
_LINE_NUMBER_CLASS = re.compile(
    r"\b(?:line-?numbers?-rows|lineno|linenos|gutter|line-number|copy-?btn|copy-button)\b",
    re.IGNORECASE,
)
_OWN_LINE_TAGS = frozenset(["div", "p", "li", "tr"])
_MAX_LANGUAGE_ANCESTORS = 3


_EMPHASIS_MARKS = {
    **dict.fromkeys(("b", "strong"), "**"),
    **dict.fromkeys(("i", "em"), "*"),
    **dict.fromkeys(("del", "s", "strike"), "~~"),
}
_CODE_TAGS = frozenset(("code", "kbd", "samp", "tt"))
_SILENT_TAG_NAMES = (
    "style template svg iframe object embed canvas select datalist textarea video audio head "
    "link meta map noframes source -comment -doctype"
)
_SILENT_TAGS = frozenset(_SILENT_TAG_NAMES.split())
_ANCHOR_MARKS = frozenset(("¶", "#", "§", "🔗", "", "\uf0c1"))
_NOTE_LINK = re.compile(
    r"^#(?:user-content-)?((?:fn|footnote|endnote|cite_note|note|_ftn|sdfootnote)[-:_.]?[\w.:-]*)$",
    re.IGNORECASE,
)
_NOTE_BACK_LINK = re.compile(
    r"^#(?:user-content-)?(?:fnref|footnote-ref|cite_ref|ref|_ftnref|backref)", re.IGNORECASE
)
_NOTE_LABEL_NOISE = re.compile(r"[\[\]()\s^]+")
_SIGNED_NUMBER = re.compile(r"^[+−-]?\d+$")
_QUOTATION_MARKS = frozenset({"", *"\"“„«‘'‹「"})


class InlineRenderer:
    """Renders inline nodes as markdown; the caller handles block structure."""

    def __init__(self, scope: RenderScope) -> None:
        self._scope = scope
        self._open: set[str] = set()
        self._in_link = False

    def render_children(self, node: LexborNode) -> str:
        """All content of an element as one inline text."""
        if not self._scope.enter_level():
            return ""
        text = "".join(map(self.render_node, list_child_nodes(node)))
        self._scope.leave_level()
        return text

    def render_node(self, node: LexborNode) -> str:
        tag = node.tag or ""
        if tag == "-text":
            return self._render_text(node)
        if tag == "br":
            return "\n"
        if tag in _SILENT_TAGS:
            return ""
        handler = _INLINE_HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node)
        if tag in _EMPHASIS_MARKS:
            return self._render_emphasis(node, _EMPHASIS_MARKS[tag])
        if tag in _CODE_TAGS:
            return self._render_code_span(node)
        if "katex-html" in (node.attributes.get("class") or ""):
            return ""  # the visual copy of a formula that is also there as MathML
        return self.render_children(node)

    def _render_text(self, node: LexborNode) -> str:
        text = node.text_content or ""
        if text.isspace():
            return " "
        if not self._scope.keeps_node(node.mem_id):
            return ""
        return markdown_text.escape_markdown(markdown_text.squeeze_spaces(text))

    def _render_emphasis(self, node: LexborNode, mark: str) -> str:
        if mark in self._open:
            return self.render_children(node)
        self._open.add(mark)
        inner = self.render_children(node)
        self._open.discard(mark)
        return wrap_in_marks(inner, mark)

    def _render_code_span(self, node: LexborNode) -> str:
        text = node.text() or ""
        if not text.strip() or not self._scope.keeps_text_below(node):
            return ""
        return wrap_in_marks(text, "", markdown_text.format_code_span)

    def render_link(self, node: LexborNode) -> str:
        attributes: dict[str, Any] = node.attributes
        href = attributes.get("href") or ""
        note = self._render_note_reference(node, href, attributes)
        if note:
            return note
        if self._in_link:
            return self.render_children(node)
        self._in_link = True
        inner = self.render_children(node)
        self._in_link = False
        label = inner.strip()
        if not label or (label in _ANCHOR_MARKS and href.startswith("#")):
            return " " if inner.isspace() else ""
        if is_back_reference(node):
            return ""
        address = markdown_text.resolve_link(self._scope.base_address, href) if href else ""
        if not address:
            return inner
        return wrap_in_marks(inner.replace("\n", " "), "", lambda text: f"[{text}]({address})")

    def _render_note_reference(
        self, node: LexborNode, href: str, attributes: dict[str, Any]
    ) -> str:
        if not href.startswith("#"):
            return ""
        role = attributes.get("role") or ""
        target = _NOTE_LINK.match(href)
        named = role == "doc-noteref" or "footnote-ref" in (attributes.get("class") or "")
        raised = node.parent is not None and node.parent.tag == "sup"
        if not named and not (raised and target is not None):
            return ""
        label = _NOTE_LABEL_NOISE.sub("", node.text() or "")
        if not label or not self._scope.keeps_text_below(node):
            return ""
        self._scope.notes[href[1:]] = label
        return f"[^{label}]"

    def render_image(self, node: LexborNode) -> str:
        attributes: dict[str, Any] = node.attributes
        alt = markdown_text.squeeze_spaces(attributes.get("alt") or "").strip()
        formula = "mwe-math" in (attributes.get("class") or "")
        if not alt or formula or not self._scope.keeps_node(node.mem_id):
            return ""
        address = ""
        for name in ("src", "data-src", "data-lazy-src", "data-original"):
            value = attributes.get(name) or ""
            if value and not value.startswith("data:"):
                address = markdown_text.resolve_link(self._scope.base_address, value)
                break
        alt = alt.replace("[", "\\[").replace("]", "\\]")
        return f"![{alt}]({address})"

    def render_math(self, node: LexborNode) -> str:
        if not self._scope.keeps_text_below(node):
            return ""
        attributes: dict[str, Any] = node.attributes
        source = node.css_first("annotation[encoding='application/x-tex']")
        formula = source.text() if source is not None else attributes.get("alttext")
        if not formula:
            return markdown_text.escape_markdown(markdown_text.squeeze_spaces(node.text() or ""))
        return _format_formula(formula, display=attributes.get("display") == "block")

    def render_tex_script(self, node: LexborNode) -> str:
        kind = node.attributes.get("type") or ""
        if not kind.startswith("math/tex"):
            return ""
        return _format_formula(node.text() or "", display="display" in kind)

    def render_inline_quote(self, node: LexborNode) -> str:
        text = self.render_children(node)
        return (
            text if text.strip()[:1] in _QUOTATION_MARKS else wrap_in_marks(text, "", "“{}”".format)
        )

    def render_superscript(self, node: LexborNode) -> str:
        inner = self.render_children(node)
        bare = inner.strip()
        return f"^{bare}" if _SIGNED_NUMBER.match(bare) else inner

    def render_checkbox(self, node: LexborNode) -> str:
        attributes = node.attributes
        parent = node.parent
        if (
            attributes.get("type") != "checkbox"
            or parent is None
            or parent.tag not in ("li", "p", "label")
        ):
            return ""
        return "[x] " if "checked" in attributes else "[ ] "


# Outside the class: bound methods in the instance would make a reference cycle.
_INLINE_HANDLERS: dict[str, Callable[[InlineRenderer, LexborNode], str]] = {
    "a": InlineRenderer.render_link,
    "img": InlineRenderer.render_image,
    "math": InlineRenderer.render_math,
    "q": InlineRenderer.render_inline_quote,
    "sup": InlineRenderer.render_superscript,
    "script": InlineRenderer.render_tex_script,
    "input": InlineRenderer.render_checkbox,
}


def is_back_reference(node: LexborNode) -> bool:
    """Whether a link only leads from a note back to its reference in the text."""
    attributes = node.attributes
    if attributes.get("role") == "doc-backlink" or "backref" in (attributes.get("class") or ""):
        return True
    return (
        _NOTE_BACK_LINK.match(attributes.get("href") or "") is not None
        and len((node.text() or "").strip()) <= 2
    )


def wrap_in_marks(text: str, mark: str, render: Callable[[str], str] | None = None) -> str:
    """Put the mark around the text, or apply `render` to it, without the spaces at its edges."""
    inner = text.strip()
    if not inner:
        return text
    start = len(text) - len(text.lstrip())
    end = start + len(inner)
    inner = render(inner) if render is not None else f"{mark}{inner}{mark}"
    return f"{text[:start]}{inner}{text[end:]}"


def _format_formula(source: str, *, display: bool) -> str:
    source = source.strip()
    if source.startswith("{\\displaystyle") and source.endswith("}"):
        source = source[len("{\\displaystyle") : -1].strip()
    return f"$${source}$$" if display else f"${source}$"


# Renders a code listing as a fenced block with its indentation, lines and language.


def render_code_block(node: LexborNode) -> str:
    """The listing as a fenced block; empty if it holds no code."""
    pieces: list[str] = []
    _collect_code(node, pieces, 0)
    code = "".join(pieces).replace("\r\n", "\n").replace("\u00a0", " ")
    code = code.removeprefix("\n").rstrip()
    return markdown_text.format_fenced_code(code, _find_code_language(node)) if code.strip() else ""


def _collect_code(node: LexborNode, pieces: list[str], depth: int) -> None:
    for child in list_child_nodes(node) if depth < MAX_RENDER_DEPTH else ():
        tag = child.tag or ""
        if tag == "-text":
            pieces.append(child.text_content or "")
        elif tag == "br":
            pieces.append("\n")
        elif tag not in ("button", "script", "style") and not _LINE_NUMBER_CLASS.search(
            child.attributes.get("class") or ""
        ):
            if tag in _OWN_LINE_TAGS:
                _start_new_line(pieces)
            _collect_code(child, pieces, depth + 1)
            if tag in _OWN_LINE_TAGS:
                _start_new_line(pieces)


def _start_new_line(pieces: list[str]) -> None:
    if pieces and not pieces[-1].endswith("\n"):
        pieces.append("\n")


def _find_code_language(node: LexborNode) -> str:
    inner = node.css_first("code")
    holders = [inner] if inner is not None else []
    for holder in (*holders, *islice(iterate_upwards(node), _MAX_LANGUAGE_ANCESTORS)):
        attributes = holder.attributes
        named = attributes.get("data-lang") or attributes.get("data-language")
        found = _LANGUAGE_CLASS.search(attributes.get("class") or "")
        name = (named or (found.group(1) if found else "")).lower()
        if name and name not in _PLAIN_TEXT_LANGUAGES:
            return name
    return ""


# State that is shared while a page is rendered: base address, kept nodes, notes, depth.


@dataclass(slots=True, kw_only=True)
class RenderScope:
    """`nodes` and `boxes` hold the `mem_id` of what to keep; None keeps everything."""

    base_address: str
    kept_nodes: frozenset[int] | None = None
    kept_boxes: frozenset[int] | None = None
    notes: dict[str, str] = field(default_factory=dict)
    depth: int = 0

    def enter_level(self) -> bool:
        """Go one level down. False if that is too deep; then `leave_level` must not be called."""
        if self.depth >= MAX_RENDER_DEPTH:
            return False
        self.depth += 1
        return True

    def leave_level(self) -> None:
        self.depth -= 1

    def keeps_node(self, node: int) -> bool:
        """Whether a text or image node is kept."""
        return self.kept_nodes is None or node in self.kept_nodes

    def keeps_box(self, box: int) -> bool:
        """Whether a block-level element holds anything that is kept."""
        return self.kept_boxes is None or box in self.kept_boxes

    def keeps_text_below(self, node: LexborNode) -> bool:
        """Whether any text below the node is kept."""
        if self.kept_nodes is None:
            return True
        return any(item.mem_id in self.kept_nodes for item in node.traverse(include_text=True))
