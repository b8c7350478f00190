"""What a site says of the worth of a page beyond its text: votes, top comments, a repository's standing."""

from __future__ import annotations

from citewell.model.base import Value


class Highlight(Value):
    """A telling passage of a talk; `score` is 1 for the best of them."""

    text: str
    score: float
    start_time: str  # M:SS or H:MM:SS


class ForumComment(Value):
    author: str
    score: int
    body: str  # plain text, 500 bytes at most
    permalink: str | None = None
    created: str | None = None


class ForumSignals(Value):
    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None
    top_comments: tuple[ForumComment, ...] | None = None


class RepoStats(Value):
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


class RepoOwner(Value):
    login: str
    type: str  # Organization or User
    created_at: str | None = None
    public_repos: int = 0
    followers: int = 0
    is_verified: bool | None = None  # True for a verified organisation, else absent


class RepoCommunity(Value):
    health_percentage: int
    has_license: bool = False
    has_contributing: bool = False
    has_code_of_conduct: bool = False
    has_readme: bool = False


class GithubTrust(Value):
    """A repository's age, use, owner and care; what could not be learnt is absent."""

    repo: RepoStats | None = None
    owner: RepoOwner | None = None
    contributor_count: int | None = None
    community: RepoCommunity | None = None
    release_count: int | None = None
