"""Works to cite: those in a folder of recorded answers of registries, and others mixed of their parts.

Most recorded works are articles and preprints. The mixed ones have the kinds and fields that registries
give, and those that a user of `format_bibliography` may add.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork, convert_paper
from citewell.core.errors import CitewellError
from citewell.core.values.paper import Paper
from citewell.net.http.messages import HttpResponse
from citewell.providers import arxiv, semanticscholar
from citewell.providers.dialects import csl_works
from citewell.providers.openalex import openalex_works
from citewell.providers.pubmed import article_records

# For every kind, the fields that a registry gives, each with the share of works that have it.
_REGISTRY_FIELDS: dict[str, dict[str, float]] = {
    "article-journal": {"site": 0.98, "volume": 0.9, "issue": 0.7, "pages": 0.85, "publisher": 0.9},
    "paper-conference": {"site": 0.97, "pages": 0.8, "publisher": 0.9, "volume": 0.1},
    "chapter": {"site": 0.97, "pages": 0.8, "publisher": 0.95, "volume": 0.1},
    "book": {"publisher": 0.95, "volume": 0.05, "site": 0.1, "pages": 0.05},
    "article": {"site": 0.6, "publisher": 0.7},
    "thesis": {"publisher": 0.9},
    "report": {"publisher": 0.9, "site": 0.1},
    "dataset": {"publisher": 0.9, "site": 0.2},
    "review": {"publisher": 0.9, "site": 0.3},
    "document": {"publisher": 0.9, "site": 0.3},
    "entry-encyclopedia": {"site": 0.95, "publisher": 0.9, "pages": 0.4},
    "software": {"publisher": 0.9},
}
_REGISTRY_WEIGHTS = (50, 14, 12, 5, 8, 2, 3, 2, 1, 1, 1, 1)
_USER_KINDS = (
    *("article-magazine", "article-newspaper", "book", "chapter", "paper-conference", "report"),
    *("thesis", "webpage", "post-weblog", "entry-dictionary", "dataset", "software", "standard"),
)
_PAGES = "12-19 101-108 1-29 436-444 2579-2605 100-104 e124 e1-e12 1735-1780 S224-S225 R23 4-6 45 1009-1011 123456 n/a iv-vi 48-49 71-72 L5 012001".split()  # noqa: SIM905
_PLACES = ("New York", "Cambridge, UK", "Berlin", "")
_COUNTS = (1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 11, 20, 21, 25, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    titles: tuple[str, ...]
    names: tuple[AuthorName, ...]
    venues: tuple[str, ...]
    publishers: tuple[str, ...]


def read_recorded_works(folder: Path) -> list[CitableWork]:
    """Every recorded work that is more than a title, each once."""
    works: dict[str, CitableWork] = {}
    for paper in _read_recorded_papers(folder):
        if paper.title and (paper.authors or paper.venue or paper.published):
            work = convert_paper(paper)
            works.setdefault(repr(work), work)
    return list(works.values())


def mix_recorded_works(folder: Path, *, registry: int, user: int, seed: int) -> list[CitableWork]:
    """Works made of the titles, names and venues of recorded ones, in kinds as registries and users give."""
    rng, parts = random.Random(seed), _collect_parts(folder)
    kinds = list(_REGISTRY_FIELDS)
    made = [
        _mix_registry_work(rng, parts, rng.choices(kinds, weights=_REGISTRY_WEIGHTS)[0])
        for _ in range(registry)
    ]
    return made + [_mix_user_work(rng, parts, rng.choice(_USER_KINDS)) for _ in range(user)]


def _collect_parts(folder: Path) -> _Parts:
    papers = list(_read_recorded_papers(folder))
    works = [convert_paper(paper) for paper in papers]
    return _Parts(
        titles=tuple(dict.fromkeys(work.title for work in works if work.title)),
        names=tuple(dict.fromkeys(name for work in works for name in work.authors)),
        venues=tuple(dict.fromkeys(work.site for work in works if work.site)),
        publishers=tuple(dict.fromkeys(work.publisher for work in works if work.publisher)),
    )


def _mix_date(rng: random.Random) -> str:
    year, month, day = rng.randint(1935, 2026), rng.randint(1, 12), rng.randint(1, 28)
    whole = f"{year}-{month:02}-{day:02}"
    return rng.choice((whole, whole, whole[:7], whole[:4], whole[:4], whole))


def _mix_registry_work(rng: random.Random, parts: _Parts, kind: str) -> CitableWork:
    wanted = _REGISTRY_FIELDS[kind]
    given = {name: rng.random() < share for name, share in wanted.items()}
    doi = f"10.{rng.randint(1000, 9999)}/w.{rng.randint(1, 10**6)}"
    authors = tuple(
        rng.sample(parts.names, rng.choice(_COUNTS[:-1] if rng.random() < 0.9 else _COUNTS))
    )
    return CitableWork(
        url=f"https://doi.org/{doi}",
        doi=doi,
        kind=kind,
        title=rng.choice(parts.titles),
        authors=authors,
        published=_mix_date(rng),
        site=rng.choice(parts.venues) if given.get("site") else "",
        volume=str(rng.randint(1, 400)) if given.get("volume") else "",
        issue=rng.choice(("1", "12", "7553", "3-4", "S1", "Suppl 2")) if given.get("issue") else "",
        pages=rng.choice(_PAGES) if given.get("pages") else "",
        publisher=rng.choice(parts.publishers) if given.get("publisher") else "",
        language=rng.choice(("en", "en", "en", "", "de")),
    )


def _mix_user_work(rng: random.Random, parts: _Parts, kind: str) -> CitableWork:
    def sometimes(value: Any, share: float = 0.5) -> Any:
        return value if rng.random() < share else ""

    names, doi = rng.sample(parts.names, 3), f"10.5555/u.{rng.randint(1, 10**6)}"
    inside = kind in {"chapter", "paper-conference", "entry-dictionary"}
    periodical = kind in {"article-magazine", "article-newspaper"}
    page = kind in {"webpage", "post-weblog"}
    return CitableWork(
        url=f"https://www.example.org/{rng.randint(1, 10**6)}",
        doi="" if page else sometimes(doi),
        kind=kind,
        title=rng.choice(parts.titles),
        authors=tuple(names[: rng.choice((0, 1, 1, 2, 3))]),
        editors=tuple(rng.sample(parts.names, rng.choice((0, 0, 1, 2, 3)))) if inside else (),
        published=sometimes(_mix_date(rng), 0.85),
        site=rng.choice(parts.venues) if inside or page or periodical else "",
        volume=sometimes("3", 0.2) if inside or kind == "book" else "",
        pages=sometimes(rng.choice(_PAGES)) if inside or periodical else "",
        publisher="" if page or periodical else sometimes(rng.choice(parts.publishers), 0.85),
        place="" if page or periodical else sometimes(rng.choice(_PLACES)),
        edition=sometimes(rng.choice(("2", "3", "11"))) if kind in {"book", "chapter"} else "",
        number=sometimes("WP-12") if kind == "report" else "",
        language=rng.choice(("en", "en", "")),
    )  # fmt: skip


def _read_recorded_papers(folder: Path) -> Iterator[Paper]:
    readers: dict[str, Callable[[Any], Iterator[Paper]]] = {
        "api.crossref.org": _read_crossref_papers,
        "api.openalex.org": _read_openalex_papers,
        "api.semanticscholar.org": _read_s2_papers,
    }
    for name, read in readers.items():
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines():
            exchange = json.loads(line)
            if exchange["status"] == 200:
                yield from read(_parse_body(exchange["body"]))
    for file in sorted(folder.glob("raw/openalex/W*.json")):
        yield from _read_openalex_papers(json.loads(file.read_text("utf-8")))
    for file in sorted(folder.glob("raw/pubmed_xml/*.xml")):
        yield from _read_tolerantly(article_records.read_pubmed_articles, file.read_bytes())
    for file in sorted(folder.glob("raw/arxiv/*.json")):
        body = json.loads(file.read_text("utf-8"))["body"].encode()
        yield from _read_tolerantly(lambda response: arxiv._read_arxiv_feed(response)[0], body)  # noqa: SLF001


def _parse_body(body: str) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _read_tolerantly(read: Callable[[HttpResponse], Any], body: bytes) -> tuple[Paper, ...]:
    try:
        return tuple(read(HttpResponse(status=200, url="", headers={}, body=body)))
    except CitewellError:
        return ()


def _read_crossref_papers(answer: Any) -> Iterator[Paper]:
    message = answer.get("message") if isinstance(answer, dict) else None
    items = (message.get("items") or [message]) if isinstance(message, dict) else []
    for item in items:
        if isinstance(item, dict) and item.get("title") and item.get("DOI"):
            work = csl_works.CslWork.model_validate(item)
            yield csl_works.build_csl_paper(work, source="crossref")


def _read_openalex_papers(answer: Any) -> Iterator[Paper]:
    for item in answer.get("results", [answer]) if isinstance(answer, dict) else []:
        if item.get("title"):
            work = openalex_works.OpenAlexWork.model_validate(item)
            yield openalex_works.parse_openalex_work(work)


def _read_s2_papers(answer: Any) -> Iterator[Paper]:
    if isinstance(answer, dict):
        answer = answer.get("data") or answer.get("recommendedPapers") or [answer]
    rows = [row for row in answer or () if isinstance(row, dict)]
    rows = [row.get("citedPaper") or row.get("citingPaper") or row for row in rows]
    listed = semanticscholar.S2PaperList.model_validate(
        {"data": [row for row in rows if row.get("title")]}
    )
    yield from semanticscholar.parse_s2_papers(listed)
