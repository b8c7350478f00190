"""Renders the inline content of a block: emphasis, links, images, code, formulas, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from citewell.fetch.markdown.markdown_text import (
    escape_markdown,
    format_code_span,
    resolve_link,
    squeeze_spaces,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    from citewell.fetch.markdown.render_scope import RenderScope

_EMPHASIS_MARKS = {
    "b": "**",
    "strong": "**",
    "i": "*",
    "em": "*",
    "del": "~~",
    "s": "~~",
    "strike": "~~",
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
_TEX_SCRIPT_TYPE = "math/tex"


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
        pieces: list[str] = []
        child = node.first_child
        while child is not None:
            pieces.append(self.render_node(child))
            child = child.next
        self._scope.leave_level()
        return "".join(pieces)

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
        return escape_markdown(squeeze_spaces(text))

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
        return wrap_in_marks(text, "", format_code_span)

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
        address = resolve_link(self._scope.base_address, href) if href else ""
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
        alt = squeeze_spaces(attributes.get("alt") or "").strip()
        formula = "mwe-math" in (attributes.get("class") or "")
        if not alt or formula or not self._scope.keeps_node(node.mem_id):
            return ""
        address = ""
        for name in ("src", "data-src", "data-lazy-src", "data-original"):
            value = attributes.get(name) or ""
            if value and not value.startswith("data:"):
                address = resolve_link(self._scope.base_address, value)
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
            return escape_markdown(squeeze_spaces(node.text() or ""))
        return _format_formula(formula, display=attributes.get("display") == "block")

    def render_tex_script(self, node: LexborNode) -> str:
        kind = node.attributes.get("type") or ""
        if not kind.startswith(_TEX_SCRIPT_TYPE):
            return ""
        return _format_formula(node.text() or "", display="display" in kind)

    def render_inline_quote(self, node: LexborNode) -> str:
        return wrap_in_marks(self.render_children(node), "", _add_quotation_marks)

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


def _add_quotation_marks(text: str) -> str:
    return text if text[0] in "\"“„«‘'‹「" else f"“{text}”"


def _format_formula(source: str, *, display: bool) -> str:
    source = source.strip()
    if source.startswith("{\\displaystyle") and source.endswith("}"):
        source = source[len("{\\displaystyle") : -1].strip()
    return f"$${source}$$" if display else f"${source}$"
