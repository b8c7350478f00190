"""How the parts of an Office Open XML package refer to one another."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from citewell.fetch.documents import trees
from citewell.fetch.documents.archive import Archive


class Relation(NamedTuple):
    kind: str
    target: str  # the name of a part, or an address when external
    external: bool


def relations(archive: Archive, part: str) -> dict[str, Relation]:
    """What a part refers to, by the ids it uses for it."""
    folder, name = posixpath.split(part)
    body = archive.read_or_none(f"{folder}/_rels/{name}.rels")
    if body is None:
        return {}
    found: dict[str, Relation] = {}
    for item in trees.parse(body):
        external = item.attrib.get("TargetMode") == "External"
        target = item.attrib.get("Target", "")
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = item.attrib.get("Type", "").rpartition("/")[2]
        found[item.attrib.get("Id", "")] = Relation(kind, target, external)
    return found
