"""Reads GitHub: repositories, files, issues, pull requests, discussions, wikis, commits, releases."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from citewell.dialects.json_responses import HttpLink, ResponsePart
from citewell.errors import NotFound, UpstreamError
from citewell.fetch import page_errors
from citewell.fetch.markdown.markdown_text import format_fenced_code
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.github import (
    github_changes,
    github_discussions,
    github_lists,
    github_posts,
    github_trust,
)
from citewell.fetch.sites.github.github_api import (
    GITHUB_API,
    GITHUB_OWNER_PATTERN,
    GITHUB_RAW,
    MARKDOWN_SUFFIXES,
    build_link_base,
    fetch_github_api,
    fetch_raw_file,
)
from citewell.fetch.sites.github.github_trust import GithubRepository
from citewell.fetch.sites.repository_markdown import MAX_MARKDOWN_CHARS, clean_repository_markdown
from citewell.fetch.sites.site_kit import (
    SiteKit,
    SiteRoute,
    fall_back_to_ladder,
    normalize_iso_time,
    parse_site_address,
    trim_to_date,
)
from citewell.model.page import Page
from citewell.net.http.messages import HttpResponse
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

ENDPOINTS = (GITHUB_API, GITHUB_RAW)

_REPOSITORY_NAME_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,100}")
_ISSUE_NUMBER_PATTERN = re.compile(r"\d{1,9}")
_COMMIT_ID_PATTERN = re.compile(r"[0-9a-f]{7,64}")
_GIST_ID_PATTERN = re.compile(r"[0-9a-f]{5,40}")
_RESERVED_GITHUB_NAMES = frozenset({
    "about", "account", "apps", "blog", "collections", "contact", "customer-stories", "dashboard",
    "education", "enterprise", "events", "explore", "features", "issues", "join", "login",
    "marketplace", "mobile", "new", "newsroom", "nonprofit", "notifications", "orgs",
    "organizations", "pricing", "pulls", "readme", "resources", "search", "security", "sessions",
    "settings", "signup", "site", "solutions", "sponsors", "stars", "team", "topics", "trending",
    "users",
})  # fmt: skip


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
    if not fits or owner.lower() in _RESERVED_GITHUB_NAMES:
        return None
    return _find_repository_route(url, owner, name, at.parts[2:])


def _find_repository_route(
    url: str, owner: str, name: str, rest: Sequence[str]
) -> SiteRoute | None:
    if not rest:
        return SiteRoute(url=url, kind="repo", owner=owner, name=name)
    if rest[0] in {"blob", "raw"} and len(rest) >= 3:
        return SiteRoute(url=url, kind="file", owner=owner, name=name, path="/".join(rest[1:]))
    if rest[0] == "tree" and len(rest) >= 2:
        return SiteRoute(
            url=url, kind="folder", owner=owner, name=name, id=rest[1], path="/".join(rest[2:])
        )
    if rest[0] == "commit" and len(rest) == 2 and _COMMIT_ID_PATTERN.fullmatch(rest[1]):
        return SiteRoute(url=url, kind="commit", owner=owner, name=name, id=rest[1])
    if rest[0] == "wiki" and len(rest) <= 2:
        page = rest[1] if len(rest) == 2 else "Home"
        return SiteRoute(url=url, kind="wiki", owner=owner, name=name, path=page)
    return _find_thread_route(url, owner, name, rest) or _find_list_route(url, owner, name, rest)


def _find_thread_route(url: str, owner: str, name: str, rest: Sequence[str]) -> SiteRoute | None:
    """An issue, a pull request, one of its tabs, or a discussion."""
    number = rest[1] if len(rest) > 1 else ""
    if not _ISSUE_NUMBER_PATTERN.fullmatch(number):
        return None
    if len(rest) == 2 and rest[0] in {"issues", "pull", "discussions"}:
        kind = "discussion" if rest[0] == "discussions" else "issue"
        return SiteRoute(url=url, kind=kind, owner=owner, name=name, id=number)
    if rest[0] == "pull" and len(rest) == 3 and rest[2] in {"files", "commits"}:
        return SiteRoute(
            url=url, kind="pull_changes", owner=owner, name=name, id=number, path=rest[2]
        )
    return None


def _find_list_route(url: str, owner: str, name: str, rest: Sequence[str]) -> SiteRoute | None:
    """Releases, or a list of them, of issues or of pull requests."""
    if rest[:2] == ("releases", "tag") and len(rest) >= 3:
        return SiteRoute(url=url, kind="release", owner=owner, name=name, path="/".join(rest[2:]))
    if rest == ("releases", "latest"):
        return SiteRoute(url=url, kind="release", owner=owner, name=name)
    if rest == ("releases",):
        return SiteRoute(url=url, kind="releases", owner=owner, name=name)
    if rest in {("issues",), ("pulls",)}:
        at = parse_site_address(url)
        asked = at.query.get("q", "") if at else ""
        return SiteRoute(
            url=url, kind="issues", owner=owner, name=name, id=rest[0], path=asked[:200]
        )
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    readers = {
        "repo": _read_repository,
        "file": _read_repository_file,
        "issue": github_posts.read_issue,
        "release": github_posts.read_release,
        "gist": github_posts.read_gist,
        "discussion": github_discussions.read_discussion,
        "wiki": github_discussions.read_wiki_page,
        "commit": github_changes.read_commit,
        "pull_changes": github_changes.read_pull_changes,
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
        _fetch_repository_record(route, kit), _fetch_main_readme(route, kit)
    )
    if repo is None and (raw is None or not raw.body.strip()):
        return None
    trust = await github_trust.fetch_github_trust(
        route.owner, route.name, repo, lambda path, params: fetch_github_api(kit, path, params)
    )
    if raw is None:
        raw = await _fetch_other_readme(route, kit)
    repo = repo or GithubRepository()
    home = build_link_base(route, "HEAD/README.md")
    slug = f"{route.owner}/{route.name}"
    written = raw.decode_text() if raw is not None else ""
    text = await kit.run_apart(clean_repository_markdown, written, home)
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([_render_repository_summary(slug, repo), text]),
        content_type="github",
        title=f"{slug}: {clean_markup(repo.description)}"
        if clean_markup(repo.description)
        else slug,
        kind="documentation",
        extracted_by="github:raw" if text else "github:api",
        author=route.owner,
        site="GitHub",
        published=normalize_iso_time(repo.created_at),
        modified=normalize_iso_time(repo.pushed_at),
        trust_signals=trust,
        truncated=len(written) > MAX_MARKDOWN_CHARS,
        notes=() if text else ("The repository has no README.",),
    )


async def _fetch_repository_record(route: SiteRoute, kit: SiteKit) -> GithubRepository | None:
    """The repository's record, or None if the API fails; raises NotFound if it does not exist."""
    try:
        return parse_json_response(
            GithubRepository, await fetch_github_api(kit, f"/repos/{route.owner}/{route.name}", {})
        )
    except UpstreamError:
        return None


async def _fetch_main_readme(route: SiteRoute, kit: SiteKit) -> HttpResponse | None:
    try:
        return await fetch_raw_file(kit, f"{route.owner}/{route.name}/HEAD/README.md")
    except (UpstreamError, NotFound):
        return None


async def _fetch_other_readme(route: SiteRoute, kit: SiteKit) -> HttpResponse | None:
    """A README with another name, from the API's address if that is on the raw host."""
    try:
        found = parse_json_response(
            _GithubReadme,
            await fetch_github_api(kit, f"/repos/{route.owner}/{route.name}/readme", {}),
        )
        parts = urlsplit(found.download_url)
        if parts.hostname != "raw.githubusercontent.com":
            return None
        return await kit.open_upstream(GITHUB_RAW).send_get(parts.path)
    except (UpstreamError, NotFound):
        return None


def _render_repository_summary(slug: str, repo: GithubRepository) -> str:
    licence = clean_markup(repo.license.spdx_id) if repo.license else ""
    line = markdown_parts.join_facts(
        markdown_parts.format_count(repo.stargazers_count, "star"),
        markdown_parts.format_count(repo.forks_count, "fork"),
        markdown_parts.format_inline_text(repo.language),
        markdown_parts.format_inline_text(licence) if licence != "NOASSERTION" else "",
        f"last push {trim_to_date(repo.pushed_at)}" if normalize_iso_time(repo.pushed_at) else "",
        "archived" if repo.archived else "",
        markdown_parts.format_markdown_link(repo.homepage, repo.homepage) if repo.homepage else "",
    )
    about = markdown_parts.convert_plain_text(repo.description)
    return markdown_parts.join_blocks(
        [
            f"**{markdown_parts.format_markdown_link(slug, f'https://github.com/{slug}')}**",
            about,
            line,
        ]
    )


async def _read_repository_file(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await fetch_raw_file(kit, f"{route.owner}/{route.name}/{route.path}")
    if b"\0" in response.body[:8000]:
        return None
    file = route.path.rpartition("/")[2]
    ending = re.sub(r"[^a-z0-9+#-]", "", file.rpartition(".")[2].lower()) if "." in file else ""
    text = response.decode_text()
    marked = ending in MARKDOWN_SUFFIXES
    if marked:
        content = await kit.run_apart(
            clean_repository_markdown, text, build_link_base(route, route.path)
        )
    else:
        content = format_fenced_code(text.rstrip("\n"), ending)
    return kit.build_page(
        route,
        content=content,
        content_type="github",
        title=f"{route.owner}/{route.name}: {route.path.partition('/')[2]}",
        kind="documentation",
        extracted_by="github:raw",
        author=route.owner,
        site="GitHub",
        truncated=marked and len(text) > MAX_MARKDOWN_CHARS,
    )
