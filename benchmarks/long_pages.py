"""How much of long pages is kept: real manuals that Debian packages install, and made ones of any length.

`python -m benchmarks.long_pages [FOLDER]`, where FOLDER holds what `dpkg-deb -x` made of packages
such as python3.11-doc, git-doc and rust-doc, each in a folder of its own; by default it is the root
of this system. For a real page the share of the words of its main region is told, for made ones the
paragraphs lost and the processor time of a paragraph.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from citewell.reading.html.main_content import extract_main_content

# Glob under usr/share/, and the selector of the region that holds the text.
MANUALS = (
    ("doc/python3*/html/library/os.html", "div.body"),
    ("doc/python3*/html/library/stdtypes.html", "div.body"),
    ("doc/python3*/html/library/functions.html", "div.body"),
    ("doc/python3*/html/c-api/typeobj.html", "div.body"),
    ("doc/python3*/html/reference/datamodel.html", "div.body"),
    ("doc/python3*/html/whatsnew/3.11.html", "div.body"),
    ("doc/python3*/html/license.html", "div.body"),
    ("doc/autoconf/autoconf.html", "div.contents-level-extent, body"),
    ("doc/mutt/html/manual.html", "body"),
    ("doc/bash/bash.html", "body"),
    ("developers-reference/developers-reference.html", "div.body"),
    ("developers-reference/pkgs.html", "div.body"),
    ("doc/python-django-doc/html/ref/models/querysets.html", "#docs-content, div.body, #bd"),
    ("doc/git-doc/git-config.html", "#content"),
    ("doc/git-doc/git-log.html", "#content"),
    ("doc/gnu-standards/standards.html", "body"),
    ("doc/apache2-doc/manual/en/mod/core.html", "#page-content"),
    ("doc/exim4-doc-html/spec_html/ch-main_configuration.html", "div.chapter, #content, body"),
    ("doc/cmake-data/html/manual/cmake-generator-expressions.7.html", "div.body"),
    ("doc/cmake-data/html/manual/ctest.1.html", "div.body"),
    ("doc/debian-policy/fhs/fhs-3.0.html", "body"),
    ("doc/postgresql-doc-*/html/app-psql.html", "div.refentry"),
    ("doc/postgresql-doc-*/html/monitoring-stats.html", "div.sect1"),
    ("doc/postgresql-doc-*/html/functions-json.html", "div.sect1"),
    ("doc/valgrind/html/manual-core.html", "div.chapter"),
    ("doc/sqlite3/fts5.html", "body"),
    ("doc/python-sqlalchemy-doc/html/core/selectable.html", "#docs-body"),
    ("doc/python-flask-doc/html/api.html", "div.body"),
    ("doc/rust-doc/html/std/vec/struct.Vec.html", "main"),
    ("doc/rust-doc/html/std/iter/trait.Iterator.html", "main"),
    ("doc/rust-doc/html/book/print.html", "main"),
    ("doc/rust-doc/html/reference/print.html", "main"),
)
_WORD = re.compile(r"\w+")
_SILENT_TAGS = frozenset(("script", "style", "noscript", "template", "button", "nav"))
_MADE_LENGTHS = (100, 300, 1_000, 3_000, 10_000)
_MADE_SENTENCE = "The gauge of the northern harbour, read each morning, showed mark{}x once more. "


def count_words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def read_region(node: LexborNode) -> str:
    """The text below the node that a reader would see."""
    pieces: list[str] = []
    child = node.first_child
    while child is not None:
        if child.tag == "-text":
            pieces.append(child.text_content or "")
        elif child.tag not in _SILENT_TAGS:
            pieces.append(read_region(child))
        child = child.next
    return " ".join(pieces)


def find_manuals(folder: Path) -> Iterator[tuple[Path, str]]:
    for pattern, selector in MANUALS:
        for start in ("usr/share", "*/usr/share"):
            found = sorted(folder.glob(f"{start}/{pattern}"))
            if found:
                yield found[0], selector
                break


def measure_manual(path: Path, selector: str) -> tuple[float, int, bool]:
    """The share of the region's words that are kept, their number, and whether the answer is partial."""
    html = path.read_text("utf-8", "replace")
    tree = LexborHTMLParser(html)
    region = next((n for s in selector.split(",") if (n := tree.css_first(s.strip()))), None)
    if region is None:
        raise SystemExit(f"{path} has no {selector}")
    wanted = count_words(read_region(region))
    found = extract_main_content(html, url=f"https://docs.example.org/{path.name}")
    kept = (wanted & count_words(found.text)).total()
    return kept / wanted.total(), wanted.total(), found.is_partial


def measure_made_page(length: int) -> tuple[int, float]:
    """The number of paragraphs lost, and the microseconds of processor time for each."""
    body = "".join(f"<p>{_MADE_SENTENCE.format(n) * (1 + n % 4)}</p>" for n in range(length))
    page = f"<title>Gauges</title><main><article><h1>Gauges</h1>{body}</article></main>"
    start = time.process_time()
    markdown = extract_main_content(page).markdown
    spent = time.process_time() - start
    lost = length - len(set(re.findall(r"mark\d+x", markdown)))
    return lost, spent / length * 1e6


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, nargs="?", default=Path("/"))
    folder = arguments.parse_args().folder
    print("| manual | words | kept | partial |\n| --- | --- | --- | --- |")
    shares = []
    for path, selector in find_manuals(folder):
        share, words, is_partial = measure_manual(path, selector)
        shares.append(share)
        print(f"| {path.parent.name}/{path.name} | {words:,} | {share:.4f} | {is_partial} |")
    print(f"\n{sum(share >= 0.99 for share in shares)} of {len(shares)} keep at least .99\n")
    print("| paragraphs | lost | µs each |\n| --- | --- | --- |")
    for length in _MADE_LENGTHS:
        lost, each = measure_made_page(length)
        print(f"| {length:,} | {lost} | {each:.0f} |")


if __name__ == "__main__":
    main()
