"""Reads GitHub issues, pull requests, releases and gists."""

from __future__ import annotations

import re
from urllib.parse import quote

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.errors import NotFound, UpstreamError
from citewell.fetch.markdown.markdown_text import format_fenced_code
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.github.github_api import (
    MARKDOWN_SUFFIXES,
    GithubUser,
    build_link_base,
    fetch_github_api,
    fetch_github_list,
    find_user_login,
    format_user_link,
)
from citewell.fetch.sites.repository_markdown import LinkBase, clean_repository_markdown
from citewell.fetch.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time, trim_to_date
from citewell.model.page import Page
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

_MAX_ISSUE_COMMENTS = 100  # as many as the API sends at once


class _IssueLabel(ResponsePart):
    name: OptionalField[str] = None


class _PullRequest(ResponsePart):
    merged_at: OptionalField[str] = None


class _IssueComment(ResponsePart):
    user: OptionalField[GithubUser] = None
    body: OptionalField[str] = None
    created_at: OptionalField[str] = None
    html_url: OptionalField[HttpLink] = None


class _GithubIssue(_IssueComment):
    number: int
    title: str
    state: OptionalField[str] = None
    state_reason: OptionalField[str] = None
    comments: OptionalField[int] = None
    labels: OptionalField[TolerantItems[_IssueLabel]] = None
    pull_request: OptionalField[_PullRequest] = None


class _GithubRelease(ResponsePart):
    tag_name: str
    name: OptionalField[str] = None
    body: OptionalField[str] = None
    published_at: OptionalField[str] = None
    author: OptionalField[GithubUser] = None


class _GistFile(ResponsePart):
    content: OptionalField[str] = None
    language: OptionalField[str] = None
    truncated: OptionalField[bool] = None


class _GithubGist(ResponsePart):
    description: OptionalField[str] = None
    owner: OptionalField[GithubUser] = None
    created_at: OptionalField[str] = None
    files: dict[str, OptionalField[_GistFile]]


async def read_issue(route: SiteRoute, kit: SiteKit) -> Page | None:
    path = f"/repos/{route.owner}/{route.name}/issues/{route.id}"
    issue = parse_json_response(_GithubIssue, await fetch_github_api(kit, path, {}))
    comments = await _fetch_issue_comments(kit, f"{path}/comments") if issue.comments != 0 else []
    total = max(issue.comments or 0, len(comments))
    home = build_link_base(route, "HEAD/")
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(issue.title),
            _format_issue_status(issue),
            await kit.run_apart(clean_repository_markdown, issue.body or "", home),
            f"## Comments ({len(comments)} of {total})" if comments else "",
            *[await _render_issue_comment(one, kit, home) for one in comments],
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="github",
        title=f"{clean_markup(issue.title)} · {route.owner}/{route.name}#{issue.number}",
        kind="forum",
        extracted_by="github:api",
        author=find_user_login(issue.user),
        site="GitHub",
        published=normalize_iso_time(issue.created_at),
        truncated=total > len(comments),
    )


async def _fetch_issue_comments(kit: SiteKit, path: str) -> list[_IssueComment]:
    try:
        found = await fetch_github_list(
            kit, path, {"per_page": str(_MAX_ISSUE_COMMENTS)}, _IssueComment
        )
    except (UpstreamError, NotFound):
        return []
    return [one for one in found if one.body]


def _format_issue_status(issue: _GithubIssue) -> str:
    pull = issue.pull_request
    state = "merged" if pull and pull.merged_at else clean_markup(issue.state)
    reason = clean_markup(issue.state_reason).replace("_", " ")
    labels = ", ".join(
        filter(None, (markdown_parts.format_inline_text(one.name) for one in issue.labels or ()))
    )
    return markdown_parts.join_facts(
        "Pull request" if pull is not None else "Issue",
        f"#{issue.number}",
        f"{state} ({reason})" if reason and state == "closed" else state,
        f"by {format_user_link(issue.user)}" if find_user_login(issue.user) else "",
        trim_to_date(normalize_iso_time(issue.created_at)),
        f"labels: {labels}" if labels else "",
    )


async def _render_issue_comment(comment: _IssueComment, kit: SiteKit, home: LinkBase) -> str:
    head = markdown_parts.join_facts(
        f"**{format_user_link(comment.user)}**"
        if find_user_login(comment.user)
        else "**somebody**",
        markdown_parts.format_markdown_link(
            trim_to_date(normalize_iso_time(comment.created_at)), comment.html_url
        ),
    )
    text = await kit.run_apart(clean_repository_markdown, comment.body or "", home)
    return markdown_parts.join_blocks([head, text])


async def read_release(route: SiteRoute, kit: SiteKit) -> Page | None:
    which = f"tags/{quote(route.path, safe='')}" if route.path else "latest"
    path = f"/repos/{route.owner}/{route.name}/releases/{which}"
    release = parse_json_response(_GithubRelease, await fetch_github_api(kit, path, {}))
    stamp = normalize_iso_time(release.published_at)
    name = clean_markup(release.name) or clean_markup(release.tag_name)
    line = markdown_parts.join_facts(
        markdown_parts.format_inline_text(release.tag_name),
        trim_to_date(stamp),
        format_user_link(release.author),
    )
    home = build_link_base(route, "HEAD/")
    text = await kit.run_apart(clean_repository_markdown, release.body or "", home)
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(name), line, text]),
        content_type="github",
        title=f"{route.owner}/{route.name}: {name}",
        kind="documentation",
        extracted_by="github:api",
        author=find_user_login(release.author) or route.owner,
        site="GitHub",
        published=stamp,
    )


async def read_gist(route: SiteRoute, kit: SiteKit) -> Page | None:
    gist = parse_json_response(_GithubGist, await fetch_github_api(kit, f"/gists/{route.id}", {}))
    files = [(name, file) for name, file in gist.files.items() if file and file.content]
    if not files:
        return None
    owner = find_user_login(gist.owner) or "somebody"
    title = clean_markup(gist.description) or f"Gist by {owner}"
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks(
            [
                markdown_parts.format_heading(title),
                *[await _render_gist_file(name, file, route, kit) for name, file in files],
            ]
        ),
        content_type="github",
        title=title,
        kind="documentation",
        extracted_by="github:gist-api",
        author=owner,
        site="GitHub Gist",
        published=normalize_iso_time(gist.created_at),
        truncated=any(file.truncated for _, file in files),
    )


async def _render_gist_file(name: str, file: _GistFile, route: SiteRoute, kit: SiteKit) -> str:
    text = file.content or ""
    if name.lower().endswith(tuple(f".{ending}" for ending in MARKDOWN_SUFFIXES)):
        home = LinkBase(
            page_base=f"https://gist.github.com/{route.id}/",
            picture_base="https://gist.github.com/",
        )
        text = await kit.run_apart(clean_repository_markdown, text, home)
        return markdown_parts.join_blocks([markdown_parts.format_heading(name, 2), text])
    language = re.sub(r"[^a-z0-9+#-]", "", (file.language or "").lower())
    return markdown_parts.join_blocks(
        [markdown_parts.format_heading(name, 2), format_fenced_code(text.rstrip("\n"), language)]
    )
