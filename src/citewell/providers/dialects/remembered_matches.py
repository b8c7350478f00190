"""What registries of law answered about a citation, kept for long: their daily limits are small."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from contextlib import suppress
from dataclasses import asdict

from citewell.core.errors import CitewellError
from citewell.core.values.court_case import CitationMatch, CourtCase, LegalCitation
from citewell.domains.law.citation_forms import build_citation_key
from citewell.routing.ports import KitProvider

_DAY_SECONDS = 86_400.0
_FOUND_SECONDS = 30 * _DAY_SECONDS
_ABSENT_SECONDS = _DAY_SECONDS  # a registry may get the case tomorrow
_FORMAT = 1  # raised when the stored form changes


class LawRegistry(KitProvider, ABC):
    """A provider whose matches are stored by citation, if the memory can do so."""

    async def look_up_citation(self, citation: LegalCitation) -> CitationMatch:
        match = await self._recall_match(citation)
        if match is None:
            match = await self._find_citation(citation)
            ttl = _FOUND_SECONDS if match.cases else _ABSENT_SECONDS
            with suppress(CitewellError):
                await self._kit.memory.remember_fact(
                    _build_match_key(citation), json.dumps(asdict(match)).encode(), ttl=ttl
                )
        return match

    @abstractmethod
    async def _find_citation(self, citation: LegalCitation) -> CitationMatch:
        """What the registry has under the citation."""

    async def _recall_match(self, citation: LegalCitation) -> CitationMatch | None:
        """The stored match; None if there is none or it is unreadable."""
        with suppress(CitewellError, ValueError, TypeError, KeyError, AttributeError):
            raw = await self._kit.memory.recall_fact(_build_match_key(citation))
            return _decode_match(raw) if raw else None
        return None


def _build_match_key(citation: LegalCitation) -> str:
    written = f"{citation.kind}:{build_citation_key(citation.normalized)}"
    return f"citation:{_FORMAT}:{hashlib.sha256(written.encode()).hexdigest()}"


def _decode_match(raw: bytes) -> CitationMatch:
    stored = json.loads(raw)
    cases = tuple(
        CourtCase(**{**case, "citations": tuple(case["citations"])}) for case in stored.pop("cases")
    )
    return CitationMatch(**stored, cases=cases)
