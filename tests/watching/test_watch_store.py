"""The feed of news, as a strict reader of XML sees it."""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from xml.etree import ElementTree as ET

from citewell.watching.commands.watch import render_rss_feed
from citewell.watching.watch_store import WatchNewsItem


def item(number: int, **content: str) -> WatchNewsItem:
    change = {"kind": "retracted", "text": "“A & B <script>\x07” was retracted.", **content}
    return WatchNewsItem(id=f"n{number}", watch="w", content=change, found=1_790_000_000.0)


def test_every_item_has_title_guid_date_and_a_link_that_can_be_followed() -> None:
    news = [item(1, doi="10.1/x"), item(2, url="javascript:alert(1)"), item(3)]

    channel = ET.fromstring(render_rss_feed(news, now=1_790_000_001.0)).find("channel")

    assert channel is not None
    items = channel.findall("item")
    assert [item.findtext("guid") for item in items] == ["n1", "n2", "n3"]
    assert [item.findtext("link") for item in items] == ["https://doi.org/10.1/x", None, None]
    assert items[0].findtext("title") == "“A & B <script>” was retracted."
    assert parsedate_to_datetime(items[0].findtext("pubDate") or "").year == 2026
