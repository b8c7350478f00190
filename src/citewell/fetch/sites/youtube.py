"""YouTube videos as text: the captions by whichever way still works, else the description."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from citewell.errors import NotFound, Refused, UpstreamError
from citewell.fetch.sites import captions, prose
from citewell.fetch.sites.captions import Cue
from citewell.fetch.sites.highlights import highlights
from citewell.fetch.sites.kit import Endpoint, Route, SiteKit, address, day, or_ladder
from citewell.fetch.sites.player import (
    Details,
    Player,
    choose,
    hindrance,
    initial_player,
    read_player,
    verdict,
)
from citewell.model.page import Page
from citewell.net.message import Redirects, Response
from citewell.text.markup import clean
from citewell.text.truncate import truncate
from citewell.text.urls import within

WEB = Endpoint(name="site_youtube", base_url="https://www.youtube.com")
MOBILE = Endpoint(name="site_youtube_mobile", base_url="https://m.youtube.com")
ENDPOINTS = (WEB, MOBILE)

_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"}
_EMBEDS = {"youtube-nocookie.com", "www.youtube-nocookie.com"}
_FORMS = {"embed", "shorts", "live", "v", "e"}
_ID = re.compile(r"(?!videoseries|live_stream)[A-Za-z0-9_-]{11}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(?=$|-)")
_KEY = re.compile(r'"INNERTUBE_API_KEY"\s*:\s*"([A-Za-z0-9_-]{10,80})"')
_VISITOR = re.compile(r'"(?:VISITOR_DATA|visitorData)"\s*:\s*"([^"\\<>]{5,400})"')
_DATE = re.compile(
    r'(?:"(?:publishDate|uploadDate)"\s*:\s*|itemprop="datePublished"\s+content=)"(\d{4}-\d\d-\d\d)'
)
_CONSENT = re.compile(r'action="https://consent\.(?:youtube|google)\.com/')
_CLIENT = {"clientName": "ANDROID_VR", "clientVersion": "1.65.10", "hl": "en", "gl": "US"}
_ELSEWHERE = (301, 302, 303, 307, 308)
_LONGEST = 30.0
_TRANSCRIPT = 100 * 1024
_GUESSES = ("en", "en-US", "en-GB")


@dataclass(slots=True, kw_only=True)
class _Found:
    """What the strategies have learnt of one video so far."""

    players: list[Player] = field(default_factory=list)
    cues: tuple[Cue, ...] = ()
    language: str | None = None
    automatic: bool = False
    published: str | None = None
    consent: bool = False

    def details(self) -> Details:
        known = [one.videoDetails for one in self.players if one.videoDetails]
        return next((one for one in known if one.shortDescription), (known or [Details()])[0])


def matches(url: str) -> Route | None:
    at = address(url)
    if at is None:
        return None
    video = ""
    if at.host in {"youtu.be", "www.youtu.be"} and len(at.parts) == 1:
        video = at.part(0)
    elif at.host in _HOSTS and at.parts == ("watch",):
        video = at.query.get("v", "")
    elif at.host in _HOSTS | _EMBEDS and len(at.parts) == 2 and at.part(0) in _FORMS:
        video = at.part(1)
    if not _ID.fullmatch(video):
        return None
    wish = _LANGUAGE.match(at.query.get("cc_lang_pref", at.query.get("hl", "")).lower())
    return Route(url=url, kind="video", id=video, name=wish[0] if wish else "")


@or_ladder
async def read(route: Route, kit: SiteKit) -> Page | None:
    found = _Found()
    try:
        async with asyncio.timeout(_LONGEST):
            await _gather(route, kit, found)
    except TimeoutError:
        pass  # what was learnt in time is still worth having
    if found.cues:
        return _spoken(route, kit, found)
    if clean(found.details().shortDescription) and not _missing(found):
        return _described(route, kit, found)
    if error := verdict(route.url, found.players, consent=found.consent):
        raise error
    return None


async def _gather(route: Route, kit: SiteKit, found: _Found) -> None:
    for strategy in (_by_app, _by_page):
        try:
            await strategy(route, kit, found)
        except (UpstreamError, NotFound, Refused):
            continue
        if found.cues:
            return
    if not _missing(found):
        await _by_guess(route, kit, found)


async def _by_app(route: Route, kit: SiteKit, found: _Found) -> None:
    """The player as the mobile application asks for it; its caption addresses need no proof."""
    try:
        html = await _watch_page(route, kit, MOBILE, found)
    except (UpstreamError, NotFound, Refused):
        html = ""  # the player often answers without the page's key
    key, visitor = _KEY.search(html), _VISITOR.search(html)
    client = _CLIENT | ({"visitorData": visitor[1]} if visitor else {})
    response = await kit.upstream(MOBILE).post(
        "/youtubei/v1/player",
        params={"key": key[1], "prettyPrint": "false"} if key else {"prettyPrint": "false"},
        headers={"x-youtube-client-name": "28", "x-youtube-client-version": "1.65.10"},
        json={
            "context": {"client": client},
            "videoId": route.id,
            "contentCheckOk": True,
            "racyCheckOk": True,
        },
    )
    await _listen(route, kit, found, read_player(response.parsed()))


async def _by_page(route: Route, kit: SiteKit, found: _Found) -> None:
    html = await _watch_page(route, kit, WEB, found)
    await _listen(route, kit, found, initial_player(html))


async def _by_guess(route: Route, kit: SiteKit, found: _Found) -> None:
    """The captions' own address, by the languages most videos have."""
    own = (route.name,) if route.name and route.name not in _GUESSES else ()
    for language in (*own, *_GUESSES):
        params = {"v": route.id, "lang": language, "fmt": "vtt"}
        try:
            response = await kit.upstream(WEB).get("/api/timedtext", params=params)
        except (UpstreamError, NotFound, Refused):
            return
        if cues := captions.parse(response.text()):
            found.cues, found.language = cues, language[:2]
            return


async def _watch_page(route: Route, kit: SiteKit, endpoint: Endpoint, found: _Found) -> str:
    """The page's source; empty where a consent page or another site came in its place."""
    response = await kit.get_page(
        endpoint,
        "/watch",
        params={"v": route.id, "hl": "en"},
        redirects=Redirects.NONE,
        accept=_ELSEWHERE,
    )
    html = response.text() if response.status not in _ELSEWHERE else ""
    if _asks_consent(response, html):
        found.consent = True
        return ""
    date = _DATE.search(html)
    found.published = found.published or (date[1] if date else None)
    return html


def _asks_consent(response: Response, html: str) -> bool:
    goal = address(response.headers.get("location", ""))
    if goal is not None and goal.host in {"consent.youtube.com", "consent.google.com"}:
        return True
    return bool(_CONSENT.search(html))


async def _listen(route: Route, kit: SiteKit, found: _Found, player: Player | None) -> None:
    if player is None:
        return
    found.players.append(player)
    wanted = dict.fromkeys(one for one in (route.name, "en") if one)
    track = choose(player, tuple(wanted))
    params = _caption_params(track.baseUrl) if track else None
    if track is None or params is None:
        return
    response = await kit.upstream(WEB).get("/api/timedtext", params=params)
    if cues := captions.parse(response.text()):
        language = _LANGUAGE.match(track.language)
        found.cues, found.language = cues, language[0] if language else None
        found.automatic = track.automatic


def _caption_params(base_url: str) -> tuple[tuple[str, str], ...] | None:
    """The query of a caption address; None for one that leads anywhere but YouTube's captions."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname or "www.youtube.com"
    except ValueError:
        return None
    if parts.path != "/api/timedtext" or not within(host, "youtube.com"):
        return None
    kept = [(name, value) for name, value in parse_qsl(parts.query) if name != "fmt"]
    return (*kept, ("fmt", "vtt"))


def _missing(found: _Found) -> bool:
    return bool(found.players) and all(one.state.status == "ERROR" for one in found.players)


def _spoken(route: Route, kit: SiteKit, found: _Found) -> Page:
    cut = truncate(captions.transcript(found.cues, lambda at: _watch(route, at)), _TRANSCRIPT)
    by_machine = "The captions were written by a machine, not by a person."
    return _page(
        route,
        kit,
        found,
        f"## Transcript\n\n{cut.text}",
        language=found.language,
        truncated=cut.truncated,
        highlights=highlights(found.cues, language=found.language),
        notes=(by_machine,) if found.automatic else (),
    )


def _described(route: Route, kit: SiteKit, found: _Found) -> Page:
    reason = hindrance(found.players) or "no captions could be read"
    note = f"No transcript ({reason}). This is the video's description."
    text = prose.from_text(found.details().shortDescription)
    body = f"*{prose.inline(note)}*\n\n## Description\n\n{text}"
    return _page(route, kit, found, body, quality="partial", notes=(note,))


def _page(route: Route, kit: SiteKit, found: _Found, body: str, **more: object) -> Page:
    about = found.details()
    title = clean(about.title) or f"YouTube video {route.id}"
    length = about.lengthSeconds or 0
    line = prose.facts(
        prose.inline(about.author),
        day(found.published),
        captions.clock(length) if 0 < length < 10**7 else "",
        prose.count(about.viewCount, "view"),
    )
    return kit.page(
        route,
        content=prose.blocks([prose.heading(title), line, body]),
        content_type="youtube",
        title=title,
        final_url=_watch(route),
        author=clean(about.author) or None,
        site="YouTube",
        published=found.published,
        published_basis="meta",
        **more,
    )


def _watch(route: Route, at: int = 0) -> str:
    moment = f"&t={at}s" if at else ""
    return f"https://www.youtube.com/watch?v={route.id}{moment}"
