"""One damaged node in a site's answer: a page, the ladder or one of our errors, and nothing else."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citewell.core.errors import NotFound, UpstreamError
from citewell.core.values.page import Page
from citewell.net.http.messages import HttpRequest
from tests.property.test_damaged_answers import REPLACEMENTS, broken_text, damaged, places
from tests.reading.site_answers import CASES, REDDIT_COMMENTS, REDDIT_PAGE
from tests.reading.site_bench import Reply, read

pytestmark = pytest.mark.slow  # hundreds of examples for each site

_LINK = re.compile(r"\]\(([^)\s]*)")
# A block of code that is never closed ends with the text.
_CODE = re.compile(r"^```.*?(?:^```$|\Z)|`[^`]*`", re.DOTALL | re.MULTILINE)
_PUT = ["", "<", '"', "<div>", "</p>", "-->", "&#0;", "\\", "{", "]]>", "<!DOCTYPE x>", "\x00", "é"]


def reddit_page() -> dict[str, Any]:
    """Reddit without its JSON."""
    return {
        "www.reddit.com/comments/abc123.json": Reply(status=500),
        "www.reddit.com/r/tides/comments/abc123/": REDDIT_PAGE,
        "www.reddit.com/svc/shreddit/comments/r/tides/t3_abc123": REDDIT_COMMENTS,
    }


DAMAGED = [*CASES, ("reddit", "https://www.reddit.com/r/tides/comments/abc123/x/", reddit_page)]


def check(page: Page) -> None:
    page.content.encode()
    page.title.encode()
    json.dumps([page.author, page.site, page.published, page.language, page.notes]).encode()
    for signals in (page.forum_signals, page.trust_signals, *page.highlights):
        if signals is not None:
            json.dumps(signals.to_wire()).encode()
    assert page.title
    prose = _CODE.sub("", page.content)
    assert all(goal.startswith(("http", "#", "mailto:")) for goal in _LINK.findall(prose))


def break_one(answer: Any, data: st.DataObject) -> Any:
    if isinstance(answer, Reply):
        return answer
    if isinstance(answer, str):
        start, length = data.draw(st.integers(0, 5000)), data.draw(st.integers(0, 300))
        return broken_text(answer, start, length, data.draw(st.sampled_from(_PUT)))
    place = data.draw(st.sampled_from(list(places(answer))))
    value = damaged(answer, place, data.draw(st.sampled_from(REPLACEMENTS)))
    return json.dumps(value).encode()


def breaking(answer: Any, data: st.DataObject) -> Any:
    """The answer damaged, or for one that looks at the request, whatever it answers."""
    if not callable(answer):
        return break_one(answer, data)
    return lambda request: break_one(answer(request), data)


@pytest.mark.parametrize(
    ("site", "url", "make"),
    DAMAGED,
    ids=[f"{site}-{at}" for at, (site, _, _) in enumerate(DAMAGED)],
)
@settings(
    max_examples=80,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_damaged_answer_gives_a_page_the_ladder_or_one_of_our_errors(
    site: str, url: str, make: Any, data: st.DataObject
) -> None:
    answers = make()
    chosen = data.draw(st.sampled_from(sorted(answers)))

    try:
        page = read(url, answers | {chosen: breaking(answers[chosen], data)})
    except (UpstreamError, NotFound) as error:
        str(error).encode()
        return

    if page is not None:
        check(page)


def test_the_check_itself_notices_a_bad_link() -> None:
    page = Page(url="u", final_url="u", content="[x](javascript:1)", content_type="html", title="t")

    with pytest.raises(AssertionError):
        check(page)


def test_a_request_dependent_answer_is_damaged_too() -> None:
    request = HttpRequest(url="https://en.wikipedia.org/w/api.php", params={"action": "parse"})
    answers = next(make for site, _, make in CASES if site == "wikipedia")()

    assert "parse" in answers["en.wikipedia.org/w/api.php"](request)
