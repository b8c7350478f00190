"""Playlists and channels of YouTube: from the page, the API or the feed."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import AuthRequired, Blocked, NotFound
from tests.reading.site_answers import (
    channel_data,
    initial_data,
    lockup,
    more_videos,
    playlist_data,
    playlist_video,
    youtube_channel,
    youtube_playlist,
)
from tests.reading.site_bench import Bench, Reply, Web, page, read

LIST = "https://www.youtube.com/playlist?list=PLtides0001"


CHANNEL = "https://www.youtube.com/@tides"


LIST_PAGE = "www.youtube.com/playlist"


CHANNEL_PAGE = "www.youtube.com/@tides/videos"


BROWSE = "www.youtube.com/youtubei/v1/browse"


RESOLVE = "www.youtube.com/youtubei/v1/navigation/resolve_url"


FEEDS = "www.youtube.com/feeds/videos.xml"


CONSENT = Reply(status=302, headers={"location": "https://consent.youtube.com/m?continue=x"})


def without(answers: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: answer for name, answer in answers.items() if name not in names}


def alert(text: str) -> dict[str, Any]:
    return {"alerts": [{"alertRenderer": {"type": "ERROR", "text": {"runs": [{"text": text}]}}}]}


def test_a_playlist_is_browsed_where_its_page_is_not_shown() -> None:
    answers = youtube_playlist() | {
        LIST_PAGE: CONSENT,
        BROWSE: playlist_data(playlist_video("aaaaaaaaaaa", "Spring")),
    }
    web = Web(answers)

    found = Bench(web=web).read(LIST)

    assert found is not None
    assert "1. [Spring]" in found.content
    post = next(request for request in web.sent if request.method == "POST")
    assert post.json["browseId"] == "VLPLtides0001"


def test_the_feed_is_the_last_way_and_is_said() -> None:
    found = page(LIST, without(youtube_playlist(), LIST_PAGE, BROWSE))

    assert (
        "1. [Spring & neap tides](https://www.youtube.com/watch?v=aaaaaaaaaaa) · 2026-11-12"
        in found.content
    )
    assert found.quality == "partial"
    assert "feed" in found.notes[0]
    assert "15" in found.notes[0]


def test_a_long_playlist_is_cut_and_says_how_many_are_shown() -> None:
    def portion(request: Any) -> dict[str, Any]:
        start = int(request.json["continuation"])
        items = [lockup(f"video{place:06}", f"Talk {place}") for place in range(start, start + 100)]
        listed = {"continuationItems": [*items, more_videos(str(start + 100))]}
        return {"onResponseReceivedActions": [{"appendContinuationItemsAction": listed}]}

    data = playlist_data(playlist_video("aaaaaaaaaaa", "First"), more_videos("100"))
    rows = data["header"]["pageHeaderRenderer"]["content"]["pageHeaderViewModel"]["metadata"]
    rows["contentMetadataViewModel"]["metadataRows"][1]["metadataParts"][1]["text"]["content"] = "2,001 videos"  # fmt: skip
    web = Web({LIST_PAGE: initial_data(data), BROWSE: portion})

    found = Bench(web=web).read(LIST)

    assert found is not None
    assert found.truncated
    assert found.notes == ("Only the first 500 of 2,001 videos are listed.",)
    assert "500. [Talk 598]" in found.content
    assert "501." not in found.content
    assert len(web.sent) == 6


def test_a_continuation_that_repeats_itself_ends() -> None:
    again = {"onResponseReceivedActions": [{"appendContinuationItemsAction": {"continuationItems": [
        lockup("aaaaaaaaaaa", "Spring"), more_videos("again")]}}]}  # fmt: skip
    data = playlist_data(playlist_video("aaaaaaaaaaa", "Spring"), more_videos("again"))
    web = Web({LIST_PAGE: initial_data(data), BROWSE: again})

    found = Bench(web=web).read(LIST)

    assert found is not None
    assert "YouTube did not send the rest of the list." in found.notes
    assert found.truncated
    assert len(web.sent) == 2


@pytest.mark.parametrize("name", ["WL", "LL", "HL"])
def test_a_list_of_the_signed_in_user_needs_a_login(name: str) -> None:
    with pytest.raises(AuthRequired):
        read(f"https://www.youtube.com/playlist?list={name}", {})


def test_a_playlist_that_does_not_exist_is_not_found() -> None:
    gone = alert("The playlist does not exist.")

    with pytest.raises(NotFound, match="The playlist does not exist"):
        read(LIST, {LIST_PAGE: initial_data(gone), BROWSE: gone})


def test_a_private_playlist_needs_a_login() -> None:
    with pytest.raises(AuthRequired):
        read(LIST, {LIST_PAGE: initial_data(alert("This playlist is private."))})


def test_a_consent_page_without_another_way_is_named() -> None:
    with pytest.raises(Blocked, match="consent page"):
        read(LIST, {name: Reply(status=500) for name in (BROWSE, FEEDS)} | {LIST_PAGE: CONSENT})


def test_the_newest_videos_of_a_channel_have_the_dates_of_its_feed() -> None:
    found = page(CHANNEL, youtube_channel())

    assert (
        "[Spring & neap tides](https://www.youtube.com/watch?v=aaaaaaaaaaa) · 12:05 · 2026-11-12"
        in found.content
    )


def test_a_channel_without_its_feed_says_how_old_its_videos_are() -> None:
    found = page(CHANNEL, without(youtube_channel(), FEEDS))

    assert "· 12:05 · 3 days ago · 1.2K views" in found.content


def test_the_name_of_a_channel_is_resolved_where_its_page_is_not_shown() -> None:
    web = Web(youtube_channel() | {CHANNEL_PAGE: CONSENT})

    found = Bench(web=web).read(CHANNEL)

    assert found is not None
    assert "1.2M subscribers" in found.content
    resolve, browse = [request.json for request in web.sent if request.method == "POST"]
    assert resolve["url"] == CHANNEL
    assert browse["browseId"] == "UC0000000000000000000001"
    assert browse["params"] == "EgZ2aWRlb3PyBgQKAjoA"


def test_a_channel_known_by_its_id_is_read_from_its_feed_at_last() -> None:
    web = Web(without(youtube_channel(), CHANNEL_PAGE, BROWSE, RESOLVE))

    found = Bench(web=web).read("https://www.youtube.com/channel/UC0000000000000000000001")

    assert found is not None
    assert found.title == "Example Channel"
    assert "2026-11-12" in found.content
    assert dict(web.sent[-1].params) == {"channel_id": "UC0000000000000000000001"}


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (CHANNEL + "/shorts", "/@tides/shorts"),
        (CHANNEL + "/streams?view=0", "/@tides/streams"),
        ("https://www.youtube.com/c/Tides", "/c/Tides/videos"),
        ("https://www.youtube.com/user/tides/featured", "/user/tides/videos"),
        ("https://m.youtube.com/@%E6%B5%B7", "/@%E6%B5%B7/videos"),
    ],
)
def test_the_tab_that_the_address_names_is_asked_for(url: str, path: str) -> None:
    answers = {
        f"www.youtube.com{path}": initial_data(channel_data(lockup("aaaaaaaaaaa", "Spring")))
    }

    assert "1. [Spring]" in page(url, answers).content


def test_a_channel_that_moved_is_followed_within_youtube() -> None:
    moved = Reply(status=302, headers={"location": "https://www.youtube.com/@tides/videos"})

    found = page(
        "https://www.youtube.com/c/Tides",
        youtube_channel() | {"www.youtube.com/c/Tides/videos": moved},
    )

    assert "1.2M subscribers" in found.content


def test_a_channel_that_does_not_exist_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(CHANNEL, {})


def test_a_terminated_channel_is_not_found_and_says_why() -> None:
    data = initial_data(alert("This account has been terminated for a violation."))

    with pytest.raises(NotFound, match="terminated"):
        read(CHANNEL, {CHANNEL_PAGE: data})


def test_a_page_without_usable_answers_is_left_to_the_ladder() -> None:
    failing = {name: Reply(status=500) for name in (LIST_PAGE, BROWSE, FEEDS)}

    assert read(LIST, failing) is None
