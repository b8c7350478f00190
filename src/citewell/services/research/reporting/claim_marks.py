"""What is known of a quotation besides its source: who else says so, and who disagrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from citewell.model.research import (
    ClaimEvidence,
    ClaimRelation,
    ResearchClaim,
    ResearchSource,
)
from citewell.services.research.analysis.quoted_statements import format_unit_text
from citewell.services.research.claims.claim_building import ClaimSet
from citewell.services.research.collecting import source_kinds
from citewell.text.passages.page_units import PageUnit

_FLAG_LABELS = {
    "contradicted": "disputed",
    "values_differ": "values differ",
    "number_not_found": "number not found in the source",
    "unsupported": "not supported by what it cites",
}
_SPECIAL_KINDS = {source_kinds.GOVERNMENT: "official", source_kinds.ACADEMIC: "scholarly"}


class ClaimMarks:
    """Looks up claims by their words, with the sources behind them."""

    def __init__(self, built: ClaimSet, sources: Sequence[ResearchSource]) -> None:
        self._claims: dict[str, ResearchClaim] = {}
        self._evidence: dict[str, list[ClaimEvidence]] = {}
        self._sources = {source.ref: source for source in sources}
        for one in built.evidence:
            self._evidence.setdefault(one.claim_id, []).append(one)
        for claim in built.claims:
            self._claims.setdefault(claim.content, claim)  # a snippet may begin a sentence earlier
            for one in self._evidence.get(claim.id, ()):
                if one.relation is ClaimRelation.SUPPORTS:
                    self._claims.setdefault(one.snippet, claim)

    def describe_units(self, ref: str, units: Sequence[PageUnit]) -> tuple[list[str], str]:
        """The other sources that say what these units say, and a remark on all of them."""
        claims = [
            self._claims[said] for unit in units if (said := format_unit_text(unit)) in self._claims
        ]
        others = [one for claim in claims for one in self._list_backing(claim) if one.source != ref]
        printed = " ".join(format_unit_text(unit) for unit in units)
        own_words = dict.fromkeys(one.source for one in others if one.snippet not in printed)
        copied = dict.fromkeys(
            one.source
            for claim in claims
            for one in self._evidence.get(claim.id, ())
            if one.source not in {ref, *own_words} and one.snippet in printed
        )
        flags = {flag for claim in claims for flag in claim.flags}
        remark = self._format_remark([ref, *own_words], flags)
        told = "the same words in " + ", ".join(copied) if copied else ""
        return [*own_words], ", ".join(filter(None, [remark, told]))

    def format_claim_line(self, claim: ResearchClaim) -> str:
        """A claim in the words of its best source, with the marks of all sources behind it."""
        backing = self._list_backing(claim)
        refs = list(dict.fromkeys(one.source for one in backing)) or list(claim.sources)
        marks = " ".join(f"[{ref}]" for ref in refs[:4])
        remark = self._format_remark(refs, set(claim.flags))
        if not backing:
            remark = ", ".join(filter(None, [remark, "no source is quoted"]))
        said = " ".join((backing[0].snippet if backing else claim.content).split())
        return f"- {said} {marks}{f' *({remark})*' if remark else ''}"

    def has_quotation(self, claim: ResearchClaim) -> bool:
        """Whether a source is quoted that supports the claim."""
        return bool(self._list_backing(claim))

    def _list_backing(self, claim: ResearchClaim) -> list[ClaimEvidence]:
        rows = self._evidence.get(claim.id, ())
        found = [one for one in rows if one.relation is ClaimRelation.SUPPORTS]
        return sorted(found, key=lambda one: -one.relevance_score)

    def _format_remark(self, refs: Sequence[str], flags: set[str]) -> str:
        """Such as "3 sources, 1 official, disputed"; nothing for a plain single source."""
        known = [self._sources[ref] for ref in refs if ref in self._sources]
        owners = {source_kinds.identify_source_owner(source.url) for source in known}
        kinds = Counter(
            _SPECIAL_KINDS[kind]
            for source in known
            if (kind := source_kinds.classify_source(source.url)) in _SPECIAL_KINDS
        )
        told = [f"{len(owners)} sources"] if len(owners) > 1 else []
        told += [f"{count} {kind}" for kind, count in sorted(kinds.items()) if len(owners) > 1]
        told += [label for flag, label in _FLAG_LABELS.items() if flag in flags]
        return ", ".join(told)
