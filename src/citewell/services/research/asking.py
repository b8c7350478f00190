"""What a caller asks of deep research, and what a job is given to work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from citewell.errors import InvalidInput
from citewell.model.research import TIERS, Tier

LONGEST = 10_000  # characters of a question
_TITLE = 120  # characters of a thread's name
MODES = ("fast", "methodical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    query: str
    tier: str = "M"
    providers: tuple[str, ...] = ()  # chosen by tier when empty
    mode: str = "methodical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A job's arguments: the question, settled; stored as JSON."""

    query: str
    tier: str
    providers: tuple[str, ...]
    mode: str
    parent: str | None = None  # the job this one goes on from
    context: str = ""  # what the parent found

    def json(self) -> dict[str, Any]:
        return asdict(self)


def assignment(args: Mapping[str, Any]) -> Assignment:
    """A kept job's arguments read back; what a newer version added is ignored."""
    known = {name: args[name] for name in Assignment.__dataclass_fields__ if name in args}
    return Assignment(**{**known, "providers": tuple(known.get("providers", ()))})


def checked(question: Question) -> Question:
    """The question with its white space in order, or the error that says what is wrong with it."""
    query = question.query.strip()
    if not query:
        raise InvalidInput("query is empty. Say what is to be researched.")
    if len(query) > LONGEST:
        raise InvalidInput(f"query has {len(query)} characters; at most {LONGEST} are taken.")
    if question.mode not in MODES:
        raise InvalidInput(f"mode {question.mode!r} is not known. It takes: {', '.join(MODES)}.")
    tier_of(question.tier)
    return Question(
        query=query, tier=question.tier, providers=question.providers, mode=question.mode
    )


def tier_of(name: str) -> Tier:
    if name not in TIERS:
        raise InvalidInput(f"budgetTier {name!r} is not known. It takes: {', '.join(TIERS)}.")
    return TIERS[name]


def titled(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1].rstrip() + "…"
