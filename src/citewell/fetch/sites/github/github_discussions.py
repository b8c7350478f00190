"""Reads GitHub discussions through the GraphQL API, which needs a token, and pages of wikis."""

from __future__ import annotations

import re
from urllib.parse import quote

from citewell.dialects.json_responses import OptionalField, ResponsePart, TolerantItems
from citewell.errors import MalformedResponse
from citewell.fetch import page_errors
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.github.github_api import (
    GITHUB_API,
    GithubUser,
    build_link_base,
    fetch_raw_file,
    find_user_login,
    format_user_link,
)
from citewell.fetch.sites.repository_markdown import LinkBase, clean_repository_markdown
from citewell.fetch.sites.site_kit import SiteKit, SiteRoute, normalize_iso_time, trim_to_date
from citewell.model.page import Page
from citewell.net.upstream.upstream_client import parse_json_response
from citewell.text.safety.markup_cleaning import clean_markup

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


class _DiscussionPost(ResponsePart):
    author: OptionalField[GithubUser] = None
    body: OptionalField[str] = None
    createdAt: OptionalField[str] = None  # noqa: N815 - the API's name


class _CommentReplies(ResponsePart):
    totalCount: OptionalField[int] = None  # noqa: N815 - the API's name
    nodes: OptionalField[TolerantItems[_DiscussionPost]] = None


class _DiscussionComment(_DiscussionPost):
    isAnswer: OptionalField[bool] = None  # noqa: N815 - the API's name
    replies: OptionalField[_CommentReplies] = None


class _DiscussionComments(ResponsePart):
    totalCount: OptionalField[int] = None  # noqa: N815 - the API's name
    nodes: OptionalField[TolerantItems[_DiscussionComment]] = None


class _DiscussionCategory(ResponsePart):
    name: OptionalField[str] = None


class _GithubDiscussion(_DiscussionPost):
    title: str
    upvoteCount: OptionalField[int] = None  # noqa: N815 - the API's name
    category: OptionalField[_DiscussionCategory] = None
    comments: OptionalField[_DiscussionComments] = None


class _DiscussedRepository(ResponsePart):
    discussion: OptionalField[_GithubDiscussion] = None


class _GraphqlData(ResponsePart):
    repository: OptionalField[_DiscussedRepository] = None


class _GraphqlAnswer(ResponsePart):
    data: OptionalField[_GraphqlData] = None


async def read_discussion(route: SiteRoute, kit: SiteKit) -> Page | None:
    """The discussion; None without a token, because its public page can be read as any page."""
    if not kit.setting_values.get(GITHUB_API.token_env or ""):
        return None
    variables = {"owner": route.owner, "name": route.name, "number": int(route.id)}
    response = await kit.open_upstream(GITHUB_API).send_post(
        "/graphql", json={"query": _DISCUSSION_QUERY, "variables": variables}
    )
    answer = parse_json_response(_GraphqlAnswer, response)
    if answer.data is None or answer.data.repository is None:
        raise MalformedResponse("The response holds no repository.", provider=GITHUB_API.name)
    found = answer.data.repository.discussion
    if found is None:
        raise page_errors.build_not_found_error(route.url, "no such discussion")
    home = build_link_base(route, "HEAD/")
    comments = [one for one in (found.comments.nodes if found.comments else None) or () if one.body]
    total = max((found.comments.totalCount or 0) if found.comments else 0, len(comments))
    parts = [await _render_comment(one, kit, home) for one in comments]
    stamp = normalize_iso_time(found.createdAt)
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks(
            [
                markdown_parts.format_heading(found.title),
                markdown_parts.join_facts(
                    "Discussion",
                    f"#{route.id}",
                    markdown_parts.format_inline_text(
                        found.category.name if found.category else None
                    ),
                    f"by {format_user_link(found.author)}" if find_user_login(found.author) else "",
                    trim_to_date(stamp),
                    markdown_parts.format_count(found.upvoteCount, "upvote"),
                ),
                await kit.run_apart(clean_repository_markdown, found.body or "", home),
                f"## Comments ({len(comments)} of {total})" if comments else "",
                *parts,
            ]
        ),
        content_type="github",
        title=f"{clean_markup(found.title)} · {route.owner}/{route.name} discussion {route.id}",
        kind="forum",
        extracted_by="github:api",
        author=find_user_login(found.author),
        site="GitHub",
        published=stamp,
        truncated=total > len(comments),
    )


async def _render_comment(comment: _DiscussionComment, kit: SiteKit, home: LinkBase) -> str:
    replies = [
        one for one in (comment.replies.nodes if comment.replies else None) or () if one.body
    ]
    missing = ((comment.replies.totalCount or 0) if comment.replies else 0) - len(replies)
    parts = [await _render_post(comment, kit, home, answer=bool(comment.isAnswer))]
    parts += [markdown_parts.quote_markdown(await _render_post(one, kit, home)) for one in replies]
    if missing > 0:
        parts.append(f"{missing:,} more {'reply' if missing == 1 else 'replies'} not shown.")
    return markdown_parts.join_blocks(parts)


async def _render_post(
    post: _DiscussionPost, kit: SiteKit, home: LinkBase, *, answer: bool = False
) -> str:
    name = format_user_link(post.author) if find_user_login(post.author) else "somebody"
    head = markdown_parts.join_facts(
        f"**{name}**",
        trim_to_date(normalize_iso_time(post.createdAt)),
        "**accepted answer**" if answer else "",
    )
    text = await kit.run_apart(clean_repository_markdown, post.body or "", home)
    return markdown_parts.join_blocks([head, text])


async def read_wiki_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    """A page of a repository's wiki that is written in markdown; `path` is its name."""
    if not _WIKI_NAME_PATTERN.fullmatch(route.path):
        return None
    slug = f"{route.owner}/{route.name}"
    response = await fetch_raw_file(kit, f"wiki/{slug}/{route.path}.md")
    wiki = f"https://github.com/{slug}/wiki/"
    home = LinkBase(
        page_base=wiki, picture_base=f"https://raw.githubusercontent.com/wiki/{quote(slug)}/"
    )
    text = await kit.run_apart(clean_repository_markdown, response.decode_text(), home)
    name = route.path.replace("-", " ")
    return kit.build_page(
        route,
        content=markdown_parts.join_blocks([markdown_parts.format_heading(name), text]),
        content_type="github",
        title=f"{name} · {slug} wiki",
        kind="documentation",
        extracted_by="github:raw",
        author=route.owner,
        site="GitHub",
    )
