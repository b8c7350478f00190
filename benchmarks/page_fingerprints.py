"""One SHA-256 for each of 300 pages and of our sample documents, to compare two trees byte for byte.

`python -m benchmarks.page_fingerprints ../shared/extraction [folder of documents] > before.txt`,
the same on the other tree, then `diff`. A line has the digest of everything that was extracted:
text, metadata and notes, or the error.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from citewell.core.errors import CitewellError
from citewell.reading.documents.document_text import DocumentLimits
from citewell.reading.extracted_page import PageResponse
from citewell.reading.page_reading import read_page
from tests.documents import sound

PAGE_COUNT = 300


def list_pages(folder: Path) -> list[Path]:
    """Every n-th page over all sets, in the order of their paths."""
    pages = sorted(folder.glob("data/**/*.html.gz"))
    return [pages[place * len(pages) // PAGE_COUNT] for place in range(PAGE_COUNT)]


def read_addresses(folder: Path) -> dict[str, str]:
    """The address of each page whose set states it, by the page's name."""
    found: dict[str, str] = {}
    for path in folder.glob("data/**/*.json"):
        held = json.loads(path.read_text(encoding="utf-8"))
        rows = {path.stem: held} if "url" in held else held
        found |= {name: row["url"] for name, row in rows.items() if "url" in row}
    return found


def list_bodies(folder: Path, documents: Path | None) -> Iterator[tuple[str, str, bytes]]:
    """The name, address and content of each page and document."""
    addresses = read_addresses(folder)
    for path in list_pages(folder):
        name = path.name.removesuffix(".html.gz")
        address = addresses.get(name, f"https://example.org/{name}")
        yield name, address, gzip.decompress(path.read_bytes())
    for name, body in sound().items():
        yield name, f"https://example.org/{name}", body
    for path in sorted(documents.iterdir()) if documents else ():
        yield path.name, f"https://example.org/{path.name}", path.read_bytes()


def fingerprint(address: str, body: bytes) -> str:
    response = PageResponse(url=address, final_url=address, status=200, headers={})
    try:
        reading = asdict(read_page(body, response, DocumentLimits()))
    except CitewellError as error:
        reading = {"error": error.code, "message": error.message}
    text = json.dumps(reading, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("documents", type=Path, nargs="?")
    chosen = parser.parse_args()
    for name, address, body in list_bodies(chosen.folder, chosen.documents):
        print(fingerprint(address, body), name)


if __name__ == "__main__":
    main()
