"""The question a caller asks of deep research, and the arguments of the job made from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.argument_types import MAX_QUESTION_CHARS, RESEARCH_MODES
from citewell.model.counted_words import pluralize
from citewell.model.research import RESEARCH_TIERS, ResearchTier

_MAX_TITLE_CHARS = 120  # characters of a thread's title


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchQuestion:
    """What a caller asks for, not yet checked."""

    query: str
    tier: str = "M"
    providers: tuple[str, ...] = ()  # chosen by tier when empty
    mode: str = "methodical"
    scope: str | None = None  # by the settings when None
    share_library: bool = False  # providers may be given text of the library


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchAssignment:
    """A job's arguments: the checked question with its providers; stored as JSON."""

    query: str
    tier: str
    providers: tuple[str, ...]
    mode: str
    researched: str = ""  # the query with the subject of its thread, if it had none itself
    added: tuple[str, ...] = ()  # the words that were added
    scope: str = "web"
    share_library: bool = False
    parent: str | None = None  # the job that this one follows up
    context: str = ""  # the beginning of the parent's report
    context_is_private: bool = False  # it may quote the library

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def parse_assignment(args: Mapping[str, Any]) -> ResearchAssignment:
    """The assignment of a stored job; fields that a newer version added are ignored."""
    known = {name: args[name] for name in ResearchAssignment.__dataclass_fields__ if name in args}
    lists = {name: tuple(known.get(name, ())) for name in ("providers", "added")}
    return ResearchAssignment(**{**known, **lists})


def check_question(question: ResearchQuestion) -> ResearchQuestion:
    """The question with its query stripped; raises InvalidInput if any part of it is invalid."""
    query = question.query.strip()
    if not query:
        raise InvalidInput("query is empty. Say what to research.")
    if len(query) > MAX_QUESTION_CHARS:
        raise InvalidInput(
            f"query has {len(query)} {pluralize(len(query), 'character')}; the maximum is {MAX_QUESTION_CHARS}."
        )
    if question.mode not in RESEARCH_MODES:
        raise InvalidInput(
            f"mode {question.mode!r} is not known. It takes: {', '.join(RESEARCH_MODES)}."
        )
    require_tier(question.tier)
    return replace(question, query=query)


def require_tier(name: str) -> ResearchTier:
    """The tier of this name; raises InvalidInput if there is none."""
    if name not in RESEARCH_TIERS:
        raise InvalidInput(
            f"budgetTier {name!r} is not known. It takes: {', '.join(RESEARCH_TIERS)}."
        )
    return RESEARCH_TIERS[name]


def trim_title(query: str) -> str:
    """The query on one line, cut to the length of a title."""
    line = " ".join(query.split())
    return line if len(line) <= _MAX_TITLE_CHARS else line[: _MAX_TITLE_CHARS - 1].rstrip() + "…"
