"""Whether a page is told from the papers it mentions, on pages that we wrote with their answers."""

from __future__ import annotations

import asyncio

from benchmarks.report import Goal, Section, table
from citewell.reading.page_works import PageWorkFinder
from tests.reading.identity_pages import HEART, PAGES, REGISTERED
from tests.reading.test_page_works import Registry, read


def page_identity() -> Section:
    rows = []
    wrong = 0
    for label, registry in (("answers", Registry(REGISTERED)), ("does not answer", Registry())):
        found = [
            asyncio.run(PageWorkFinder(registry).find_page_works(read(page))) for page in PAGES
        ]
        pairs = list(zip(PAGES, found, strict=True))
        false = sum(works.doi not in (None, page.own) for page, works in pairs)
        right = sum(works.doi == page.own for page, works in pairs if page.own)
        blamed = sum(
            bool(works.status and works.status.retracted) and page.own != HEART
            for page, works in pairs
        )
        told = sum(
            "retracted" in (works.note or "") for page, works in pairs if HEART in page.mentioned
        )
        rows.append([label, str(false), str(blamed), f"{right} of {sum(bool(p.own) for p in PAGES)}",
                     f"{told} of {sum(HEART in p.mentioned for p in PAGES)}"])  # fmt: skip
        wrong += false + blamed if registry.works is not None else blamed
    return Section(
        title="Pages: their own DOI, and the papers they mention",
        command="python -m benchmarks page-identity",
        body=table(
            ["registry", "false own DOI", "called retracted falsely", "own DOI found", "mention of a retracted paper told"],
            rows,
        ),
        notes=f"{len(PAGES)} invented pages with the answers beside them: news, press releases, blogs, notices, articles with and without metadata, preprints, proceedings, datasets, and metadata that name another paper. Without a registry the address counts, and metadata that also describe the work; nothing is called retracted.",
        goals=(
            Goal(text="no page is given another paper's DOI while the registry answers, or ever its retraction", measured=f"{wrong} of {len(PAGES)}", met=wrong == 0),
        ),
    )  # fmt: skip
