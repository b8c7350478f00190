"""YouTube's watch pages and player: playability, caption tracks, and the applications that are asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.core.errors import AuthRequired, Blocked, ContentEmpty, NotFound
from citewell.reading.sites.youtube.watch_pages import choose_caption_track, parse_player_answer
from tests.exchanges import read_answer
from tests.reading.site_answers import MOBILE_PAGE, VTT, player, youtube
from tests.reading.site_bench import Bench, Reply, Web, page, read

URL = "https://www.youtube.com/watch?v=abcdefghijk"


PLAYER = "m.youtube.com/youtubei/v1/player"


SECOND_PLAYER = "www.youtube.com/youtubei/v1/player"


TIMED = "www.youtube.com/api/timedtext"


def refusing(status: str, reason: str, **more: Any) -> dict[str, Any]:
    return {"playabilityStatus": {"status": status, "reason": reason, **more}}


def test_people_are_preferred_to_machines_and_the_key_of_the_page_is_used() -> None:
    web = Web(youtube())

    Bench(web=web).read(URL)

    post = next(request for request in web.sent if request.method == "POST")
    assert dict(post.params)["key"] == "AIzaExampleKey0001"
    assert post.json["context"]["client"]["clientName"] == "ANDROID_VR"
    assert post.json["context"]["client"]["visitorData"] == "Cgt2aXNpdG9y%3D"
    asked = dict(web.sent[-1].params)
    assert asked == {"v": "abcdefghijk", "lang": "en", "fmt": "vtt"}


def test_an_unavailable_video_is_not_found() -> None:
    gone = refusing("ERROR", "Video unavailable")
    html = f"<script>ytInitialPlayerResponse = {json.dumps(gone)};</script>"

    with pytest.raises(NotFound, match="Video unavailable"):
        read(URL, {PLAYER: gone, "www.youtube.com/watch": html})


def test_a_private_video_needs_a_login() -> None:
    with pytest.raises(AuthRequired, match="private"):
        read(URL, {PLAYER: refusing("LOGIN_REQUIRED", "This video is private")})


def test_a_bot_check_is_a_wall() -> None:
    with pytest.raises(Blocked, match="not a bot"):
        read(URL, {PLAYER: refusing("LOGIN_REQUIRED", "Sign in to confirm you're not a bot")})


def test_an_age_restriction_without_a_description_needs_a_login() -> None:
    answer = refusing("LOGIN_REQUIRED", "Sign in", desktopLegacyAgeGateReason=1)

    with pytest.raises(AuthRequired, match="age-restricted"):
        read(URL, {PLAYER: answer})


def test_a_consent_page_is_named_when_nothing_else_answers() -> None:
    goal = "https://consent.youtube.com/m?continue=https%3A%2F%2Fm.youtube.com%2Fwatch"
    consent = Reply(status=302, headers={"location": goal})

    with pytest.raises(Blocked, match="consent page"):
        read(URL, {"m.youtube.com/watch": consent, "www.youtube.com/watch": consent})


def test_a_consent_page_does_not_hide_captions_that_the_application_gets() -> None:
    goal = "https://consent.youtube.com/m"
    answers = youtube() | {"m.youtube.com/watch": Reply(status=302, headers={"location": goal})}

    assert "The moon pulls" in page(URL, answers).content


def test_without_a_wanted_language_the_videos_own_is_taken() -> None:
    answer = player()
    tracks = answer["captions"]["playerCaptionsTracklistRenderer"]
    tracks["captionTracks"] = [
        {"baseUrl": "/api/timedtext?lang=fr", "languageCode": "fr"},
        {"baseUrl": "/api/timedtext?lang=de", "languageCode": "de"},
    ]
    tracks["audioTracks"] = [{"defaultCaptionTrackIndex": 1}]
    found = parse_player_answer(answer)

    assert found is not None
    chosen = choose_caption_track(found, ("en",))
    assert chosen is not None
    assert chosen.languageCode == "de"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("many_tracks.json", "A harbour wall reviewed"),
        ("two_tracks.json", "The tide is turning"),
    ],
)
def test_a_whole_player_answer_leads_to_the_written_english_track(name: str, title: str) -> None:
    answer = json.loads(read_answer(f"youtube/{name}"))
    web = Web({"m.youtube.com/watch": MOBILE_PAGE, PLAYER: answer, TIMED: VTT})

    found = Bench(web=web).read(URL)

    assert found is not None
    assert title in found.title
    assert found.language == "en"
    assert found.notes == ()
    asked = dict(web.sent[-1].params)
    assert asked["lang"] == "en"
    assert asked["fmt"] == "vtt"
    assert asked["signature"]
    assert "kind" not in asked


def test_an_age_restriction_is_said_with_the_description() -> None:
    found = page(URL, {PLAYER: json.loads(read_answer("youtube/age_restricted.json"))})

    assert found.quality == "partial"
    assert "age-restricted" in found.notes[0]
    assert "age-restricted" in found.content
    assert "Remixer" in found.content


def test_a_whole_consent_page_is_recognised() -> None:
    html = read_answer("youtube/consent.html")

    with pytest.raises(Blocked, match="consent page"):
        read(URL, {"m.youtube.com/watch": html, "www.youtube.com/watch": html})


def list_clients(web: Web) -> list[str]:
    return [
        request.json["context"]["client"]["clientName"]
        for request in web.sent
        if request.method == "POST"
    ]


BOT_CHECK = refusing("LOGIN_REQUIRED", "Sign in to confirm you're not a bot")


@pytest.mark.parametrize(
    "first",
    [
        Reply(status=403),
        "<html>not JSON</html>",
        "null",
        BOT_CHECK,
        refusing("ERROR", "Video unavailable"),
        player("anothervide"),
        {"playabilityStatus": {"status": "OK"}, "captions": None},
    ],
    ids=["refused", "html", "null", "bot check", "unknown to it", "another video", "no captions"],
)
def test_a_second_application_is_asked_where_the_first_gives_no_captions(first: Any) -> None:
    web = Web({PLAYER: first, SECOND_PLAYER: player(), TIMED: VTT})

    found = Bench(web=web).read(URL)

    assert found is not None
    assert "The moon pulls" in found.content
    assert found.notes == ()
    assert list_clients(web) == ["ANDROID_VR", "ANDROID"]


def test_a_third_application_is_asked_where_the_second_is_refused() -> None:
    def answer(request: Any) -> Any:
        return player() if request.json["context"]["client"]["clientName"] == "IOS" else BOT_CHECK

    web = Web({PLAYER: BOT_CHECK, SECOND_PLAYER: answer, TIMED: VTT})
    found = Bench(web=web).read(URL)

    assert found is not None
    assert "The moon pulls" in found.content
    assert list_clients(web) == ["ANDROID_VR", "ANDROID", "IOS"]


def test_captions_that_came_empty_are_fetched_with_the_address_of_the_next_application() -> None:
    gated = player()
    for track in gated["captions"]["playerCaptionsTracklistRenderer"]["captionTracks"]:
        track["baseUrl"] += "&exp=xpe"

    def timed(request: Any) -> Reply:
        return Reply(body=b"" if "exp" in dict(request.params) else VTT)

    found = page(URL, {PLAYER: gated, SECOND_PLAYER: player(), TIMED: timed})

    assert "The moon pulls" in found.content


def test_each_way_that_failed_is_named_beside_the_description() -> None:
    answers = {PLAYER: Reply(status=500), SECOND_PLAYER: BOT_CHECK}
    html = f"<script>var ytInitialPlayerResponse = {json.dumps(player())};</script>"

    found = page(URL, answers | {"www.youtube.com/watch": html, TIMED: b""})

    assert found.quality == "partial"
    note = found.notes[1]
    assert "the VR app (HTTP 500)" in note
    assert "the watch page (empty captions)" in note
    assert "the Android app (Sign in to confirm you're not a bot)" in note
    assert "the iOS app" in note
    assert "the caption address (empty captions)" in note


def test_a_bot_check_names_every_application_that_was_asked() -> None:
    with pytest.raises(Blocked, match=r"the VR app .* the Android app .* the iOS app"):
        read(URL, {PLAYER: BOT_CHECK, SECOND_PLAYER: BOT_CHECK})


@pytest.mark.parametrize(
    "answer",
    [
        refusing("LOGIN_REQUIRED", "This is a private video. Please sign in to verify that you may see it."),
        refusing("AGE_VERIFICATION_REQUIRED", "Sign in to confirm your age"),
        refusing("UNPLAYABLE", "Join this channel to get access to members-only content."),
    ],
    ids=["private", "age", "members"],
)  # fmt: skip
def test_a_video_that_needs_a_login_is_not_asked_for_again(answer: Any) -> None:
    web = Web({PLAYER: answer, SECOND_PLAYER: player(), TIMED: VTT})

    with pytest.raises(AuthRequired):
        Bench(web=web).read(URL)
    assert list_clients(web) == ["ANDROID_VR"]


def test_what_is_said_of_the_video_counts_more_than_a_bot_check() -> None:
    removed = refusing("ERROR", "This video has been removed by the uploader")

    with pytest.raises(NotFound, match="removed by the uploader"):
        read(URL, {PLAYER: removed, SECOND_PLAYER: BOT_CHECK})


def offline(**more: Any) -> dict[str, Any]:
    slate = {"liveStreamOfflineSlateRenderer": {"scheduledStartTime": "1796558400"}}
    stream = {"liveStreamabilityRenderer": {"videoId": "abcdefghijk", "offlineSlate": slate}}
    reason = "This live event will begin in 3 weeks."
    return refusing("LIVE_STREAM_OFFLINE", reason, liveStreamability=stream) | more


def test_a_stream_that_has_not_started_says_when_it_will() -> None:
    with pytest.raises(ContentEmpty, match=r"not started.*3 weeks.*2026-12-06T12:00:00"):
        read(URL, {PLAYER: offline()})


def test_a_stream_that_has_not_started_has_its_description() -> None:
    found = page(URL, {PLAYER: offline(videoDetails=player()["videoDetails"])})

    assert "will begin in 3 weeks" in found.notes[0]
    assert "https://example.org/talk" in found.content


def test_captions_by_people_in_the_spoken_language_are_preferred() -> None:
    answer = player()
    tracks = answer["captions"]["playerCaptionsTracklistRenderer"]
    tracks["captionTracks"] = [
        {"baseUrl": "/api/timedtext?lang=fr", "languageCode": "fr"},
        {"baseUrl": "/api/timedtext?lang=de&kind=asr", "languageCode": "de", "kind": "asr"},
        {"baseUrl": "/api/timedtext?lang=de", "languageCode": "de"},
    ]
    tracks["audioTracks"] = [{"captionTrackIndices": [0, 1, 2]}]
    found = parse_player_answer(answer)

    assert found is not None
    chosen = choose_caption_track(found, ("en",))
    assert chosen is not None
    assert (chosen.languageCode, chosen.kind) == ("de", None)
