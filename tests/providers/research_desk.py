"""Research providers over their doubles in the loopback web."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from citewell import providers
from citewell.core import config
from citewell.core.values.research import (
    RESEARCH_TIERS,
    ResearchRequest,
)
from citewell.net.network import Network
from tests.contract.recordings import connect_kit
from tests.internet.serve import Internet

KEY = "sk-nobody-may-see-this-key-at-all"


KEYS = {
    "openai": "OPENAI_API_KEY",
    "grok": "XAI_API_KEY",
    "perplexity": "PERPLEXITY_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
}


ASK = ResearchRequest(query="How do grid batteries age?", tier=RESEARCH_TIERS["M"], tag="tag-1")


def using(
    internet: Internet,
    name: str,
    work: Callable[[Any], Coroutine[Any, Any, Any]],
    **options: str,
) -> Any:
    async def run() -> Any:
        settings = config.load_settings(
            {"CITEWELL_CONFIG": "/nonexistent", "ALLOW_PRIVATE_IPS": "true"}
        )
        network = Network(settings)
        spec = providers.load(name).SPEC
        given = {option.env: option.default for option in spec.options if option.default}
        if name in KEYS:
            given[KEYS[name]] = KEY
        address = f"{internet.url}/{name}"
        try:
            kit = connect_kit(network, name, base_url=address, options=given | options)
            return await work(providers.load(name).Provider(kit))
        finally:
            await network.aclose()

    return asyncio.run(run())
