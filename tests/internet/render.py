"""A page of the corpus as a web server would send it: chrome around the text, in its charset."""

from __future__ import annotations

import codecs
import re
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import Response

from tests.internet.world import Page

_DIRECTIONS = {"ar": "rtl", "he": "rtl", "fa": "rtl"}
_DEFINITIONS = re.compile(r"(?:^[^\n:|#>-][^\n]*\n(?:: [^\n]+\n?)+\n?)+", re.MULTILINE)
# What stands before and after the text on each kind of page, besides header, sidebar and footer.
_BEFORE = {
    "guide": '<div class="breadcrumb"><a href="/">Home</a> › <a href="/guides">Guides</a></div>'
    '<div class="share"><a href="#s1">Share</a> <a href="#s2">Print</a> <a href="#s3">Save</a></div>',
    "wiki": '<div class="tabs"><a href="#read">Read</a> <a href="#edit">Edit</a>'
    ' <a href="#history">View history</a></div>',
    "product": '<div class="breadcrumb"><a href="/">All departments</a> › <a href="/new">New in</a></div>'
    '<div class="buy"><button>Add to basket</button> <a href="/basket">0 items</a></div>',
    "service": '<div class="notice"><a href="/languages">Other languages</a>'
    ' <a href="/easy">Easy read</a></div>',
    "thread": '<div class="breadcrumb"><a href="/">Board index</a> › <a href="/new">New posts</a></div>',
}
_AFTER = {
    "guide": '<section class="newsletter"><h3>Get our newsletter</h3><p>Enter your e-mail address and'
    ' never miss a story.</p><form><input type="email"><button>Sign up</button></form></section>'
    '<section class="related"><h3>You may also like</h3><ul><li><a href="/r/1">Our best of the year</a>'
    '</li><li><a href="/r/2">Readers\' questions</a></li></ul></section>',
    "wiki": '<div class="categories"><a href="/c/1">All articles</a> | <a href="/c/2">Cite this page</a></div>',
    "product": '<section class="also"><h3>Customers also viewed</h3><ul><li><a href="/p/1">Gift card</a>'
    '</li><li><a href="/p/2">Extended warranty</a></li></ul></section>',
    "service": '<section class="feedback"><h3>Was this page helpful?</h3><button>Yes</button>'
    "<button>No</button></section>",
    "thread": '<section class="reply"><h3>Post a reply</h3><p>You must be logged in to reply.</p></section>',
}


def answer(page: Page, request: Request) -> Response:
    """The page as markdown where it is asked for and offered, else as HTML."""
    if page.negotiates and "text/markdown" in request.headers.get("accept", ""):
        return Response(f"# {page.title}\n\n{page.markdown}\n", media_type="text/markdown")
    kind = "text/html"
    if page.declared == "header":
        kind = f"text/html; charset={page.charset}"
    return Response(encoded(page), headers={"content-type": kind})


def encoded(page: Page) -> bytes:
    html = markup(page)
    if page.declared == "bom":
        bom = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}
        return bom.get(page.charset, codecs.BOM_UTF8) + html.encode(page.charset)
    return html.encode(page.charset, "xmlcharrefreplace")


def markup(page: Page) -> str:
    """Header, navigation, article, sidebar and footer, much as sites have them."""
    return f"""<!DOCTYPE html>
<html lang="{page.language}" dir="{_DIRECTIONS.get(page.language, "ltr")}">
<head>
{_meta(page)}
</head>
<body class="{page.kind}">
<header class="site-header"><a class="logo" href="/">{escape(page.site)}</a>
<nav><ul><li><a href="/">Home</a></li><li><a href="/topics">Topics</a></li>\
<li><a href="/about">About us</a></li><li><a href="/subscribe">Newsletter</a></li></ul></nav></header>
<main>
<article>
<h1>{escape(page.title)}</h1>
{_byline(page)}
{_BEFORE.get(page.kind, "")}{_body(page)}</article>
{_AFTER.get(page.kind, "")}</main>
<aside class="sidebar"><h2>Most read</h2><ul><li><a href="/popular/1">Editors' choice</a></li>\
<li><a href="/popular/2">This week in brief</a></li></ul></aside>
<footer class="site-footer"><p>© {escape(page.site)}. All rights reserved.</p>
<p><a href="/privacy">Privacy</a> · <a href="/terms">Terms of use</a> · <a href="/contact">Contact</a></p></footer>
<script>window.dataLayer = window.dataLayer || [];</script>
</body>
</html>
"""


def _meta(page: Page) -> str:
    lines = [
        f"<title>{escape(page.title)} | {escape(page.site)}</title>",
        f'<meta name="description" content="{escape(page.description[:160])}">',
        f'<meta property="og:title" content="{escape(page.title)}">',
        f'<meta property="og:site_name" content="{escape(page.site)}">',
        '<meta property="og:type" content="article">',
        '<link rel="stylesheet" href="/style.css">',
    ]
    if page.declared in {"meta", "header"}:
        lines.insert(0, f'<meta charset="{page.charset}">')
    if page.author:
        lines.append(f'<meta name="author" content="{escape(page.author)}">')
    if page.published:
        stamp = page.published.isoformat()
        lines.append(f'<meta property="article:published_time" content="{stamp}">')
    return "\n".join(lines)


def _byline(page: Page) -> str:
    if page.published is None:
        return ""
    date = page.published.date().isoformat()
    return f'<p class="byline">By the editors · <time datetime="{date}">{date}</time></p>'


def _body(page: Page) -> str:
    """The text as HTML; a thread's posts, parted by `---`, are boxes of their own."""
    if page.kind != "thread":
        return _written(page.markdown)
    posts = page.markdown.split("\n---\n")
    return "".join(f'<div class="post">\n{_written(post)}</div>\n' for post in posts)


def _written(markdown: str) -> str:
    return _renderer().render(_DEFINITIONS.sub(_definition_list, f"{markdown}\n"))


def _definition_list(found: re.Match[str]) -> str:
    """`Term`, and `: its meaning` on the next line, as the HTML list that markdown lacks."""
    lines = found[0].strip().splitlines()
    rows = [
        f"<dd>{_renderer().renderInline(line[2:])}</dd>"
        if line.startswith(": ")
        else f"<dt>{_renderer().renderInline(line)}</dt>"
        for line in lines
        if line
    ]
    return f"<dl>\n{chr(10).join(rows)}\n</dl>\n\n"


@cache
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")
