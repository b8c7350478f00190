"""Records and searches of Europe PMC."""

from __future__ import annotations

from typing import Any

WORK: dict[str, Any] = {"id": "7", "source": "MED", "pmid": "7", "title": "A title."}


def found(*works: dict[str, Any]) -> dict[str, Any]:
    return {"version": "6.9", "hitCount": len(works), "resultList": {"result": list(works)}}
