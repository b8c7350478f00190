"""The references of a watched bibliography as they are stored, and back."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import Any

from citewell.model.paper import IdentifierScheme, PaperId, WorkAuthor
from citewell.model.reference import BibliographyDocument, Reference

_PLAIN_FIELDS = ("raw", "title", "year", "published", "venue", "volume", "issue", "pages", "publisher", "url", "kind", "key", "line", "and_others")  # fmt: skip


def encode_reference(reference: Reference) -> dict[str, Any]:
    """JSON without the fields that are empty."""
    told: dict[str, Any] = {name: getattr(reference, name) for name in _PLAIN_FIELDS}
    told["authors"] = [asdict(author) for author in reference.authors]
    told["ids"] = [[one.scheme.value, one.value] for one in reference.ids]
    return {name: value for name, value in told.items() if value}


def decode_reference(stored: dict[str, Any]) -> Reference:
    plain = {name: stored[name] for name in _PLAIN_FIELDS if name in stored}
    return Reference(
        **{"raw": "", **plain},
        authors=tuple(WorkAuthor(**author) for author in stored.get("authors", ())),
        ids=tuple(
            PaperId(scheme=IdentifierScheme(scheme), value=value)
            for scheme, value in stored.get("ids", ())
        ),
    )


def build_reference_key(reference: Reference) -> str:
    """The same for the same work after the file was edited: its identifier, address or words."""
    words = " ".join((reference.title or reference.raw).casefold().split())
    named = reference.doi or (str(reference.ids[0]) if reference.ids else "") or reference.url
    return hashlib.sha256((named or words).casefold().encode()).hexdigest()[:16]


def is_structured(document: BibliographyDocument) -> bool:
    """Whether the fields were given, not guessed from text."""
    return document.format != "prose" and not document.is_guessed
