"""Reads a page's microdata: the items that its elements describe, as objects like those of JSON-LD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from citewell.text.safety.markup_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_MICRODATA_PROPERTIES = 100
_MAX_TOTAL_CHARS = 8000  # of all values together
_MAX_ITEMS = 24
_MAX_VALUE_CHARS = 300
_MAX_ANCESTORS = 40
_VALUE_ATTRIBUTES = ("content", "datetime", "href", "src", "data", "value")

Microdata = dict[str, Any]


def collect_microdata(tree: LexborHTMLParser) -> tuple[Microdata, ...]:
    """The items that are no property of another item, each with its properties and inner items."""
    items: dict[int, Microdata] = {}
    roots: list[Microdata] = []
    for node in tree.css("[itemscope]")[:_MAX_ITEMS]:
        item = items[node.mem_id] = _start_item(node)
        if "itemprop" not in node.attributes:
            roots.append(item)
    if not items:
        return ()
    room = _MAX_TOTAL_CHARS
    for node in tree.css("[itemprop]")[:MAX_MICRODATA_PROPERTIES]:
        holder = _find_item_around(node, items)
        value = items.get(node.mem_id) or _read_property_value(node)
        room -= len(value) if isinstance(value, str) else 0
        if holder is None or not value or room < 0:
            continue
        for name in (node.attributes.get("itemprop") or "").split():
            _add_property(holder, name, value)
    return tuple(item for item in roots if set(item) - {"@type"})


def _start_item(node: LexborNode) -> Microdata:
    kind = (node.attributes.get("itemtype") or "").split()
    return {"@type": kind[0].rpartition("/")[2]} if kind else {}


def _find_item_around(node: LexborNode, items: dict[int, Microdata]) -> Microdata | None:
    """The item around an element; None if there is none, or if the element is not shown."""
    if _is_hidden_element(node):
        return None
    parent = node.parent
    for _ in range(_MAX_ANCESTORS):
        if parent is None or _is_hidden_element(parent):
            return None
        if (item := items.get(parent.mem_id)) is not None:
            return item
        parent = parent.parent
    return None


def _is_hidden_element(node: LexborNode) -> bool:
    attributes = node.attributes
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return "hidden" in attributes or "display:none" in style or "visibility:hidden" in style


def _read_property_value(node: LexborNode) -> str:
    attributes = node.attributes
    told = next((attributes[name] for name in _VALUE_ATTRIBUTES if attributes.get(name)), None)
    return clean_markup(told or node.text(deep=True, separator=" "))[:_MAX_VALUE_CHARS]


def _add_property(holder: Microdata, name: str, value: Any) -> None:
    known = holder.get(name)
    if known is None:
        holder[name] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        holder[name] = [known, value]
