"""What is Commons' own: answers in parts, facts as HTML, limits with status 200, keywords for filters."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import RateLimited, UpstreamUnavailable
from citewell.core.values.search_queries import ImageQuery
from tests.providers.asking import Reply, ask_images


def page(number: int, *, index: int | None = None, **info: Any) -> dict[str, Any]:
    given = {
        "url": f"https://upload.example.org/{number}.jpg",
        "descriptionurl": f"https://commons.example.org/wiki/File:{number}.jpg",
        "mime": "image/jpeg",
    }
    return {
        "pageid": number,
        "title": f"File:Picture {number}.jpg",
        "index": index or number,
        "imageinfo": [given | info],
    }


def answer(*pages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"batchcomplete": True, "query": {"pages": list(pages)}} | more


def facts(**values: object) -> dict[str, Any]:
    return {name: {"value": value, "source": "commons-desc-page"} for name, value in values.items()}


def search(*replies: Any, **query: Any) -> Any:
    return ask_images("commons", ImageQuery(text="tree", **query), *replies)


def test_images_come_in_the_order_of_their_rank() -> None:
    found, _ = search(answer(page(7, index=2), page(3, index=1), page(5, index=3)))

    assert [image.title for image in found] == ["Picture 3", "Picture 7", "Picture 5"]


def test_facts_that_come_later_are_merged_and_all_of_continue_is_sent_back() -> None:
    bare = {"pageid": 2, "title": "File:Picture 2.jpg", "index": 2}
    more = {"iistart": "2020", "continue": "||info", "gsroffset": 7}

    found, sent = search(answer(page(1), bare) | {"continue": more}, answer(page(2)), count=2)

    assert [image.title for image in found] == ["Picture 1", "Picture 2"]
    assert {"iistart": "2020", "continue": "||info", "gsroffset": "7"}.items() <= dict(
        sent[1].params
    ).items()


def test_enough_images_end_the_search() -> None:
    _, sent = search(answer(page(1), **{"continue": {"gsroffset": 1, "continue": "-||"}}), count=1)

    assert len(sent) == 1


def test_continuations_without_end_are_cut_off() -> None:
    endless = {"batchcomplete": True, "continue": {"gsroffset": 1, "continue": "-||"}}

    found, sent = search(endless, count=50)

    assert found == ()
    assert len(sent) == 8


def test_a_failure_of_a_later_batch_keeps_the_first() -> None:
    first = answer(page(1)) | {"continue": {"gsroffset": 1, "continue": "-||"}}

    found, _ = search(first, Reply(status=500, body="oops"), count=5)

    assert len(found) == 1


def test_facts_are_text_without_markup_or_hidden_parts() -> None:
    about = facts(
        Artist='<bdi><a href="//x.example" title="User:A">Example User</a>\n</bdi>',
        LicenseShortName="CC BY-SA 4.0",
        LicenseUrl="//creativecommons.org/licenses/by-sa/4.0",
        ObjectName='A tree<span style="display: none;">label QS:Len,"A tree"</span>',
        CommonsMetadataExtension=1.2,
    )

    (image,), _ = search(answer(page(1, extmetadata=about, size=9, width=4, height=3)))

    assert (image.title, image.author) == ("A tree", "Example User")
    assert image.license_url == "https://creativecommons.org/licenses/by-sa/4.0"
    assert image.attribution == "“A tree” by Example User, CC BY-SA 4.0, via Wikimedia Commons"
    assert (image.file_size, image.width, image.media_type) == ("9", 4, "image/jpeg")


def test_the_attribution_that_the_author_wishes_goes_first() -> None:
    about = facts(Attribution="Photo by <b>Example</b>", Artist="X", LicenseShortName="CC0")

    (image,), _ = search(answer(page(1, extmetadata=about)))

    assert image.attribution == "Photo by Example"


def test_what_is_not_stated_is_absent() -> None:
    (image,), _ = search(answer(page(1)))

    stated = (image.license, image.license_url, image.author, image.attribution, image.width)
    assert stated == (None,) * 5


@pytest.mark.parametrize("mime", ["application/ogg", "application/pdf", "video/webm"])
def test_files_that_are_no_images_are_left_out(mime: str) -> None:
    assert search(answer(page(1, mime=mime)))[0] == ()


def test_the_older_form_with_a_map_of_pages_is_read() -> None:
    found, _ = search({"batchcomplete": "", "query": {"pages": {"1": page(1), "2": page(2)}}})

    assert len(found) == 2


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("ratelimited", RateLimited),
        ("maxlag", RateLimited),
        ("internal_api_error_DBQueryError", UpstreamUnavailable),
    ],
)
def test_an_error_with_status_200_is_one(code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        search({"error": {"code": code, "info": "No."}})


@pytest.mark.parametrize(
    ("preference", "keywords"),
    [
        ({}, "filetype:bitmap|drawing tree"),
        ({"type": "lineart"}, "filetype:drawing tree"),
        ({"file_type": "png"}, "filetype:bitmap|drawing filemime:image/png tree"),
        ({"size": "medium"}, "filetype:bitmap|drawing fileres:<1386 fileres:>553 tree"),
        ({"size": "huge"}, "filetype:bitmap|drawing fileres:>3989 tree"),
    ],
)
def test_filters_become_keywords(preference: dict[str, str], keywords: str) -> None:
    _, sent = search(answer(page(1)), **preference)

    assert dict(sent[0].params)["gsrsearch"] == keywords


def test_keywords_of_the_query_itself_do_not_reach_it() -> None:
    _, sent = ask_images("commons", ImageQuery(text="insource:/.*x.*/ tree"), answer(page(1)))

    assert dict(sent[0].params)["gsrsearch"] == "filetype:bitmap|drawing insource . x. tree"
