"""Reads which styles of an OpenDocument file hide content or number lists."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.list_markers import format_list_number

_NUMBER_FORMATS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLevelStyle:
    """How one level of a numbered list shows its numbers."""

    number_format: str
    prefix: str
    suffix: str
    start: int

    def format_label(self, number: int) -> str:
        """The label that stands before an item, such as "2." or "(b)"."""
        shown = format_list_number(number, _NUMBER_FORMATS.get(self.number_format, "decimal"))
        return f"{self.prefix}{shown}{self.suffix}".strip()


class OpenDocumentStyles:
    """The styles of the roots that define any: content and styles."""

    def __init__(self, *roots: Element) -> None:
        self.hidden_names: set[str] = set()
        self.list_levels: dict[tuple[str, int], ListLevelStyle] = {}
        for root in roots:
            for element in root.iter():
                name = xml_tree.find_xml_attribute(element, "name")
                if xml_tree.strip_namespace(element) == "style":
                    if any(map(_hides_content, element)):
                        self.hidden_names.add(name)
                elif xml_tree.strip_namespace(element) == "list-style":
                    self._collect_list_levels(element, name)

    def is_hidden(self, element: Element) -> bool:
        """Whether the style of a text, sheet or slide hides it."""
        return xml_tree.find_xml_attribute(element, "style-name") in self.hidden_names

    def _collect_list_levels(self, style: Element, name: str) -> None:
        for level in xml_tree.collect_child_elements(style, "list-level-style-number"):
            place = parse_list_value(level, "level", 1) - 1
            self.list_levels[name, place] = ListLevelStyle(
                number_format=xml_tree.find_xml_attribute(level, "num-format"),
                prefix=xml_tree.find_xml_attribute(level, "num-prefix")[:20],
                suffix=xml_tree.find_xml_attribute(level, "num-suffix")[:20],
                start=parse_list_value(level, "start-value", 1),
            )


def _hides_content(properties: Element) -> bool:
    return (
        xml_tree.find_xml_attribute(properties, "display") in {"none", "false"}
        or xml_tree.find_xml_attribute(properties, "visibility") == "hidden"
    )


def parse_list_value(element: Element, name: str, default: int) -> int:
    """A small number in an attribute; `default` if it is absent or no number."""
    said = xml_tree.find_xml_attribute(element, name)
    return int(said) if said.isascii() and said.isdigit() and len(said) < 6 else default
