"""GitHub by its public API and raw files: repositories, files, issues, pull requests, releases, gists."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from citewell.errors import NotFound, UpstreamError
from citewell.fetch import complaints
from citewell.fetch.markdown.text import fenced
from citewell.fetch.sites import github_talk, github_trust, prose
from citewell.fetch.sites.github_api import API, MARKDOWN, OWNER, RAW, ask, home_of, raw_file
from citewell.fetch.sites.github_trust import Repo
from citewell.fetch.sites.kit import Route, SiteKit, address, day, from_iso, or_ladder
from citewell.fetch.sites.readme import LONGEST, tidy
from citewell.model.page import Page
from citewell.net.answer import Link, Part
from citewell.net.message import Response
from citewell.net.upstream import parse
from citewell.text.markup import clean

ENDPOINTS = (API, RAW)

_REPO = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"\d{1,9}")
_GIST = re.compile(r"[0-9a-f]{5,40}")
_RESERVED = frozenset({
    "about", "account", "apps", "blog", "collections", "contact", "customer-stories", "dashboard",
    "education", "enterprise", "events", "explore", "features", "issues", "join", "login",
    "marketplace", "mobile", "new", "newsroom", "nonprofit", "notifications", "orgs",
    "organizations", "pricing", "pulls", "readme", "resources", "search", "security", "sessions",
    "settings", "signup", "site", "solutions", "sponsors", "stars", "team", "topics", "trending",
    "users",
})  # fmt: skip


class _Readme(Part):
    download_url: Link


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None:
        return None
    if at.host == "gist.github.com" and len(at.parts) in {1, 2}:
        number = at.parts[-1]
        return Route(url=url, kind="gist", id=number) if _GIST.fullmatch(number) else None
    if at.host not in {"github.com", "www.github.com"} or len(at.parts) < 2:
        return None
    owner, name = at.part(0), at.part(1).removesuffix(".git")
    fits = OWNER.fullmatch(owner) and _REPO.fullmatch(name) and name not in {".", ".."}
    if not fits or owner.lower() in _RESERVED:
        return None
    return _within(url, owner, name, at.parts[2:])


def _within(url: str, owner: str, name: str, rest: Sequence[str]) -> Route | None:
    if not rest:
        return Route(url=url, kind="repo", owner=owner, name=name)
    if rest[0] in {"blob", "raw"} and len(rest) >= 3:
        return Route(url=url, kind="file", owner=owner, name=name, path="/".join(rest[1:]))
    if rest[0] in {"issues", "pull"} and len(rest) >= 2 and _NUMBER.fullmatch(rest[1]):
        # The files and commits of a pull request are pages of their own.
        return (
            Route(url=url, kind="issue", owner=owner, name=name, id=rest[1])
            if len(rest) == 2
            else None
        )
    if rest[:2] == ("releases", "tag") and len(rest) >= 3:
        return Route(url=url, kind="release", owner=owner, name=name, path="/".join(rest[2:]))
    return None


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    readers = {
        "repo": _read_repo,
        "file": _read_file,
        "issue": github_talk.read_issue,
        "release": github_talk.read_release,
        "gist": github_talk.read_gist,
    }
    try:
        return await readers[route.kind](route, kit)
    except NotFound as error:
        raise (complaints.missing(route.url, "HTTP 404") if error.provider else error) from None


async def _read_repo(route: Route, kit: SiteKit) -> Page | None:
    repo, raw = await asyncio.gather(_repo(route, kit), _front(route, kit))
    if repo is None and (raw is None or not raw.body.strip()):
        return None
    trust = await github_trust.learn(
        route.owner, route.name, repo, lambda path, params: ask(kit, path, params)
    )
    if raw is None:
        raw = await _other_readme(route, kit)
    repo = repo or Repo()
    home = home_of(route, "HEAD/README.md")
    slug = f"{route.owner}/{route.name}"
    written = raw.text() if raw is not None else ""
    text = await asyncio.to_thread(tidy, written, home)
    return kit.page(
        route,
        content=prose.blocks([_summary(slug, repo), text]),
        content_type="github",
        title=f"{slug}: {clean(repo.description)}" if clean(repo.description) else slug,
        kind="documentation",
        extracted_by="github:raw" if text else "github:api",
        author=route.owner,
        site="GitHub",
        published=from_iso(repo.created_at),
        modified=from_iso(repo.pushed_at),
        trust_signals=trust,
        truncated=len(written) > LONGEST,
        notes=() if text else ("The repository has no README.",),
    )


async def _repo(route: Route, kit: SiteKit) -> Repo | None:
    """None when the API cannot say; NotFound when there is no such repository."""
    try:
        return parse(Repo, await ask(kit, f"/repos/{route.owner}/{route.name}", {}))
    except UpstreamError:
        return None


async def _front(route: Route, kit: SiteKit) -> Response | None:
    try:
        return await raw_file(kit, f"{route.owner}/{route.name}/HEAD/README.md")
    except (UpstreamError, NotFound):
        return None


async def _other_readme(route: Route, kit: SiteKit) -> Response | None:
    """A README of another name, at the address the API gives; only the raw host is asked."""
    try:
        found = parse(_Readme, await ask(kit, f"/repos/{route.owner}/{route.name}/readme", {}))
        parts = urlsplit(found.download_url)
        if parts.hostname != "raw.githubusercontent.com":
            return None
        return await kit.upstream(RAW).get(parts.path)
    except (UpstreamError, NotFound):
        return None


def _summary(slug: str, repo: Repo) -> str:
    licence = clean(repo.license.spdx_id) if repo.license else ""
    line = prose.facts(
        prose.count(repo.stargazers_count, "star"),
        prose.count(repo.forks_count, "fork"),
        prose.inline(repo.language),
        prose.inline(licence) if licence != "NOASSERTION" else "",
        f"last push {day(repo.pushed_at)}" if from_iso(repo.pushed_at) else "",
        "archived" if repo.archived else "",
        prose.link(repo.homepage, repo.homepage) if repo.homepage else "",
    )
    about = prose.from_text(repo.description)
    return prose.blocks([f"**{prose.link(slug, f'https://github.com/{slug}')}**", about, line])


async def _read_file(route: Route, kit: SiteKit) -> Page | None:
    response = await raw_file(kit, f"{route.owner}/{route.name}/{route.path}")
    if b"\0" in response.body[:8000]:
        return None
    file = route.path.rpartition("/")[2]
    ending = re.sub(r"[^a-z0-9+#-]", "", file.rpartition(".")[2].lower()) if "." in file else ""
    text = response.text()
    marked = ending in MARKDOWN
    if marked:
        content = await asyncio.to_thread(tidy, text, home_of(route, route.path))
    else:
        content = fenced(text.rstrip("\n"), ending)
    return kit.page(
        route,
        content=content,
        content_type="github",
        title=f"{route.owner}/{route.name}: {route.path.partition('/')[2]}",
        kind="documentation",
        extracted_by="github:raw",
        author=route.owner,
        site="GitHub",
        truncated=marked and len(text) > LONGEST,
    )
