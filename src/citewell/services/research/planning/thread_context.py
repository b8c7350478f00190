"""What a follow-up takes from its thread: the subject of earlier questions, and what was quoted.

Only what the user asked completes a question, never the text of a report, which may quote private
documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from citewell.model.wire_values import WireValue
from citewell.services.research.planning.assignments import parse_assignment
from citewell.services.research.planning.research_scope import LIBRARY_SCOPE
from citewell.text.questions.followed_question import FollowedQuestion, complete_question

_MAX_EARLIER_QUESTIONS = 5


class ThreadQuote(WireValue):
    """What the answer of an earlier job of the thread quoted, and from where."""

    job: str
    url: str
    sha256: str | None
    start: int
    end: int
    snippet: str


class ThreadQuotes(WireValue):
    quotes: tuple[ThreadQuote, ...] = ()


def complete_follow_up(
    query: str, earlier: Iterable[Mapping[str, Any]], *, scope: str
) -> FollowedQuestion:
    """The question with the subject of earlier jobs, given by their arguments, the latest first.

    A question that was asked of the library alone completes only one that stays there too.
    """
    questions = [
        work.researched or work.query
        for args in earlier
        if scope == LIBRARY_SCOPE or args.get("scope", LIBRARY_SCOPE) != LIBRARY_SCOPE
        for work in (parse_assignment(args),)
    ]
    return complete_question(query, questions[:_MAX_EARLIER_QUESTIONS])


def list_ancestors(parent: str, jobs: Mapping[str, Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The arguments of a job and of the jobs that it follows; `jobs` has them by job id."""
    found: dict[str, Mapping[str, Any]] = {}
    name: str | None = parent
    while name is not None and name in jobs and name not in found:
        found[name] = jobs[name]
        name = parse_assignment(jobs[name]).parent
    return list(found.values())


def describe_completion(text: str, added: Sequence[str]) -> str:
    """A note that says how a follow-up question was understood."""
    words = ", ".join(f"“{one}”" for one in added)
    return f"Asked in this thread: read as “{text}”, with {words} from an earlier question."


def describe_left_out(jobs: Sequence[str]) -> str:
    """A note on passages that are not quoted again; `jobs` names for each the job that quoted it."""
    what = "1 passage" if len(jobs) == 1 else f"{len(jobs)} passages"
    told = "is left out" if len(jobs) == 1 else "are left out"
    return f"{what} quoted earlier in this thread ({format_job_names(jobs)}) {told}."


def format_job_names(jobs: Sequence[str]) -> str:
    names = list(dict.fromkeys(jobs))
    return f"job{'s' if len(names) > 1 else ''} {', '.join(names)}"
