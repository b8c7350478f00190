"""Tells when a source that shares the words of a denial does not deny anything itself."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.text.evidence.oppositions.statement_clauses import StatementClause


def lacks_denial(claim: Sequence[StatementClause], said: Sequence[StatementClause]) -> bool:
    """Whether the clauses said have what a claim denies, and deny or lack nothing themselves."""
    if any(one.denied or one.is_denied_whole for one in said):
        return False
    if any(word.sign < 0 for one in said for word in one.directed):
        return False
    words = frozenset().union(*(one.terms for one in said))
    return any(one.is_denied_whole or not words.isdisjoint(one.denied) for one in claim)
