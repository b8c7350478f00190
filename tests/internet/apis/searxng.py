"""SearXNG as it behaves: several instances by path, each as well or as badly as a test wishes.

`/searxng/search` is a well-behaved instance; `/searxng/<name>/search` is another one for each name.
`behave(world, "a", json=False)` changes one of them, `""` being the first.
`/searxng/space/instances.json` is searx.space's list of what `listed(world, …)` put there.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from tests.internet.world import Page, World

PREFIX = "/searxng"
PAGE = 10

_ENGINES = {  # name: categories, the first of which is what results say
    "alpha": ("general", "web"),
    "beta": ("general", "web"),
    "alpha images": ("images",),
    "beta news": ("news",),
    "gamma": ("it", "science"),
}
_SHORTCUTS = {"al": "alpha", "be": "beta", "ga": "gamma"}
_BANGS = {
    "g": "https://www.google.com/search?q=",
    "w": "https://en.wikipedia.org/w/index.php?search=",
}
_LANGUAGES = {"english": "en", "deutsch": "de", "german": "de", "français": "fr", "日本語": "ja"}
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[a-zA-Z]{2})?")
_AGENTS = re.compile(
    r"(unknown|[Cc]url|[Ww]get|[Pp]ython|Go-http-client|okhttp|[Jj]ava|libwww|[Ss]crapy|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    json: bool = True  # search: formats has json
    page: bool = True  # the results page is shown at all
    limiter: bool = False
    link_token: bool = False  # public_instance: a client that fetched no style sheet is sent to /
    config: bool = True
    status: int | None = None  # every search fails with it
    account: str | None = None  # user:password
    header: tuple[str, str] | None = None  # one that must be there
    broken: frozenset[str] = frozenset()  # engines that fail
    engines: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(_ENGINES))
    total: int | None = None  # older versions send number_of_results


@dataclass(slots=True, kw_only=True)
class Asked:
    """A query as SearXNG's parser understands it."""

    words: str = ""
    engines: list[str] = field(default_factory=list)
    language: str | None = None
    external: str | None = None
    lucky: bool = False


def behave(world: World, name: str = "", **changes: Any) -> None:
    """Change how one instance behaves until the world is reset."""
    behaviours = world.state.setdefault("searxng", {})
    behaviours[name] = replace(behaviours.get(name, Behaviour()), **changes)


def listed(world: World, entries: dict[str, dict[str, Any]]) -> None:
    """What searx.space says of instances, by address."""
    world.state["searx.space"] = entries


def parse(text: str) -> Asked:
    """Pieces are parted by any white space, and each is judged by its first character."""
    asked = Asked()
    pieces = filter(None, re.split(r"\s+", text))
    asked.words = " ".join(piece for piece in pieces if not _command(piece, asked))
    return asked


def _command(piece: str, asked: Asked) -> bool:
    name = piece[1:].lower()
    if piece[0] == "<":
        return name.isdigit()
    if piece[0] == ":":
        language = _LANGUAGES.get(name, name if _LANGUAGE.fullmatch(name) else None)
        asked.language = language or asked.language
        return language is not None
    if piece == "!!":
        asked.lucky = True
        return True
    if piece.startswith("!!"):
        asked.external = _BANGS.get(piece[2:].lower()) or asked.external
        return piece[2:].lower() in _BANGS
    engine = _SHORTCUTS.get(name, name.replace("_", " ")) if piece[0] == "!" else ""
    if engine in _ENGINES:
        asked.engines.append(engine)
    return engine in _ENGINES


def routes(world: World) -> list[Route]:
    async def search(request: Request) -> Response:
        name = request.path_params.get("name", "")
        behaviour = world.state.get("searxng", {}).get(name, Behaviour())
        form = dict(request.query_params) if request.method == "GET" else dict(await request.form())
        return _search(world, name, behaviour, request, {key: str(form[key]) for key in form})

    async def start(request: Request) -> Response:
        if "q" in request.query_params:
            target = request.url.path.rstrip("/") + f"/search?{request.url.query}"
            return RedirectResponse(target, 308)
        return _start_page()

    async def config(request: Request) -> Response:
        behaviour = world.state.get("searxng", {}).get(
            request.path_params.get("name", ""), Behaviour()
        )
        return JSONResponse(_config(behaviour)) if behaviour.config else _error_page(404)

    async def healthz(request: Request) -> Response:
        return PlainTextResponse("OK")

    async def space(request: Request) -> Response:
        entries = world.state.get("searx.space", {})
        return JSONResponse({"metadata": {"timestamp": 0}, "instances": entries, "engines": {}})

    found = [Route("/searxng/space/instances.json", space)]
    for root in ("/searxng", "/searxng/{name}"):
        found += [
            Route(f"{root}/search", search, methods=["GET", "POST"]),
            Route(f"{root}/config", config),
            Route(f"{root}/healthz", healthz),
        ]
    return [*found, Route("/searxng/", start), Route("/searxng/{name}/", start)]


def _search(
    world: World, name: str, behaviour: Behaviour, request: Request, form: dict[str, str]
) -> Response:
    """The order of the checks is SearXNG's: limiter, format, query, parameters, bangs, engines."""
    if refusal := _refusal(world, name, behaviour, request, form):
        return refusal
    kind = form.get("format", "html") if form.get("format") in {"json", "csv", "rss"} else "html"
    if (kind == "json" and not behaviour.json) or (kind == "html" and not behaviour.page):
        return _error_page(403)
    if not form.get("q"):
        return _start_page() if kind == "html" else _bad("No query")
    if complaint := _invalid(form):
        return _bad(complaint)
    asked = parse(form["q"])
    if asked.external:
        return RedirectResponse(asked.external + asked.words, 302)
    rows = _rows(world, behaviour, form, asked)
    if asked.lucky and rows and kind == "html":
        return RedirectResponse(rows[0]["url"], 302)
    broken = [
        [engine, "too many requests"]
        for engine in sorted(behaviour.broken & _chosen(behaviour, form, asked))
    ]
    return _json(form, behaviour, rows, broken) if kind == "json" else _page(rows, broken)


def _refusal(
    world: World, name: str, behaviour: Behaviour, request: Request, form: dict[str, str]
) -> Response | None:
    if behaviour.account is not None:
        expected = "Basic " + base64.b64encode(behaviour.account.encode()).decode()
        if request.headers.get("authorization") != expected:
            return _error_page(401)
    if behaviour.header and request.headers.get(behaviour.header[0]) != behaviour.header[1]:
        return _error_page(403)
    if behaviour.status is not None:
        return _error_page(behaviour.status)
    if behaviour.limiter and _limited(world, name, request, form):
        return PlainTextResponse("Too Many Requests", 429)
    if behaviour.link_token:
        return RedirectResponse(f"{PREFIX}/{name}/" if name else f"{PREFIX}/", 302)
    return None


def _limited(world: World, name: str, request: Request, form: dict[str, str]) -> bool:
    headers = request.headers
    counts: Counter[str] = world.state.setdefault("searxng.calls", Counter())
    counts[name] += 1
    counts[f"{name} api"] += form.get("format", "html") != "html"
    encodings = headers.get("accept-encoding", "")
    return (
        _AGENTS.match(headers.get("user-agent", "")) is not None
        or "text/html" not in headers.get("accept", "")
        or not headers.get("accept-language", "").strip()
        or ("gzip" not in encodings and "deflate" not in encodings)
        or counts[name] > 15
        or counts[f"{name} api"] > 4
    )


def _invalid(form: dict[str, str]) -> str | None:
    checks = {
        "pageno": form.get("pageno", "1").isdigit() and form.get("pageno", "1") != "0",
        "safesearch": form.get("safesearch", "0") in {"0", "1", "2"},
        "time_range": form.get("time_range", "") in {"", "day", "week", "month", "year"},
        "language": form.get("language", "all") in {"all", "auto"}
        or _LANGUAGE.fullmatch(form["language"]) is not None,
    }
    wrong = next((parameter for parameter, fine in checks.items() if not fine), None)
    return f"Invalid value {form.get(wrong)} for parameter {wrong}" if wrong else None


def _chosen(behaviour: Behaviour, form: dict[str, str], asked: Asked) -> frozenset[str]:
    """A category without engines silently becomes the default one."""
    if asked.engines:
        return frozenset(asked.engines)
    wanted = form.get("categories", "general").split(",")
    named = {
        name
        for name, categories in behaviour.engines.items()
        if not {*wanted}.isdisjoint(categories)
    }
    default = {name for name, categories in behaviour.engines.items() if "general" in categories}
    return frozenset(named or default)


def _rows(
    world: World, behaviour: Behaviour, form: dict[str, str], asked: Asked
) -> list[dict[str, Any]]:
    working = sorted(_chosen(behaviour, form, asked) - behaviour.broken)
    if not working:
        return []
    language = asked.language or form.get("language", "all")
    offset = PAGE * (int(form.get("pageno", "1")) - 1)
    found = world.search(
        asked.words,
        count=PAGE,
        offset=offset,
        since=world.since(form["time_range"]) if form.get("time_range") else None,
        language=None if language in {"all", "auto"} else language,
        kind="news" if form.get("categories") == "news" else None,
    )
    category = behaviour.engines[working[0]][0]
    return [_row(page, place, working, category) for place, page in enumerate(found, offset + 1)]


def _row(page: Page, place: int, engines: list[str], category: str) -> dict[str, Any]:
    picture = category == "images"
    return {
        "template": "images.html" if picture else "default.html",
        "title": page.title,
        "content": page.description,
        "img_src": page.image if picture else "",
        "thumbnail": page.image if picture else "",
        "resolution": "1920 x 1080" if picture else "",
        "publishedDate": page.published.replace(tzinfo=None).isoformat()
        if page.published
        else None,
        "pubdate": "",
        "engines": engines,
        "positions": [place] * len(engines),
        "score": len(engines) ** 2 / place,  # a weight without bound
        "category": category,
        "url": page.url,
        "engine": engines[0],
        "parsed_url": [*urlsplit(page.url), ""],
    }


def _json(
    form: dict[str, str],
    behaviour: Behaviour,
    rows: list[dict[str, Any]],
    broken: list[list[str]],
) -> Response:
    table = {
        "template": "keyvalue.html",
        "url": None,
        "parsed_url": None,
        "title": "",
        "kvmap": {"a": "b"},
    }
    body: dict[str, Any] = {
        "query": form["q"],
        "results": [*rows, table] if rows else [],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": broken,
    }
    if behaviour.total is not None:
        body["number_of_results"] = behaviour.total
    return Response(json.dumps(body), media_type="application/json")


def _page(rows: list[dict[str, Any]], broken: list[list[str]]) -> Response:
    articles = "".join(_article(row) for row in rows)
    faults = "".join(
        f'<tr><td class="engine-name"><a href="/stats">{escape(engine)}</a></td>'
        f'<td class="response-error">{escape(reason)}</td></tr>'
        for engine, reason in broken
    )
    empty = "" if rows else '<div class="dialog-error-block" role="alert"><p>Sorry!</p></div>'
    return HTMLResponse(
        '<!DOCTYPE html><html><body><form id="search"></form><div id="results"><div id="sidebar">'
        f'<div id="engines_msg"><table id="engines_msg-table">{faults}</table></div></div>'
        f'<div id="urls" role="main">{articles}{empty}</div></div></body></html>'
    )


def _article(row: dict[str, Any]) -> str:
    if row["category"] == "images":
        return _picture(row)
    engines = "".join(f"<span>{escape(name)}</span>" for name in row["engines"])
    day = (
        f'<time class="published_date" datetime="{row["publishedDate"]}">then</time>'
        if row["publishedDate"]
        else ""
    )
    return (
        f'<article class="result result-default category-{row["category"]}">'
        f'<a href="{escape(row["url"])}" class="url_header">{escape(row["url"])}</a>'
        f'<h3><a href="{escape(row["url"])}">{escape(row["title"])}</a></h3>{day}'
        f'<p class="content">{escape(row["content"])}</p>'
        f'<div class="engines">{engines}<a href="https://web.archive.org/" class="cache_link">cached</a></div>'
        "</article>"
    )


def _picture(row: dict[str, Any]) -> str:
    return (
        f'<article class="result result-images category-images"><a href="{escape(row["img_src"])}">'
        f'<span class="title">{escape(row["title"])}</span></a><div class="detail">'
        f'<a class="result-images-source" href="{escape(row["img_src"])}"></a>'
        f'<h4>{escape(row["title"])}</h4><p class="result-url">'
        f'<a href="{escape(row["url"])}">{escape(row["url"])}</a></p></div></article>'
    )


def _config(behaviour: Behaviour) -> dict[str, Any]:
    engines = [
        {
            "name": name,
            "categories": list(categories),
            "enabled": True,
            "language_support": True,
            "languages": ["en", "de"],
            "regions": ["en-GB", "de-AT"],
            "time_range_support": True,
        }
        for name, categories in behaviour.engines.items()
    ]
    off = {"name": "omega", "categories": ["music"], "enabled": False, "languages": []}
    names = {name for categories in behaviour.engines.values() for name in categories} | {"music"}
    return {
        "categories": sorted(names),
        "engines": [*engines, off],
        "locales": {"en": "English"},
        "limiter": {"enabled": behaviour.limiter},
        "version": "2026.8.22+9fea412",
        "public_instance": behaviour.link_token,
    }


def _start_page() -> Response:
    return HTMLResponse(
        '<html><body><main id="main_index"><form id="search"></form></main></body></html>'
    )


def _error_page(status: int) -> Response:
    return HTMLResponse(
        f"<html><head><title>{status}</title></head><body>{status}</body></html>", status
    )


def _bad(message: str) -> Response:
    return JSONResponse({"error": message}, 400)
