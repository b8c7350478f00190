"""Reads what changed on GitHub: a commit, and the files or commits of a pull request."""

from __future__ import annotations

from collections.abc import Sequence

from citewell.dialects.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.fetch.markdown.markdown_text import format_fenced_code
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.github.github_api import (
    GithubUser,
    fetch_github_api,
    fetch_github_list,
    find_user_login,
    format_user_link,
)
from citewell.fetch.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time, trim_to_date
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

_MAX_CHANGED_FILES = 100  # as many as the API sends at once
_MAX_PATCH_CHARS = 20_000  # of one file


class _CommitPerson(ResponsePart):
    name: OptionalField[str] = None
    date: OptionalField[str] = None


class _CommitText(ResponsePart):
    message: str
    author: OptionalField[_CommitPerson] = None


class _CommitStatistics(ResponsePart):
    additions: OptionalField[int] = None
    deletions: OptionalField[int] = None


class _ChangedFile(ResponsePart):
    filename: str
    status: OptionalField[str] = None
    additions: OptionalField[int] = None
    deletions: OptionalField[int] = None
    patch: OptionalField[str] = None
    previous_filename: OptionalField[str] = None


class _GithubCommit(ResponsePart):
    sha: str
    commit: _CommitText
    author: OptionalField[GithubUser] = None
    stats: OptionalField[_CommitStatistics] = None
    files: OptionalField[TolerantItems[_ChangedFile]] = None


class _PullSummary(ResponsePart):
    title: str
    user: OptionalField[GithubUser] = None
    created_at: OptionalField[str] = None
    changed_files: OptionalField[int] = None
    commits: OptionalField[int] = None


async def read_commit(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = f"/repos/{route.owner}/{route.name}/commits/{route.id}"
    commit = parse_json_response(_GithubCommit, await fetch_github_api(kit, path, {}))
    files = list(commit.files or ())
    subject, _, body = commit.commit.message.partition("\n")
    person = commit.commit.author
    stamp = normalize_iso_time(person.date) if person else None
    by = find_user_login(commit.author) or clean_markup(person.name if person else None)
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(subject),
            markdown_parts.join_facts(
                f"Commit {clean_markup(commit.sha)[:12]}",
                f"by {format_user_link(commit.author) or markdown_parts.format_inline_text(by)}",
                trim_to_date(stamp),
                _format_line_counts(commit.stats.additions, commit.stats.deletions)
                if commit.stats
                else "",
            ),
            markdown_parts.convert_plain_text(body),
            *_render_changed_files(files, len(files)),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="github",
        title=f"{clean_markup(subject)} · {route.owner}/{route.name}@{commit.sha[:7]}",
        kind="documentation",
        extracted_by="github:api",
        author=by or None,
        site="GitHub",
        published=stamp,
        truncated=any(_is_cut(one) for one in files),
    )


async def read_pull_changes(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The files or commits tab of a pull request; `path` is the name of the tab."""
    path = f"/repos/{route.owner}/{route.name}/pulls/{route.id}"
    pull = parse_json_response(_PullSummary, await fetch_github_api(kit, path, {}))
    wanted = {"per_page": str(_MAX_CHANGED_FILES)}
    parts: Sequence[str]
    if route.path == "files":
        files = await fetch_github_list(kit, f"{path}/files", wanted, _ChangedFile)
        shown, total = len(files), max(pull.changed_files or 0, len(files))
        parts = _render_changed_files(files, total)
        cut = shown < total or any(_is_cut(one) for one in files)
    else:
        commits = await fetch_github_list(kit, f"{path}/commits", wanted, _GithubCommit)
        shown, total = len(commits), max(pull.commits or 0, len(commits))
        parts = [
            f"## Commits ({shown} of {total})",
            "\n".join(_render_commit_line(one, route) for one in commits),
        ]
        cut = shown < total
    heading = f"{pull.title} (#{route.id}, {route.path})"
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(heading), *parts]),
        content_type="github",
        title=f"{clean_markup(pull.title)} · {route.owner}/{route.name}#{route.id} {route.path}",
        kind="documentation",
        extracted_by="github:api",
        author=find_user_login(pull.user),
        site="GitHub",
        published=normalize_iso_time(pull.created_at),
        truncated=cut,
    )


def _render_changed_files(files: Sequence[_ChangedFile], total: int) -> list[str]:
    if not files:
        return []
    return [f"## Files ({len(files)} of {total})", *(_render_changed_file(one) for one in files)]


def _render_changed_file(file: _ChangedFile) -> str:
    moved = f" (was {markdown_parts.format_inline_text(file.previous_filename)})"
    facts = markdown_parts.join_facts(
        clean_markup(file.status), _format_line_counts(file.additions, file.deletions)
    )
    patch = (file.patch or "")[:_MAX_PATCH_CHARS]
    return markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(file.filename, 3),
            facts + (moved if file.previous_filename else ""),
            format_fenced_code(patch, "diff") if patch else "",
            "The rest of this file's changes is left out." if _is_cut(file) else "",
        ]
    )


def _is_cut(file: _ChangedFile) -> bool:
    return len(file.patch or "") > _MAX_PATCH_CHARS


def _render_commit_line(commit: _GithubCommit, route: SiteRoute) -> str:
    subject = commit.commit.message.partition("\n")[0]
    link = f"https://github.com/{route.owner}/{route.name}/commit/{commit.sha}"
    person = commit.commit.author
    day = trim_to_date(normalize_iso_time(person.date)) if person else ""
    facts = markdown_parts.join_facts(format_user_link(commit.author), day)
    return f"- {markdown_parts.format_markdown_link(subject, link)}" + (
        f", {facts}" if facts else ""
    )


def _format_line_counts(added: int | None, deleted: int | None) -> str:
    return (
        f"+{added or 0:,} −{deleted or 0:,} {pluralize((added or 0) + (deleted or 0), 'line')}"
        if added is not None
        else ""
    )
