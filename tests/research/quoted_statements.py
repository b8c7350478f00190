"""Statements with their sources, for the suites of claims."""

from __future__ import annotations

from dataclasses import replace

from citewell.research.claims import claim_building
from citewell.research.claims.claim_building import ClaimSet, SourcedStatement

TREES = "Street trees lower summer temperatures in cities by shading the ground."


DENIED = "Street trees do not lower summer temperatures in cities by shading the ground."


def quoted(text: str, source: str, **fields: object) -> SourcedStatement:
    plain = SourcedStatement(
        text=text, provider="local", source=source, owner=f"{source}.org", source_weight=0.35, support=1.0,
        snippet=text, start=0, end=len(text), origin=source, relevance=0.5,
    )  # fmt: skip
    return replace(plain, **fields)  # type: ignore[arg-type]  # the fields' own types check at the call


def built(*statements: SourcedStatement) -> ClaimSet:
    return claim_building.build_claims(statements, salt="job")
