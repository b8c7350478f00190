"""Collects trust signals of a GitHub repository: its age, use, owner and maintenance."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.errors import NotFound, UpstreamError
from citewell.model.page_signals import RepoCommunity, RepoOwner, RepoStats, RepoTrustSignals
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

T = TypeVar("T")
GithubFetch = Callable[[str, dict[str, str]], Awaitable[HttpResponse]]

_LAST_PAGE_PATTERN = re.compile(r'<[^<>]*[?&]page=(\d{1,9})(?:&[^<>]*)?>\s*;\s*rel="last"')


class _RepositoryLicence(ResponsePart):
    spdx_id: OptionalField[str] = None


class _RepositoryOwner(ResponsePart):
    login: OptionalField[str] = None
    type: OptionalField[str] = None


class GithubRepository(ResponsePart):
    full_name: OptionalField[str] = None
    description: OptionalField[str] = None
    homepage: OptionalField[HttpLink] = None
    language: OptionalField[str] = None
    stargazers_count: OptionalField[int] = None
    forks_count: OptionalField[int] = None
    open_issues_count: OptionalField[int] = None
    created_at: OptionalField[str] = None
    pushed_at: OptionalField[str] = None
    archived: OptionalField[bool] = None
    disabled: OptionalField[bool] = None
    fork: OptionalField[bool] = None
    license: OptionalField[_RepositoryLicence] = None
    topics: OptionalField[TolerantItems[str]] = None
    owner: OptionalField[_RepositoryOwner] = None


class _GithubOwner(ResponsePart):
    login: OptionalField[str] = None
    type: OptionalField[str] = None
    created_at: OptionalField[str] = None
    public_repos: OptionalField[int] = None
    followers: OptionalField[int] = None
    is_verified: OptionalField[bool] = None


class _CommunityFiles(ResponsePart):
    license: OptionalField[dict[str, object]] = None
    contributing: OptionalField[dict[str, object]] = None
    code_of_conduct: OptionalField[dict[str, object]] = None
    readme: OptionalField[dict[str, object]] = None


class _CommunityProfile(ResponsePart):
    health_percentage: int
    files: OptionalField[_CommunityFiles] = None


async def fetch_github_trust(
    owner: str, name: str, repo: GithubRepository | None, ask: GithubFetch
) -> RepoTrustSignals | None:
    """The signals from `repo` and at most four API calls; a failed call leaves out its part."""
    kind = repo.owner.type if repo and repo.owner else None
    people = "orgs" if kind == "Organization" else "users"
    base = f"/repos/{owner}/{name}"
    holder, contributors, releases, community = await asyncio.gather(
        _await_or_none(_fetch_repo_owner(ask, f"/{people}/{owner}", kind)),
        _await_or_none(_count_listed_entries(ask, f"{base}/contributors", {"anon": "1"})),
        _await_or_none(_count_listed_entries(ask, f"{base}/releases", {})),
        _await_or_none(_fetch_repo_community(ask, f"{base}/community/profile")),
    )
    stats = _build_repo_stats(repo) if repo else None
    if all(part is None for part in (stats, holder, contributors, releases, community)):
        return None
    return RepoTrustSignals(
        repo=stats,
        owner=holder,
        contributor_count=contributors,
        release_count=releases,
        community=community,
    )


async def _await_or_none(asked: Awaitable[T]) -> T | None:
    try:
        return await asked
    except (UpstreamError, NotFound):
        return None


def _build_repo_stats(repo: GithubRepository) -> RepoStats:
    licence = clean_markup(repo.license.spdx_id) if repo.license else ""
    topics = tuple(filter(None, map(clean_markup, repo.topics or ())))
    return RepoStats(
        stargazers_count=repo.stargazers_count or 0,
        forks_count=repo.forks_count or 0,
        open_issues_count=repo.open_issues_count or 0,
        created_at=clean_markup(repo.created_at) or None,
        pushed_at=clean_markup(repo.pushed_at) or None,
        archived=bool(repo.archived),
        disabled=bool(repo.disabled),
        fork=bool(repo.fork),
        license=licence if licence and licence != "NOASSERTION" else None,
        topics=topics or None,
    )


async def _fetch_repo_owner(ask: GithubFetch, path: str, kind: str | None) -> RepoOwner | None:
    found = parse_json_response(_GithubOwner, await ask(path, {}))
    login = clean_markup(found.login)
    if not login:
        return None
    return RepoOwner(
        login=login,
        type=clean_markup(found.type) or kind or "User",
        created_at=clean_markup(found.created_at) or None,
        public_repos=found.public_repos or 0,
        followers=found.followers or 0,
        is_verified=True if found.is_verified else None,
    )


async def _count_listed_entries(ask: GithubFetch, path: str, params: dict[str, str]) -> int | None:
    """The number of entries: that of the last page, with one entry a page."""
    response = await ask(path, params | {"per_page": "1"})
    if last := _LAST_PAGE_PATTERN.search(response.headers.get("link", "")):
        return int(last[1])
    entries = response.parse_json() if response.body.strip() else []
    return len(entries) if isinstance(entries, list) else None


async def _fetch_repo_community(ask: GithubFetch, path: str) -> RepoCommunity:
    found = parse_json_response(_CommunityProfile, await ask(path, {}))
    files = found.files or _CommunityFiles()
    return RepoCommunity(
        health_percentage=found.health_percentage,
        has_license=files.license is not None,
        has_contributing=files.contributing is not None,
        has_code_of_conduct=files.code_of_conduct is not None,
        has_readme=files.readme is not None,
    )
