"""What is Openverse's own: small pages, licence codes, attribution, and refusals."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import Blocked, RejectedRequest
from citewell.core.values.search_queries import ImageQuery
from tests.providers.asking import Reply, ask_images


def picture(number: int, **changes: Any) -> dict[str, Any]:
    given = {"url": f"https://live.example.org/{number}.jpg", "title": f"Picture {number}"}
    return given | changes


def answer(*pictures: dict[str, Any], pages: int = 1) -> dict[str, Any]:
    return {"result_count": len(pictures), "page_count": pages, "results": list(pictures)}


def search(*replies: Any, **query: Any) -> Any:
    return ask_images("openverse", ImageQuery(text="tree", **query), *replies)


def test_pages_of_twenty_are_asked_for_until_there_are_enough() -> None:
    whole = answer(*map(picture, range(20)), pages=12)

    found, sent = search(whole, count=50)

    assert len(found) == 50
    assert [dict(request.params)["page"] for request in sent] == ["1", "2", "3"]
    assert {dict(request.params)["page_size"] for request in sent} == {"20"}


def test_the_last_page_ends_the_search() -> None:
    found, sent = search(answer(picture(1), pages=1), count=50)

    assert (len(found), len(sent)) == (1, 1)


@pytest.mark.parametrize(
    ("code", "version", "name"),
    [
        ("by-nc-sa", "2.0", "CC BY-NC-SA 2.0"),
        ("cc0", "1.0", "CC0 1.0"),
        ("pdm", None, "Public Domain Mark"),
        (None, "2.0", None),
    ],
)
def test_licences_have_their_usual_names(code: str | None, version: str | None, name: str) -> None:
    (image,), _ = search(answer(picture(1, license=code, license_version=version)))

    assert image.license == name


def test_the_attribution_line_is_passed_on() -> None:
    line = '"Tree" by example-user is licensed under CC BY 2.0.'

    (image,), _ = search(answer(picture(1, attribution=line, creator="example-user")))

    assert (image.attribution, image.author) == (line, "example-user")


def test_filters_have_its_own_words() -> None:
    _, sent = search(answer(), size="large", type="clipart", file_type="jpg", safe="off")

    asked = dict(sent[0].params)
    assert (asked["size"], asked["category"]) == ("large", "illustration")
    assert (asked["extension"], asked["mature"]) == ("jpg,jpeg", "true")


def test_a_refused_request_is_told_in_its_words() -> None:
    body = {"error": "InputError", "detail": "Invalid input given for fields.", "fields": ["q"]}

    with pytest.raises(RejectedRequest, match="Invalid input given for fields"):
        search(Reply(status=400, body=body))


def test_a_refused_network_is_no_question_of_keys() -> None:
    with pytest.raises(Blocked, match="this network"):
        search(Reply(status=403, body="<html>Cloudflare</html>"))
