"""What the loopback web holds: a corpus of pages, a search over it, faults, and what was asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from tests.internet.faults import Asked, Fault, Faults
from tests.internet.index import Index, parse, tokens

PAGES = Path(__file__).parent / "pages"
_AGE = re.compile(r"(\d+)([mhd])")
_MINUTES = {"m": 1, "h": 60, "d": 1440}
_MARKUP = re.compile(
    r"!?\[([^\]]*)\]\([^)]*\)|[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}|^[#>\-|: ]+", re.MULTILINE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of the corpus. `url` is filled in by the world that serves it."""

    host: str
    path: str  # without the leading slash
    title: str
    markdown: str
    site: str = ""
    language: str = "en"
    published: datetime | None = None
    age: timedelta | None = None  # a fresh page's date is counted back from the world's now
    charset: str = "utf-8"
    declared: str = "header"  # where the charset is said: header, meta, bom or none
    kind: str = "article"  # article, news, docs, forum, guide, wiki, product, service, thread
    negotiates: bool = False  # answers Accept: text/markdown
    url: str = ""
    image: str = ""
    author: str = ""

    @property
    def text(self) -> str:
        """The words without markup, one paragraph a line."""
        return re.sub(r"\n{2,}", "\n", _MARKUP.sub(r"\1", self.markdown)).strip()

    @property
    def description(self) -> str:
        """The first paragraph."""
        return self.text.partition("\n")[0]

    def snippet(self, text: str = "", *, length: int = 200) -> str:
        """The sentence closest to the text, or the opening; never longer than `length`."""
        wanted = set(tokens(text))
        sentences = re.split(r"(?<=[.!?。])\s*(?=\S)", self.text.replace("\n", " "))
        best = max(sentences, key=lambda sentence: len(wanted & set(tokens(sentence))))
        start = self.text.replace("\n", " ").find(best)
        return self.text.replace("\n", " ")[start : start + length].strip()


@cache
def corpus() -> tuple[Page, ...]:
    """Every page file, read once; pages with an age get their date from each world's clock."""
    return tuple(_read(path) for path in sorted(PAGES.rglob("*.md")))


class World:
    """The state of one loopback web. Safe to change from the test's thread while it serves."""

    def __init__(
        self,
        *,
        now: datetime | None = None,
        named: bool = False,
        latency: Callable[[str], float] | None = None,
    ) -> None:
        """`named` makes addresses of the form http://host:port/; `latency` gives seconds by name."""
        self.now = now or datetime.now(UTC)
        self.named = named
        self.latency = latency or (lambda _name: 0.0)
        self.base_url = "http://127.0.0.1"
        self.homes: dict[str, str] = {}  # a site's own address and port, where it has one
        self.state: dict[str, Any] = {}  # whatever an API module wants to keep, by its own name
        self._faults = Faults()
        self._pages = [_dated(page, self.now) for page in corpus()]
        self._own = len(self._pages)
        self._index: Index | None = None

    @property
    def calls(self) -> Counter[str]:
        """How often each provider (or "pages", "robots", "odd") was asked since the last reset."""
        return self._faults.calls

    @property
    def requests(self) -> dict[str, list[Asked]]:
        return self._faults.requests

    @property
    def faults(self) -> Faults:
        return self._faults

    @property
    def pages(self) -> tuple[Page, ...]:
        return tuple(self._addressed(page) for page in self._pages)

    def fail(self, name: str, fault: Fault, *, times: int = 1) -> None:
        """Make the next `times` requests to a provider, to "pages" or to an exact path misbehave."""
        self._faults.add(name, fault, times=times)

    def add(self, *pages: Page) -> None:
        """Put more pages into the world until the next reset."""
        self._pages.extend(pages)
        self._index = None

    def reset(self) -> None:
        """Forget faults, recorded requests, added pages and homes, and the state of API modules."""
        self._faults.reset()
        own = {page.host for page in self._pages[: self._own]}
        self.homes = {host: home for host, home in self.homes.items() if host in own}
        self.state.clear()
        if len(self._pages) != self._own:
            del self._pages[self._own :]
            self._index = None

    def page(self, host: str, path: str) -> Page | None:
        """The page at an address, or None where there is none."""
        wanted = path.strip("/")
        for page in self._pages:
            if page.host == host and page.path == wanted:
                return self._addressed(page)
        return None

    def hosts(self) -> tuple[str, ...]:
        return tuple(sorted({page.host for page in self._pages}))

    def living_at(self, address: str) -> str | None:
        """The site whose own address this is."""
        return next((host for host, home in self.homes.items() if home == address), None)

    def has_host(self, host: str) -> bool:
        return any(page.host == host for page in self._pages)

    def search(
        self,
        text: str,
        *,
        count: int = 10,
        sites: Iterable[str] = (),
        since: datetime | None = None,
        language: str | None = None,
        kind: str | None = None,
        offset: int = 0,
    ) -> list[Page]:
        """The best pages for a query, which may hold site:, -site:, "phrases" and -words."""
        wanted = parse(text)
        hosts = (*sites, *wanted.sites)
        ranked = (self._pages[place] for place in self._ready().rank(wanted.words))
        kept = [
            page
            for page in ranked
            if _on(page, hosts, default=True)
            and not _on(page, wanted.excluded_sites, default=False)
            and (since is None or (page.published is not None and page.published >= since))
            and (language is None or page.language == language.partition("-")[0].lower())
            and (kind is None or page.kind == kind)
            and _words_fit(page, wanted.phrases, wanted.excluded)
        ]
        return [self._addressed(page) for page in kept[offset : offset + count]]

    def since(self, time_range: str) -> datetime:
        """The start of hour, day, week, month or year, seen from this world's now."""
        hours = {"hour": 1, "day": 24, "week": 168, "month": 720, "year": 8760}
        return self.now - timedelta(hours=hours[time_range])

    def address(self, host: str, path: str) -> str:
        if home := self.homes.get(host):
            return f"http://{home}/{path}"
        port = self.base_url.rpartition(":")[2]
        root = f"http://{host}:{port}" if self.named else f"{self.base_url}/site/{host}"
        return f"{root}/{path}"

    def _ready(self) -> Index:
        if self._index is None:
            self._index = Index((page.title, page.text) for page in self._pages)
        return self._index

    def _addressed(self, page: Page) -> Page:
        url = self.address(page.host, page.path)
        return replace(page, url=url, image=f"{self.base_url}/picture/{page.host}/{page.path}.png")


def _on(page: Page, hosts: Sequence[str], *, default: bool) -> bool:
    """Whether the page's host is one of these or below one; paths after the host count too."""
    if not hosts:
        return default
    at = f"{page.host}/{page.path}"
    return any(
        page.host == host or page.host.endswith(f".{host}") or at.startswith(f"{host}/")
        for host in (name.strip("/").lower() for name in hosts)
    )


def _words_fit(page: Page, phrases: Sequence[str], excluded: Sequence[str]) -> bool:
    low = f"{page.title} {page.text}".lower()
    return all(phrase in low for phrase in phrases) and not any(word in low for word in excluded)


def _dated(page: Page, now: datetime) -> Page:
    return page if page.age is None else replace(page, published=now - page.age)


def _read(path: Path) -> Page:
    """A file opens with `name: value` lines; the first blank line ends them."""
    head, _, body = path.read_text(encoding="utf-8").partition("\n\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    host, _, rest = path.relative_to(PAGES).with_suffix("").as_posix().partition("/")
    age = _AGE.fullmatch(fields.pop("age", ""))
    published = fields.pop("published", None)
    return Page(
        host=host,
        path=rest,
        markdown=body.strip(),
        published=datetime.fromisoformat(published).replace(tzinfo=UTC) if published else None,
        age=timedelta(minutes=int(age[1]) * _MINUTES[age[2]]) if age else None,
        negotiates=fields.pop("negotiates", "no") == "yes",
        **fields,
    )
