"""Reads structures in SDMX, as XML or JSON: names of data flows and others, and the dimensions of a key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from citewell.dialects.statistics.data_cubes import (
    clean_label,
    get_list,
    get_object,
    parse_exact_json,
)
from citewell.dialects.statistics.series_catalogue import write_catalogue_lines
from citewell.errors import MalformedResponse
from citewell.model.counted_words import pluralize
from citewell.model.domains.economic_series import EconomicSeries
from citewell.text.safety.xml_trees import UnusableXml, parse_xml_tree

_MAX_XML_DEPTH = 60
_MAX_XML_ELEMENTS = 500_000
_LANGUAGE_KEY = "{http://www.w3.org/XML/1998/namespace}lang"
_MAX_NOTE_CHARS = 300
_TIME_DIMENSIONS = frozenset({"TIME_PERIOD", "TIME"})
_JSON_KINDS = {
    "dataflows": "Dataflow", "dataStructures": "DataStructure", "codelists": "Codelist",
    "conceptSchemes": "ConceptScheme", "contentConstraints": "ContentConstraint",
    "dataConstraints": "DataConstraint", "categorySchemes": "CategoryScheme",
    "agencySchemes": "AgencyScheme", "metadataflows": "Metadataflow",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SdmxArtefact:
    """A maintained part of a structure message: a data flow, a code list and so on."""

    kind: str  # Dataflow, DataStructure, Codelist, …
    agency: str
    name: str  # its id
    version: str
    title: str
    notes: str = ""


def list_sdmx_artefacts(body: bytes) -> tuple[SdmxArtefact, ...]:
    """Everything in a structure message that has an id and an agency; raises MalformedResponse."""
    if body.lstrip()[:1] == b"<" or body[:3] == b"\xef\xbb\xbf":
        found = list(_iterate_xml_artefacts(_parse_structure_tree(body)))
    else:
        found = list(_iterate_json_artefacts(parse_exact_json(body)))
    if not found:
        raise MalformedResponse("The structure message names nothing.")
    return tuple(found)


def write_flow_lines(body: bytes) -> str:
    """The data flows as lines of a catalogue, with agency,flow,version as ids."""
    return _write_lines(body, lambda one: f"{one.agency},{one.name},{one.version}")


def write_flow_names(body: bytes) -> str:
    """The data flows as lines of a catalogue, with the flow alone as id."""
    return _write_lines(body, lambda one: one.name)


def _write_lines(body: bytes, build_id: Callable[[SdmxArtefact], str]) -> str:
    flows = [one for one in list_sdmx_artefacts(body) if one.kind == "Dataflow"]
    return write_catalogue_lines(
        EconomicSeries(series_id=build_id(one), title=one.title, notes=one.notes or None)
        for one in flows
    )


def list_key_dimensions(body: bytes) -> tuple[str, ...]:
    """The dimensions of a key, in order, of the first data structure; raises MalformedResponse."""
    if body.lstrip()[:1] == b"<" or body[:3] == b"\xef\xbb\xbf":
        found = _list_xml_dimensions(_parse_structure_tree(body))
    else:
        found = _list_json_dimensions(parse_exact_json(body))
    names = tuple(name for name in found if name and name not in _TIME_DIMENSIONS)
    if not names:
        raise MalformedResponse("The structure message does not name the dimensions of a key.")
    return names


def _parse_structure_tree(body: bytes) -> Element:
    try:
        root = parse_xml_tree(body, max_depth=_MAX_XML_DEPTH, max_elements=_MAX_XML_ELEMENTS)
    except UnusableXml:
        raise MalformedResponse(
            f"Expected XML and got {len(body)} {pluralize(len(body), 'other byte')}."
        ) from None
    if _get_local_name(root) == "html":
        raise MalformedResponse("Expected a structure message and got a page.")
    return root


def _get_local_name(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _iterate_xml_artefacts(root: Element) -> Iterator[SdmxArtefact]:
    for element in root.iter():
        if "id" not in element.attrib or "agencyID" not in element.attrib:
            continue
        kind = _get_local_name(element)
        if kind in {"Ref", "Sender", "Receiver"}:
            continue
        yield SdmxArtefact(
            kind=kind,
            agency=clean_label(element.attrib["agencyID"]),
            name=clean_label(element.attrib["id"]),
            version=clean_label(element.attrib.get("version", "")),
            title=_pick_xml_text(element, "Name") or clean_label(element.attrib["id"]),
            notes=_pick_xml_text(element, "Description"),
        )


def _pick_xml_text(element: Element, name: str) -> str:
    """The text of a direct child: the English one, or the first."""
    texts = [child for child in element if _get_local_name(child) == name]
    chosen = next((child for child in texts if child.get(_LANGUAGE_KEY) == "en"), None)
    chosen = chosen if chosen is not None else next(iter(texts), None)
    return clean_label("".join(chosen.itertext())) if chosen is not None else ""


def _list_xml_dimensions(root: Element) -> list[str]:
    lists = (element for element in root.iter() if _get_local_name(element) == "DimensionList")
    first = next(lists, None)
    if first is None:
        return []
    kept = [child for child in first if _get_local_name(child) in {"Dimension", "MeasureDimension"}]
    kept.sort(key=lambda child: _parse_position(child.get("position")))
    return [clean_label(child.get("id") or _find_concept(child)) for child in kept]


def _find_concept(dimension: Element) -> str:
    references = (one for one in dimension.iter() if _get_local_name(one) == "Ref")
    return next((one.get("id", "") for one in references), "")


def _parse_position(text: object) -> int:
    return int(text) if isinstance(text, str) and text.isdecimal() and len(text) < 5 else 0


def _iterate_json_artefacts(message: Any) -> Iterator[SdmxArtefact]:
    data = get_object(message, "data") or get_object(message, "references")
    for group in data:
        own = data[group]
        items = own if isinstance(own, list) else [own]
        for item in items:
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                yield _read_json_artefact(_JSON_KINDS.get(group, group), item)


def _read_json_artefact(kind: str, item: dict[str, Any]) -> SdmxArtefact:
    named = clean_label(item["id"])
    return SdmxArtefact(
        kind=kind,
        agency=clean_label(item.get("agencyID")),
        name=named,
        version=clean_label(item.get("version")),
        title=_pick_json_text(item, "name") or named,
        notes=_pick_json_text(item, "description")[:_MAX_NOTE_CHARS],
    )


def _pick_json_text(item: dict[str, Any], name: str) -> str:
    several = get_object(item, f"{name}s") or get_object(item, name)
    return clean_label(several.get("en") or item.get(name) or next(iter(several.values()), ""))


def _list_json_dimensions(message: Any) -> list[str]:
    structures = get_list(get_object(message, "data"), "dataStructures")
    first = structures[0] if structures else None
    parts = get_object(get_object(first, "dataStructureComponents"), "dimensionList")
    kept = [one for one in get_list(parts, "dimensions") if isinstance(one, dict)]
    kept.sort(key=lambda one: own if isinstance(own := one.get("position"), int) else 0)
    return [clean_label(one.get("id")) for one in kept]
