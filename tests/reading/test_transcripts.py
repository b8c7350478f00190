from __future__ import annotations

import json
from typing import Any

import pytest

from citewell.reading.sites.youtube import transcripts
from citewell.reading.sites.youtube.transcripts import CaptionCue, choose_transcript_highlights
from tests.reading.site_answers import VTT, player, youtube
from tests.reading.site_bench import Bench, Reply, Web, page
from tests.requirements import requires

URL = "https://www.youtube.com/watch?v=abcdefghijk"


PLAYER = "m.youtube.com/youtubei/v1/player"


TIMED = "www.youtube.com/api/timedtext"


# The blank in the empty line of a cue is what keeps the cue together.
ROLLING = """WEBVTT
Kind: captions

00:00:00.000 --> 00:00:02.000 align:start position:0%
{blank}
hello<00:00:00.500><c> there</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
hello there
{blank}

00:00:02.010 --> 00:00:04.000 align:start position:0%
hello there
how<00:00:02.500><c> are</c><00:00:03.000><c> you</c>

00:00:04.000 --> 00:00:04.010 align:start position:0%
how are you
{blank}
""".replace("{blank}", " ")


@requires("scrape_page.youtube")
def test_the_transcript_has_times_that_link_to_the_moment() -> None:
    found = page(URL, youtube())

    assert found.content_type == "youtube"
    assert found.language == "en"
    assert (
        "[1:05](https://www.youtube.com/watch?v=abcdefghijk&t=65s) The moon pulls" in found.content
    )
    assert "rise & fall twice a day because" in found.content
    assert found.published == "2024-03-01"
    assert found.notes == ()


def test_a_language_in_the_address_is_honoured() -> None:
    web = Web(youtube())

    found = Bench(web=web).read(URL + "&cc_lang_pref=de-DE")

    assert found is not None
    assert found.language == "de"
    assert dict(web.sent[-1].params)["lang"] == "de"


def test_machine_captions_are_said_to_be_such() -> None:
    answer = player()
    tracks = answer["captions"]["playerCaptionsTracklistRenderer"]["captionTracks"]
    del tracks[2], tracks[0]

    found = page(URL, youtube() | {PLAYER: answer})

    assert found.notes == ("The captions were generated automatically.",)


def test_the_page_is_asked_where_the_application_fails() -> None:
    html = f"<script>var ytInitialPlayerResponse = {json.dumps(player())};var x = 1;</script>"
    answers = youtube() | {PLAYER: Reply(status=500), "www.youtube.com/watch": html}

    assert "The moon pulls" in page(URL, answers).content


def test_the_captions_own_address_is_the_third_way() -> None:
    def timed(request: Any) -> Reply:
        return Reply(body=VTT if dict(request.params)["lang"] == "en-GB" else b"")

    web = Web({TIMED: timed})
    found = Bench(web=web).read(URL)

    assert found is not None
    assert "The moon pulls" in found.content
    assert [dict(request.params)["lang"] for request in web.sent[-3:]] == ["en", "en-US", "en-GB"]


@requires("scrape_page.youtube")
def test_without_captions_the_description_is_given_and_said_to_be_one() -> None:
    found = page(URL, youtube() | {TIMED: b""})

    assert found.quality == "partial"
    assert found.highlights == ()
    assert "No transcript (no captions could be read)" in found.notes[0]
    assert "https://example.org/talk" in found.content


def test_a_caption_address_that_leads_elsewhere_is_not_followed() -> None:
    answer = player()
    for track in answer["captions"]["playerCaptionsTracklistRenderer"]["captionTracks"]:
        track["baseUrl"] = "https://evil.example.org/api/timedtext?v=abcdefghijk"
    web = Web({PLAYER: answer})

    Bench(web=web).read(URL)

    assert not [host for host in web.asked if "evil" in host]


@requires("limit.transcript")
def test_a_long_transcript_is_cut_at_its_limit() -> None:
    cues = "".join(
        f"\n{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000 --> 23:00:00.000\nSentence {at} is said about the sea.\n"
        for at in range(0, 9000, 3)
    )

    found = page(URL, youtube() | {TIMED: "WEBVTT\n" + cues})

    assert found.truncated
    assert 80_000 < len(found.content.encode()) < 105_000


def test_rolling_captions_are_said_once() -> None:
    cues = transcripts.parse_captions(ROLLING)

    assert [cue.text for cue in cues] == ["hello there", "how are you"]
    assert [cue.start for cue in cues] == [0.0, 2.01]


def test_a_refrain_in_written_captions_is_kept() -> None:
    body = "WEBVTT\n\n00:01.000 --> 00:02.000\nLa la la\n\n00:02.000 --> 00:03.000\nLa la la\n"

    assert [cue.text for cue in transcripts.parse_captions(body)] == ["La la la", "La la la"]


def test_both_xml_dialects_are_read() -> None:
    old = '<?xml version="1.0"?><transcript><text start="1.5" dur="2">It&amp;#39;s &amp;quot;on&amp;quot;</text></transcript>'
    new = '<timedtext format="3"><body><p t="1500" d="2000"><s>It&#39;s</s><s t="90"> on</s></p><p t="9" a="1">\n</p></body></timedtext>'

    assert transcripts.parse_captions(old) == (CaptionCue(start=1.5, end=3.5, text='It\'s "on"'),)
    assert transcripts.parse_captions(new) == (CaptionCue(start=1.5, end=3.5, text="It's on"),)


@pytest.mark.parametrize("piece", ["<p t='1'>", '<text start="1">', "<", "&amp;", '<p t="1">a'])
def test_captions_made_to_be_slow_are_not(piece: str) -> None:
    transcripts.parse_captions("<timedtext>" + piece * (400_000 // len(piece)))
    transcripts.parse_captions(
        "WEBVTT\n\n00:01.000 --> 00:02.000\n" + piece * (400_000 // len(piece))
    )


@pytest.mark.parametrize(
    "body", ["", "<html>", "{}", "WEBVTT", "WEBVTT\n\n00:99 --> x\nhi", "\x00"]
)
def test_what_is_no_caption_file_has_no_cues(body: str) -> None:
    assert transcripts.parse_captions(body) == ()


def test_highlights_are_five_at_most_and_the_best_scores_one() -> None:
    topics = ["moon", "harbour", "gauge", "storm", "chart", "coast", "delta", "estuary"]
    cues = [
        CaptionCue(start=at * 10.0, end=at * 10.0 + 9, text=f"The tides at the {name} follow number {at} of the moon.")
        for at, name in enumerate(topics)
    ]  # fmt: skip

    found = choose_transcript_highlights(cues, language="en")

    assert 1 <= len(found) <= 5
    assert found[0].score == 1.0
    assert all(0 <= highlight.score <= 1 for highlight in found)
    assert len({highlight.text for highlight in found}) == len(found)
    assert found[0].to_wire().keys() == {"text", "score", "startTime"}


def test_a_talk_of_a_few_words_has_no_highlights() -> None:
    assert choose_transcript_highlights([CaptionCue(start=0, end=1, text="Hello.")]) == ()


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/shorts/abcdefghijk",
        "https://www.youtube.com/live/abcdefghijk",
        "https://youtu.be/abcdefghijk?si=x",
        "https://www.youtube.com/embed/abcdefghijk",
        "https://music.youtube.com/watch?v=abcdefghijk&list=RDAMVMabcdefghijk",
        "https://www.youtube.com/watch?v=abcdefghijk&list=PLtides0001&index=2",
    ],
)
def test_every_form_of_a_videos_address_gives_its_transcript(url: str) -> None:
    found = page(url, youtube())

    assert "The moon pulls" in found.content
    assert found.final_url == URL
