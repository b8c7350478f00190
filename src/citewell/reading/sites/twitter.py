"""Reads X posts and profiles through FxTwitter's public API, else from the pages of the mirror xcancel.com."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import Field

from citewell.core.errors import NotFound, RefusedByPolicy, UpstreamError
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
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import (
    SiteEndpoint,
    SiteKit,
    SitePageParts,
    SiteRoute,
    build_profile_page,
    fall_back_to_ladder,
    format_epoch_time,
    format_reactions,
    parse_site_address,
    trim_to_date,
)
from citewell.text.safety.text_cleaning import clean_markup

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_MIRROR_NOTE = "Read through the mirror xcancel.com."

FXTWITTER_API = SiteEndpoint(
    name="site_fxtwitter", base_url="https://api.fxtwitter.com", timeout=5.0, is_of_others=True
)
XCANCEL_MIRROR = SiteEndpoint(
    name="site_xcancel", base_url="https://xcancel.com", timeout=5.0, page=True, is_of_others=True
)
ENDPOINTS = (FXTWITTER_API, XCANCEL_MIRROR)

_X_USER_PATTERN = re.compile(r"[A-Za-z0-9_]{1,15}")
_X_HOSTS = {"x.com", "twitter.com"}
_TWEET_ID_PATTERN = re.compile(r"\d{1,20}")
_RESERVED_X_NAMES = frozenset({
    "about", "account", "compose", "download", "explore", "hashtag", "help", "home", "i", "intent",
    "jobs", "login", "logout", "messages", "notifications", "privacy", "search", "settings",
    "share", "signup", "tos", "who_to_follow",
})  # fmt: skip


def find_route(url: str) -> SiteRoute | None:
    at = parse_site_address(url)
    bare = at.host.removeprefix("www.").removeprefix("mobile.") if at else ""
    if at is None or bare not in _X_HOSTS:
        return None
    parts = at.parts[1:] if at.parts[:2] == ("i", "web") else at.parts
    if len(parts) >= 3 and parts[1] in {"status", "statuses"}:
        user = parts[0] if parts[0] != "web" else "i"
        fits = _X_USER_PATTERN.fullmatch(user) and _TWEET_ID_PATTERN.fullmatch(parts[2])
        return SiteRoute(url=url, kind="post", id=parts[2], owner=user) if fits else None
    if (
        len(parts) == 1
        and _X_USER_PATTERN.fullmatch(parts[0])
        and parts[0].lower() not in _RESERVED_X_NAMES
    ):
        return SiteRoute(url=url, kind="profile", owner=parts[0])
    return None


@fall_back_to_ladder
async def read_page(route: SiteRoute, kit: SiteKit) -> Page | None:
    missing = False
    try:
        if page := await _fetch_from_fxtwitter(route, kit):
            return page
    except NotFound:
        missing = True
    except UpstreamError as error:
        if error.provider is None:
            raise
    page = await _fetch_from_mirror(route, kit)
    if page is None and missing:
        raise page_errors.build_soft_404_error(route.url, "FxTwitter has no such post or profile")
    return page


def _build_x_path(route: SiteRoute) -> str:
    return f"/{route.owner}/status/{route.id}" if route.kind == "post" else f"/{route.owner}"


async def _fetch_from_fxtwitter(route: SiteRoute, kit: SiteKit) -> Page | None:
    response = await kit.open_upstream(FXTWITTER_API).send_get(_build_x_path(route), accept=(401,))
    answer = parse_json_response(_FxTwitterAnswer, response)
    if response.status == 401 or answer.code == 401:
        raise page_errors.build_login_error(route.url, "the account is private")
    if answer.code == 404:
        raise NotFound("The upstream has no such thing.", provider=FXTWITTER_API.name)
    if answer.tweet is not None and (answer.tweet.full_text or answer.tweet.article):
        return _build_tweet_page(route, kit, answer.tweet)
    if answer.user is not None and answer.user.screen_name:
        return _build_user_page(route, kit, answer.user)
    return None


def _build_user_page(route: SiteRoute, kit: SiteKit, user: _TwitterUser) -> Page:
    return build_profile_page(
        route,
        kit,
        name=clean_markup(user.name) or clean_markup(user.screen_name),
        handle=user.screen_name,
        description=user.description,
        location=user.location,
        followers=user.followers,
        following=user.following,
        posts=user.tweets,
        joined=_parse_api_date(user.joined),
        content_type="twitter",
        site="X",
    )


async def _fetch_from_mirror(route: SiteRoute, kit: SiteKit) -> Page | None:
    try:
        response = await kit.fetch_site_page(XCANCEL_MIRROR, _build_x_path(route))
    except (UpstreamError, NotFound, RefusedByPolicy):
        return None
    parts = await kit.run_apart(parse_mirror_page, route, response.body)
    return kit.build_parts_page(route, parts)


# Builds pages from X posts and profiles in the form of FxTwitter's API.


class _TweetPhoto(ResponsePart):
    url: OptionalField[HttpLink] = None
    alt: OptionalField[str] = Field(default=None, alias="altText")


class _PollChoice(ResponsePart):
    label: OptionalField[str] = None
    count: OptionalField[int] = None


class _ArticleBlock(ResponsePart):
    text: OptionalField[str] = None
    type: OptionalField[str] = None


class _TweetArticle(ResponsePart):
    title: OptionalField[str] = None
    preview_text: OptionalField[str] = None
    blocks: OptionalField[TolerantItems[_ArticleBlock]] = nested_field("content.blocks")


class _QuotedTweet(ResponsePart):
    text: OptionalField[str] = None
    raw_text: OptionalField[str] = nested_field("raw_text.text")
    author_name: OptionalField[str] = nested_field("author.name")
    handle: OptionalField[str] = nested_field("author.screen_name")
    created_at: OptionalField[str] = None
    created_timestamp: OptionalField[int] = None

    @property
    def full_text(self) -> str:
        return self.text or self.raw_text or ""

    @property
    def posted_at(self) -> str | None:
        return format_epoch_time(self.created_timestamp) or _parse_api_date(self.created_at)


class _Tweet(_QuotedTweet):
    likes: OptionalField[int] = None
    retweets: OptionalField[int] = None
    replies: OptionalField[int] = None
    quotes: OptionalField[int] = None
    views: OptionalField[int] = None
    lang: OptionalField[str] = None
    replying_to: OptionalField[str] = None
    photos: OptionalField[TolerantItems[_TweetPhoto]] = nested_field("media.photos")
    videos: OptionalField[TolerantItems[_TweetPhoto]] = nested_field("media.videos")
    poll: OptionalField[TolerantItems[_PollChoice]] = nested_field("poll.choices")
    article: OptionalField[_TweetArticle] = None
    community_note: OptionalField[str] = nested_field("community_note.text")
    quote: OptionalField[_QuotedTweet] = None


class _TwitterUser(ResponsePart):
    name: OptionalField[str] = None
    screen_name: OptionalField[str] = None
    description: OptionalField[str] = None
    location: OptionalField[str] = None
    followers: OptionalField[int] = None
    following: OptionalField[int] = None
    tweets: OptionalField[int] = None
    joined: OptionalField[str] = None


class _FxTwitterAnswer(ResponsePart):
    code: OptionalField[int] = None
    tweet: OptionalField[_Tweet] = None
    user: OptionalField[_TwitterUser] = None


def _build_tweet_page(route: SiteRoute, kit: SiteKit, tweet: _Tweet) -> Page:
    name = clean_markup(tweet.author_name) or clean_markup(tweet.handle) or route.owner
    article = tweet.article or _TweetArticle()
    headline = clean_markup(article.title)
    replied_to = site_markdown.format_inline_text(tweet.replying_to)
    reactions = format_reactions(
        likes=tweet.likes,
        reposts=tweet.retweets,
        replies=tweet.replies,
        quotes=tweet.quotes,
        views=tweet.views,
    )
    quoted = ""
    if tweet.quote is not None:
        text = site_markdown.convert_plain_text(tweet.quote.full_text)
        quote = site_markdown.join_blocks([_format_tweet_byline(tweet.quote), text])
        quoted = site_markdown.quote_markdown(quote)
    language = re.match(r"(?!und|qme|qst|zxx|qht)[a-z]{2}", tweet.lang or "")
    return kit.build_page(
        route,
        content=(
            site_markdown.format_heading(article.title) if headline else "",
            _format_tweet_byline(tweet),
            f"In reply to @{replied_to}" if tweet.replying_to else "",
            site_markdown.convert_plain_text(tweet.full_text),
            *_render_tweet_article(article),
            *_render_tweet_extras(tweet),
            quoted,
            reactions,
        ),
        content_type="twitter",
        title=headline or f"{name} on X: {site_markdown.trim_excerpt(tweet.full_text, 80)}",
        kind="forum",
        author=name,
        site="X",
        language=language[0] if language else None,
        published=tweet.posted_at,
    )


def _format_tweet_byline(tweet: _QuotedTweet) -> str:
    handle = clean_markup(tweet.handle)
    address = f"https://x.com/{handle}" if _X_USER_PATTERN.fullmatch(handle) else None
    name = site_markdown.format_inline_text(tweet.author_name)
    return site_markdown.join_facts(
        f"**{name}**" if name else "",
        site_markdown.format_markdown_link(f"@{handle}", address) if handle else "",
        trim_to_date(tweet.posted_at),
    )


def _render_tweet_article(article: _TweetArticle) -> list[str]:
    blocks = []
    for block in article.blocks or ():
        text = site_markdown.convert_plain_text(block.text)
        is_heading = text and (block.type or "").startswith("header")
        blocks.append(site_markdown.format_heading(block.text, 2) if is_heading else text)
    return blocks if any(blocks) else [site_markdown.convert_plain_text(article.preview_text)]


def _render_tweet_extras(tweet: _Tweet) -> list[str]:
    photos = [
        f"!{site_markdown.format_markdown_link(photo.alt or 'photo', photo.url)}"
        for photo in tweet.photos or ()
        if photo.url
    ]
    videos = [
        site_markdown.format_markdown_link("video", video.url)
        for video in tweet.videos or ()
        if video.url
    ]
    poll = "\n".join(
        site_markdown.format_poll_choice(choice.label, choice.count) for choice in tweet.poll or ()
    )
    note = tweet.community_note
    context = f"**Community note:** {site_markdown.format_inline_text(note)}" if note else ""
    return [*photos, *videos, poll, context]


def _parse_api_date(text: str | None) -> str | None:
    """A date such as `Wed Oct 10 20:19:24 +0000 2018` as ISO 8601, or None."""
    return _parse_zoned_date(text, "%a %b %d %H:%M:%S %z %Y")


def _parse_zoned_date(text: str | None, form: str) -> str | None:
    try:
        date = datetime.strptime(text or "", form)  # noqa: DTZ007 - every format has a zone
        return date.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None


# Builds pages from X posts and profiles as the mirror xcancel.com shows them.


def parse_mirror_page(route: SiteRoute, body: bytes) -> SitePageParts | None:
    """The parts of the page; None if the mirror shows neither a post nor a profile."""
    tree = site_markdown.parse_site_html(body.decode("utf-8", "replace"))
    parse = _parse_mirror_post if route.kind == "post" else _parse_mirror_profile
    return parse(route, tree)


def _parse_mirror_post(route: SiteRoute, tree: LexborHTMLParser) -> SitePageParts | None:
    from citewell.reading.markdown.markdown_writer import render_markdown

    body = tree.css_first(".main-tweet .tweet-content")
    if body is None or not body.text().strip():
        return None
    name = _find_selector_text(tree, ".main-tweet .fullname") or route.owner
    handle = _find_selector_text(tree, ".main-tweet .username").removeprefix("@") or route.owner
    link = tree.css_first(".main-tweet .tweet-date a[title]")
    # The title is a date such as `Oct 10, 2018 · 8:19 PM UTC`.
    date = (link.attributes.get("title") or "") if link is not None else ""
    date = date.replace(" · ", " ").replace("UTC", "+0000")
    stamp = _parse_zoned_date(date, "%b %d, %Y %I:%M %p %z")
    line = site_markdown.join_facts(
        f"**{site_markdown.format_inline_text(name)}**",
        site_markdown.format_inline_text(f"@{handle}"),
        trim_to_date(stamp),
    )
    return SitePageParts(
        content=site_markdown.join_blocks([line, render_markdown(body, base="https://x.com")]),
        content_type="twitter",
        title=f"{name} on X: {site_markdown.trim_excerpt(body.text(), 80)}",
        kind="forum",
        author=name,
        site="X",
        published=stamp,
        published_basis="time",
        notes=(_MIRROR_NOTE,),
    )


def _parse_mirror_profile(route: SiteRoute, tree: LexborHTMLParser) -> SitePageParts | None:
    name = _find_selector_text(tree, ".profile-card-fullname")
    if not name:
        return None
    counts = {
        kind: _find_selector_text(tree, f".profile-statlist .{kind} .profile-stat-num")
        for kind in ("posts", "following", "followers")
    }
    stats = [
        f"{site_markdown.format_inline_text(count)} {kind}"
        for kind, count in counts.items()
        if count
    ]
    bio = site_markdown.convert_plain_text(_find_selector_text(tree, ".profile-bio"))
    head = f"# {site_markdown.format_inline_text(name)} (@{route.owner})"
    return SitePageParts(
        content=site_markdown.join_blocks([head, bio, site_markdown.join_facts(*stats)]),
        content_type="twitter",
        title=f"{name} (@{route.owner})",
        kind="forum",
        author=name,
        site="X",
        notes=(_MIRROR_NOTE,),
    )


def _find_selector_text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return clean_markup(node.text()) if node is not None else ""
