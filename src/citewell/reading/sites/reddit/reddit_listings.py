"""Reads a thread from the JSON of Reddit's API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from citewell.net.upstream.json_responses import (
    HttpLink,
    OptionalField,
    ResponsePart,
    TolerantItems,
)
from citewell.reading.sites import site_markdown
from citewell.reading.sites.reddit import reddit_threads
from citewell.reading.sites.site_kit import format_epoch_time
from citewell.text.safety.text_cleaning import clean_markup

_MAX_GALLERY_PICTURES = 50


class _PollOption(ResponsePart):
    text: str
    vote_count: OptionalField[int] = None


class _PollData(ResponsePart):
    options: TolerantItems[_PollOption] = ()
    total_vote_count: OptionalField[int] = None


class _GalleryItem(ResponsePart):
    media_id: str
    caption: OptionalField[str] = None


class _GalleryData(ResponsePart):
    items: TolerantItems[_GalleryItem] = ()


class _SharedPost(ResponsePart):
    title: str
    author: OptionalField[str] = None
    subreddit: OptionalField[str] = None
    selftext: OptionalField[str] = None
    selftext_html: OptionalField[str] = None
    permalink: OptionalField[str] = None


class _RedditPostData(_SharedPost):
    score: OptionalField[int] = None
    num_comments: OptionalField[int] = None
    created_utc: OptionalField[float] = None
    url: OptionalField[HttpLink] = None
    is_self: OptionalField[bool] = None
    is_gallery: OptionalField[bool] = None
    spoiler: OptionalField[bool] = None
    over_18: OptionalField[bool] = None
    link_flair_text: OptionalField[str] = None
    poll_data: OptionalField[_PollData] = None
    gallery_data: OptionalField[_GalleryData] = None
    media_metadata: Any = None
    crosspost_parent_list: OptionalField[TolerantItems[_SharedPost]] = None


class _RedditCommentData(ResponsePart):
    id: OptionalField[str] = None
    author: OptionalField[str] = None
    body: OptionalField[str] = None
    body_html: OptionalField[str] = None
    score: OptionalField[int] = None
    score_hidden: OptionalField[bool] = None
    created_utc: OptionalField[float] = None
    permalink: OptionalField[str] = None
    stickied: OptionalField[bool] = None
    replies: Any = None


def parse_thread_listing(answer: Any) -> reddit_threads.RedditThread | None:
    """The thread in an answer of the API; None if it holds no post."""
    lists = answer if isinstance(answer, list) else []
    posts = [value for kind, value in _list_children(lists[0]) if kind == "t3"] if lists else []
    try:
        data = _RedditPostData.model_validate(posts[0] if posts else None)
    except ValidationError:
        return None
    comments, unsent = _read_comment_listing(lists[1] if len(lists) > 1 else None)
    return reddit_threads.RedditThread(
        post=_build_reddit_post(data), comments=tuple(comments), unsent_comments=unsent
    )


def _list_children(listing: Any) -> list[tuple[str, Any]]:
    data = listing.get("data") if isinstance(listing, dict) else None
    children = data.get("children") if isinstance(data, dict) else None
    return [
        (str(child.get("kind")), child.get("data"))
        for child in (children if isinstance(children, list) else ())
        if isinstance(child, dict)
    ]


def _read_comment_listing(listing: Any) -> tuple[list[reddit_threads.RedditComment], int]:
    """The comments in page order, and how many of the first level were not sent."""
    found: list[reddit_threads.RedditComment] = []
    unsent = 0
    waiting = [(0, -1, *child) for child in reversed(_list_children(listing))]
    while waiting:
        depth, parent, kind, value = waiting.pop()
        if kind == "more":
            # How many comments a placeholder stands for; one that says nothing stands for at least one.
            count = value.get("count") if isinstance(value, dict) else None
            count = count if isinstance(count, int) and 0 < count < 10**7 else 1
            if parent < 0:
                unsent += count
            else:
                known = found[parent].unsent_replies
                found[parent] = replace(found[parent], unsent_replies=known + count)
        elif kind == "t1" and (data := _parse_comment_data(value)) is not None:
            found.append(_build_comment(data, depth))
            place = len(found) - 1
            below = reversed(_list_children(data.replies))
            waiting += [(depth + 1, place, *child) for child in below]
    return found, unsent


def _parse_comment_data(value: object) -> _RedditCommentData | None:
    try:
        return _RedditCommentData.model_validate(value)
    except ValidationError:
        return None


def _build_comment(data: _RedditCommentData, depth: int) -> reddit_threads.RedditComment:
    return reddit_threads.RedditComment(
        id=(data.id or "").lower(),
        author=clean_markup(data.author) or "[deleted]",
        html=data.body_html or "",
        plain_text=clean_markup(data.body),
        score=None if data.score_hidden else data.score or 0,
        created=format_epoch_time(data.created_utc),
        permalink=reddit_threads.build_reddit_permalink(data.permalink),
        depth=depth,
        pinned=bool(data.stickied),
    )


def _build_reddit_post(data: _RedditPostData) -> reddit_threads.RedditPost:
    text = (data.selftext or "").strip()
    labels = ("spoiler" if data.spoiler else "", "NSFW" if data.over_18 else "")
    return reddit_threads.RedditPost(
        title=clean_markup(data.title),
        author=clean_markup(data.author),
        html=(data.selftext_html or "") if text else "",
        markdown=site_markdown.convert_plain_text(text),
        extras=tuple(_render_extras(data)),
        labels=tuple(filter(None, (*labels, clean_markup(data.link_flair_text)))),
        score=data.score or 0,
        comments=data.num_comments or 0,
        created=format_epoch_time(data.created_utc),
        community=clean_markup(data.subreddit),
        link=None if data.is_self or data.is_gallery or data.crosspost_parent_list else data.url,
        permalink=reddit_threads.build_reddit_permalink(data.permalink),
    )


def _render_extras(data: _RedditPostData) -> Iterator[str]:
    if data.poll_data is not None and data.poll_data.options:
        yield _render_poll(data.poll_data)
    if data.gallery_data is not None:
        yield "\n\n".join(_render_gallery(data.gallery_data, data.media_metadata))
    for shared in (data.crosspost_parent_list or ())[:1]:
        yield _render_shared_post(shared)


def _render_poll(poll: _PollData) -> str:
    lines = [
        site_markdown.format_poll_choice(option.text, option.vote_count) for option in poll.options
    ]
    total = site_markdown.format_count(poll.total_vote_count, "vote")
    return site_markdown.join_blocks(
        [f"**Poll**{f' ({total})' if total else ''}", "\n".join(lines)]
    )


def _render_gallery(gallery: _GalleryData, media: Any) -> Iterator[str]:
    known = media if isinstance(media, dict) else {}
    for item in gallery.items[:_MAX_GALLERY_PICTURES]:
        picture = known.get(item.media_id)
        source = picture.get("s") if isinstance(picture, dict) else None
        address = (source.get("u") or source.get("gif")) if isinstance(source, dict) else None
        link = site_markdown.format_markdown_link("picture", address if isinstance(address, str) else None)  # fmt: skip
        yield "- " + site_markdown.join_facts(link, site_markdown.format_inline_text(item.caption))


def _render_shared_post(shared: _SharedPost) -> str:
    head = site_markdown.join_facts(
        "Shared from " + site_markdown.format_markdown_link(shared.title, reddit_threads.build_reddit_permalink(shared.permalink)),
        f"r/{site_markdown.format_inline_text(shared.subreddit)}" if shared.subreddit else "",
        f"by u/{site_markdown.format_inline_text(shared.author)}" if shared.author else "",
    )  # fmt: skip
    body = site_markdown.convert_html_text(
        reddit_threads.mark_spoilers(shared.selftext_html or ""), base=reddit_threads.REDDIT_ADDRESS
    ) or site_markdown.convert_plain_text(shared.selftext)
    return site_markdown.quote_markdown(site_markdown.join_blocks([head, body]))
