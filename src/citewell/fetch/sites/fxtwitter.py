"""Builds pages from X posts and profiles in the form of FxTwitter's API."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from citewell.dialects.json_responses import HttpLink, OptionalField, ResponsePart, TolerantItems
from citewell.fetch.sites import markdown_parts
from citewell.fetch.sites.site_kit import SiteKit, SiteRoute, format_epoch_time, trim_to_date
from citewell.model.counted_words import pluralize
from citewell.model.page import Page
from citewell.text.safety.markup_cleaning import clean_markup

X_USER_PATTERN = re.compile(r"[A-Za-z0-9_]{1,15}")


class _TweetAuthor(ResponsePart):
    name: OptionalField[str] = None
    screen_name: OptionalField[str] = None


class _TweetPhoto(ResponsePart):
    url: OptionalField[HttpLink] = None
    altText: OptionalField[str] = None  # noqa: N815 - the upstream's word


class _TweetMedia(ResponsePart):
    photos: OptionalField[TolerantItems[_TweetPhoto]] = None
    videos: OptionalField[TolerantItems[_TweetPhoto]] = None


class _PollChoice(ResponsePart):
    label: OptionalField[str] = None
    count: OptionalField[int] = None


class _TweetPoll(ResponsePart):
    choices: OptionalField[TolerantItems[_PollChoice]] = None


class _ArticleBlock(ResponsePart):
    text: OptionalField[str] = None
    type: OptionalField[str] = None


class _ArticleBody(ResponsePart):
    blocks: OptionalField[TolerantItems[_ArticleBlock]] = None


class _TweetArticle(ResponsePart):
    title: OptionalField[str] = None
    preview_text: OptionalField[str] = None
    content: OptionalField[_ArticleBody] = None


class _RawTweetText(ResponsePart):
    text: OptionalField[str] = None


class _CommunityNote(ResponsePart):
    text: OptionalField[str] = None


class _QuotedTweet(ResponsePart):
    url: OptionalField[HttpLink] = None
    text: OptionalField[str] = None
    raw_text: OptionalField[_RawTweetText] = None
    author: OptionalField[_TweetAuthor] = None
    created_at: OptionalField[str] = None
    created_timestamp: OptionalField[int] = None
    likes: OptionalField[int] = None
    retweets: OptionalField[int] = None
    replies: OptionalField[int] = None
    quotes: OptionalField[int] = None
    views: OptionalField[int] = None
    lang: OptionalField[str] = None
    replying_to: OptionalField[str] = None
    media: OptionalField[_TweetMedia] = None
    poll: OptionalField[_TweetPoll] = None
    article: OptionalField[_TweetArticle] = None
    community_note: OptionalField[_CommunityNote] = None

    @property
    def full_text(self) -> str:
        return self.text or (self.raw_text.text if self.raw_text else None) or ""

    @property
    def posted_at(self) -> str | None:
        return format_epoch_time(self.created_timestamp) or _parse_twitter_date(self.created_at)


class _Tweet(_QuotedTweet):
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


class FxTwitterAnswer(ResponsePart):
    code: OptionalField[int] = None
    tweet: OptionalField[_Tweet] = None
    user: OptionalField[_TwitterUser] = None


def build_tweet_page(route: SiteRoute, kit: SiteKit, tweet: _Tweet) -> Page:
    author = tweet.author or _TweetAuthor()
    name = clean_markup(author.name) or clean_markup(author.screen_name) or route.owner
    article = tweet.article or _TweetArticle()
    title = (
        clean_markup(article.title)
        or f"{name} on X: {markdown_parts.trim_excerpt(tweet.full_text, 80)}"
    )
    content = markdown_parts.join_blocks(
        [
            markdown_parts.format_heading(article.title) if clean_markup(article.title) else "",
            _format_tweet_byline(tweet),
            f"In reply to @{markdown_parts.format_inline_text(tweet.replying_to)}"
            if tweet.replying_to
            else "",
            markdown_parts.convert_plain_text(tweet.full_text),
            *_render_tweet_article(article),
            *_render_tweet_extras(tweet),
            _render_quoted_tweet(tweet.quote) if tweet.quote else "",
            _format_tweet_counts(tweet),
        ]
    )
    language = re.match(r"(?!und|qme|qst|zxx|qht)[a-z]{2}", tweet.lang or "")
    return kit.build_page(
        route,
        content=content,
        content_type="twitter",
        title=title,
        kind="forum",
        author=name,
        site="X",
        language=language[0] if language else None,
        published=tweet.posted_at,
    )


def _format_tweet_byline(tweet: _QuotedTweet) -> str:
    author = tweet.author or _TweetAuthor()
    handle = clean_markup(author.screen_name)
    known = X_USER_PATTERN.fullmatch(handle)
    return markdown_parts.join_facts(
        f"**{markdown_parts.format_inline_text(author.name)}**"
        if clean_markup(author.name)
        else "",
        markdown_parts.format_markdown_link(
            f"@{handle}", f"https://x.com/{handle}" if known else None
        )
        if handle
        else "",
        trim_to_date(tweet.posted_at),
    )


def _render_tweet_article(article: _TweetArticle) -> list[str]:
    blocks = article.content.blocks or () if article.content else ()
    lines = [_render_article_block(block) for block in blocks]
    return lines if any(lines) else [markdown_parts.convert_plain_text(article.preview_text)]


def _render_article_block(block: _ArticleBlock) -> str:
    text = markdown_parts.convert_plain_text(block.text)
    if text and (block.type or "").startswith("header"):
        return markdown_parts.format_heading(block.text, 2)
    return text


def _render_tweet_extras(tweet: _QuotedTweet) -> list[str]:
    media = tweet.media or _TweetMedia()
    photos = [
        f"!{markdown_parts.format_markdown_link(one.altText or 'photo', one.url)}"
        for one in media.photos or ()
        if one.url
    ]
    videos = [
        markdown_parts.format_markdown_link("video", one.url)
        for one in media.videos or ()
        if one.url
    ]
    choices = tweet.poll.choices or () if tweet.poll else ()
    poll = [
        f"- {markdown_parts.join_facts(markdown_parts.format_inline_text(one.label), markdown_parts.format_count(one.count, 'vote'))}"
        for one in choices
    ]
    note = tweet.community_note.text if tweet.community_note else None
    context = f"**Community note:** {markdown_parts.format_inline_text(note)}" if note else ""
    return [*photos, *videos, "\n".join(poll), context]


def _render_quoted_tweet(tweet: _QuotedTweet) -> str:
    return markdown_parts.quote_markdown(
        markdown_parts.join_blocks(
            [_format_tweet_byline(tweet), markdown_parts.convert_plain_text(tweet.full_text)]
        )
    )


def _format_tweet_counts(tweet: _QuotedTweet) -> str:
    return markdown_parts.join_facts(
        markdown_parts.format_count(tweet.likes, "like"),
        markdown_parts.format_count(tweet.retweets, "repost"),
        ""
        if tweet.replies is None
        else f"{tweet.replies:,} {pluralize(tweet.replies, 'reply', 'replies')}",
        markdown_parts.format_count(tweet.quotes, "quote"),
        markdown_parts.format_count(tweet.views, "view"),
    )


def build_x_profile_page(route: SiteRoute, kit: SiteKit, user: _TwitterUser) -> Page:
    name = clean_markup(user.name) or clean_markup(user.screen_name)
    joined = _parse_twitter_date(user.joined)
    content = markdown_parts.join_blocks(
        [
            f"# {markdown_parts.format_inline_text(name)} (@{markdown_parts.format_inline_text(user.screen_name)})",
            markdown_parts.convert_plain_text(user.description),
            markdown_parts.join_facts(
                markdown_parts.format_inline_text(user.location),
                markdown_parts.format_count(user.followers, "follower"),
                "" if user.following is None else f"{user.following:,} following",
                markdown_parts.format_count(user.tweets, "post"),
                f"joined {trim_to_date(joined)}" if joined else "",
            ),
        ]
    )
    return kit.build_page(
        route,
        content=content,
        content_type="twitter",
        title=f"{name} (@{clean_markup(user.screen_name)})",
        kind="forum",
        author=name,
        site="X",
    )


def _parse_twitter_date(text: str | None) -> str | None:
    """A date such as `Wed Oct 10 20:19:24 +0000 2018` as ISO 8601, or None."""
    return parse_zoned_date(text, "%a %b %d %H:%M:%S %z %Y")


def parse_zoned_date(text: str | None, form: str) -> str | None:
    try:
        found = datetime.strptime(text or "", form)  # noqa: DTZ007 - every format has a zone
        return found.astimezone(UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError):
        return None
