"""Reads lists on GitHub: issues, pull requests, releases, and the files of a folder."""

from __future__ import annotations

from urllib.parse import quote

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.errors import NotFound, UpstreamError
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.github.github_api import (
    GithubUser,
    build_link_base,
    fetch_github_api,
    fetch_github_list,
    fetch_raw_file,
    format_user_link,
)
from citewell.fetch.sites.repository_markdown import clean_repository_markdown
from citewell.fetch.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time, trim_to_date
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

_MAX_LISTED_ISSUES = 50
_MAX_LISTED_RELEASES = 10
_README_NAMES = ("README.md", "readme.md", "Readme.md", "README.markdown")


class _ListedIssue(ResponsePart):
    number: int
    title: str
    state: OptionalField[str] = None
    html_url: OptionalField[HttpLink] = None
    user: OptionalField[GithubUser] = None
    comments: OptionalField[int] = None
    created_at: OptionalField[str] = None
    pull_request: OptionalField[dict[str, object]] = None


class _IssueSearch(ResponsePart):
    total_count: OptionalField[int] = None
    items: TolerantItems[_ListedIssue]


class _ListedRelease(ResponsePart):
    tag_name: str
    name: OptionalField[str] = None
    body: OptionalField[str] = None
    published_at: OptionalField[str] = None
    html_url: OptionalField[HttpLink] = None
    prerelease: OptionalField[bool] = None


class _FolderEntry(ResponsePart):
    name: str
    path: str
    type: OptionalField[str] = None
    size: OptionalField[int] = None
    html_url: OptionalField[HttpLink] = None


async def read_issue_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    """Issues or pull requests; `id` says which, `path` is the query of the page, if it has one."""
    is_pulls = route.id == "pulls"
    asked = route.path or f"is:{'pr' if is_pulls else 'issue'} is:open"
    params = {
        "q": f"repo:{route.owner}/{route.name} {asked}",
        "per_page": str(_MAX_LISTED_ISSUES),
    }
    found = parse_json_response(_IssueSearch, await fetch_github_api(kit, "/search/issues", params))
    total = max(found.total_count or 0, len(found.items))
    name = "Pull requests" if is_pulls else "Issues"
    heading = f"{name} of {route.owner}/{route.name}"
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks(
            [
                markdown_parts.format_heading(heading),
                f"{len(found.items)} of {total:,} for `{clean_markup(asked)}`",
                "\n".join(_render_listed_issue(one) for one in found.items),
            ]
        ),
        content_type="github",
        title=heading,
        kind="listing",
        extracted_by="github:api",
        site="GitHub",
        truncated=total > len(found.items),
    )


def _render_listed_issue(issue: _ListedIssue) -> str:
    facts = markdown_parts.join_facts(
        clean_markup(issue.state),
        format_user_link(issue.user),
        trim_to_date(normalize_iso_time(issue.created_at)),
        markdown_parts.format_count(issue.comments, "comment") if issue.comments else "",
    )
    link = markdown_parts.format_markdown_link(f"#{issue.number} {issue.title}", issue.html_url)
    return f"- {link}, {facts}" if facts else f"- {link}"


async def read_release_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = f"/repos/{route.owner}/{route.name}/releases"
    releases = await fetch_github_list(
        kit, path, {"per_page": str(_MAX_LISTED_RELEASES)}, _ListedRelease
    )
    if not releases:
        return None
    home = build_link_base(route, "HEAD/")
    parts: list[str] = []
    for release in releases:
        name = clean_markup(release.name) or clean_markup(release.tag_name)
        facts = markdown_parts.join_facts(
            markdown_parts.format_markdown_link(release.tag_name, release.html_url),
            trim_to_date(normalize_iso_time(release.published_at)),
            "pre-release" if release.prerelease else "",
        )
        body = await kit.run_apart(clean_repository_markdown, release.body or "", home)
        parts += [markdown_parts.format_heading(name, 2), facts, body]
    heading = f"Releases of {route.owner}/{route.name}"
    full = len(releases) == _MAX_LISTED_RELEASES
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(heading), *parts]),
        content_type="github",
        title=heading,
        kind="listing",
        extracted_by="github:api",
        site="GitHub",
        published=normalize_iso_time(releases[0].published_at),
        notes=(
            f"The newest {len(releases)} {pluralize(len(releases), 'release')}; there may be older ones.",
        )
        if full
        else (),
    )


async def read_folder(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The entries of a folder and its README; `id` is the branch or tag, `path` the folder."""
    where = quote(route.path)
    entries = await fetch_github_list(
        kit,
        f"/repos/{route.owner}/{route.name}/contents/{where}",
        {"ref": route.id},
        _FolderEntry,
    )
    if not entries:
        return None
    entries.sort(key=lambda one: (one.type != "dir", one.name.lower()))
    heading = f"{route.owner}/{route.name}: {route.path or 'files'} at {route.id}"
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks(
            [
                markdown_parts.format_heading(heading),
                "\n".join(_render_folder_entry(one) for one in entries),
                await _read_folder_text(route, kit, [one.name for one in entries]),
            ]
        ),
        content_type="github",
        title=heading,
        kind="listing",
        extracted_by="github:api",
        author=route.owner,
        site="GitHub",
    )


def _render_folder_entry(entry: _FolderEntry) -> str:
    name = f"{entry.name}/" if entry.type == "dir" else entry.name
    size = (
        f", {entry.size:,} {pluralize(entry.size, 'byte')}"
        if entry.size and entry.type == "file"
        else ""
    )
    return f"- {markdown_parts.format_markdown_link(name, entry.html_url)}{size}"


async def _read_folder_text(route: SiteRoute, kit: SiteKit, names: list[str]) -> str:
    """The README of the folder as markdown; empty if it has none."""
    name = next((one for one in _README_NAMES if one in names), None)
    if name is None:
        return ""
    path = "/".join(part for part in (route.id, route.path, name) if part)
    try:
        response = await fetch_raw_file(kit, f"{route.owner}/{route.name}/{path}")
    except (UpstreamError, NotFound):
        return ""
    home = build_link_base(route, path)
    return await kit.run_apart(clean_repository_markdown, response.decode_text(), home)
