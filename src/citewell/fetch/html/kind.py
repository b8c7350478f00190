"""Tell what kind of page this is from its address, its head and the shape of its body."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from citewell.fetch.html.blocks import name_tokens
from citewell.fetch.html.features import Hints

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from selectolax.lexbor import LexborHTMLParser

    from citewell.fetch.html.blocks import Page

KINDS = ("article", "documentation", "forum", "product", "listing", "collection", "service")

_PATH_WORD = re.compile(r"[a-z]{2,}")
_LD_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"([A-Za-z]+)"')
_META_NAMES = frozenset(("og:type", "og:title", "generator"))
_COUNTED_NAMES = (
    "p li td pre code h1 h2 h3 article section form button time blockquote img a table dl label "
    "span strong"
)
_COUNTED = tuple(_COUNTED_NAMES.split())
_MAX_STRUCTURED = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The parts of the head (and of embedded structured data) that bear on extraction."""

    title: str | None
    meta: Mapping[str, str]
    structured: str

    def hints(self) -> Hints:
        """The same facts in the form the block features want."""
        title = f"{self.title or ''} {self.meta.get('og:title', '')}".lower()
        return Hints(title=frozenset(re.findall(r"[^\W\d_]{2,}", title)))


def read_head(tree: LexborHTMLParser) -> Head:
    """Collect the title, the few meta values used here, and JSON-LD as flat text."""
    node = tree.css_first("title")
    title = " ".join((node.text() or "").split()) if node is not None else ""
    meta: dict[str, str] = {}
    for item in tree.css("meta[content]"):
        attributes: dict[str, Any] = item.attributes
        name = (attributes.get("property") or attributes.get("name") or "").lower()
        if name in _META_NAMES:
            meta.setdefault(name, attributes.get("content") or "")
    scripts = tree.css('script[type="application/ld+json"]')
    structured = "\n".join(item.text() or "" for item in scripts)[:_MAX_STRUCTURED]
    return Head(title=title or meta.get("og:title") or None, meta=meta, structured=structured)


def signals(page: Page, head: Head, url: str) -> dict[str, float]:
    """Named evidence for the kind: words of the address and head, and shape of the body."""
    found = dict.fromkeys(_address_words(url), 1.0)
    for name in ("og:type", "generator"):
        for word in name_tokens(head.meta.get(name, ""))[:2]:
            found[f"{name}={word}"] = 1.0
    for name in set(_LD_TYPE.findall(head.structured)):
        found[f"ld={name.lower()}"] = 1.0
    found.update((f"body={word}", 1.0) for word in page.boxes[0].tokens)
    found.update((f"class={token}", 1.0) for token in page.names)
    found.update(_shape(page))
    return found


def _address_words(url: str) -> list[str]:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return []
    path = parts.path.lower()
    words = [f"host={word}" for word in host.split(".")]
    words += [f"path={word}" for word in _PATH_WORD.findall(path)[:8]]
    words.append(f"segments={min(path.strip('/').count('/') + bool(path.strip('/')), 5)}")
    words.append(f"dashes={min(path.rsplit('/', 1)[-1].count('-') // 2, 5)}")
    if re.search(r"\d{4,}", path):
        words.append("path#number")
    if parts.query:
        words.append("query")
    return words


def _shape(page: Page) -> dict[str, float]:
    body = page.boxes[0]
    size = body.words or 1
    shape = {f"tag={tag}": math.log1p(page.tags.get(tag, 0)) for tag in _COUNTED}
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


def judge(found: Mapping[str, float], model: Mapping[str, Sequence[float]]) -> tuple[float, ...]:
    """Probability of each of KINDS; model maps a signal to one weight per kind."""
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
