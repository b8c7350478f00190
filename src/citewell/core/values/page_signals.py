"""Quality signals that a site gives beside the text: votes, top comments, repository statistics."""

from __future__ import annotations

from dataclasses import dataclass, field

from citewell.core.values.wire_values import Appendix, WireValue


class TalkHighlight(WireValue):
    """An informative passage of a talk; the best one has a `score` of 1."""

    text: str
    score: float
    start_time: str  # M:SS or H:MM:SS


class ForumComment(WireValue):
    author: str
    score: int
    body: str  # plain text, 500 bytes at most
    permalink: str | None = None
    created: str | None = None


class ForumSignals(WireValue):
    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None
    top_comments: Appendix[tuple[ForumComment, ...]] | None = None


class RepoStats(WireValue):
    stargazers_count: int
    forks_count: int
    open_issues_count: int
    created_at: str | None = None
    pushed_at: str | None = None
    archived: bool = False
    disabled: bool = False
    fork: bool = False
    license: str | None = None  # an SPDX id
    topics: tuple[str, ...] | None = None


class RepoOwner(WireValue):
    login: str
    type: str  # Organization or User
    created_at: str | None = None
    public_repos: int = 0
    followers: int = 0
    is_verified: bool | None = None  # True for a verified organisation, else absent


class RepoCommunity(WireValue):
    health_percentage: int
    has_license: bool = False
    has_contributing: bool = False
    has_code_of_conduct: bool = False
    has_readme: bool = False


class RepoTrustSignals(WireValue):
    """Age, popularity, owner and upkeep of a repository; what could not be fetched is absent."""

    repo: RepoStats | None = None
    owner: RepoOwner | None = None
    contributor_count: int | None = None
    community: RepoCommunity | None = None
    release_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectedSentence:
    """A sentence of a page that looks like a command to an AI reader; a hint, not a verdict."""

    kind: str  # override, address, role, conceal, disclose, act, markup
    sentence: str
    end: int = field(default=0, compare=False)  # characters of the text up to the command's end
