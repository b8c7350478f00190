"""Reads GitHub: repositories, files, issues, pull requests, discussions, wikis, commits, releases."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import urlsplit

from citewell.core.errors import NotFound, UpstreamError
from citewell.core.values.page import Page
from citewell.core.values.scrape_results import (
    RepoCommunity,
    RepoOwner,
    RepoStats,
    RepoTrustSignals,
)
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.json_responses import (
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
    nested_field,
)
from citewell.reading import page_errors
from citewell.reading.markdown.markdown_text import format_fenced_code
from citewell.reading.sites import site_markdown
from citewell.reading.sites.github import github_lists, github_posts
from citewell.reading.sites.github.github_api import (
    GITHUB_API,
    GITHUB_OWNER_PATTERN,
    GITHUB_RAW,
    MARKDOWN_SUFFIXES,
    build_api_path,
    build_github_page,
    build_link_base,
    fetch_github_api,
    fetch_github_record,
    fetch_raw_file,
    format_day,
    render_github_text,
)
from citewell.reading.sites.github.repository_markdown import MAX_MARKDOWN_CHARS
from citewell.reading.sites.site_kit import (
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    normalize_iso_time,
    parse_site_address,
)
from citewell.text.data_tables import load_words
from citewell.text.safety.text_cleaning import clean_markup

T = TypeVar("T")

ENDPOINTS = (GITHUB_API, GITHUB_RAW)

_LAST_PAGE_PATTERN = re.compile(r'<[^<>]*[?&]page=(\d{1,9})(?:&[^<>]*)?>\s*;\s*rel="last"')
_REPOSITORY_NAME_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,100}")
_ISSUE_NUMBER_PATTERN = re.compile(r"\d{1,9}")
_COMMIT_ID_PATTERN = re.compile(r"[0-9a-f]{7,64}")
_GIST_ID_PATTERN = re.compile(r"[0-9a-f]{5,40}")


class _GithubRepository(ResponsePart):
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
    licence: OptionalField[str] = nested_field("license.spdx_id")
    topics: OptionalField[TolerantItems[str]] = None
    owner_type: OptionalField[str] = nested_field("owner.type")


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


class _GithubReadme(ResponsePart):
    download_url: HttpLink


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    if at is None:
        return None
    if at.host == "gist.github.com" and len(at.parts) in {1, 2}:
        number = at.parts[-1]
        return (
            SiteRoute(url=url, kind="gist", id=number)
            if _GIST_ID_PATTERN.fullmatch(number)
            else None
        )
    if at.host not in {"github.com", "www.github.com"} or len(at.parts) < 2:
        return None
    owner, name = at.find_part(0), at.find_part(1).removesuffix(".git")
    fits = (
        GITHUB_OWNER_PATTERN.fullmatch(owner)
        and _REPOSITORY_NAME_PATTERN.fullmatch(name)
        and name not in {".", ".."}
    )
    if not fits or owner.lower() in load_words(__name__, "reserved_names", "names"):
        return None
    meaning = _read_thread_path(at.parts[2:]) or _read_list_path(at.parts[2:], at.query)
    return SiteRoute(url=url, owner=owner, name=name, **meaning) if meaning else None


def _read_thread_path(rest: Sequence[str]) -> dict[str, str]:
    """What the path below a repository means, if that is a file, folder, commit, wiki or thread."""
    match rest:
        case ("blob" | "raw", _, _, *_):
            return {"kind": "file", "path": "/".join(rest[1:])}
        case ("tree", branch, *folders):
            return {"kind": "folder", "id": branch, "path": "/".join(folders)}
        case ("commit", commit) if _COMMIT_ID_PATTERN.fullmatch(commit):
            return {"kind": "commit", "id": commit}
        case ("wiki",) | ("wiki", _):
            return {"kind": "wiki", "path": rest[1] if len(rest) == 2 else "Home"}
        case ("issues" | "pull", number) if _ISSUE_NUMBER_PATTERN.fullmatch(number):
            return {"kind": "issue", "id": number}
        case ("discussions", number) if _ISSUE_NUMBER_PATTERN.fullmatch(number):
            return {"kind": "discussion", "id": number}
    return {}


def _read_list_path(rest: Sequence[str], query: Mapping[str, str]) -> dict[str, str]:
    """The same for a repository, a tab of a pull request, and lists of releases, issues or pulls."""
    match rest:
        case ():
            return {"kind": "repo"}
        case ("pull", number, "files" | "commits") if _ISSUE_NUMBER_PATTERN.fullmatch(number):
            return {"kind": "pull_changes", "id": number, "path": rest[2]}
        case ("releases", "tag", _, *_):
            return {"kind": "release", "path": "/".join(rest[2:])}
        case ("releases", "latest"):
            return {"kind": "release"}
        case ("releases",):
            return {"kind": "releases"}
        case ("issues",) | ("pulls",):
            return {"kind": "issues", "id": rest[0], "path": query.get("q", "")[:200]}
    return {}


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    readers = {
        "repo": _read_repository,
        "file": _read_repository_file,
        "issue": github_posts.read_issue,
        "release": github_posts.read_release,
        "gist": github_posts.read_gist,
        "discussion": github_posts.read_discussion,
        "wiki": github_posts.read_wiki_page,
        "commit": github_lists.read_commit,
        "pull_changes": github_lists.read_pull_changes,
        "issues": github_lists.read_issue_list,
        "releases": github_lists.read_release_list,
        "folder": github_lists.read_folder,
    }
    try:
        return await readers[route.kind](route, kit)
    except NotFound as error:
        raise (
            page_errors.build_not_found_error(route.url, "HTTP 404") if error.provider else error
        ) from None


async def _read_repository(route: SiteRoute, kit: SiteKit) -> Page | None:
    repo, raw = await asyncio.gather(
        _fetch_repository_record(route, kit),
        _wait_or_none(fetch_raw_file(kit, f"{route.owner}/{route.name}/HEAD/README.md")),
    )
    if repo is None and (raw is None or not raw.body.strip()):
        return None
    trust = await _fetch_github_trust(route, kit, repo)
    if raw is None:
        raw = await _wait_or_none(_fetch_other_readme(route, kit))
    repo = repo or _GithubRepository()
    slug = f"{route.owner}/{route.name}"
    written = raw.decode_text() if raw is not None else ""
    text = await render_github_text(kit, written, build_link_base(route, "HEAD/README.md"))
    description = clean_markup(repo.description)
    return build_github_page(
        route,
        kit,
        f"{slug}: {description}" if description else slug,
        _render_repository_summary(slug, repo),
        text,
        extracted_by="github:raw" if text else "github:api",
        author=route.owner,
        published=normalize_iso_time(repo.created_at),
        modified=normalize_iso_time(repo.pushed_at),
        trust_signals=trust,
        truncated=len(written) > MAX_MARKDOWN_CHARS,
        notes=() if text else ("The repository has no README.",),
    )


async def _fetch_repository_record(route: SiteRoute, kit: SiteKit) -> _GithubRepository | None:
    """The repository's record, or None if the API fails; raises NotFound if it does not exist."""
    try:
        return await fetch_github_record(kit, build_api_path(route), _GithubRepository)
    except UpstreamError:
        return None


async def _fetch_other_readme(route: SiteRoute, kit: SiteKit) -> HttpResponse | None:
    """A README with another name, from the API's address if that is on the raw host."""
    readme = await fetch_github_record(kit, build_api_path(route, "readme"), _GithubReadme)
    parts = urlsplit(readme.download_url)
    if parts.hostname != "raw.githubusercontent.com":
        return None
    return await kit.open_upstream(GITHUB_RAW).send_get(parts.path)


def _render_repository_summary(slug: str, repo: _GithubRepository) -> str:
    licence = clean_markup(repo.licence)
    pushed = format_day(repo.pushed_at)
    facts = site_markdown.join_facts(
        site_markdown.format_count(repo.stargazers_count, "star"),
        site_markdown.format_count(repo.forks_count, "fork"),
        site_markdown.format_inline_text(repo.language),
        site_markdown.format_inline_text(licence) if licence != "NOASSERTION" else "",
        f"last push {pushed}" if pushed else "",
        "archived" if repo.archived else "",
        site_markdown.format_markdown_link(repo.homepage, repo.homepage) if repo.homepage else "",
    )
    link = site_markdown.format_markdown_link(slug, f"https://github.com/{slug}")
    about = site_markdown.convert_plain_text(repo.description)
    return site_markdown.join_blocks([f"**{link}**", about, facts])


async def _read_repository_file(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await fetch_raw_file(kit, f"{route.owner}/{route.name}/{route.path}")
    if b"\0" in response.body[:8000]:
        return None
    file = route.path.rpartition("/")[2]
    ending = re.sub(r"[^a-z0-9+#-]", "", file.rpartition(".")[2].lower()) if "." in file else ""
    text = response.decode_text()
    is_markdown = ending in MARKDOWN_SUFFIXES
    if is_markdown:
        content = await render_github_text(kit, text, build_link_base(route, route.path))
    else:
        content = format_fenced_code(text.rstrip("\n"), ending)
    return build_github_page(
        route,
        kit,
        f"{route.owner}/{route.name}: {route.path.partition('/')[2]}",
        content,
        extracted_by="github:raw",
        author=route.owner,
        truncated=is_markdown and len(text) > MAX_MARKDOWN_CHARS,
    )


# Trust signals of a repository: its age, use, owner and maintenance.


async def _fetch_github_trust(
    route: SiteRoute, kit: SiteKit, repo: _GithubRepository | None
) -> RepoTrustSignals | None:
    """The signals from `repo` and at most four API calls; a failed call leaves out its part."""
    kind = repo.owner_type if repo else None
    people = "orgs" if kind == "Organization" else "users"
    holder, contributors, releases, community = await asyncio.gather(
        _wait_or_none(_fetch_repo_owner(kit, f"/{people}/{route.owner}", kind)),
        _wait_or_none(_count_listed_entries(kit, build_api_path(route, "contributors"), anon="1")),
        _wait_or_none(_count_listed_entries(kit, build_api_path(route, "releases"))),
        _wait_or_none(_fetch_repo_community(kit, build_api_path(route, "community/profile"))),
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


async def _wait_or_none(reading: Awaitable[T]) -> T | None:
    """What is read, or None if the upstream fails or does not have it."""
    try:
        return await reading
    except (UpstreamError, NotFound):
        return None


def _build_repo_stats(repo: _GithubRepository) -> RepoStats:
    licence = clean_markup(repo.licence)
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


async def _fetch_repo_owner(kit: SiteKit, path: str, kind: str | None) -> RepoOwner | None:
    owner = await fetch_github_record(kit, path, _GithubOwner)
    login = clean_markup(owner.login)
    if not login:
        return None
    return RepoOwner(
        login=login,
        type=clean_markup(owner.type) or kind or "User",
        created_at=clean_markup(owner.created_at) or None,
        public_repos=owner.public_repos or 0,
        followers=owner.followers or 0,
        is_verified=True if owner.is_verified else None,
    )


async def _count_listed_entries(kit: SiteKit, path: str, **params: str) -> int | None:
    """The number of entries: that of the last page, with one entry a page."""
    response = await fetch_github_api(kit, path, **params, per_page="1")
    if last := _LAST_PAGE_PATTERN.search(response.headers.get("link", "")):
        return int(last[1])
    entries = response.parse_json() if response.body.strip() else []
    return len(entries) if isinstance(entries, list) else None


async def _fetch_repo_community(kit: SiteKit, path: str) -> RepoCommunity:
    profile = await fetch_github_record(kit, path, _CommunityProfile)
    files = profile.files or _CommunityFiles()
    return RepoCommunity(
        health_percentage=profile.health_percentage,
        has_license=files.license is not None,
        has_contributing=files.contributing is not None,
        has_code_of_conduct=files.code_of_conduct is not None,
        has_readme=files.readme is not None,
    )
