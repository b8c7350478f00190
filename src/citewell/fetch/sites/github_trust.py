"""How a GitHub repository stands: its age and use, its owner, and how it is looked after."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import TypeVar

from citewell.errors import NotFound, UpstreamError
from citewell.model.signals import GithubTrust, RepoCommunity, RepoOwner, RepoStats
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.markup import clean

T = TypeVar("T")
Ask = Callable[[str, dict[str, str]], Awaitable[Response]]

_LAST = re.compile(r'<[^<>]*[?&]page=(\d{1,9})(?:&[^<>]*)?>\s*;\s*rel="last"')


class _Licence(Part):
    spdx_id: Maybe[str] = None


class _Login(Part):
    login: Maybe[str] = None
    type: Maybe[str] = None


class Repo(Part):
    full_name: Maybe[str] = None
    description: Maybe[str] = None
    homepage: Maybe[Link] = None
    language: Maybe[str] = None
    stargazers_count: Maybe[int] = None
    forks_count: Maybe[int] = None
    open_issues_count: Maybe[int] = None
    created_at: Maybe[str] = None
    pushed_at: Maybe[str] = None
    archived: Maybe[bool] = None
    disabled: Maybe[bool] = None
    fork: Maybe[bool] = None
    license: Maybe[_Licence] = None
    topics: Maybe[Items[str]] = None
    owner: Maybe[_Login] = None


class _Owner(Part):
    login: Maybe[str] = None
    type: Maybe[str] = None
    created_at: Maybe[str] = None
    public_repos: Maybe[int] = None
    followers: Maybe[int] = None
    is_verified: Maybe[bool] = None


class _Files(Part):
    license: Maybe[dict[str, object]] = None
    contributing: Maybe[dict[str, object]] = None
    code_of_conduct: Maybe[dict[str, object]] = None
    readme: Maybe[dict[str, object]] = None


class _Community(Part):
    health_percentage: int
    files: Maybe[_Files] = None


async def learn(owner: str, name: str, repo: Repo | None, ask: Ask) -> GithubTrust | None:
    """Four calls at most besides the one that gave `repo`; each that fails leaves out its part."""
    kind = repo.owner.type if repo and repo.owner else None
    people = "orgs" if kind == "Organization" else "users"
    base = f"/repos/{owner}/{name}"
    holder, contributors, releases, community = await asyncio.gather(
        _or_none(_owner(ask, f"/{people}/{owner}", kind)),
        _or_none(_total(ask, f"{base}/contributors", {"anon": "1"})),
        _or_none(_total(ask, f"{base}/releases", {})),
        _or_none(_community(ask, f"{base}/community/profile")),
    )
    stats = _stats(repo) if repo else None
    if all(part is None for part in (stats, holder, contributors, releases, community)):
        return None
    return GithubTrust(
        repo=stats,
        owner=holder,
        contributor_count=contributors,
        release_count=releases,
        community=community,
    )


async def _or_none(asked: Awaitable[T]) -> T | None:
    try:
        return await asked
    except (UpstreamError, NotFound):
        return None


def _stats(repo: Repo) -> RepoStats:
    licence = clean(repo.license.spdx_id) if repo.license else ""
    topics = tuple(filter(None, map(clean, repo.topics or ())))
    return RepoStats(
        stargazers_count=repo.stargazers_count or 0,
        forks_count=repo.forks_count or 0,
        open_issues_count=repo.open_issues_count or 0,
        created_at=clean(repo.created_at) or None,
        pushed_at=clean(repo.pushed_at) or None,
        archived=bool(repo.archived),
        disabled=bool(repo.disabled),
        fork=bool(repo.fork),
        license=licence if licence and licence != "NOASSERTION" else None,
        topics=topics or None,
    )


async def _owner(ask: Ask, path: str, kind: str | None) -> RepoOwner | None:
    found = parse(_Owner, await ask(path, {}))
    login = clean(found.login)
    if not login:
        return None
    return RepoOwner(
        login=login,
        type=clean(found.type) or kind or "User",
        created_at=clean(found.created_at) or None,
        public_repos=found.public_repos or 0,
        followers=found.followers or 0,
        is_verified=True if found.is_verified else None,
    )


async def _total(ask: Ask, path: str, params: dict[str, str]) -> int | None:
    """The number of pages of one entry each, which is the number of entries."""
    response = await ask(path, params | {"per_page": "1"})
    if last := _LAST.search(response.headers.get("link", "")):
        return int(last[1])
    entries = response.parsed() if response.body.strip() else []
    return len(entries) if isinstance(entries, list) else None


async def _community(ask: Ask, path: str) -> RepoCommunity:
    found = parse(_Community, await ask(path, {}))
    files = found.files or _Files()
    return RepoCommunity(
        health_percentage=found.health_percentage,
        has_license=files.license is not None,
        has_contributing=files.contributing is not None,
        has_code_of_conduct=files.code_of_conduct is not None,
        has_readme=files.readme is not None,
    )
