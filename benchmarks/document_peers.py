"""Reads PDFs with one other library and prints their texts as JSON; runs in a Python that has it.

`python document_peers.py pypdf FILE …`. No import of ours: that Python need not have Citewell.
"""

from __future__ import annotations

import json
import logging
import sys
import time
import warnings


def read(library: str, path: str) -> str:
    if library == "pypdf":
        from pypdf import PdfReader  # type: ignore[import-not-found] # not ours

        return "\n".join(page.extract_text() for page in PdfReader(path).pages)
    if library == "pdfminer.six":
        from pdfminer.high_level import extract_text  # type: ignore[import-not-found] # not ours

        return str(extract_text(path))
    from markitdown import MarkItDown  # type: ignore[import-not-found] # not ours

    return str(MarkItDown().convert(path).text_content)


def main() -> None:
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    library, *paths = sys.argv[1:]
    texts: dict[str, tuple[str, float]] = {}
    for path in paths:
        start = time.process_time()
        try:
            text = read(library, path)
        except Exception:  # noqa: BLE001 - another library's crash is its miss
            text = ""
        texts[path] = (text, time.process_time() - start)
    json.dump(texts, sys.stdout)


if __name__ == "__main__":
    main()
