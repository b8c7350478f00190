"""Ask a registry of law in process, with canned answers."""

from __future__ import annotations

from citewell.core.values.court_case import LegalCitation, LegalCitationKind

SPARQL, FEED, RESULTS = "/sparql", "/atom.xml", "/results"


def cite(kind: LegalCitationKind, text: str) -> LegalCitation:
    return LegalCitation(kind=kind, normalized=text)
