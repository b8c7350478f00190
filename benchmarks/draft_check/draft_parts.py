"""The parts that the built texts of the evaluation come in, each with sources of its own.

The first three were read while the check was improved; the fourth was not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.draft_check import (
    draft_phrases,
    third_inventions,
    third_phrases,
    unseen_inventions,
    unseen_phrases,
)
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
    # By the DOI of the article whose authors and journal they are given; of plausible parts only.
    invented_titles: Mapping[str, str] = field(default_factory=dict)


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
_THIRD_RECIPES: tuple[Recipe, ...] = (
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
_THIRD_FAULTS = (
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
_UNSEEN_RECIPES: tuple[Recipe, ...] = (
    ("markdown links", "en", "model"),
    ("markdown numbers", "en", "model"),
    ("markdown ordered", "es", "model"),
    ("markdown footnotes", "de", "person"),
    ("markdown labels", "en", "person"),
    ("markdown keys", "en", "person"),
    ("plain numbers", "fr", "person"),
    ("plain labels", "en", "person"),
    ("plain addresses", "en", "model"),
    ("html links", "de", "model"),
    ("html superscripts", "en", "person"),
    ("docx numbers", "en", "person"),
    ("docx fields", "fr", "person"),
    ("docx notes", "en", "person"),
    ("latex cite", "es", "person"),
    ("latex autocite", "en", "person"),
    ("pdf numbers", "en", "person"),
    ("pdf labels", "en", "person"),
)
# Changed numbers come most often, then the other kinds that the check has to find.
_UNSEEN_FAULTS = (
    CitationKind.NUMBER_CHANGED,
    CitationKind.INVENTED,
    CitationKind.NUMBER_CHANGED,
    CitationKind.DEAD,
    CitationKind.NUMBER_CHANGED,
    CitationKind.NEIGHBOUR_DOI,
    CitationKind.NUMBER_CHANGED,
    CitationKind.RETRACTED,
    CitationKind.CONTRARY,
    CitationKind.WRONG_AUTHOR,
    CitationKind.NUMBER_CHANGED,
    CitationKind.INVENTED,
    CitationKind.NUMBER_CHANGED,
    CitationKind.DEAD,
    CitationKind.NUMBER_CHANGED,
    CitationKind.NEIGHBOUR_DOI,
    CitationKind.NUMBER_CHANGED,
    CitationKind.RETRACTED,
    CitationKind.NOT_IN_SOURCE,
    CitationKind.WRONG_YEAR,
    CitationKind.MOVED,
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
        half="seen",
        seed="29 third",
        recipes=_THIRD_RECIPES,
        words=third_phrases.WORDS,
        faults=_THIRD_FAULTS,
        citations_per_text=19,
        faults_per_text=7,
        references_per_mark=3,
        is_plausible=True,
        invented_titles=third_inventions.INVENTED_TITLES,
    ),
    DraftPart(
        name="fourth",
        half="unseen",
        seed="43 fourth",
        recipes=_UNSEEN_RECIPES,
        words=unseen_phrases.WORDS,
        faults=_UNSEEN_FAULTS,
        citations_per_text=33,
        faults_per_text=12,
        references_per_mark=3,
        is_plausible=True,
        invented_titles=unseen_inventions.INVENTED_TITLES,
    ),
)
