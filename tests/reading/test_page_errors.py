"""Reddit: by its API with app credentials, else from its public pages."""

from __future__ import annotations

import asyncio
import base64
from datetime import timedelta
from typing import Any

import pytest

from citewell.core.errors import AuthRequired, CitewellError, NotFound, RefusedByRobots
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpRequest
from citewell.reading import page_errors, sites
from citewell.reading.sites.site_kit import SiteKit
from tests.reading.site_answers import REDDIT_COMMENTS, REDDIT_PAGE, reddit
from tests.reading.site_bench import NOW, Bench, Forbidding, Reply, Web, page, read
from tests.task_thread import ThreadTasks

THREAD = "https://www.reddit.com/r/tides/comments/abc123/which_tide_table/"
KEYLESS = "www.reddit.com/comments/abc123.json"
OLD = "old.reddit.com/r/tides/comments/abc123/"
TOKEN = "www.reddit.com/api/v1/access_token"
API = "oauth.reddit.com/comments/abc123"
KEYS = {"REDDIT_CLIENT_ID": "an-id", "REDDIT_CLIENT_SECRET": "s3cret", "REDDIT_USERNAME": "owner"}


def thing(name: str, text: str, *replies: str, author: str = "somebody", score: str = "4") -> str:
    """A comment as old.reddit.com writes it."""
    tag = f'<span class="score unvoted" title="{score}">{score} points</span>' if score else ""
    return (
        f'<div class=" thing id-t1_{name} noncollapsed comment " data-fullname="t1_{name}"'
        f' data-type="comment" data-author="{author}"'
        f' data-permalink="/r/tides/comments/abc123/which_tide_table/{name}/">'
        f'<div class="entry unvoted"><p class="tagline"><a class="author">{author}</a>{tag}'
        f'<time datetime="2026-06-01T01:00:00+00:00">1 hour ago</time></p>'
        f'<form class="usertext"><div class="usertext-body"><div class="md"><p>{text}</p></div></div>'
        f'</form></div><div class="child"><div class="sitetable listing">{"".join(replies)}</div></div></div>'
    )


MORE = (
    '<div class=" thing id-t1_m noncollapsed morechildren " data-type="morechildren"><div class="entry">'
    '<span class="morecomments"><a href="#">load more comments<span class="gray"> (12 replies)</span></a>'
    "</span></div></div>"
)


def old_page(*comments: str, body: str = "<p>I <strong>need</strong> one.</p>") -> str:
    return (
        '<html><body><div class="content"><div id="siteTable" class="sitetable linklisting">'
        '<div class=" thing id-t3_abc123 odd link self " data-fullname="t3_abc123" data-author="asker"'
        ' data-subreddit="tides" data-timestamp="1700000000000" data-score="42" data-comments-count="20"'
        ' data-url="/r/tides/comments/abc123/which_tide_table/" data-domain="self.tides"'
        ' data-permalink="/r/tides/comments/abc123/which_tide_table/" data-nsfw="false" data-spoiler="false">'
        '<div class="entry"><p class="title"><a class="title may-blank" href="/r/tides/comments/abc123/">'
        f'Which tide table?</a></p><div class="expando"><div class="usertext-body"><div class="md">{body}</div>'
        '</div></div></div></div></div><div class="commentarea"><div class="sitetable nestedlisting">'
        f"{''.join(comments)}</div></div></div></body></html>"
    )


def api(**changes: Any) -> dict[str, Any]:
    answer = reddit()[KEYLESS]
    answer[0]["data"]["children"][0]["data"] |= changes
    token = {"access_token": "t0ken", "token_type": "bearer", "expires_in": 3600, "scope": "*"}
    return {TOKEN: token, API: answer}


def comments_of(answers: dict[str, Any]) -> list[Any]:
    children: list[Any] = answers[API][1]["data"]["children"]
    return children


def test_with_credentials_the_api_is_asked_by_its_rules() -> None:
    web = Web(api())

    found = Bench(web=web, raw=KEYS).read(THREAD)

    assert found is not None
    assert web.asked == [TOKEN, API]
    token, thread = web.sent
    basic = base64.b64encode(b"an-id:s3cret").decode()
    assert (token.method, token.form) == ("POST", {"grant_type": "client_credentials"})
    assert token.secret_headers["authorization"] == f"Basic {basic}"
    assert thread.secret_headers["authorization"] == "Bearer t0ken"
    assert all(one.headers["user-agent"].startswith("python:citewell:v") for one in web.sent)
    assert all(one.headers["user-agent"].endswith(" (by /u/owner)") for one in web.sent)
    assert dict(thread.params)["raw_json"] == "1"


def test_an_operators_own_user_agent_is_kept() -> None:
    web = Web(api())

    Bench(web=web, raw=KEYS | {"CITEWELL_USER_AGENT": "mine/1"}).read(THREAD)

    assert all("user-agent" not in one.headers for one in web.sent)


def read_twice(web: Web, *, later: timedelta) -> None:
    times = [NOW]
    kit = SiteKit(network=web, workers=ThreadTasks(), setting_values=KEYS, now=lambda: times[0])

    async def both() -> None:
        await sites.read_site_page(THREAD, kit)
        times[0] += later
        await sites.read_site_page(THREAD, kit)

    asyncio.run(both())


@pytest.mark.parametrize(("minutes", "tokens"), [(10, 1), (59.5, 2), (90, 2)])
def test_a_token_is_used_until_shortly_before_its_end(minutes: float, tokens: int) -> None:
    web = Web(api())

    read_twice(web, later=timedelta(minutes=minutes))

    assert (web.asked.count(TOKEN), web.asked.count(API)) == (tokens, 2)


def test_a_token_that_was_revoked_is_renewed_once() -> None:
    answers = api()
    thread, seen = answers[API], []

    def once(request: HttpRequest) -> Any:
        seen.append(request)
        return thread if len(seen) > 1 else Reply(status=401, body={"message": "Unauthorized"})

    web = Web(answers | {API: once})

    assert Bench(web=web, raw=KEYS).read(THREAD) is not None
    assert web.asked == [TOKEN, API, TOKEN, API]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=401, body={"message": "Unauthorized", "error": 401}),
        Reply(status=200, body={"error": "unsupported_grant_type"}),
        Reply(status=403, body="<html>"),
    ],
)
def test_wrong_credentials_are_said_and_the_page_is_read(reply: Reply) -> None:
    web = Web({TOKEN: reply, OLD: old_page(thing("c1", "Use the official one."))})

    found = Bench(web=web, raw=KEYS).read(THREAD)

    assert found is not None
    assert "Use the official one." in found.content
    assert "check REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET" in found.notes[0]
    assert "s3cret" not in repr((web.sent, found))


def test_without_credentials_the_public_page_is_read_and_nothing_else_is_asked() -> None:
    web = Web({OLD: old_page(thing("c1", "Use the official one."))} | reddit())

    found = Bench(web=web).read(THREAD)

    assert found is not None
    assert web.asked == [OLD]
    assert "I **need** one." in found.content
    assert found.published == "2023-11-14T22:13:20+00:00"
    assert found.forum_signals is not None
    assert (found.forum_signals.upvotes, found.forum_signals.comments) == (42, 20)


def test_half_of_the_credentials_is_none() -> None:
    web = Web({OLD: old_page(thing("c1", "Yes."))})

    Bench(web=web, raw={"REDDIT_CLIENT_ID": "an-id"}).read(THREAD)

    assert web.asked == [OLD]


def test_the_old_page_keeps_the_tree_and_counts_what_it_holds_back() -> None:
    tree = [
        thing("c1", "One.", thing("c2", "Two.", thing("c3", "Three.", score="")), MORE),
        thing("c4", "[removed]", thing("c5", "Below a removed one."), author="[deleted]"),
        thing("c6", "[deleted]", author="[deleted]"),
        MORE,
    ]

    found = page(THREAD, {OLD: old_page(*tree)})

    assert "\n> Two.\n" in found.content
    assert "\n> > Three.\n" in found.content
    assert "\n> *12 more replies not shown*\n" in found.content
    assert found.content.endswith("\n*12 more comments not shown*")
    assert found.content.count("*a deleted comment*") == 1
    assert "## Comments (4 of 28)" in found.content
    assert found.truncated


@pytest.mark.parametrize(
    "url",
    [
        f"{THREAD}c2/",
        f"{THREAD}c2/?context=3",
        "https://www.reddit.com/r/tides/comments/abc123/comment/c2/",
        "https://old.reddit.com/r/tides/comments/abc123/_/c2",
    ],
)
def test_a_linked_comment_is_on_the_page_with_what_it_answers(url: str) -> None:
    tree = thing("c1", "Above.", thing("c2", "The one.", thing("c3", "Below.")))
    web = Web({f"{OLD}_/c2/": old_page(tree)})

    found = Bench(web=web).read(url)

    assert found is not None
    line = next(one for one in found.content.split("\n") if "the linked comment" in one)
    assert line.startswith("> **u/somebody**")
    assert found.content.index("Above.") < found.content.index("The one.")
    assert found.content.index("The one.") < found.content.index("Below.")
    assert dict(web.sent[0].params)["context"] == "8"
    assert found.notes == ("Only the linked comment, those above it and its replies were read.",)


def test_a_linked_comment_is_asked_of_the_api() -> None:
    answers = api()
    comments_of(answers)[0]["data"]["id"] = "c2"
    web = Web(answers)

    found = Bench(web=web, raw=KEYS).read(f"{THREAD}c2/")

    assert found is not None
    asked = dict(web.sent[-1].params)
    assert (asked["comment"], asked["context"]) == ("c2", "8")
    assert "**the linked comment**" in found.content


def test_a_linked_comment_is_found_on_the_new_page() -> None:
    place = "www.reddit.com/r/tides/comments/abc123/comment/c1/"
    late = "www.reddit.com/svc/shreddit/comments/r/tides/t3_abc123/t1_c1"

    found = page(f"{THREAD}c1/", {place: REDDIT_PAGE, late: REDDIT_COMMENTS})

    line = next(one for one in found.content.split("\n") if "the linked comment" in one)
    assert "u/first" in line


def test_a_linked_comment_that_is_lost_is_said_to_be() -> None:
    found = page(f"{THREAD}zz9/", {f"{OLD}_/zz9/": old_page(thing("c1", "Another."))})

    assert found.notes == ("The linked comment was not among the comments that could be read.",)


def test_placeholders_of_the_api_are_counted_where_they_stand() -> None:
    answers = api(num_comments=90)
    first = comments_of(answers)[0]["data"]
    more = {"kind": "more", "data": {"count": 7, "children": ["x"]}}
    first["replies"]["data"]["children"] += [more, {"kind": "more", "data": {"count": 0}}]

    found = Bench(web=Web(answers), raw=KEYS).read(THREAD)

    assert found is not None
    assert "> *8 more replies not shown*" in found.content
    assert found.content.endswith("*1 more comment not shown*")


def api_page(**changes: Any) -> Page:
    found = Bench(web=Web(api(**changes)), raw=KEYS).read(THREAD)
    assert found is not None
    return found


def test_a_poll_a_gallery_and_a_shared_post_are_shown() -> None:
    poll = {"total_vote_count": 5, "options": [{"text": "High", "vote_count": 3}, {"text": "Low"}]}
    gallery = {"items": [{"media_id": "m1", "caption": "The quay"}, {"media_id": "m2"}]}
    media = {"m1": {"s": {"u": "https://i.redd.it/m1.jpg"}}, "m2": {"status": "failed"}}
    shared = {"title": "First seen", "author": "origin", "subreddit": "sea", "selftext": "Old words.",
              "permalink": "/r/sea/comments/zzz999/first_seen/"}  # fmt: skip

    polled = api_page(poll_data=poll).content
    pictures = api_page(is_gallery=True, is_self=False, gallery_data=gallery, media_metadata=media)
    crossed = api_page(crosspost_parent_list=[shared], is_self=False).content

    assert "**Poll** (5 votes)\n\n- High · 3 votes\n- Low" in polled
    assert "- [picture](https://i.redd.it/m1.jpg) · The quay" in pictures.content
    assert "> Shared from [First seen](https://www.reddit.com/r/sea/comments/zzz999/" in crossed
    assert "> Old words." in crossed


def test_spoilers_are_kept_and_marked() -> None:
    html = '<div class="md"><p>It is <span class="md-spoiler-text">the moon</span>, you know.</p></div>'

    found = api_page(selftext="x", selftext_html=html, spoiler=True, link_flair_text="Solved")

    assert "It is [spoiler: the moon], you know." in found.content.replace("\\", "")
    assert "· spoiler · Solved" in found.content


@pytest.mark.parametrize("reason", ["private", "quarantined"])
def test_a_private_community_needs_a_login_by_the_api_too(reason: str) -> None:
    refused = api() | {API: Reply(status=403, body={"reason": reason, "error": 403})}

    with pytest.raises(AuthRequired, match="login wall"):
        Bench(web=Web(refused), raw=KEYS).read(THREAD)


def test_a_thread_that_the_api_does_not_know_is_not_found() -> None:
    with pytest.raises(NotFound):
        Bench(web=Web(api() | {API: Reply(status=404, body={})}), raw=KEYS).read(THREAD)


def test_an_api_in_trouble_leaves_the_thread_to_the_public_page() -> None:
    web = Web(api() | {API: Reply(status=503), OLD: old_page(thing("c1", "Read all the same."))})

    found = Bench(web=web, raw=KEYS).read(THREAD)

    assert found is not None
    assert "Read all the same." in found.content
    assert found.notes == ()


def test_robots_are_asked_before_any_public_page() -> None:
    web = Web({OLD: old_page(), KEYLESS: Reply(status=403)})

    assert Bench(web=web, robots=Forbidding()).read(THREAD) is None
    assert web.asked == [KEYLESS]


@pytest.mark.parametrize(
    "html", ["", "<html><body>whoa there, pardner!</body></html>", "<div id=siteTable>", "<p>" * 9]
)
def test_a_page_of_another_kind_is_left_to_the_next_way(html: str) -> None:
    found = page(THREAD, {OLD: html} | reddit())

    assert "Ask the harbour." in found.content


def test_a_gallery_address_is_a_thread() -> None:
    found = sites.find_site_route("https://www.reddit.com/gallery/abc123")

    assert found is not None
    assert (found[1].kind, found[1].id) == ("thread", "abc123")


def test_a_thread_that_nobody_has_is_not_found() -> None:
    with pytest.raises(NotFound):
        read(THREAD, {})


@pytest.mark.parametrize(
    "error",
    [
        page_errors.build_wall_error(THREAD, "HTTP 403"),
        page_errors.build_refusal(THREAD, RefusedByRobots("no")),
    ],
)
def test_a_refusal_says_which_settings_help(error: CitewellError) -> None:
    assert "REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET" in error.message
    assert "REDDIT" not in page_errors.build_wall_error("https://example.org/", "x").message
