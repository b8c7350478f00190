"""Reads lists on GitHub: issues, pull requests, releases, folders, and what a commit or pull request changed."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from pydantic import AliasPath, Field

from citewell.core.errors import NotFound, UpstreamError
from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.net.upstream.json_responses import (
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
    nested_field,
)
from citewell.reading.markdown.markdown_text import format_fenced_code
from citewell.reading.sites import site_markdown
from citewell.reading.sites.github.github_api import (
    GithubUser,
    build_api_path,
    build_github_page,
    build_link_base,
    fetch_github_list,
    fetch_github_record,
    fetch_raw_file,
    find_user_login,
    format_day,
    format_user_link,
    render_github_text,
)
from citewell.reading.sites.github.github_posts import GithubIssue, GithubRelease
from citewell.reading.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time
from citewell.text.safety.text_cleaning import clean_markup

_MAX_CHANGED_FILES = 100  # as many as the API sends at once
_MAX_PATCH_CHARS = 20_000  # of one file

_MAX_LISTED_ISSUES = 50
_MAX_LISTED_RELEASES = 10
_README_NAMES = ("README.md", "readme.md", "Readme.md", "README.markdown")


class _IssueSearch(ResponsePart):
    total_count: OptionalField[int] = None
    items: TolerantItems[GithubIssue]


class _FolderEntry(ResponsePart):
    name: str
    path: str
    type: OptionalField[str] = None
    size: OptionalField[int] = None
    html_url: OptionalField[HttpLink] = None


async def read_issue_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    """Issues or pull requests; `id` says which, `path` is the query of the page, if it has one."""
    is_pulls = route.id == "pulls"
    query = route.path or f"is:{'pr' if is_pulls else 'issue'} is:open"
    search = await fetch_github_record(
        kit,
        "/search/issues",
        _IssueSearch,
        q=f"repo:{route.owner}/{route.name} {query}",
        per_page=str(_MAX_LISTED_ISSUES),
    )
    total = max(search.total_count or 0, len(search.items))
    heading = f"{'Pull requests' if is_pulls else 'Issues'} of {route.owner}/{route.name}"
    return build_github_page(
        route,
        kit,
        heading,
        site_markdown.format_heading(heading),
        f"{len(search.items)} of {total:,} for `{clean_markup(query)}`",
        "\n".join(map(_render_listed_issue, search.items)),
        kind="listing",
        truncated=total > len(search.items),
    )


def _render_listed_issue(issue: GithubIssue) -> str:
    facts = site_markdown.join_facts(
        clean_markup(issue.state),
        format_user_link(issue.user),
        format_day(issue.created_at),
        site_markdown.format_count(issue.comments, "comment") if issue.comments else "",
    )
    return _format_entry(f"#{issue.number} {issue.title}", issue.html_url, facts)


def _format_entry(title: str, address: str | None, facts: str) -> str:
    link = site_markdown.format_markdown_link(title, address)
    return f"- {link}, {facts}" if facts else f"- {link}"


async def read_release_list(route: SiteRoute, kit: SiteKit) -> Page | None:
    releases = await fetch_github_list(
        kit, build_api_path(route, "releases"), GithubRelease, per_page=str(_MAX_LISTED_RELEASES)
    )
    if not releases:
        return None
    home = build_link_base(route, "HEAD/")
    parts: list[str] = []
    for release in releases:
        name = clean_markup(release.name) or clean_markup(release.tag_name)
        facts = site_markdown.join_facts(
            site_markdown.format_markdown_link(release.tag_name, release.html_url),
            format_day(release.published_at),
            "pre-release" if release.prerelease else "",
        )
        body = await render_github_text(kit, release.body, home)
        parts += [site_markdown.format_heading(name, 2), facts, body]
    heading = f"Releases of {route.owner}/{route.name}"
    count = len(releases)
    note = f"The newest {count} {pluralize(count, 'release')}; there may be older ones."
    return build_github_page(
        route,
        kit,
        heading,
        site_markdown.format_heading(heading),
        *parts,
        kind="listing",
        published=normalize_iso_time(releases[0].published_at),
        notes=(note,) if count == _MAX_LISTED_RELEASES else (),
    )


async def read_folder(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The entries of a folder and its README; `id` is the branch or tag, `path` the folder."""
    path = build_api_path(route, "contents", quote(route.path))
    entries = await fetch_github_list(kit, path, _FolderEntry, ref=route.id)
    if not entries:
        return None
    entries.sort(key=lambda entry: (entry.type != "dir", entry.name.lower()))
    lines = []
    for entry in entries:
        is_sized = entry.size and entry.type == "file"
        size = f"{entry.size:,} {pluralize(entry.size or 0, 'byte')}" if is_sized else ""
        name = f"{entry.name}/" if entry.type == "dir" else entry.name
        lines.append(_format_entry(name, entry.html_url, size))
    heading = f"{route.owner}/{route.name}: {route.path or 'files'} at {route.id}"
    return build_github_page(
        route,
        kit,
        heading,
        site_markdown.format_heading(heading),
        "\n".join(lines),
        await _read_folder_text(route, kit, [entry.name for entry in entries]),
        kind="listing",
        author=route.owner,
    )


async def _read_folder_text(route: SiteRoute, kit: SiteKit, names: list[str]) -> str:
    """The README of the folder as markdown; empty if it has none."""
    name = next((name for name in _README_NAMES if name in names), None)
    if name is None:
        return ""
    path = "/".join(part for part in (route.id, route.path, name) if part)
    try:
        response = await fetch_raw_file(kit, f"{route.owner}/{route.name}/{path}")
    except (UpstreamError, NotFound):
        return ""
    return await render_github_text(kit, response.decode_text(), build_link_base(route, path))


# Reads what changed on GitHub: a commit, and the files or commits of a pull request.


class _ChangedFile(ResponsePart):
    filename: str
    status: OptionalField[str] = None
    additions: OptionalField[int] = None
    deletions: OptionalField[int] = None
    patch: OptionalField[str] = None
    previous_filename: OptionalField[str] = None

    @property
    def is_cut(self) -> bool:
        return len(self.patch or "") > _MAX_PATCH_CHARS


class _GithubCommit(ResponsePart):
    sha: str
    message: str = Field(validation_alias=AliasPath("commit", "message"))
    author_name: OptionalField[str] = nested_field("commit.author.name")
    date: OptionalField[str] = nested_field("commit.author.date")
    author: OptionalField[GithubUser] = None
    additions: OptionalField[int] = nested_field("stats.additions")
    deletions: OptionalField[int] = nested_field("stats.deletions")
    files: OptionalField[TolerantItems[_ChangedFile]] = None


class _PullSummary(ResponsePart):
    title: str
    user: OptionalField[GithubUser] = None
    created_at: OptionalField[str] = None
    changed_files: OptionalField[int] = None
    commits: OptionalField[int] = None


async def read_commit(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = build_api_path(route, "commits", route.id)
    commit = await fetch_github_record(kit, path, _GithubCommit)
    files = list(commit.files or ())
    subject, _, body = commit.message.partition("\n")
    name = find_user_login(commit.author) or clean_markup(commit.author_name)
    return build_github_page(
        route,
        kit,
        f"{clean_markup(subject)} · {route.owner}/{route.name}@{commit.sha[:7]}",
        site_markdown.format_heading(subject),
        site_markdown.join_facts(
            f"Commit {clean_markup(commit.sha)[:12]}",
            f"by {format_user_link(commit.author) or site_markdown.format_inline_text(name)}",
            format_day(commit.date),
            _format_line_counts(commit.additions, commit.deletions),
        ),
        site_markdown.convert_plain_text(body),
        *_render_changed_files(files, len(files)),
        author=name or None,
        published=normalize_iso_time(commit.date),
        truncated=any(file.is_cut for file in files),
    )


async def read_pull_changes(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The files or commits tab of a pull request; `path` is the name of the tab."""
    path = build_api_path(route, "pulls", route.id)
    pull = await fetch_github_record(kit, path, _PullSummary)
    per_page = str(_MAX_CHANGED_FILES)
    if route.path == "files":
        files = await fetch_github_list(kit, f"{path}/files", _ChangedFile, per_page=per_page)
        total = max(pull.changed_files or 0, len(files))
        parts = _render_changed_files(files, total)
        is_cut = len(files) < total or any(file.is_cut for file in files)
    else:
        commits = await fetch_github_list(kit, f"{path}/commits", _GithubCommit, per_page=per_page)
        total = max(pull.commits or 0, len(commits))
        address = f"https://github.com/{route.owner}/{route.name}/commit"
        lines = []
        for commit in commits:
            author, day = format_user_link(commit.author), format_day(commit.date)
            subject = commit.message.partition("\n")[0]
            facts = site_markdown.join_facts(author, day)
            lines.append(_format_entry(subject, f"{address}/{commit.sha}", facts))
        parts = [f"## Commits ({len(commits)} of {total})", "\n".join(lines)]
        is_cut = len(commits) < total
    return build_github_page(
        route,
        kit,
        f"{clean_markup(pull.title)} · {route.owner}/{route.name}#{route.id} {route.path}",
        site_markdown.format_heading(f"{pull.title} (#{route.id}, {route.path})"),
        *parts,
        author=find_user_login(pull.user),
        published=normalize_iso_time(pull.created_at),
        truncated=is_cut,
    )


def _render_changed_files(files: Sequence[_ChangedFile], total: int) -> list[str]:
    if not files:
        return []
    return [f"## Files ({len(files)} of {total})", *map(_render_changed_file, files)]


def _render_changed_file(file: _ChangedFile) -> str:
    moved = f" (was {site_markdown.format_inline_text(file.previous_filename)})"
    facts = site_markdown.join_facts(
        clean_markup(file.status), _format_line_counts(file.additions, file.deletions)
    )
    patch = (file.patch or "")[:_MAX_PATCH_CHARS]
    return site_markdown.join_blocks(
        [
            site_markdown.format_heading(file.filename, 3),
            facts + (moved if file.previous_filename else ""),
            format_fenced_code(patch, "diff") if patch else "",
            "The rest of this file's changes is left out." if file.is_cut else "",
        ]
    )


def _format_line_counts(added: int | None, deleted: int | None) -> str:
    if added is None:
        return ""
    lines = pluralize(added + (deleted or 0), "line")
    return f"+{added:,} −{deleted or 0:,} {lines}"
