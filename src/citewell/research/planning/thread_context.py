"""What a follow-up takes from its thread: the subject of earlier questions, and what was quoted.

Only what the user asked completes a question, never the text of a report, which may quote private
documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citewell.core.config import Settings
from citewell.core.errors import InvalidInput
from citewell.core.values.argument_types import RESEARCH_SCOPES, ResearchScope
from citewell.core.values.wire_values import WireValue
from citewell.jobs.step_values import parse_assignment
from citewell.research.planning.followed_question import FollowedQuestion, complete_question
from citewell.research.settings import ResearchSettings
from citewell.routing.provider_catalogue import is_library_routed_alone

WEB_SCOPE: ResearchScope = "web"
LIBRARY_SCOPE: ResearchScope = "library"  # local only: no request leaves the machine

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
    words = ", ".join(f"“{item}”" for item in added)
    return f"Asked in this thread: read as “{text}”, with {words} from an earlier question."


def describe_left_out(jobs: Sequence[str]) -> str:
    """A note on passages that are not quoted again; `jobs` names for each the job that quoted it."""
    what = "1 passage" if len(jobs) == 1 else f"{len(jobs)} passages"
    verb = "is left out" if len(jobs) == 1 else "are left out"
    return f"{what} quoted earlier in this thread ({format_job_names(jobs)}) {verb}."


def format_job_names(jobs: Sequence[str]) -> str:
    names = list(dict.fromkeys(jobs))
    return f"job{'s' if len(names) > 1 else ''} {', '.join(names)}"


# Where a job may search: the web, the user's library, or both.


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeRules:
    """The operator's rules for the scope of research."""

    default: ResearchScope = WEB_SCOPE
    is_local_only: bool = False  # SEARCH_ROUTING names the library alone

    @classmethod
    def from_settings(cls, settings: Settings) -> ScopeRules:
        return cls(
            default=settings[ResearchSettings].research_scope or WEB_SCOPE,
            is_local_only=is_library_routed_alone(settings),
        )

    def choose_scope(self, asked: str | None, *, parent: str | None = None) -> ResearchScope:
        """The scope that the call names, else that of the parent job, else the default.

        Raises InvalidInput for an unknown scope, and for the web where the operator excluded it.
        """
        if asked is not None and asked not in RESEARCH_SCOPES:
            raise InvalidInput(
                f"scope {asked!r} is not known. It takes: {', '.join(RESEARCH_SCOPES)}."
            )
        if not self.is_local_only:
            wanted = asked or parent
            return next((item for item in RESEARCH_SCOPES if item == wanted), self.default)
        if asked not in {None, LIBRARY_SCOPE}:
            raise InvalidInput(
                f"scope {asked} needs the web, and SEARCH_ROUTING names only the library. Leave scope"
                " out, or add a search provider to SEARCH_ROUTING."
            )
        return LIBRARY_SCOPE

    def describe_local_remedy(self) -> str:
        """What to change so that research may leave the machine."""
        if self.is_local_only:
            return "add a search provider to SEARCH_ROUTING, which names only the library"
        return "set scope to web or both"
