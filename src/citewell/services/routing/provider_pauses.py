"""How long a provider is not asked, after it failed or asked for a pause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPause:
    """How long a provider is not to be asked."""

    seconds: float
    asked_by_provider: bool = False  # the provider asked for the pause (rate limit)


FindPause = Callable[[str], ProviderPause | None]  # None if the provider may be asked
