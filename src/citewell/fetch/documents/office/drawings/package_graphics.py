"""Finds the charts and diagrams that a slide, sheet or text refers to, and renders their data."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.document_text import UnreadableDocument
from citewell.fetch.documents.office.drawings.chart_tables import render_chart
from citewell.fetch.documents.office.drawings.smart_art import render_diagram
from citewell.fetch.documents.office.package_relations import PackageRelation
from citewell.fetch.documents.zip_archive import ZipDocument

_MAX_GRAPHICS = 500  # in one document
_DAMAGED_GRAPHIC = "(A chart or diagram here is damaged and was not read.)"


class GraphicReader:
    """Renders charts and diagrams of one package; a damaged one becomes a sentence."""

    def __init__(self, archive: ZipDocument) -> None:
        self._archive = archive
        self._count = 0

    def render_graphics(self, holder: Element, relations: dict[str, PackageRelation]) -> list[str]:
        """A block of markdown for each chart and diagram that an element refers to."""
        blocks: list[str] = []
        for item in holder.iter():
            name = xml_tree.strip_namespace(item)
            if name == "chart":
                blocks += self._render_related(relations, xml_tree.find_xml_attribute(item, "id"))
            elif name == "relIds":
                blocks += self._render_related(relations, xml_tree.find_xml_attribute(item, "dm"))
        return [block for block in blocks if block]

    def render_graphic_part(self, name: str) -> str:
        """One chart or diagram part as markdown."""
        self._count += 1
        if self._count > _MAX_GRAPHICS:
            return ""
        try:
            root = xml_tree.parse_xml_bytes(self._archive.read_member(name))
        except UnreadableDocument:
            return _DAMAGED_GRAPHIC
        if xml_tree.strip_namespace(root) == "chartSpace":
            return render_chart(root)
        return render_diagram(root)

    def _render_related(self, relations: dict[str, PackageRelation], key: str) -> list[str]:
        relation = relations.get(key)
        if relation is None or relation.external:
            return []
        return [self.render_graphic_part(relation.target)]
