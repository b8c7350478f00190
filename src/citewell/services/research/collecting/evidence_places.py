"""Says where in a document a quotation stands: under which headings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from citewell.model.research import ClaimEvidence
from citewell.text.web import markdown_headings

_HEADING_SEPARATOR = " › "
_MAX_PLACE_CHARS = 200


def add_evidence_places(
    evidence: Iterable[ClaimEvidence], texts: Mapping[str, str]
) -> tuple[ClaimEvidence, ...]:
    """The evidence with its headings; `texts` maps src_N to the text that the offsets refer to."""
    headings = {ref: markdown_headings.list_headings(text) for ref, text in texts.items()}
    return tuple(
        one.model_copy(update={"place": _describe_place(headings.get(one.source, ()), one.start)})
        for one in evidence
    )


def _describe_place(headings: tuple[markdown_headings.PlacedHeading, ...], start: int) -> str:
    path = markdown_headings.find_heading_path(headings, start)
    return _HEADING_SEPARATOR.join(path)[:_MAX_PLACE_CHARS]
