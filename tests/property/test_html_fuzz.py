"""Whatever markup comes, reading it ends soon, in a page or in an error of ours."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from citewell.core.errors import CitewellError
from citewell.reading.extracted_page import PageResponse
from citewell.reading.hidden_text import remove_hidden_text
from citewell.reading.html.main_content import extract_main_content
from citewell.reading.html.markup_limits import limit_markup
from citewell.reading.metadata.page_metadata import read_page_metadata
from citewell.reading.page_charset import decode_body
from citewell.reading.page_reading import read_html_page

URL = "https://example.org/a/b?c=d"
BOUND = 5.0  # seconds for an example of some kilobytes, on a machine with other things to do
MANY = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])

SENTENCE = "Tides rise and fall on most coasts twice a day, and the Moon is the cause of it. "
LINKED = '{"@type":"Article","headline":"Tides","author":{"name":"The editors"},"datePublished":"2024-05-01"}'
PARTS = (
    "<!DOCTYPE html><html lang='en'><head><meta charset=utf-8><title>Tides &amp; seas</title>",
    "<meta property='og:title' content='Tides'><meta name=author content='The editors'>",
    "<meta name='citation_doi' content='10.1000/182'><base href='/x/'><link rel=canonical href='//e.org'>",
    f"<script type='application/ld+json'>{LINKED}</script>",
    "<style>.no{display:none}p::before{content:'x'}@media print{.a{color:#fff}}</style></head><body>",
    "<nav><ul><li><a href='/'>Home</a><li><a href='?q=1'>More</a></ul></nav>",
    f"<main><article itemscope itemtype='https://schema.org/Article'><h1>Tides</h1><p>{SENTENCE * 3}</p>",
    "<p class=no>Ignore me</p><p style='display:none;color:red'>Hidden</p><p hidden>Gone</p>",
    "<table><caption>T</caption><thead><tr><th>a|b<th>c</thead><tr><td rowspan=2>1<td colspan=3>2</table>",
    "<pre><code class='language-python'>def f():\n    return '```'\n</code></pre>",
    "<ul><li>one<ol><li>two<dl><dt>x<dd>y</dl></ol></ul><blockquote><p>q<blockquote>r</blockquote></blockquote>",
    "<img src='a.png' alt='A picture'><figure><img src=x><figcaption>c</figcaption></figure>",
    "<math><mi>x</mi></math><svg><title>s</title></svg><iframe src=x></iframe><noscript>n</noscript>",
    f"<p>{SENTENCE}<sup><a href='#fn1' id=ref1>1</a></sup></p><ol><li id=fn1>note <a href='#ref1'>↩</a></ol>",
    "<time datetime='2024-05-01T10:00:00Z'>1 May</time></article></main><footer>© us</footer></body></html>",
)
SOUP = st.sampled_from([
    "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "<!", "<?", "&", "&#", "&#x", ";", "=", '"', "'", "\x00",
    "&#0;", "&#xD800;", "&#x110000;", "&#99999999999;", "&nosuch;", "&amp;amp;", "&#x202e;", "\ufeff", "\u202e", "\u200b",
    "\ud800", "\U000e0041", "\r\n", "\t", " " * 50, "a" * 300, "й", "漢字", "شعر",
    "<p>", "</p>", "<div>", "</div>", "<table>", "<tr>", "<td colspan=99999 rowspan=-1>", "<th colspan=x>", "</table>",
    "<ul>", "<ol start=-99999999999999999999>", "<li value=9e99>", "<dl>", "<dt>", "<dd>", "<pre>", "<code>", "</code>",
    "<a href='javascript:alert(1)'>", "<a href='http://['>", '<a href="//%zz">', "</a>", "<img src alt>", "<br>", "<hr>",
    "<h1>", "<h6>", "<blockquote>", "<b>", "<i>", "</b>", "<sup>", "<template>", "<select><option>", "<textarea>",
    "<script>", "</script>", "<style>", "</style>", "<svg>", "<math>", "<foreignObject>", "<frameset>", "<plaintext>",
    "<noscript>", "<title>", "</title>", "<base href='http://[::'>", "<meta charset=nope>", "<meta http-equiv=refresh>",
    "<body>", "<html lang='xx-'>", "<form>", "<input type=hidden value=x>", "<p style='display:none", "<p style='opacity:0;'>",
    "<p style='font-size:0;content:\\'}'>", "<style>*{display:none}</style>", "<style>@media{{{{</style>", "<p class='a b'>",
    "<script type='application/ld+json'>", '{"@graph":[', "]}", "<time datetime='9999-99-99'>", "<time datetime='-1'>",
    "<meta property='article:published_time' content='0000-00-00T99:99:99+99:99'>", "<meta name=author content>",
    "<div itemscope itemprop=author itemref='a a a'>", "<custom-tag>", "<p ✓='✓'>", SENTENCE,
])  # fmt: skip


def made(body: bytes, *, content_type: str = "text/html") -> str:
    """What the reader makes of it; the worker's own net under faults of ours is left out."""
    response = PageResponse(url=URL, final_url=URL, headers={"content-type": content_type})
    try:
        return read_html_page(
            response, decode_body(body, content_type=content_type)
        ).extracted.content
    except CitewellError:
        return ""


def taken_apart(html: str) -> None:
    """Each step by itself, on markup that nothing has looked at before."""
    assert extract_main_content(html, url=URL).word_count >= 0
    read_page_metadata(LexborHTMLParser(limit_markup(html)), url=URL)
    assert all(
        count > 0
        for count in remove_hidden_text(LexborHTMLParser(limit_markup(html))).counts.values()
    )


def within(body: bytes, **more: str) -> str:
    begun = time.process_time()
    content = made(body, **more)
    assert time.process_time() - begun < BOUND
    return content


@given(
    whole=st.permutations(PARTS) | st.just(list(PARTS)),
    cuts=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 60), SOUP), max_size=12),
)
@MANY
def test_a_mutated_page_is_read(whole: list[str], cuts: list[tuple[int, int, str]]) -> None:
    html = "".join(whole)
    for at, length, put in cuts:
        html = html[:at] + put + html[at + length :]

    content = within(html.encode("utf-8", "surrogatepass"))
    taken_apart(html)

    content.encode()  # no half characters are left


@given(pieces=st.lists(SOUP, max_size=120))
@MANY
def test_tag_soup_is_read(pieces: list[str]) -> None:
    html = "".join(pieces)

    within(html.encode("utf-8", "surrogatepass")).encode()
    taken_apart(html)


@given(
    tag=st.sampled_from([
        "div", "b", "table", "table><tr><td", "ul><li", "blockquote", "span", "a href=x", "font", "sup", "dl><dd", "svg",
        "math", "template", "select", "p", "pre", "h1", "x-y", "section", "noscript", "object", "button", "ruby><rt",
    ]),
    depth=st.integers(1, 5000),
    closed=st.booleans(),
)  # fmt: skip
@settings(MANY, max_examples=40)
def test_deep_nesting_is_read(tag: str, depth: int, *, closed: bool) -> None:
    end = "".join(f"</{name.split()[0]}>" for name in reversed(tag.split("><")))
    html = f"<{tag}>" * depth + SENTENCE * 2 + end * depth * closed

    within(html.encode())


@given(
    text=st.text(max_size=300),
    declared=st.sampled_from(
        ["", "utf-8", "utf-16", "utf-7", "gbk", "shift_jis", "iso-2022-jp", "windows-1251", "hz", "nope", "\x00"]
    ),
    actual=st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32", "gb18030", "cp932", "koi8-r", "iso2022_jp", "cp037"]),
    meta=st.sampled_from(["", "utf-8", "euc-kr", "x-user-defined", "utf-16le"]),
)  # fmt: skip
@MANY
def test_any_encoding_under_any_name_is_read(
    text: str, declared: str, actual: str, meta: str
) -> None:
    html = f"<html><head><meta charset='{meta}'></head><body><p>{SENTENCE}{text}</p></body></html>"
    body = html.encode(actual, "ignore")

    content = within(body, content_type=f"text/html; charset={declared}")

    content.encode()
    assert decode_body(body, content_type=f"text/html; charset={declared}").text


@given(body=st.binary(max_size=3000))
@MANY
def test_any_bytes_are_read(body: bytes) -> None:
    within(body).encode()


TRAPS = {
    "open brackets": "<" * 200_000,
    "open comments": "<!--" * 50_000,
    "half entities": "&#" * 100_000,
    "entities": "&lt;" * 50_000,
    "attributes": "<p " + "a=1 " * 50_000 + ">x",
    "a long attribute": "<p style='" + "display:block;" * 20_000 + "'>x",
    "quotes": "<p title='" * 20_000,
    "selectors": "<style>" + "a,b>c " * 20_000 + "{display:none}</style><p>x",
    "rules": "<style>" + "".join(f".c{n}{{display:none}}" for n in range(3000)) + "</style>" + "<p class=c1>x" * 500,
    "nested rules": "<style>" + "@media all{" * 5000 + "</style><p>x",
    "nested json": "<script type='application/ld+json'>" + "[" * 50_000 + "</script><p>x",
    "links": "<main>" + "<a href='/x'>A link</a> " * 10_000,
    "cells": "<table>" + "<tr>" + "<td>x" * 20_000 + "</table>",
    "spans": "<table>" + "<tr><td rowspan=65534 colspan=1000>x" * 50 + "</table>",
    "formatting": "<b><i><a href=x>" * 3000 + SENTENCE,
    "misnested": "<b><p></b></p>" * 5000,
    "tables in tables": "<table><tr><td>" * 2000 + "x",
    "lists in lists": "<ul><li>x" * 2000,
    "code fences": "<pre>" + "`" * 50_000 + "</pre>",
    "pipes": "<table><tr><td>" + "|" * 50_000 + "</table>",
    "stars": "<p>" + "*_`[](" * 20_000,
    "one word": "<p>" + "a" * 500_000,
    "spaces": "<p>a" + " " * 500_000 + "b",
    "dates": "<p>" + "2024-05-01 " * 10_000,
    "commas": "<meta name=author content='" + "a, " * 20_000 + "'><p>x",
}  # fmt: skip


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_takes_no_more_than_its_size_allows(name: str) -> None:
    begun = time.process_time()

    made(TRAPS[name].encode())

    assert time.process_time() - begun < 2 * BOUND
