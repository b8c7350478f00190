"""Remembers at which address a source was read, or why it could not be, so that a second check is quick."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass

from citewell.store.cache.answer_sharing import AnswerSharing
from citewell.store.cache.single_flight import CachedLoader, FreshValue

_WHOLE_SECONDS = 6 * 3600.0  # the page itself is kept, and read again, as all pages are
_OTHER_SECONDS = 900.0  # a better copy may come to be
_CHOICE_VERSION = 2  # raised when SourceChoice changes its shape


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChoice:
    """The address at which the best text was read; empty if there is none but the abstract."""

    url: str = ""
    is_whole: bool = False
    complaint: str = ""
    is_unanswered: bool = False  # nothing was read because of a failure that may pass


class SourceChoices:
    def __init__(self, loader: CachedLoader, sharing: AnswerSharing) -> None:
        self._loader = loader
        self._sharing = sharing

    async def load_choice(
        self,
        question: Sequence[str],
        make: Callable[[], Awaitable[SourceChoice]],
        *,
        tenant: str | None,
    ) -> SourceChoice:
        """The choice for a source, made by `make` if none is remembered."""
        owner = self._sharing.find_cache_owner(tenant, is_public=True)
        if owner is None:
            return await make()

        async def make_fresh() -> FreshValue:
            choice = await make()
            seconds = _WHOLE_SECONDS if choice.is_whole else _OTHER_SECONDS
            seconds = 0.0 if choice.is_unanswered else seconds
            return FreshValue(value=json.dumps(asdict(choice)).encode(), ttl=seconds)

        loaded = await self._loader.load_or_make(owner, _build_choice_key(question), make_fresh)
        return SourceChoice(**json.loads(loaded.entry.value))


def _build_choice_key(question: Sequence[str]) -> str:
    text = json.dumps(["source choice", _CHOICE_VERSION, *question])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
