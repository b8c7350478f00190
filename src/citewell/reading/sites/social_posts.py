"""What pages of posts and profiles on social networks share: counts of reactions, and the profile."""

from __future__ import annotations

from typing import Any

from citewell.core.values.counted_words import pluralize
from citewell.core.values.page import Page
from citewell.reading.sites import site_markdown
from citewell.reading.sites.site_kit import SiteKit, SiteRoute, trim_to_date
from citewell.text.safety.text_cleaning import clean_markup


def format_reactions(
    *,
    likes: int | None,
    reposts: int | None,
    replies: int | None,
    quotes: int | None,
    views: int | None = None,
) -> str:
    return site_markdown.join_facts(
        site_markdown.format_count(likes, "like"),
        site_markdown.format_count(reposts, "repost"),
        "" if replies is None else f"{replies:,} {pluralize(replies, 'reply', 'replies')}",
        site_markdown.format_count(quotes, "quote"),
        site_markdown.format_count(views, "view"),
    )


def build_profile_page(
    route: SiteRoute,
    kit: SiteKit,
    *,
    name: str,
    handle: str | None,
    description: str | None,
    location: str | None = None,
    followers: int | None,
    following: int | None,
    posts: int | None,
    joined: str | None,
    **more: Any,
) -> Page:
    """The page of an account; `joined` is an ISO date, `more` as for `SiteKit.build_page`."""
    facts = site_markdown.join_facts(
        site_markdown.format_inline_text(location),
        site_markdown.format_count(followers, "follower"),
        "" if following is None else f"{following:,} following",
        site_markdown.format_count(posts, "post"),
        f"joined {trim_to_date(joined)}" if joined else "",
    )
    shown_name, shown_handle = map(site_markdown.format_inline_text, (name, handle))
    about = site_markdown.convert_plain_text(description)
    return kit.build_page(
        route,
        content=(f"# {shown_name} (@{shown_handle})", about, facts),
        title=f"{name} (@{clean_markup(handle)})",
        kind="forum",
        author=name or None,
        **more,
    )
