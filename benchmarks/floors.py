"""`python -m benchmarks.floors FOLDER`: what must hold on public pages; exits 1 where it does not.

FOLDER has score.py and data/, as for benchmarks/extraction.py. The suite holds the same rules on the
few pages of tests/extraction.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path

from benchmarks.extraction import load_scorer
from citewell.net.http.messages import HttpResponse
from citewell.reading.html.main_content import extract_markdown
from citewell.reading.landing_pages import judge_landing_page

ARTICLE_F1_FLOOR = 0.93
ARTICLE_PAGES = 20
DEAD_PAGE_STRIDE = 20  # every twentieth page is judged


def measure_article_f1(folder: Path) -> float:
    """Mean F1 of our extraction over the first article pages of the development set."""
    scorer = load_scorer(folder)
    pages = [page for page in scorer.load("wcxb_devs", folder / "data") if page.type == "article"]
    scores: list[float] = [
        scorer.score_page(
            "wcxb_dev", page, scorer.md_to_plain(extract_markdown(page.html, page.url))
        )["f1"]
        for page in pages[:ARTICLE_PAGES]
    ]
    return sum(scores) / len(scores)


def list_pages_called_dead(folder: Path) -> list[str]:
    """Names of pages with content that a link check would call dead."""
    files = sorted((folder / "data" / "wcxb" / "dev" / "html").glob("*.gz"))[::DEAD_PAGE_STRIDE]
    return [file.name for file in files if not _is_live_page(gzip.decompress(file.read_bytes()))]


def _is_live_page(body: bytes) -> bool:
    url = "https://www.example.org/a/b"
    page = HttpResponse(status=200, url=url, headers={"content-type": "text/html"}, body=body)
    return judge_landing_page(page, asked=url).state in {"live", "blocked"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.floors", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    score, dead = measure_article_f1(folder), list_pages_called_dead(folder)
    print(f"F1 of {ARTICLE_PAGES} articles: {score:.3f}, at least {ARTICLE_F1_FLOOR}")
    print(f"pages with content called dead: {len(dead)} {' '.join(dead)}")
    sys.exit(score <= ARTICLE_F1_FLOOR or bool(dead))


if __name__ == "__main__":
    main()
