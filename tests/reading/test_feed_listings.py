from __future__ import annotations

import pytest

from citewell.core.errors import MalformedResponse, TooLarge, UpstreamUnavailable
from citewell.reading.documents.feed_listings import list_feed_items
from tests.documents import RSS, open_document

URL = "https://example.org/feed"


def items(body: str | bytes, kind: str = "application/xml") -> list[tuple[str, str, str, str]]:
    raw = body.encode() if isinstance(body, str) else body
    listing = list_feed_items(raw, url=URL, content_type=kind)
    return [(item.title, item.link, item.summary, item.date) for item in listing.items]


def test_rss_is_listed() -> None:
    body = """<rss version="2.0"><channel><title>T</title><item><title>A &amp;amp; B</title>
    <link>https://example.org/a</link><description>&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;&lt;/p&gt;</description>
    <pubDate>Sat, 14 Nov 2026 08:00:00 GMT</pubDate></item></channel></rss>"""

    assert items(body) == [
        ("A & B", "https://example.org/a", "One two", "Sat, 14 Nov 2026 08:00:00 GMT")
    ]


def test_atom_is_listed_with_relative_links() -> None:
    body = """<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>T</title><entry>
    <title type="html">&lt;i&gt;A&lt;/i&gt;</title><link rel="enclosure" href="/x.mp3"/>
    <link rel="alternate" href="/a"/><summary>S</summary><updated>2026-11-14T08:00:00Z</updated>
    </entry></feed>"""

    assert items(body) == [("A", "https://example.org/a", "S", "2026-11-14T08:00:00Z")]
    assert list_feed_items(body.encode(), url=URL, content_type="").language == "de"


def test_rdf_has_its_items_beside_the_channel() -> None:
    body = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
    xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T</title></channel>
    <item><title>A</title><link>https://example.org/a</link><dc:date>2026-11-14</dc:date></item></rdf:RDF>"""

    assert items(body) == [("A", "https://example.org/a", "", "2026-11-14")]


def test_json_feeds_are_listed() -> None:
    body = '{"version": "https://jsonfeed.org/version/1.1", "items": [{"title": "A", "url": "/a", "content_html": "<p>B</p>", "date_published": "2026-11-14"}, 7, {"title": null}]}'

    assert items(body, "application/feed+json") == [
        ("A", "https://example.org/a", "B", "2026-11-14")
    ]


def test_the_charset_of_the_feed_is_honoured() -> None:
    body = '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><title>Zürich</title><link>https://example.org/z</link></item></channel></rss>'

    assert items(body.encode("latin-1"))[0][0] == "Zürich"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "", "ftp://example.org/", "http://["])
def test_an_entry_without_a_web_address_is_left_out(link: str) -> None:
    base = f"<rss><channel><item><title>A</title><link>{link}</link></item></channel></rss>"

    listed = list_feed_items(base.encode(), url="", content_type="")

    assert listed.items == ()


def test_common_mistakes_are_repaired() -> None:
    body = "<rss><channel><item><title>Tom & Jerry&nbsp;\x0b!</title><link>https://example.org/?a=1&b=2</link></item></channel></rss>"

    assert items(body)[0][:2] == ("Tom & Jerry !", "https://example.org/?a=1&b=2")


def test_a_long_article_is_cut_between_words() -> None:
    words = "word " * 5000
    body = f"<rss><channel><item><title>A</title><link>https://example.org/a</link><description>{words}</description></item></channel></rss>"

    summary = items(body)[0][2]

    assert len(summary) <= 400
    assert summary.endswith("word…")


def test_no_more_than_300_entries_are_listed() -> None:
    entry = "<item><title>A</title><link>https://example.org/a</link></item>"

    assert len(items(f"<rss><channel>{entry * 1000}</channel></rss>")) == 300


@pytest.mark.parametrize(
    "body",
    [
        "",
        "hello",
        "<html><body>Hi</body></html>",
        "{}",
        "[]",
        '{"items": 7}',
        "<rss></rss>",
        "<x/>",
    ],
)
def test_what_is_no_feed_is_refused(body: str) -> None:
    with pytest.raises(MalformedResponse):
        items(body)


def test_an_error_document_is_told_apart() -> None:
    with pytest.raises(UpstreamUnavailable, match="error instead of a feed"):
        items("<Error><Code>InternalError</Code></Error>")


def test_a_bomb_is_refused() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><rss><channel><title>&b;</title></channel></rss>'

    with pytest.raises((MalformedResponse, TooLarge)):
        items(bomb)
    with pytest.raises((MalformedResponse, TooLarge)):
        items("<rss>" * 10_000)


def test_a_feed_lists_its_entries() -> None:
    found = open_document(RSS)

    assert found.markdown == (
        "# A feed\n\nAbout\n\n## [First](https://example.org/1)\n\n2024-02-03T04:05:06+00:00\n\nSome **text**."
    )
    assert (found.kind, found.title, found.created) == (
        "feed",
        "A feed",
        "2024-02-03T04:05:06+00:00",
    )


def test_an_atom_feed_keeps_authors_and_relative_links() -> None:
    body = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>F</title><entry><title>E</title>
    <link rel="self" href="/self"/><link rel="alternate" href="/e"/><author><name>An author</name></author>
    <updated>2024-02-03T04:05:06Z</updated><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <em>it</em></p></div></content></entry></feed>"""

    found = open_document(body)

    assert (
        found.markdown
        == "# F\n\n## [E](https://example.org/e)\n\n2024-02-03T04:05:06Z · An author\n\nIn *it*"
    )
    assert found.language == "de"


def test_a_sloppy_feed_is_mended() -> None:
    body = RSS.replace(b"About", b"Q&A with&nbsp;caf&eacute; \x0b")

    assert "Q&A with café" in open_document(body).markdown


def test_an_rdf_feed_finds_its_items_beside_the_channel() -> None:
    body = b"""<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
    <channel><title>F</title></channel><item><title>E</title><link>https://example.org/e</link></item></rdf:RDF>"""

    assert open_document(body).markdown == "# F\n\n## [E](https://example.org/e)"


def test_a_json_feed_is_a_feed() -> None:
    body = b'{"version": "https://jsonfeed.org/version/1.1", "title": "F", "items": [{"title": "E", "url": "https://example.org/e", "content_html": "<p>x</p>"}]}'

    assert open_document(body).markdown == "# F\n\n## [E](https://example.org/e)\n\nx"
