"""Puts the content of declarative shadow trees where readers see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from citewell.fetch.hiding.node_texts import list_child_nodes, read_text_without_scripts

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from citewell.fetch.hiding.hidden_nodes import HiddenNodes

_MAX_SHADOW_TREES = 500
_MAX_CLONED_TEMPLATES = 20
_MAX_MENTIONS = 10
_CLONING_REACH_CHARS = 60
_CLONING_WORDS = re.compile(r"\.content\b|cloneNode|importNode")
_NAME_STARTS = frozenset("'\"`#")
_UNREAD_TAGS = frozenset({"style", "script", "template"})


def open_shadow_trees(
    tree: LexborHTMLParser,
    nodes: HiddenNodes,
    clean_tree: Callable[[LexborHTMLParser], Mapping[str, int]],
) -> None:
    """Insert each shadow tree into its host, and mark the host's children that have no slot in it.

    `clean_tree` removes the hidden text of a shadow tree, which has styles of its own, and counts it.
    """
    from selectolax.lexbor import LexborHTMLParser

    for template in _list_shadow_templates(tree)[:_MAX_SHADOW_TREES]:
        host = template.parent
        inner = (template.html or "").partition(">")[2].rpartition("</template")[0]
        shadow = LexborHTMLParser(inner)
        if shadow.body is None or host is None:
            continue
        nodes.more_counts.update(clean_tree(shadow))
        slots = shadow.css("slot")
        for slot in slots:
            _drop_fallback(slot, host, nodes)
        names = {slot.attributes.get("name") or "" for slot in slots}
        for child in _list_unslotted(host, names):
            nodes.mark_node(child, "slot")
        _insert_content(shadow.body, template)


def open_cloned_templates(
    tree: LexborHTMLParser,
    nodes: HiddenNodes,
    clean_tree: Callable[[LexborHTMLParser], Mapping[str, int]],
) -> None:
    """Insert the content of templates that a script of the page copies into it."""
    from selectolax.lexbor import LexborHTMLParser

    templates = tree.css("template[id]")[:_MAX_CLONED_TEMPLATES]
    code = (
        "\n".join(node.text(deep=True) for node in tree.css("script:not([src])"))
        if templates
        else ""
    )
    for template in templates:
        if not _is_cloned(code, template.id or "") or template.parent is None:
            continue
        inner = (template.html or "").partition(">")[2].rpartition("</template")[0]
        content = LexborHTMLParser(inner)
        if content.body is not None:
            nodes.more_counts.update(clean_tree(content))
            _insert_content(content.body, template)


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


def _drop_fallback(slot: LexborNode, host: LexborNode, nodes: HiddenNodes) -> None:
    """Remove what a slot shows only while nothing is put into it."""
    if _has_given_content(host, slot.attributes.get("name") or ""):
        for child in list_child_nodes(slot):
            nodes.more_counts["slot"] += bool(read_text_without_scripts(child).strip())
            child.decompose()


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
