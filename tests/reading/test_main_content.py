"""What follows an article is not part of it; comments are returned apart, or kept where they are the page."""

from __future__ import annotations

from citewell.reading.html.main_content import extract_main_content
from tests.requirements import requires

_PROSE = (
    "The committee, which had met in private since the spring, published its findings on Monday "
    "and said that the bridge would have to close for at least two years. "
)
_COMMENTS = [
    "I crossed that bridge every day for ten years, and nobody ever looked at the cables.",
    "The ferry should run again, as it did before the bridge was built in the first place.",
    "Two years is optimistic; the last repair, on a smaller bridge, took nearly four.",
]
_HEAD = "<html><head><title>Bridge to close for two years</title>"
_TEASERS = "".join(
    f'<div class="card"><a href="/{n}"><h3>{title}</h3></a><p>{text}</p></div>'
    for n, (title, text) in enumerate(
        [
            ("Port traffic falls again", "Fewer ships called at the port this quarter."),
            ("A museum for the old mill", "The mill by the river opens its doors in May."),
            ("Council elects new mayor", "The vote was close and the night was long."),
            ("Rain expected all week", "Forecasters see no end to the wet weather."),
        ]
    )
)


def build_article(after: str) -> str:
    return (
        f'{_HEAD}<meta property="og:type" content="article"></head><body class="single-post"><main>'
        f'<article class="post"><h1>Bridge to close for two years</h1><div class="entry-content">'
        f"<p>{_PROSE * 2}</p><p>{_PROSE}</p><p>{_PROSE * 2}</p></div></article>{after}</main>"
        "</body></html>"
    )


def build_thread() -> str:
    items = "".join(
        f'<li class="comment"><div class="comment-author">reader {n}</div>'
        f'<div class="comment-body"><p>{text}</p></div></li>'
        for n, text in enumerate(_COMMENTS)
    )
    form = (
        '<form class="comment-form"><p>Your email address will not be published anywhere.</p>'
        "<label>Name</label></form>"
    )
    return (
        f'<section id="comments" class="comments-area"><h2>3 Comments</h2><ol class="comment-list">'
        f"{items}</ol>{form}</section>"
    )


@requires("scrape_page.article_end")
def test_comments_under_an_article_are_returned_apart() -> None:
    found = extract_main_content(build_article(build_thread()), url="https://news.example/bridge")

    assert "The committee, which had met" in found.markdown
    for comment in _COMMENTS:
        assert comment not in found.markdown
        assert comment in found.comments_markdown
    assert "email address" not in found.comments_markdown


def test_an_article_without_comments_has_no_comments() -> None:
    assert extract_main_content(build_article("")).comments_markdown == ""
    form = '<div id="comments"><h3>Leave a comment</h3><form><p>Your name</p></form></div>'
    assert extract_main_content(build_article(form)).comments_markdown == ""


@requires("scrape_page.article_end")
def test_teasers_after_an_article_are_left_out() -> None:
    page = build_article(f'<div class="related-posts"><h2>More news</h2>{_TEASERS}</div>')

    found = extract_main_content(page, url="https://news.example/bridge-to-close")

    assert "The committee, which had met" in found.markdown
    for words in ("Port traffic", "mill by the river", "vote was close", "no end to the wet"):
        assert words not in found.markdown


def test_comments_that_are_the_page_are_its_content() -> None:
    page = (
        f"{_HEAD}</head><body><main><h1>Comments on the bridge</h1>{build_thread()}</main></body>"
        "</html>"
    )

    found = extract_main_content(page, url="https://news.example/bridge/comments")

    for comment in _COMMENTS:
        assert comment in found.markdown
    assert found.comments_markdown == ""
