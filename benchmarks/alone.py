"""One extractor alone in its process: pages in, their texts, its processor time and its peak out.

Started by reading.py with the interpreter that has the extractor; imports nothing but that.
"""

from __future__ import annotations

import base64
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path


def citewell() -> Callable[[bytes, str], str]:
    from citewell.fetch.decoding.page_charset import decode_body
    from citewell.fetch.html.main_content import extract_markdown

    return lambda body, url: extract_markdown(decode_body(body).text, url)


def trafilatura() -> Callable[[bytes, str], str]:
    from trafilatura import extract

    return lambda body, url: extract(body, url=url, include_links=False) or ""


EXTRACTORS = {"citewell": citewell, "trafilatura": trafilatura}


def peak() -> float:
    """Most megabytes ever resident; getrusage would count the parent before the exec."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    name, pages, answers = sys.argv[1:]
    extract = EXTRACTORS[name]()
    spent, texts = 0.0, {}
    with Path(pages).open() as lines:
        for number, line in enumerate(lines):
            page = json.loads(line)
            body = base64.b64decode(page["body"])
            if number == 0:
                extract(body, page["url"])  # what is loaded once
            begun = time.process_time()
            texts[page["id"]] = extract(body, page["url"])
            spent += time.process_time() - begun
    Path(answers).write_text(json.dumps({"cpu": spent, "peak": peak(), "texts": texts}))


if __name__ == "__main__":
    main()
