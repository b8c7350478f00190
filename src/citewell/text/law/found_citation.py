"""A citation where it was found in a text, before short forms are joined to their full citations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from citewell.model.domains.court_case import LegalCitation

# full: can be looked up. database: Westlaw or Lexis number. pending: page not yet assigned.
# invented_series, unknown_reporter: no reporter of that name. short, id, supra: refer to a full one.
CitationForm = Literal[
    "full", "database", "pending", "invented_series", "unknown_reporter", "short", "id", "supra"
]
REFERRING_FORMS = frozenset({"short", "id", "supra"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCitation:
    citation: LegalCitation  # offsets are those of the original text
    form: CitationForm = "full"
    has_full_name: bool = False  # the name beside it names both parties
    long_name: str = ""  # the name with words that may belong to its first party
    is_parallel: bool = False  # another citation of the case right before it
    is_certain: bool = True  # False if it may be other words that look like a citation
    antecedent: str = ""  # of a short form: the party that it names
    quote: str = ""  # the words around it
