"""What people write around code on GitHub: issues, pull requests, releases and gists."""

from __future__ import annotations

import re
from urllib.parse import quote

from citewell.errors import NotFound, UpstreamError
from citewell.fetch.markdown.text import fenced
from citewell.fetch.sites import prose
from citewell.fetch.sites.github_api import MARKDOWN, OWNER, ask, home_of
from citewell.fetch.sites.kit import Route, SiteKit, day, from_iso
from citewell.fetch.sites.readme import Home, tidy
from citewell.model.page import Page
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.net.upstream import parse
from citewell.text.markup import clean

_COMMENTS = 30


class _User(Part):
    login: Maybe[str] = None


class _Label(Part):
    name: Maybe[str] = None


class _Pull(Part):
    merged_at: Maybe[str] = None


class _Comment(Part):
    user: Maybe[_User] = None
    body: Maybe[str] = None
    created_at: Maybe[str] = None
    html_url: Maybe[Link] = None


class _Issue(_Comment):
    number: int
    title: str
    state: Maybe[str] = None
    state_reason: Maybe[str] = None
    comments: Maybe[int] = None
    labels: Maybe[Items[_Label]] = None
    pull_request: Maybe[_Pull] = None


class _Release(Part):
    tag_name: str
    name: Maybe[str] = None
    body: Maybe[str] = None
    published_at: Maybe[str] = None
    author: Maybe[_User] = None


class _File(Part):
    content: Maybe[str] = None
    language: Maybe[str] = None
    truncated: Maybe[bool] = None


class _Gist(Part):
    description: Maybe[str] = None
    owner: Maybe[_User] = None
    created_at: Maybe[str] = None
    files: dict[str, Maybe[_File]]


async def read_issue(route: Route, kit: SiteKit) -> Page | None:
    path = f"/repos/{route.owner}/{route.name}/issues/{route.id}"
    issue = parse(_Issue, await ask(kit, path, {}))
    comments = await _comments(kit, f"{path}/comments") if issue.comments != 0 else []
    total = max(issue.comments or 0, len(comments))
    home = home_of(route, "HEAD/")
    content = prose.blocks(
        [
            prose.heading(issue.title),
            _standing(issue),
            tidy(issue.body or "", home),
            f"## Comments ({len(comments)} of {total})" if comments else "",
            *(_said(one, home) for one in comments),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="github",
        title=f"{clean(issue.title)} · {route.owner}/{route.name}#{issue.number}",
        kind="forum",
        extracted_by="github:api",
        author=_login(issue.user),
        site="GitHub",
        published=from_iso(issue.created_at),
        truncated=total > len(comments),
    )


async def _comments(kit: SiteKit, path: str) -> list[_Comment]:
    try:
        values = (await ask(kit, path, {"per_page": str(_COMMENTS)})).parsed()
    except (UpstreamError, NotFound):
        return []
    found = (
        [_Comment.model_validate(one) for one in values if isinstance(one, dict)]
        if isinstance(values, list)
        else []
    )
    return [one for one in found if one.body]


def _standing(issue: _Issue) -> str:
    pull = issue.pull_request
    state = "merged" if pull and pull.merged_at else clean(issue.state)
    reason = clean(issue.state_reason).replace("_", " ")
    labels = ", ".join(filter(None, (prose.inline(one.name) for one in issue.labels or ())))
    return prose.facts(
        "Pull request" if pull is not None else "Issue",
        f"#{issue.number}",
        f"{state} ({reason})" if reason and state == "closed" else state,
        f"by {_who(issue.user)}" if _login(issue.user) else "",
        day(from_iso(issue.created_at)),
        f"labels: {labels}" if labels else "",
    )


def _said(comment: _Comment, home: Home) -> str:
    head = prose.facts(
        f"**{_who(comment.user)}**" if _login(comment.user) else "**somebody**",
        prose.link(day(from_iso(comment.created_at)), comment.html_url),
    )
    return prose.blocks([head, tidy(comment.body or "", home)])


async def read_release(route: Route, kit: SiteKit) -> Page | None:
    tag = quote(route.path, safe="")
    path = f"/repos/{route.owner}/{route.name}/releases/tags/{tag}"
    release = parse(_Release, await ask(kit, path, {}))
    stamp = from_iso(release.published_at)
    name = clean(release.name) or clean(release.tag_name)
    line = prose.facts(prose.inline(release.tag_name), day(stamp), _who(release.author))
    text = tidy(release.body or "", home_of(route, "HEAD/"))
    return kit.page(
        route,
        content=prose.blocks([prose.heading(name), line, text]),
        content_type="github",
        title=f"{route.owner}/{route.name}: {name}",
        kind="documentation",
        extracted_by="github:api",
        author=_login(release.author) or route.owner,
        site="GitHub",
        published=stamp,
    )


async def read_gist(route: Route, kit: SiteKit) -> Page | None:
    gist = parse(_Gist, await ask(kit, f"/gists/{route.id}", {}))
    files = [(name, file) for name, file in gist.files.items() if file and file.content]
    if not files:
        return None
    owner = _login(gist.owner) or "somebody"
    title = clean(gist.description) or f"Gist by {owner}"
    return kit.page(
        route,
        content=prose.blocks(
            [prose.heading(title), *(_gist_file(name, file, route) for name, file in files)]
        ),
        content_type="github",
        title=title,
        kind="documentation",
        extracted_by="github:gist-api",
        author=owner,
        site="GitHub Gist",
        published=from_iso(gist.created_at),
        truncated=any(file.truncated for _, file in files),
    )


def _gist_file(name: str, file: _File, route: Route) -> str:
    text = file.content or ""
    if name.lower().endswith(tuple(f".{ending}" for ending in MARKDOWN)):
        home = Home(
            pages=f"https://gist.github.com/{route.id}/", pictures="https://gist.github.com/"
        )
        return prose.blocks([prose.heading(name, 2), tidy(text, home)])
    language = re.sub(r"[^a-z0-9+#-]", "", (file.language or "").lower())
    return prose.blocks([prose.heading(name, 2), fenced(text.rstrip("\n"), language)])


def _login(user: _User | None) -> str | None:
    return clean(user.login) or None if user else None


def _who(user: _User | None) -> str:
    name = _login(user) or ""
    return prose.link(name, f"https://github.com/{name}" if OWNER.fullmatch(name) else None)
