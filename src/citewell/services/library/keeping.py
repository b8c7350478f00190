"""Keeps what the server reads: each page goes into the library of whoever asked for it."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from citewell.errors import CitewellError, NotFound
from citewell.model.page import Page
from citewell.services.library import documents, names
from citewell.services.library.asking import asker
from citewell.store.library import LibraryStore

logger = logging.getLogger(__name__)

TAG = "read"  # what was kept this way can be listed and removed by it
_MOST = 2000  # pages known to be kept already


class Keeper:
    """Called with every page; a failure here never costs the page."""

    def __init__(
        self,
        store: LibraryStore,
        *,
        owner: Callable[[], str | None] = asker,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store
        self._owner = owner
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], int] = OrderedDict()

    async def __call__(self, page: Page) -> None:
        owner = self._owner()
        if owner is None or not page.content or page.quality != "complete":
            return
        case, mark = (owner, names.of_address(page.url)), hash(page.content)
        if self._kept.get(case) == mark:
            return
        try:
            await self._keep(owner, page)
        except CitewellError as error:
            logger.warning("a page could not be kept in the library: %s", error.message)
            return
        self._kept[case] = mark
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)

    async def _keep(self, owner: str, page: Page) -> None:
        """Tags that the owner gave the page before stay with it."""
        document = documents.of_page(page, (TAG,), seen=self._clock())
        try:
            before = await self._store.get(owner, document.card.id)
        except NotFound:
            await self._store.put(owner, [document])
            return
        if before.text != document.text:
            await self._store.put(
                owner, [documents.of_page(page, before.card.tags, seen=self._clock())]
            )
