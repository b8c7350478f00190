"""Render the running text inside a block: emphasis, links, images, code, formulas, notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from citewell.fetch.markdown.text import absolute, code_span, escape, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable

    from selectolax.lexbor import LexborNode

    from citewell.fetch.markdown.scope import Scope

_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "del": "~~", "s": "~~", "strike": "~~"}
_CODE = frozenset(("code", "kbd", "samp", "tt"))
_SILENT_NAMES = (
    "style template svg iframe object embed canvas select datalist textarea video audio head "
    "link meta map noframes source -comment -doctype"
)
_SILENT = frozenset(_SILENT_NAMES.split())
_ANCHOR_MARKS = frozenset(("¶", "#", "§", "🔗", "", "\uf0c1"))
_NOTE_TARGET = re.compile(
    r"^#(?:user-content-)?((?:fn|footnote|endnote|cite_note|note|_ftn|sdfootnote)[-:_.]?[\w.:-]*)$",
    re.IGNORECASE,
)
_BACK_TARGET = re.compile(
    r"^#(?:user-content-)?(?:fnref|footnote-ref|cite_ref|ref|_ftnref|backref)", re.IGNORECASE
)
_NOTE_LABEL = re.compile(r"[\[\]()\s^]+")
_SIGNED_NUMBER = re.compile(r"^[+−-]?\d+$")
_TEX_TYPE = "math/tex"


class Inline:
    """Renders inline nodes to a string; block structure is the caller's business."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._open: set[str] = set()
        self._in_link = False

    def children(self, node: LexborNode) -> str:
        """All of an element's content as one run of text."""
        if not self._scope.enter():
            return ""
        pieces: list[str] = []
        child = node.first_child
        while child is not None:
            pieces.append(self.node(child))
            child = child.next
        self._scope.leave()
        return "".join(pieces)

    def node(self, node: LexborNode) -> str:
        """One inline node."""
        tag = node.tag or ""
        if tag == "-text":
            return self._text(node)
        if tag == "br":
            return "\n"
        if tag in _SILENT:
            return ""
        handler = _HANDLERS.get(tag)
        if handler is not None:
            return handler(self, node)
        if tag in _EMPHASIS:
            return self._emphasis(node, _EMPHASIS[tag])
        if tag in _CODE:
            return self._code(node)
        if "katex-html" in (node.attributes.get("class") or ""):
            return ""  # the visual copy of a formula that stands beside it as MathML
        return self.children(node)

    def _text(self, node: LexborNode) -> str:
        text = node.text_content or ""
        if text.isspace():
            return " "
        if not self._scope.keeps(node.mem_id):
            return ""
        return escape(squeeze(text))

    def _emphasis(self, node: LexborNode, mark: str) -> str:
        if mark in self._open:
            return self.children(node)
        self._open.add(mark)
        inner = self.children(node)
        self._open.discard(mark)
        return wrap(inner, mark)

    def _code(self, node: LexborNode) -> str:
        text = node.text() or ""
        if not text.strip() or not self._scope.keeps_any(node):
            return ""
        return wrap(text, "", code_span)

    def link(self, node: LexborNode) -> str:
        attributes: dict[str, Any] = node.attributes
        href = attributes.get("href") or ""
        note = self._note_reference(node, href, attributes)
        if note:
            return note
        if self._in_link:
            return self.children(node)
        self._in_link = True
        inner = self.children(node)
        self._in_link = False
        label = inner.strip()
        if not label or (label in _ANCHOR_MARKS and href.startswith("#")):
            return " " if inner.isspace() else ""
        if is_back_reference(node):
            return ""
        address = absolute(self._scope.base, href) if href else ""
        if not address:
            return inner
        return wrap(inner.replace("\n", " "), "", lambda text: f"[{text}]({address})")

    def _note_reference(self, node: LexborNode, href: str, attributes: dict[str, Any]) -> str:
        if not href.startswith("#"):
            return ""
        role = attributes.get("role") or ""
        target = _NOTE_TARGET.match(href)
        named = role == "doc-noteref" or "footnote-ref" in (attributes.get("class") or "")
        raised = node.parent is not None and node.parent.tag == "sup"
        if not named and not (raised and target is not None):
            return ""
        label = _NOTE_LABEL.sub("", node.text() or "")
        if not label or not self._scope.keeps_any(node):
            return ""
        self._scope.notes[href[1:]] = label
        return f"[^{label}]"

    def image(self, node: LexborNode) -> str:
        attributes: dict[str, Any] = node.attributes
        alt = squeeze(attributes.get("alt") or "").strip()
        formula = "mwe-math" in (attributes.get("class") or "")
        if not alt or formula or not self._scope.keeps(node.mem_id):
            return ""
        address = ""
        for name in ("src", "data-src", "data-lazy-src", "data-original"):
            value = attributes.get(name) or ""
            if value and not value.startswith("data:"):
                address = absolute(self._scope.base, value)
                break
        alt = alt.replace("[", "\\[").replace("]", "\\]")
        return f"![{alt}]({address})"

    def math(self, node: LexborNode) -> str:
        if not self._scope.keeps_any(node):
            return ""
        attributes: dict[str, Any] = node.attributes
        source = node.css_first("annotation[encoding='application/x-tex']")
        formula = source.text() if source is not None else attributes.get("alttext")
        if not formula:
            return escape(squeeze(node.text() or ""))
        return _formula(formula, display=attributes.get("display") == "block")

    def script(self, node: LexborNode) -> str:
        kind = node.attributes.get("type") or ""
        if not kind.startswith(_TEX_TYPE):
            return ""
        return _formula(node.text() or "", display="display" in kind)

    def quote(self, node: LexborNode) -> str:
        return wrap(self.children(node), "", _quoted)

    def raised(self, node: LexborNode) -> str:
        inner = self.children(node)
        bare = inner.strip()
        return f"^{bare}" if _SIGNED_NUMBER.match(bare) else inner

    def checkbox(self, node: LexborNode) -> str:
        attributes = node.attributes
        parent = node.parent
        if (
            attributes.get("type") != "checkbox"
            or parent is None
            or parent.tag not in ("li", "p", "label")
        ):
            return ""
        return "[x] " if "checked" in attributes else "[ ] "


# Outside the instance, so that no bound method refers back to it and it is freed at once.
_HANDLERS: dict[str, Callable[[Inline, LexborNode], str]] = {
    "a": Inline.link,
    "img": Inline.image,
    "math": Inline.math,
    "q": Inline.quote,
    "sup": Inline.raised,
    "script": Inline.script,
    "input": Inline.checkbox,
}


def is_back_reference(node: LexborNode) -> bool:
    """Whether a link only leads from a note back to its mention."""
    attributes = node.attributes
    if attributes.get("role") == "doc-backlink" or "backref" in (attributes.get("class") or ""):
        return True
    return (
        _BACK_TARGET.match(attributes.get("href") or "") is not None
        and len((node.text() or "").strip()) <= 2
    )


def wrap(text: str, mark: str, render: Callable[[str], str] | None = None) -> str:
    """Put marks around the text but outside the spaces at its edges."""
    inner = text.strip()
    if not inner:
        return text
    start = len(text) - len(text.lstrip())
    end = start + len(inner)
    inner = render(inner) if render is not None else f"{mark}{inner}{mark}"
    return f"{text[:start]}{inner}{text[end:]}"


def _quoted(text: str) -> str:
    return text if text[0] in "\"“„«‘'‹「" else f"“{text}”"


def _formula(source: str, *, display: bool) -> str:
    source = source.strip()
    if source.startswith("{\\displaystyle") and source.endswith("}"):
        source = source[len("{\\displaystyle") : -1].strip()
    return f"$${source}$$" if display else f"${source}$"
