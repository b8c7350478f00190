"""Reads the relations between the parts of an Office Open XML package."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from citewell.fetch.documents import xml_tree
from citewell.fetch.documents.zip_archive import ZipDocument


class PackageRelation(NamedTuple):
    kind: str
    target: str  # the name of a part, or an address if external
    external: bool


def read_package_relations(archive: ZipDocument, part: str) -> dict[str, PackageRelation]:
    """The relations of one part by their ids; empty if the part has none."""
    folder, name = posixpath.split(part)
    body = archive.find_member(f"{folder}/_rels/{name}.rels".lstrip("/"))
    if body is None:
        return {}
    found: dict[str, PackageRelation] = {}
    for item in xml_tree.parse_xml_bytes(body):
        external = item.attrib.get("TargetMode") == "External"
        target = item.attrib.get("Target", "")
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = item.attrib.get("Type", "").rpartition("/")[2]
        found[item.attrib.get("Id", "")] = PackageRelation(kind, target, external)
    return found
