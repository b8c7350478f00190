"""A post or profile of X as FxTwitter describes it, made into a page."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from citewell.fetch.sites import prose
from citewell.fetch.sites.kit import Route, SiteKit, day, from_epoch
from citewell.model.page import Page
from citewell.net.answer import Items, Link, Maybe, Part
from citewell.text.markup import clean

USER = re.compile(r"[A-Za-z0-9_]{1,15}")


class _Author(Part):
    name: Maybe[str] = None
    screen_name: Maybe[str] = None


class _Photo(Part):
    url: Maybe[Link] = None
    altText: Maybe[str] = None  # noqa: N815 - the upstream's word


class _Media(Part):
    photos: Maybe[Items[_Photo]] = None
    videos: Maybe[Items[_Photo]] = None


class _Choice(Part):
    label: Maybe[str] = None
    count: Maybe[int] = None


class _Poll(Part):
    choices: Maybe[Items[_Choice]] = None


class _Block(Part):
    text: Maybe[str] = None
    type: Maybe[str] = None


class _Body(Part):
    blocks: Maybe[Items[_Block]] = None


class _Article(Part):
    title: Maybe[str] = None
    preview_text: Maybe[str] = None
    content: Maybe[_Body] = None


class _Raw(Part):
    text: Maybe[str] = None


class _Note(Part):
    text: Maybe[str] = None


class _Quoted(Part):
    url: Maybe[Link] = None
    text: Maybe[str] = None
    raw_text: Maybe[_Raw] = None
    author: Maybe[_Author] = None
    created_at: Maybe[str] = None
    created_timestamp: Maybe[int] = None
    likes: Maybe[int] = None
    retweets: Maybe[int] = None
    replies: Maybe[int] = None
    quotes: Maybe[int] = None
    views: Maybe[int] = None
    lang: Maybe[str] = None
    replying_to: Maybe[str] = None
    media: Maybe[_Media] = None
    poll: Maybe[_Poll] = None
    article: Maybe[_Article] = None
    community_note: Maybe[_Note] = None

    @property
    def words(self) -> str:
        return self.text or (self.raw_text.text if self.raw_text else None) or ""

    @property
    def stamp(self) -> str | None:
        return from_epoch(self.created_timestamp) or _old_date(self.created_at)


class _Tweet(_Quoted):
    quote: Maybe[_Quoted] = None


class _User(Part):
    name: Maybe[str] = None
    screen_name: Maybe[str] = None
    description: Maybe[str] = None
    location: Maybe[str] = None
    followers: Maybe[int] = None
    following: Maybe[int] = None
    tweets: Maybe[int] = None
    joined: Maybe[str] = None


class Answer(Part):
    code: Maybe[int] = None
    tweet: Maybe[_Tweet] = None
    user: Maybe[_User] = None


def post(route: Route, kit: SiteKit, tweet: _Tweet) -> Page:
    author = tweet.author or _Author()
    name = clean(author.name) or clean(author.screen_name) or route.owner
    article = tweet.article or _Article()
    title = clean(article.title) or f"{name} on X: {prose.excerpt(tweet.words, 80)}"
    content = prose.blocks(
        [
            prose.heading(article.title) if clean(article.title) else "",
            _byline(tweet),
            f"In reply to @{prose.inline(tweet.replying_to)}" if tweet.replying_to else "",
            prose.from_text(tweet.words),
            *_article(article),
            *_extras(tweet),
            _quote(tweet.quote) if tweet.quote else "",
            _counts(tweet),
        ]
    )
    language = re.match(r"(?!und|qme|qst|zxx|qht)[a-z]{2}", tweet.lang or "")
    return kit.page(
        route,
        content=content,
        content_type="twitter",
        title=title,
        kind="forum",
        author=name,
        site="X",
        language=language[0] if language else None,
        published=tweet.stamp,
    )


def _byline(tweet: _Quoted) -> str:
    author = tweet.author or _Author()
    handle = clean(author.screen_name)
    known = USER.fullmatch(handle)
    return prose.facts(
        f"**{prose.inline(author.name)}**" if clean(author.name) else "",
        prose.link(f"@{handle}", f"https://x.com/{handle}" if known else None) if handle else "",
        day(tweet.stamp),
    )


def _article(article: _Article) -> list[str]:
    blocks = article.content.blocks or () if article.content else ()
    lines = [_article_block(block) for block in blocks]
    return lines if any(lines) else [prose.from_text(article.preview_text)]


def _article_block(block: _Block) -> str:
    text = prose.from_text(block.text)
    if text and (block.type or "").startswith("header"):
        return prose.heading(block.text, 2)
    return text


def _extras(tweet: _Quoted) -> list[str]:
    media = tweet.media or _Media()
    photos = [
        f"!{prose.link(one.altText or 'photo', one.url)}" for one in media.photos or () if one.url
    ]
    videos = [prose.link("video", one.url) for one in media.videos or () if one.url]
    choices = tweet.poll.choices or () if tweet.poll else ()
    poll = [
        f"- {prose.facts(prose.inline(one.label), prose.count(one.count, 'vote'))}"
        for one in choices
    ]
    note = tweet.community_note.text if tweet.community_note else None
    context = f"**Community note:** {prose.inline(note)}" if note else ""
    return [*photos, *videos, "\n".join(poll), context]


def _quote(tweet: _Quoted) -> str:
    return prose.quoted(prose.blocks([_byline(tweet), prose.from_text(tweet.words)]))


def _counts(tweet: _Quoted) -> str:
    return prose.facts(
        prose.count(tweet.likes, "like"),
        prose.count(tweet.retweets, "repost"),
        "" if tweet.replies is None else f"{tweet.replies:,} replies",
        prose.count(tweet.quotes, "quote"),
        prose.count(tweet.views, "view"),
    )


def profile(route: Route, kit: SiteKit, user: _User) -> Page:
    name = clean(user.name) or clean(user.screen_name)
    joined = _old_date(user.joined)
    content = prose.blocks(
        [
            f"# {prose.inline(name)} (@{prose.inline(user.screen_name)})",
            prose.from_text(user.description),
            prose.facts(
                prose.inline(user.location),
                prose.count(user.followers, "follower"),
                "" if user.following is None else f"{user.following:,} following",
                prose.count(user.tweets, "post"),
                f"joined {day(joined)}" if joined else "",
            ),
        ]
    )
    return kit.page(
        route,
        content=content,
        content_type="twitter",
        title=f"{name} (@{clean(user.screen_name)})",
        kind="forum",
        author=name,
        site="X",
    )


def _old_date(text: str | None) -> str | None:
    """`Wed Oct 10 20:19:24 +0000 2018`."""
    return dated(text, "%a %b %d %H:%M:%S %z %Y")


def dated(text: str | None, form: str) -> str | None:
    try:
        found = datetime.strptime(text or "", form)  # noqa: DTZ007 - every form has a zone
        return found.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None
