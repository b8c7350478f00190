from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.text.markdown_html import render_markdown_html

ALLOWED = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "br", "hr", "a", "strong", "em", "code", "pre", "table", "tr", "th", "td", "blockquote"}  # fmt: skip


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.attributes |= {(name, value or "") for name, value in attrs}
        if tag not in {"br", "hr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(html: str) -> Tags:
    parser = Tags()
    parser.feed(html)
    return parser


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("# A **b**", "<h1>A <strong>b</strong></h1>\n"),
        ("one\ntwo", "<p>one<br>two</p>\n"),
        ("- a\n  - b\n- c", "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>\n"),
        ("1. a\n2. b", "<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n"),
        ("> said", "<blockquote><p>said</p>\n</blockquote>\n"),
        ("```py\na **b** <c>\n```", "<pre><code>a **b** &lt;c&gt;</code></pre>\n"),
        ("---", "<hr>\n"),
        ("2 * 3 * 4", "<p>2 * 3 * 4</p>\n"),
        (
            "| a | b |\n|---|---|\n| 1 | 2 \\| 3 |",
            "<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2 | 3</td></tr>\n</table>\n",
        ),
    ],
)
def test_what_reports_use_is_rendered(markdown: str, html: str) -> None:
    assert render_markdown_html(markdown) == html


def test_links_keep_their_brackets_and_no_other_scheme_becomes_one() -> None:
    html = render_markdown_html("[a](https://example.org/x_(y)?a=1&b=2) [b](javascript:alert(1))")

    assert '<a href="https://example.org/x_(y)?a=1&amp;b=2"' in html
    assert html.count("<a ") == 1


def test_marks_see_only_what_is_left_of_a_finished_line() -> None:
    html = render_markdown_html(
        "Said [src_1] `[src_2]`", render_marks=lambda text: text.replace("[src_1]", "<b>1</b>")
    )

    assert html == "<p>Said <b>1</b> <code>[src_2]</code></p>\n"


@given(st.text(alphabet="ab<>&\"'*_`[]()#-|\n 1.>~!\\:/hjtps\ue000\ue001", max_size=200))
def test_nothing_from_outside_becomes_markup(text: str) -> None:
    found = tags(render_markdown_html(text))

    assert found.seen <= ALLOWED
    assert {name for name, _ in found.attributes} <= {"href", "rel"}
    assert all(value.startswith("http") for name, value in found.attributes if name == "href")
    assert found.open == []
