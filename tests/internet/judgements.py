"""What models of the loopback web answer when they are asked to judge claims."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.internet.world import World

JUDGEMENT = "judgement"  # in `World.state`: what every model answers instead of an honest judgement


def answer_judging(world: World, material: str) -> str | None:
    """The answer to a request to judge; None if the material is something else."""
    try:
        asked = json.loads(material)
    except ValueError:
        return None
    if not isinstance(asked, dict) or not {"sources", "claims"} <= set(asked):
        return None
    told = world.state.get(JUDGEMENT)
    return str(told) if told is not None else quote_honestly(asked)


def quote_honestly(material: dict[str, Any], relation: str = "supports") -> str:
    """Give every claim this relation, with the sentence of its source that shares most of its words."""
    sources = {one["source"]: one["text"] for one in material["sources"]}
    rows = []
    for one in material["claims"]:
        words = set(one["text"].lower().split())
        sentences = re.split(r" \[…\] |(?<=[.!?]) ", sources[one["source"]]) or [""]
        best = max(sentences, key=lambda said: len(words & set(said.lower().split())))
        rows.append({"claim": one["claim"], "relation": relation, "quote": best})
    return json.dumps({"judgements": rows})
