from __future__ import annotations

import subprocess
import sys

import pytest

from citewell.reading import sites
from citewell.text.data_tables import load_table
from tests.reading.site_answers import CASES
from tests.reading.site_bench import Bench, Reply, Web, read

VIDEO = "abcdefghijk"
MEANT = [
    ("https://www.youtube.com/watch?v=abcdefghijk&t=10s", "youtube", "video"),
    ("https://m.youtube.com/watch?v=abcdefghijk", "youtube", "video"),
    ("https://youtube.com/embed/abcdefghijk", "youtube", "video"),
    ("https://www.youtube.com/shorts/abcdefghijk", "youtube", "video"),
    ("https://www.youtube.com/live/abcdefghijk?feature=share", "youtube", "video"),
    ("https://www.youtube.com/v/abcdefghijk", "youtube", "video"),
    ("https://youtu.be/abcdefghijk", "youtube", "video"),
    ("https://www.youtube-nocookie.com/embed/abcdefghijk", "youtube", "video"),
    ("https://music.youtube.com/watch?v=abcdefghijk", "youtube", "video"),
    ("https://www.youtube.com/watch?v=abcdefghijk&list=PLtides0001", "youtube", "video"),
    ("https://youtu.be/abcdefghijk?list=PLtides0001", "youtube", "video"),
    ("https://www.youtube.com/playlist?list=PLtides0001", "youtube", "playlist"),
    ("https://music.youtube.com/playlist?list=OLAK5uy_tides0001", "youtube", "playlist"),
    ("https://www.youtube.com/embed/videoseries?list=PLtides0001", "youtube", "playlist"),
    ("https://www.youtube.com/@channel", "youtube", "channel"),
    ("https://www.youtube.com/@%E6%B5%B7.tides/shorts", "youtube", "channel"),
    ("https://m.youtube.com/@channel/streams", "youtube", "channel"),
    ("https://www.youtube.com/channel/UC0000000000000000000001/videos", "youtube", "channel"),
    ("https://www.youtube.com/c/Tides", "youtube", "channel"),
    ("https://www.youtube.com/user/tides/featured", "youtube", "channel"),
    ("https://news.ycombinator.com", "hackernews", "list"),
    ("https://news.ycombinator.com/newest", "hackernews", "list"),
    ("https://news.ycombinator.com/best", "hackernews", "list"),
    ("https://news.ycombinator.com/ask", "hackernews", "list"),
    ("https://news.ycombinator.com/show", "hackernews", "list"),
    ("https://news.ycombinator.com/jobs", "hackernews", "list"),
    ("https://news.ycombinator.com/item/12", "hackernews", "item"),
    ("https://news.ycombinator.com/user/alpha", "hackernews", "user"),
    ("https://x.com/i/web/status/20", "twitter", "post"),
    ("https://mobile.twitter.com/example/status/20/photo/1", "twitter", "post"),
    ("https://old.reddit.com/r/tides/comments/abc123", "reddit", "thread"),
    ("https://redd.it/abc123", "reddit", "thread"),
    ("https://github.com/example/tides.git", "github", "repo"),
    ("https://github.com/example/tides/pull/9", "github", "issue"),
    ("https://github.com/example/tides/pull/9/files", "github", "pull_changes"),
    ("https://github.com/example/tides/tree/main", "github", "folder"),
    ("https://github.com/example/tides/discussions/9", "github", "discussion"),
    ("https://gist.github.com/0123456789abcdef", "github", "gist"),
    ("https://bsky.app/profile/did:plc:abc123/post/3kabc", "bluesky", "post"),
    ("https://de.m.wikipedia.org/wiki/Gezeiten", "wikipedia", "article"),
    ("https://en.wikipedia.org/w/index.php?title=Tide", "wikipedia", "article"),
    ("https://arxiv.org/pdf/2401.00001.pdf", "arxiv", "paper"),
    ("https://arxiv.org/abs/quant-ph/0201082v1", "arxiv", "paper"),
    ("https://math.stackexchange.com/q/5", "stackexchange", "question"),
    ("https://pt.stackoverflow.com/questions/5/x", "stackexchange", "question"),
    ("https://mathoverflow.net/questions/5", "stackexchange", "question"),
    ("https://patents.google.com/patent/EP1234567A1", "patents", "patent"),
    ("https://clinicaltrials.gov/study/NCT09000001?tab=results", "clinicaltrials", "study"),
    ("https://clinicaltrials.gov/study/nct09000001/", "clinicaltrials", "study"),
    ("https://clinicaltrials.gov/ct2/show/NCT09000001", "clinicaltrials", "study"),
    ("https://www.clinicaltrials.gov/ct2/show/results/NCT09000001", "clinicaltrials", "study"),
    ("https://classic.clinicaltrials.gov/show/NCT09000001", "clinicaltrials", "study"),
    ("https://clinicaltrials.gov/NCT09000001", "clinicaltrials", "study"),
]
NOBODYS = [
    "https://youtube.com.example.org/watch?v=abcdefghijk",
    "https://notyoutube.com/watch?v=abcdefghijk",
    "https://example.org/https://www.youtube.com/watch?v=abcdefghijk",
    "https://www.youtube.com@example.org/watch?v=abcdefghijk",
    "https://user@www.youtube.com/watch?v=abcdefghijk",
    "https://www.youtube.com:8443/watch?v=abcdefghijk",
    "ftp://www.youtube.com/watch?v=abcdefghijk",
    "https://www.youtube.com/watch?v=short",
    "https://www.youtube.com/embed/videoseries",
    "https://www.youtube.com/@channel/community",
    "https://www.youtube.com/@channel/videos/more",
    "https://www.youtube.com/channel/short",
    "https://www.youtube.com/playlist?list=",
    "https://www.youtube.com/playlist?list=a/b",
    "https://www.youtube.com/results?search_query=tides",
    "https://www.youtube.com/feed/subscriptions",
    "https://www.youtube.com/",
    "https://studio.youtube.com/watch?v=abcdefghijk",
    "https://news.ycombinator.com/item?id=abc",
    "https://news.ycombinator.com/from?site=example.org",
    "https://news.ycombinator.com/news?p=2",
    "https://hn.news.ycombinator.com/item?id=1",
    "https://x.com/search?q=tides",
    "https://x.com/home",
    "https://netflix.com/example",
    "https://www.reddit.com/r/tides/",
    "https://www.reddit.com/r/tides/comments/../../x",
    "https://github.com/example",
    "https://github.com/topics/tides",
    "https://github.com/example/tides/actions",
    "https://github.com/example/tides/pull/9/checks",
    "https://raw.githubusercontent.com/example/tides/main/README.md",
    "https://bsky.app/search",
    "https://www.wikipedia.org/",
    "https://en.wikipedia.org/wiki/Special:Random",
    "https://en.wikipedia.org/w/index.php?title=Tide&action=history",
    "https://en.wikipedia.org.example.org/wiki/Tide",
    "https://arxiv.org/list/cs.AI/new",
    "https://arxiv.org/abs/not-a-number",
    "https://stackoverflow.com/questions/tagged/python",
    "https://stackexchange.com/questions/5",
    "https://notstackoverflow.com/questions/5/x",
    "https://patents.google.com/?q=tides",
    "https://patents.google.com/patent/..%2f..%2fx",
    "https://clinicaltrials.gov/search?cond=insomnia",
    "https://clinicaltrials.gov/study/NCT0900001",
    "https://clinicaltrials.gov/api/v2/studies/NCT09000001",
    "https://cdn.clinicaltrials.gov/study/NCT09000001",
    "https://clinicaltrials.gov.example.org/study/NCT09000001",
    "https://[::1/watch",
    "not an address",
    "",
]  # fmt: skip


@pytest.mark.parametrize(("url", "site", "kind"), MEANT)
def test_an_address_belongs_to_its_site(url: str, site: str, kind: str) -> None:
    found = sites.find_site_route(url)

    assert found is not None
    assert (found[0], found[1].kind, found[1].url) == (site, kind, url)


@pytest.mark.parametrize("url", NOBODYS)
def test_any_other_address_is_left_to_the_ladder(url: str) -> None:
    assert sites.find_site_route(url) is None


def test_every_site_is_listed_and_owns_a_domain() -> None:
    assert set(load_table(sites.__name__, "site_domains").values()) == set(sites.NAMES)
    assert {site for site, _, _ in CASES} == set(sites.NAMES)


def test_no_two_endpoints_share_a_setting() -> None:
    envs = [
        endpoint.base_url_env
        for name in sites.NAMES
        for endpoint in sites.load_site_reader(name).ENDPOINTS
    ]

    assert len(envs) == len(set(envs))
    assert all(env.startswith("CITEWELL_SITE_") for env in envs)


@pytest.mark.process
def test_matching_a_host_of_nobody_loads_no_site() -> None:
    code = (
        "import sys; from citewell.reading import sites; sites.find_site_route('https://example.org/');"
        " print([name for name in sites.NAMES if f'citewell.reading.sites.{name}' in sys.modules])"
    )

    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert process.stdout.strip() == "[]"


@pytest.mark.parametrize(("site", "url", "make"), CASES, ids=[url for _, url, _ in CASES])
def test_a_site_reads_each_of_its_pages(site: str, url: str, make: object) -> None:
    page = read(url, make())  # type: ignore[operator]

    assert page is not None
    assert page.url == url
    assert page.title
    assert page.content
    assert page.word_count > 0
    assert page.fetched_at is not None
    assert (page.published is None) == (page.published_basis is None)


@pytest.mark.parametrize(("site", "url", "make"), CASES, ids=[url for _, url, _ in CASES])
@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=429, headers={"retry-after": "9"}),
        Reply(status=500),
        Reply(status=403),
        Reply(body="<html><body>Please wait</body></html>", headers={"content-type": "text/html"}),
        Reply(body=b""),
        Reply(body="[" * 100_000),
    ],
    ids=["429", "500", "403", "html", "nothing", "brackets"],
)
def test_an_api_in_trouble_leaves_the_page_to_the_ladder(
    site: str, url: str, make: object, reply: Reply
) -> None:
    web = Web({}, otherwise=reply)

    page = Bench(web=web).read(url)

    # A file may hold brackets or nothing; everything else is no answer of the documented shape.
    is_file = site == "github" and reply.status == 200 and "content-type" not in reply.headers
    assert page is None or is_file


def test_an_endpoint_can_be_moved_by_a_setting() -> None:
    web = Web({"127.0.0.1/hn/item/1.json": {"id": 1, "title": "Moved", "type": "story"}})
    raw = {"CITEWELL_SITE_HACKERNEWS_BASE_URL": "http://127.0.0.1:8000/hn"}

    page = read("https://news.ycombinator.com/item?id=1", web.answers, raw=raw)

    assert page is not None
    assert page.title == "Moved"
