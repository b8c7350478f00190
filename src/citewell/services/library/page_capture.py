"""Stores every page that the server reads in the library of the owner who asked for it."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable

from citewell.errors import CitewellError, NotFound
from citewell.model.page import Page
from citewell.services.library import document_ids, library_documents
from citewell.store.cache.answer_sharing import find_current_owner
from citewell.store.library.library_store import LibraryStore

logger = logging.getLogger(__name__)

READ_PAGE_TAG = "read"  # pages stored this way can be listed and removed by this tag
_MAX_REMEMBERED_PAGES = 2000  # pages remembered as already stored


class ReadPageKeeper:
    """Called with every page read; errors are logged and never raised."""

    def __init__(
        self,
        store: LibraryStore,
        *,
        owner: Callable[[], str | None] = find_current_owner,
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
        case, mark = (owner, document_ids.build_address_id(page.url)), hash(page.content)
        if self._kept.get(case) == mark:
            return
        try:
            await self._store_read_page(owner, page)
        except CitewellError as error:
            logger.warning("a page could not be stored in the library: %s", error.message)
            return
        self._kept[case] = mark
        if len(self._kept) > _MAX_REMEMBERED_PAGES:
            self._kept.popitem(last=False)

    async def _store_read_page(self, owner: str, page: Page) -> None:
        """Store the page if its text is new; tags that the owner gave it earlier stay."""
        document = library_documents.build_page_document(page, (READ_PAGE_TAG,), seen=self._clock())
        try:
            before = await self._store.load_document(owner, document.card.id)
        except NotFound:
            await self._store.store_documents(owner, [document])
            return
        if before.text != document.text:
            await self._store.store_documents(
                owner,
                [library_documents.build_page_document(page, before.card.tags, seen=self._clock())],
            )
