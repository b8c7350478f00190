"""What registries of law answered about a citation, kept for long: their daily limits are small."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict

from citewell.dialects.fact_memory import FactMemory
from citewell.errors import CitewellError
from citewell.model.domains.court_case import CitationMatch, CourtCase, LegalCitation
from citewell.text.law.court_citations import build_citation_key

_DAY_SECONDS = 86_400.0
_FOUND_SECONDS = 30 * _DAY_SECONDS
_ABSENT_SECONDS = _DAY_SECONDS  # a registry may get the case tomorrow
_FORMAT = 1  # raised when the stored form changes


class MatchMemory:
    """Stores matches by citation. Does nothing if there is no memory or it fails."""

    def __init__(self, memory: FactMemory | None) -> None:
        self._memory = memory

    async def recall_match(self, citation: LegalCitation) -> CitationMatch | None:
        """The stored match; None if there is none or it is unreadable."""
        if self._memory is None:
            return None
        with suppress(CitewellError, ValueError, TypeError, KeyError, AttributeError):
            raw = await self._memory.recall_fact(_build_match_key(citation))
            return _decode_match(raw) if raw else None
        return None

    async def remember_match(self, citation: LegalCitation, match: CitationMatch) -> None:
        if self._memory is None:
            return
        ttl = _FOUND_SECONDS if match.cases else _ABSENT_SECONDS
        with suppress(CitewellError):
            await self._memory.remember_fact(
                _build_match_key(citation), json.dumps(asdict(match)).encode(), ttl=ttl
            )


def _build_match_key(citation: LegalCitation) -> str:
    written = f"{citation.kind}:{build_citation_key(citation.normalized)}"
    return f"citation:{_FORMAT}:{hashlib.sha256(written.encode()).hexdigest()}"


def _decode_match(raw: bytes) -> CitationMatch:
    stored = json.loads(raw)
    cases = tuple(
        CourtCase(**{**case, "citations": tuple(case["citations"])}) for case in stored.pop("cases")
    )
    return CitationMatch(**stored, cases=cases)
