"""Reads GitHub issues, pull requests, discussions, releases, gists and pages of wikis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from pydantic import Field

from citewell.core.errors import MalformedResponse, NotFound, UpstreamError
from citewell.core.values.page import Page
from citewell.net.upstream.json_responses import (
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
    nested_field,
)
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.reading import page_errors
from citewell.reading.markdown.markdown_text import format_fenced_code
from citewell.reading.sites import site_markdown
from citewell.reading.sites.github.github_api import (
    GITHUB_API,
    MARKDOWN_SUFFIXES,
    GithubUser,
    build_api_path,
    build_github_page,
    build_link_base,
    fetch_github_list,
    fetch_github_record,
    fetch_raw_file,
    find_user_login,
    format_author,
    format_day,
    format_user_link,
    render_github_text,
)
from citewell.reading.sites.github.repository_markdown import LinkBase
from citewell.reading.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time
from citewell.text.safety.text_cleaning import clean_markup

_MAX_COMMENTS = 50
_MAX_REPLIES = 20
_POST_FIELDS = "author{login} body createdAt"
_DISCUSSION_QUERY = (
    "query($owner:String!,$name:String!,$number:Int!){repository(owner:$owner,name:$name)"
    "{discussion(number:$number){title upvoteCount category{name} "
    f"{_POST_FIELDS} comments(first:{_MAX_COMMENTS}){{totalCount nodes{{{_POST_FIELDS} isAnswer"
    f" replies(first:{_MAX_REPLIES}){{totalCount nodes{{{_POST_FIELDS}}}}}}}}}}}}}}}"
)
_WIKI_NAME_PATTERN = re.compile(r"[^/\\\x00-\x1f]{1,200}")

_MAX_ISSUE_COMMENTS = "100"  # as many as the API sends at once


class _IssueLabel(ResponsePart):
    name: OptionalField[str] = None


class _IssueComment(ResponsePart):
    user: OptionalField[GithubUser] = None
    body: OptionalField[str] = None
    created_at: OptionalField[str] = None
    html_url: OptionalField[HttpLink] = None


class GithubIssue(_IssueComment):
    number: int
    title: str
    state: OptionalField[str] = None
    state_reason: OptionalField[str] = None
    comments: OptionalField[int] = None
    labels: OptionalField[TolerantItems[_IssueLabel]] = None
    pull_request: OptionalField[dict[str, Any]] = None
    merged_at: OptionalField[str] = nested_field("pull_request.merged_at")


class GithubRelease(ResponsePart):
    tag_name: str
    name: OptionalField[str] = None
    body: OptionalField[str] = None
    published_at: OptionalField[str] = None
    author: OptionalField[GithubUser] = None
    html_url: OptionalField[HttpLink] = None
    prerelease: OptionalField[bool] = None


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
    path = build_api_path(route, "issues", route.id)
    issue = await fetch_github_record(kit, path, GithubIssue)
    comments = await _fetch_issue_comments(kit, f"{path}/comments") if issue.comments != 0 else []
    total = max(issue.comments or 0, len(comments))
    home = build_link_base(route, "HEAD/")
    comment_blocks = []
    for comment in comments:
        name = format_user_link(comment.user) if find_user_login(comment.user) else "somebody"
        day = site_markdown.format_markdown_link(format_day(comment.created_at), comment.html_url)
        comment_blocks.append(site_markdown.join_facts(f"**{name}**", day))
        comment_blocks.append(await render_github_text(kit, comment.body, home))
    return build_github_page(
        route,
        kit,
        f"{clean_markup(issue.title)} · {route.owner}/{route.name}#{issue.number}",
        site_markdown.format_heading(issue.title),
        _format_issue_status(issue),
        await render_github_text(kit, issue.body, home),
        _format_comment_heading(comments, total),
        *comment_blocks,
        kind="forum",
        author=find_user_login(issue.user),
        published=normalize_iso_time(issue.created_at),
        truncated=total > len(comments),
    )


async def _fetch_issue_comments(kit: SiteKit, path: str) -> list[_IssueComment]:
    try:
        comments = await fetch_github_list(kit, path, _IssueComment, per_page=_MAX_ISSUE_COMMENTS)
    except (UpstreamError, NotFound):
        return []
    return [comment for comment in comments if comment.body]


def _format_comment_heading(comments: Sequence[object], total: int) -> str:
    return f"## Comments ({len(comments)} of {total})" if comments else ""


def _format_issue_status(issue: GithubIssue) -> str:
    state = "merged" if issue.merged_at else clean_markup(issue.state)
    reason = clean_markup(issue.state_reason).replace("_", " ")
    names = (site_markdown.format_inline_text(label.name) for label in issue.labels or ())
    labels = ", ".join(filter(None, names))
    return site_markdown.join_facts(
        "Pull request" if issue.pull_request is not None else "Issue",
        f"#{issue.number}",
        f"{state} ({reason})" if reason and state == "closed" else state,
        format_author(issue.user),
        format_day(issue.created_at),
        f"labels: {labels}" if labels else "",
    )


async def read_release(route: SiteRoute, kit: SiteKit) -> Page | None:
    which = f"tags/{quote(route.path, safe='')}" if route.path else "latest"
    path = build_api_path(route, "releases", which)
    release = await fetch_github_record(kit, path, GithubRelease)
    name = clean_markup(release.name) or clean_markup(release.tag_name)
    return build_github_page(
        route,
        kit,
        f"{route.owner}/{route.name}: {name}",
        site_markdown.format_heading(name),
        site_markdown.join_facts(
            site_markdown.format_inline_text(release.tag_name),
            format_day(release.published_at),
            format_user_link(release.author),
        ),
        await render_github_text(kit, release.body, build_link_base(route, "HEAD/")),
        author=find_user_login(release.author) or route.owner,
        published=normalize_iso_time(release.published_at),
    )


async def read_gist(route: SiteRoute, kit: SiteKit) -> Page | None:
    gist = await fetch_github_record(kit, f"/gists/{route.id}", _GithubGist)
    files = [(name, file) for name, file in gist.files.items() if file and file.content]
    if not files:
        return None
    owner = find_user_login(gist.owner) or "somebody"
    title = clean_markup(gist.description) or f"Gist by {owner}"
    return build_github_page(
        route,
        kit,
        title,
        site_markdown.format_heading(title),
        *[await _render_gist_file(name, file, route, kit) for name, file in files],
        extracted_by="github:gist-api",
        author=owner,
        site="GitHub Gist",
        published=normalize_iso_time(gist.created_at),
        truncated=any(file.truncated for _, file in files),
    )


async def _render_gist_file(name: str, file: _GistFile, route: SiteRoute, kit: SiteKit) -> str:
    if name.lower().endswith(tuple(f".{ending}" for ending in MARKDOWN_SUFFIXES)):
        gists = "https://gist.github.com/"
        home = LinkBase(page_base=f"{gists}{route.id}/", picture_base=gists)
        text = await render_github_text(kit, file.content, home)
    else:
        language = re.sub(r"[^a-z0-9+#-]", "", (file.language or "").lower())
        text = format_fenced_code((file.content or "").rstrip("\n"), language)
    return site_markdown.join_blocks([site_markdown.format_heading(name, 2), text])


# Reads GitHub discussions through the GraphQL API, which needs a token, and pages of wikis.


class _DiscussionPost(ResponsePart):
    author: OptionalField[GithubUser] = None
    body: OptionalField[str] = None
    created_at: OptionalField[str] = Field(default=None, alias="createdAt")


class _DiscussionComment(_DiscussionPost):
    is_answer: OptionalField[bool] = Field(default=None, alias="isAnswer")
    reply_count: OptionalField[int] = nested_field("replies.totalCount")
    replies: OptionalField[TolerantItems[_DiscussionPost]] = nested_field("replies.nodes")


class _GithubDiscussion(_DiscussionPost):
    title: str
    upvotes: OptionalField[int] = Field(default=None, alias="upvoteCount")
    category: OptionalField[str] = nested_field("category.name")
    comment_count: OptionalField[int] = nested_field("comments.totalCount")
    comments: OptionalField[TolerantItems[_DiscussionComment]] = nested_field("comments.nodes")


class _GraphqlAnswer(ResponsePart):
    repository: OptionalField[dict[str, Any]] = nested_field("data.repository")
    discussion: OptionalField[_GithubDiscussion] = nested_field("data.repository.discussion")


async def read_discussion(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The discussion; None without a token, because its public page can be read as any page."""
    if not kit.setting_values.get(GITHUB_API.token_env or ""):
        return None
    variables = {"owner": route.owner, "name": route.name, "number": int(route.id)}
    response = await kit.open_upstream(GITHUB_API).send_post(
        "/graphql", json={"query": _DISCUSSION_QUERY, "variables": variables}
    )
    answer = parse_json_response(_GraphqlAnswer, response)
    if answer.repository is None:
        raise MalformedResponse("The response holds no repository.", provider=GITHUB_API.name)
    discussion = answer.discussion
    if discussion is None:
        raise page_errors.build_not_found_error(route.url, "no such discussion")
    home = build_link_base(route, "HEAD/")
    comments = [comment for comment in discussion.comments or () if comment.body]
    total = max(discussion.comment_count or 0, len(comments))
    return build_github_page(
        route,
        kit,
        f"{clean_markup(discussion.title)} · {route.owner}/{route.name} discussion {route.id}",
        site_markdown.format_heading(discussion.title),
        site_markdown.join_facts(
            "Discussion",
            f"#{route.id}",
            site_markdown.format_inline_text(discussion.category),
            format_author(discussion.author),
            format_day(discussion.created_at),
            site_markdown.format_count(discussion.upvotes, "upvote"),
        ),
        await render_github_text(kit, discussion.body, home),
        _format_comment_heading(comments, total),
        *[await _render_discussion_comment(comment, kit, home) for comment in comments],
        kind="forum",
        author=find_user_login(discussion.author),
        published=normalize_iso_time(discussion.created_at),
        truncated=total > len(comments),
    )


async def _render_discussion_comment(
    comment: _DiscussionComment, kit: SiteKit, home: LinkBase
) -> str:
    replies = [reply for reply in comment.replies or () if reply.body]
    missing = (comment.reply_count or 0) - len(replies)
    parts = [await _render_post(comment, kit, home, is_answer=bool(comment.is_answer))]
    parts += [
        site_markdown.quote_markdown(await _render_post(reply, kit, home)) for reply in replies
    ]
    if missing > 0:
        parts.append(f"{missing:,} more {'reply' if missing == 1 else 'replies'} not shown.")
    return site_markdown.join_blocks(parts)


async def _render_post(
    post: _DiscussionPost, kit: SiteKit, home: LinkBase, *, is_answer: bool = False
) -> str:
    name = format_user_link(post.author) if find_user_login(post.author) else "somebody"
    mark = "**accepted answer**" if is_answer else ""
    head = site_markdown.join_facts(f"**{name}**", format_day(post.created_at), mark)
    return site_markdown.join_blocks([head, await render_github_text(kit, post.body, home)])


async def read_wiki_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    """A page of a repository's wiki that is written in markdown; `path` is its name."""
    if not _WIKI_NAME_PATTERN.fullmatch(route.path):
        return None
    slug = f"{route.owner}/{route.name}"
    response = await fetch_raw_file(kit, f"wiki/{slug}/{route.path}.md")
    home = LinkBase(
        page_base=f"https://github.com/{slug}/wiki/",
        picture_base=f"https://raw.githubusercontent.com/wiki/{quote(slug)}/",
    )
    name = route.path.replace("-", " ")
    return build_github_page(
        route,
        kit,
        f"{name} · {slug} wiki",
        site_markdown.format_heading(name),
        await render_github_text(kit, response.decode_text(), home),
        extracted_by="github:raw",
        author=route.owner,
    )
