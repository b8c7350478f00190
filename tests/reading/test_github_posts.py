"""Discussions and wikis of GitHub."""

from __future__ import annotations

from typing import Any

import pytest

from citewell.core.errors import NotFound
from tests.reading.site_answers import GH, RAW
from tests.reading.site_bench import Bench, Web, page

REPO = "https://github.com/example/tides"


@pytest.mark.parametrize(
    ("address", "file"), [(f"{REPO}/wiki", "Home"), (f"{REPO}/wiki/Tidal-range", "Tidal-range")]
)
def test_a_wiki_page_is_read_from_its_source(address: str, file: str) -> None:
    found = page(address, {f"{RAW}/wiki/example/tides/{file}.md": "The [range](Other-page) of it."})

    assert found.content.endswith(f"The [range]({REPO}/wiki/Other-page) of it.")
    assert found.kind == "documentation"


def discussion(**more: Any) -> dict[str, Any]:
    reply = {
        "author": {"login": "second"},
        "body": "Not there.",
        "createdAt": "2026-01-03T00:00:00Z",
    }
    comment = {
        "author": {"login": "first"},
        "body": "Use `tides`.",
        "createdAt": "2026-01-02T00:00:00Z",
        "isAnswer": True,
        "replies": {"totalCount": 3, "nodes": [reply]},
    }
    asked = {
        "title": "Which tide?",
        "author": {"login": "asker"},
        "body": "I **wonder**.",
        "createdAt": "2026-01-01T00:00:00Z",
        "upvoteCount": 4,
        "category": {"name": "Q&A"},
        "comments": {"totalCount": 1, "nodes": [comment]},
    }
    return {"data": {"repository": {"discussion": asked | more}}}


def test_a_discussion_is_read_with_a_token_answers_and_replies() -> None:
    web = Web({f"{GH}/graphql": discussion()})

    found = Bench(web=web, raw={"GITHUB_TOKEN": "t"}).read(f"{REPO}/discussions/5")

    assert found is not None
    assert web.sent[0].json["variables"]["number"] == 5
    assert "# Which tide?" in found.content
    assert "**accepted answer**\n\nUse `tides`." in found.content
    assert "> Not there." in found.content
    assert "2 more replies not shown." in found.content
    assert found.kind == "forum"


def test_without_a_token_the_page_of_a_discussion_is_left_to_the_ladder() -> None:
    web = Web({})

    assert Bench(web=web).read(f"{REPO}/discussions/5") is None
    assert not web.sent


def test_a_discussion_that_does_not_exist_is_not_found() -> None:
    web = Web({f"{GH}/graphql": {"data": {"repository": {"discussion": None}}}})

    with pytest.raises(NotFound):
        Bench(web=web, raw={"GITHUB_TOKEN": "t"}).read(f"{REPO}/discussions/5")
