"""The parts that the built texts of the evaluation come in, each with sources of its own.

The first two were read while the check was improved; the third was not.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.draft_check import draft_phrases, unseen_phrases
from benchmarks.draft_check.draft_gold import FAULTS, CitationKind
from benchmarks.draft_check.draft_phrases import DraftWords

Recipe = tuple[str, str, str]  # the form, the language and the manner of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPart:
    name: str
    half: str
    seed: str
    recipes: tuple[Recipe, ...]
    words: DraftWords
    faults: tuple[CitationKind, ...]  # planted in turns
    citations_per_text: int
    faults_per_text: int
    references_per_mark: int  # at most
    # Invented titles fit their authors, a wrong DOI is of the same journal, a label means one entry.
    is_plausible: bool = False


_SEEN_RECIPES: tuple[Recipe, ...] = (
    ("markdown links", "en", "model"),
    ("markdown numbers", "en", "model"),
    ("markdown ordered", "en", "model"),
    ("markdown footnotes", "en", "person"),
    ("markdown labels", "en", "person"),
    ("markdown keys", "en", "person"),
    ("plain numbers", "en", "person"),
    ("plain labels", "de", "person"),
    ("plain addresses", "en", "model"),
    ("html links", "en", "model"),
    ("html superscripts", "fr", "person"),
    ("docx numbers", "en", "person"),
    ("docx fields", "en", "person"),
    ("docx notes", "de", "person"),
    ("latex cite", "en", "person"),
    ("latex autocite", "es", "person"),
    ("pdf numbers", "en", "person"),
    ("pdf labels", "fr", "person"),
)
_UNSEEN_RECIPES: tuple[Recipe, ...] = (
    ("markdown links", "en", "model"),
    ("markdown numbers", "de", "model"),
    ("markdown ordered", "en", "model"),
    ("markdown footnotes", "en", "person"),
    ("markdown labels", "en", "person"),
    ("markdown keys", "fr", "person"),
    ("plain numbers", "en", "person"),
    ("plain labels", "en", "person"),
    ("plain addresses", "es", "model"),
    ("html links", "en", "model"),
    ("html superscripts", "en", "person"),
    ("docx numbers", "de", "person"),
    ("docx fields", "en", "person"),
    ("docx notes", "fr", "person"),
    ("latex cite", "en", "person"),
    ("latex autocite", "en", "person"),
    ("pdf numbers", "es", "person"),
    ("pdf labels", "en", "person"),
)
# The kinds that the check has to find come twice as often as the others.
_UNSEEN_FAULTS = (
    CitationKind.INVENTED,
    CitationKind.RETRACTED,
    CitationKind.DEAD,
    CitationKind.NEIGHBOUR_DOI,
    CitationKind.NUMBER_CHANGED,
    CitationKind.WRONG_AUTHOR,
    CitationKind.NOT_IN_SOURCE,
    CitationKind.INVENTED,
    CitationKind.RETRACTED,
    CitationKind.DEAD,
    CitationKind.NEIGHBOUR_DOI,
    CitationKind.NUMBER_CHANGED,
    CitationKind.WRONG_YEAR,
    CitationKind.MOVED,
    CitationKind.CONTRARY,
)
PARTS = (
    DraftPart(
        name="first",
        half="seen",
        seed="17 seen",
        recipes=_SEEN_RECIPES,
        words=draft_phrases.WORDS,
        faults=FAULTS,
        citations_per_text=16,
        faults_per_text=6,
        references_per_mark=2,
    ),
    DraftPart(
        name="second",
        half="seen",
        seed="17 unseen",
        recipes=_SEEN_RECIPES,
        words=draft_phrases.WORDS,
        faults=FAULTS,
        citations_per_text=16,
        faults_per_text=6,
        references_per_mark=2,
    ),
    DraftPart(
        name="third",
        half="unseen",
        seed="29 third",
        recipes=_UNSEEN_RECIPES,
        words=unseen_phrases.WORDS,
        faults=_UNSEEN_FAULTS,
        citations_per_text=19,
        faults_per_text=7,
        references_per_mark=3,
        is_plausible=True,
    ),
)
