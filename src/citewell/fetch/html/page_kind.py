"""Classifies a page (article, forum, product…) by its address, its head and the shape of its body."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from citewell.fetch.html.block_features import PageHints, split_text_words
from citewell.fetch.html.layout_blocks import split_name_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.layout_blocks import PageLayout

PAGE_KINDS = ("article", "documentation", "forum", "product", "listing", "collection", "service")

_URL_PATH_WORD = re.compile(r"[a-z]{2,}")
_JSON_LD_TYPE = re.compile(r'"@type"\s*+:\s*+\[?\s*+"([A-Za-z]+)"')
_KIND_META_NAMES = frozenset(("og:type", "og:title", "generator"))
_COUNTED_TAG_NAMES = (
    "p li td pre code h1 h2 h3 article section form button time blockquote img a table dl label "
    "span strong"
)
_COUNTED_TAGS = tuple(_COUNTED_TAG_NAMES.split())
_MAX_JSON_LD_CHARS = 200_000
_MIN_BODY_CHARS = 200
_MARKUP_TAG = re.compile(r"<[^<>]{0,1000}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageHead:
    """The parts of the head and of embedded JSON-LD that extraction uses."""

    title: str | None
    meta: Mapping[str, str]
    json_ld_text: str
    listed_text: str = ""

    def build_page_hints(self) -> PageHints:
        """The words of the title and the body text that JSON-LD repeats, for the block features."""
        title = f"{self.title or ''} {self.meta.get('og:title', '')}"
        return PageHints(
            title_words=split_text_words(title),
            body_text=self.listed_text,
        )


def read_page_head(tree: LexborHTMLParser) -> PageHead:
    """Read the title, the few meta values used here, and JSON-LD as text."""
    node = tree.css_first("title")
    title = " ".join((node.text() or "").split()) if node is not None else ""
    meta: dict[str, str] = {}
    for item in tree.css("meta[content]"):
        attributes: dict[str, Any] = item.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        if name in _KIND_META_NAMES:
            meta.setdefault(name, attributes.get("content") or "")
    scripts = tree.css('script[type="application/ld+json"]')
    texts = [item.text() or "" for item in scripts]
    return PageHead(
        title=title or meta.get("og:title") or None,
        meta=meta,
        json_ld_text="\n".join(texts)[:_MAX_JSON_LD_CHARS],
        listed_text=_find_article_body(texts),
    )


def _find_article_body(scripts: Sequence[str]) -> str:
    """The text of the article as the page's JSON-LD repeats it; empty if it does not."""
    for script in scripts:
        if '"articleBody"' in script and len(script) <= _MAX_JSON_LD_CHARS:
            try:
                found = json.loads(script, strict=False)
            except (ValueError, RecursionError):
                continue
            for item in _list_linked_items(found):
                body = item.get("articleBody")
                if isinstance(body, str) and len(body) >= _MIN_BODY_CHARS:
                    return " ".join(_MARKUP_TAG.sub(" ", unescape(body)).split())
    return ""


def _list_linked_items(found: object) -> list[dict[str, Any]]:
    """The objects at the top of a JSON-LD script, and those of its graph."""
    items = found if isinstance(found, list) else [found]
    graphs = [item.get("@graph") for item in items if isinstance(item, dict)]
    items = items + [item for graph in graphs if isinstance(graph, list) for item in graph]
    return [item for item in items if isinstance(item, dict)]


def collect_kind_signals(page: PageLayout, head: PageHead, url: str) -> dict[str, float]:
    """Named signals for the kind: words of the address and head, and the shape of the body."""
    found = dict.fromkeys(_list_address_signals(url), 1.0)
    for name in ("og:type", "generator"):
        for word in split_name_words(head.meta.get(name, ""))[:2]:
            found[f"{name}={word}"] = 1.0
    for name in _JSON_LD_TYPE.findall(head.json_ld_text):
        found[f"ld={name.lower()}"] = 1.0
    found.update((f"body={word}", 1.0) for word in page.boxes[0].tokens)
    found.update((f"class={token}", 1.0) for token in page.name_words)
    found.update(_measure_body_shape(page))
    return found


def _list_address_signals(url: str) -> list[str]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    path = parts.path.lower()
    words = [f"host={word}" for word in host.split(".")]
    words += [f"path={word}" for word in _URL_PATH_WORD.findall(path)[:8]]
    words.append(f"segments={min(path.strip('/').count('/') + bool(path.strip('/')), 5)}")
    words.append(f"dashes={min(path.rsplit('/', 1)[-1].count('-') // 2, 5)}")
    if re.search(r"\d{4,}", path):
        words.append("path#number")
    if parts.query:
        words.append("query")
    return words


def _measure_body_shape(page: PageLayout) -> dict[str, float]:
    body = page.boxes[0]
    size = body.words or 1
    shape = {f"tag={tag}": math.log1p(page.tags.get(tag, 0)) for tag in _COUNTED_TAGS}
    text_size = math.log1p(size)
    money = sum("$" in k.text or "€" in k.text or "£" in k.text for k in page.blocks)
    repeated = sum(k.words for k in page.blocks if k.box.outer is not None or k.box.alike > 2)
    questions = sum(k.text.endswith("?") for k in page.blocks)
    shape |= {
        "#size": text_size,
        "#links": body.linked / size,
        "#prose": body.long / size,
        "#money": math.log1p(money),
        "#repeated": repeated / size,
        "#questions": math.log1p(questions),
        "#mean": math.log1p(size / (len(page.blocks) or 1)),
    }
    return shape


def score_page_kinds(
    found: Mapping[str, float], model: Mapping[str, Sequence[float]]
) -> tuple[float, ...]:
    """The probability of each of PAGE_KINDS; `model` maps a signal to one weight per kind."""
    totals = list(model["#bias"])
    for name, value in found.items():
        weights = model.get(name)
        if weights is not None:
            for index, weight in enumerate(weights):
                totals[index] += weight * value
    peak = max(totals)
    powers = [math.exp(total - peak) for total in totals]
    whole = sum(powers)
    return tuple(power / whole for power in powers)
