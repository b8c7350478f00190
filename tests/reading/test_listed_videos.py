"""The data of YouTube's pages, in its many shapes."""

from __future__ import annotations

import pytest

from citewell.reading.sites.youtube.listed_videos import (
    ListedVideo,
    find_embedded_object,
    find_nested_object,
    get_nested,
    read_listed_video,
    read_text_value,
)

VIDEO = "abcdefghijk"


@pytest.mark.parametrize(
    "html", ['<script>var ytData = {"a": 1};</script>', '<script>window["ytData"] = {"a": 1};']
)
def test_the_object_of_a_variable_is_found(html: str) -> None:
    assert find_embedded_object(html, "ytData") == {"a": 1}


def test_a_damaged_object_is_none() -> None:
    assert find_embedded_object("var ytData = {not json", "ytData") is None


def test_a_missing_step_on_a_path_is_none() -> None:
    assert get_nested({"a": {"b": 1}}, "a", "b") == 1
    assert get_nested({"a": []}, "a", "b") is None
    assert find_nested_object([{"x": {"y": {"z": 1}}}], "y") == {"z": 1}


@pytest.mark.parametrize(
    "text", ["Tides", {"simpleText": "Tides"}, {"runs": [{"text": "Ti"}, {"text": "des"}]}]
)
def test_a_text_is_read_in_every_shape(text: object) -> None:
    assert read_text_value(text) == "Tides"


def test_a_video_has_its_title_length_and_channel() -> None:
    data = {
        "videoId": VIDEO,
        "title": {"simpleText": "Tides"},
        "lengthSeconds": "245",
        "shortBylineText": {"runs": [{"text": "Sea"}]},
        "viewCountText": {"simpleText": "12 views"},
    }

    assert read_listed_video({"playlistVideoRenderer": data}) == ListedVideo(
        id=VIDEO, title="Tides", length="4:05", views="12 views", channel="Sea"
    )


def test_what_is_no_video_is_none() -> None:
    assert (
        read_listed_video({"lockupViewModel": {"contentType": "LOCKUP_CONTENT_TYPE_ALBUM"}}) is None
    )
    assert read_listed_video({"playlistVideoRenderer": {"videoId": "short"}}) is None


@pytest.mark.parametrize(
    "html",
    [
        'var ytInitialData = {"a": "x};y{"};',
        'window["ytInitialData"] = {"a": "x};y{"};',
        'if (window.ytInitialData) {}; var ytInitialData={"a": "x};y{"}</script>',
        'ytInitialData = {broken; ytInitialData = {"a": "x};y{"};',
    ],
)
def test_the_data_of_a_page_is_found_however_its_script_names_it(html: str) -> None:
    assert find_embedded_object(html, "ytInitialData") == {"a": "x};y{"}
