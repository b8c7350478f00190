"""Reads the text of a SmartArt diagram as a nested list."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.markdown.markdown_text import escape_markdown, squeeze_spaces

_TEXT_POINT_KINDS = frozenset({"node", "asst"})
_MAX_DIAGRAM_DEPTH = 12


def render_diagram(root: Element) -> str:
    """The nodes of a diagram's data model, each under the node it belongs to; "" if none has text."""
    texts: dict[str, str] = {}
    tops: list[str] = []
    for point in root.iter():
        if xml_tree.strip_namespace(point) != "pt" or "modelId" not in point.attrib:
            continue
        kind = point.attrib.get("type", "node")
        if kind == "doc":
            tops.append(point.attrib["modelId"])
        elif kind in _TEXT_POINT_KINDS:
            texts[point.attrib["modelId"]] = _read_point_text(point)
    children = _collect_diagram_children(root)
    lines: list[str] = []
    seen: set[str] = set()
    stack = [(key, -1) for key in reversed(tops)]
    while stack:
        key, depth = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        if texts.get(key):
            lines.append("  " * min(max(depth, 0), _MAX_DIAGRAM_DEPTH) + f"- {texts[key]}")
        deeper = depth + 1 if texts.get(key) or depth < 0 else depth
        stack += [(child, deeper) for child in reversed(children.get(key, ()))]
    lines += [f"- {text}" for key, text in texts.items() if text and key not in seen]
    return "\n".join(lines)


def _collect_diagram_children(root: Element) -> dict[str, list[str]]:
    """The ids of each node's children, in the order in which they are shown."""
    found: dict[str, list[tuple[int, str]]] = {}
    for link in root.iter():
        if xml_tree.strip_namespace(link) != "cxn" or link.attrib.get("type", "parOf") != "parOf":
            continue
        order = link.attrib.get("srcOrd", "")
        place = int(order) if order.isascii() and order.isdigit() and len(order) < 9 else 0
        found.setdefault(link.attrib.get("srcId", ""), []).append(
            (place, link.attrib.get("destId", ""))
        )
    return {key: [child for _, child in sorted(held)] for key, held in found.items()}


def _read_point_text(point: Element) -> str:
    paragraphs = [
        "".join(item.text or "" for item in part.iter() if xml_tree.strip_namespace(item) == "t")
        for part in point.iter()
        if xml_tree.strip_namespace(part) == "p"
    ]
    return escape_markdown(squeeze_spaces(" ".join(filter(None, paragraphs))).strip())
