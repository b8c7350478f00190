"""The works of `citable.json`, as our styles take them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork

FIXTURES_PATH = Path(__file__).parent / "citable.json"


def read_fixture_works() -> dict[str, CitableWork]:
    items: list[dict[str, Any]] = json.loads(FIXTURES_PATH.read_text("utf-8"))
    return {item["id"]: build_fixture_work(item) for item in items}


def build_fixture_work(item: dict[str, Any]) -> CitableWork:
    parts = item.get("issued", {}).get("date-parts", [[]])[0]
    return CitableWork(
        url=item["URL"],
        title=item["title"],
        authors=tuple(build_fixture_name(name) for name in item.get("author", ())),
        editors=tuple(build_fixture_name(name) for name in item.get("editor", ())),
        site=item.get("container-title", ""),
        published="-".join(f"{part:02}" for part in parts),
        doi=item.get("DOI", ""),
        kind=item["type"],
        volume=item.get("volume", ""),
        issue=item.get("issue", ""),
        pages=item.get("page", ""),
        publisher=item.get("publisher", ""),
        place=item.get("publisher-place", ""),
        edition=item.get("edition", ""),
        number=item.get("number", ""),
        language=item.get("language", "en"),
    )


def build_fixture_name(given: dict[str, str]) -> AuthorName:
    if "literal" in given:
        return AuthorName(name=given["literal"], organisation=True)
    family = f"{given.get('non-dropping-particle', '')} {given['family']}".strip()
    return AuthorName.from_parts(
        family=family, given=given.get("given", ""), suffix=given.get("suffix", "")
    )
