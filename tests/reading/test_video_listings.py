"""Playlists and channels of YouTube: from the page, the API or the feed, bounded, and said to be so."""

from __future__ import annotations

import json

import pytest

from citewell.reading.sites.youtube.video_listings import (
    parse_listing_body,
    parse_video_feed,
    read_listing_page,
)
from tests.reading.site_answers import (
    channel_data,
    lockup,
    youtube_channel,
    youtube_playlist,
)
from tests.reading.site_bench import Bench, Web, page

LIST = "https://www.youtube.com/playlist?list=PLtides0001"


CHANNEL = "https://www.youtube.com/@tides"


def test_a_playlist_has_its_title_owner_and_videos_in_order() -> None:
    found = page(LIST, youtube_playlist())

    assert (found.title, found.author, found.kind) == (
        "All about tides",
        "Example Channel",
        "listing",
    )
    assert "3 videos · 1,234 views" in found.content
    assert "https://example.org/list" in found.content
    assert (
        "1. [Spring & neap tides](https://www.youtube.com/watch?v=aaaaaaaaaaa) · 10:15"
        " · 3 years ago · 1.2K views · Other Channel" in found.content
    )
    assert (
        "2. [Tide \\*gauges\\*](https://www.youtube.com/watch?v=bbbbbbbbbbb) · 12:05"
        in found.content
    )
    assert "3. [The last one]" in found.content
    assert (found.notes, found.truncated, found.quality) == ((), False, "complete")


def test_recommendations_under_a_playlist_are_left_out() -> None:
    web = Web(youtube_playlist())

    found = Bench(web=web).read(LIST)

    assert found is not None
    assert "Something else" not in found.content
    asked = [request.json["continuation"] for request in web.sent if request.method == "POST"]
    assert asked == ["next-page"]


def test_the_page_tells_the_api_its_key_and_version() -> None:
    web = Web(youtube_playlist())

    Bench(web=web).read(LIST)

    post = next(request for request in web.sent if request.method == "POST")
    assert dict(post.params)["key"] == "AIzaExampleKey0001"
    assert post.json["context"]["client"]["clientVersion"] == "2.20261101.01.00"


def test_a_channel_has_its_description_subscribers_and_newest_videos() -> None:
    found = page(CHANNEL, youtube_channel())

    assert found.title == "Example Channel"
    assert "@tides · 1.2M subscribers · 321 videos" in found.content
    assert "All about \\*tides\\*." in found.content
    assert (
        "2. [Tide gauges](https://www.youtube.com/watch?v=bbbbbbbbbbb) · 1:02:03 · 2 weeks ago · 9,876 views"
        in found.content
    )
    assert "3. [A short](https://www.youtube.com/watch?v=ccccccccccc) · 5K views" in found.content
    assert found.notes == ("Only the newest 3 of 321 videos are listed.",)


def test_advertisements_and_playlists_among_videos_are_left_out() -> None:
    advert = {
        "lockupViewModel": {"contentId": "AdAdAdAdAd1", "metadata": {"feedAdMetadataViewModel": {}}}
    }
    other = lockup("bbbbbbbbbbb", "A playlist")
    other["lockupViewModel"]["contentType"] = "LOCKUP_CONTENT_TYPE_PLAYLIST"
    data = channel_data(advert, other, lockup("aaaaaaaaaaa", "Spring"))

    listing = parse_listing_body(json.dumps(data))

    assert listing is not None
    assert [video.id for video in listing.videos] == ["aaaaaaaaaaa"]


@pytest.mark.parametrize(
    "body", ["", "<html></html>", "null", "[]", "{}", "{" * 100_000, '{"contents":' * 90_000]
)
def test_what_is_no_listing_is_none(body: str) -> None:
    assert parse_listing_body(body) is None
    assert read_listing_page(f"<script>var ytInitialData = {body};</script>").listing is None
    assert parse_video_feed(body) is None
