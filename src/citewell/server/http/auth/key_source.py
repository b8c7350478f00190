"""Keeps an issuer's key set: fetched on first use, renewed now and then, and never by force of a caller."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from typing import Protocol

from citewell.errors import CitewellError
from citewell.server.http.auth.issuer_metadata import IssuerClient, build_unavailable
from citewell.server.http.auth.refusals import VerifierUnavailable
from citewell.server.http.auth.signing_keys import (
    KeySet,
    MalformedKeySet,
    SigningKey,
    parse_key_set,
)

UNKNOWN_KEY_COOLDOWN_SECONDS = 60.0  # tokens with unknown key ids cause one fetch in this time
FAILED_FETCH_COOLDOWN_SECONDS = 10.0  # while no key set was ever read
METADATA_SECONDS = 3600.0

logger = logging.getLogger(__name__)


class KeySetLoader(Protocol):
    async def load_key_set(self) -> KeySet:
        """The key set as it is now; raises VerifierUnavailable."""
        ...


class IssuerKeySetLoader:
    """Fetches the key set from the address that the settings name or the issuer's metadata tell."""

    def __init__(
        self,
        client: IssuerClient,
        *,
        jwks_url: str | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._url = jwks_url
        self._named_url = jwks_url
        self._clock = clock
        self._url_expires = -METADATA_SECONDS

    async def load_key_set(self) -> KeySet:
        url = await self._find_url()
        try:
            response = await self._client.fetch_document(url)
        except CitewellError as error:
            raise build_unavailable(f"The issuer's keys cannot be read. {error.message}") from None
        try:
            return await asyncio.to_thread(_parse_document, response.body)
        except MalformedKeySet as error:
            raise build_unavailable(f"The issuer's key set cannot be used. {error}") from None

    async def _find_url(self) -> str:
        if self._named_url is not None:
            return self._named_url
        if self._url is None or self._clock() >= self._url_expires:
            metadata = await self._client.load_metadata()
            if metadata.jwks_url is None:
                raise build_unavailable(
                    "The issuer's metadata name no jwks_uri that is safe to ask. Set OAUTH_JWKS_URL."
                )
            self._url, self._url_expires = metadata.jwks_url, self._clock() + METADATA_SECONDS
        return self._url


class KeySource:
    """The issuer's keys. However many tokens with unknown key ids come, at most one fetch a minute is made."""

    def __init__(
        self,
        loader: KeySetLoader,
        *,
        refresh_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loader = loader
        self._refresh = max(refresh_seconds, UNKNOWN_KEY_COOLDOWN_SECONDS)
        self._clock = clock
        self._keys: KeySet | None = None
        self._loaded_at = 0.0
        self._tried_at: float | None = None
        self._failure: VerifierUnavailable | None = None
        self._fetch: asyncio.Task[None] | None = None
        self.generation = 0  # counts the key sets that were read

    async def find_signing_keys(self, key_id: str | None, algorithm: str) -> tuple[SigningKey, ...]:
        """The keys that may have signed a token with this header; empty if the issuer has none.

        Raises VerifierUnavailable if no key set can be had.
        """
        await self.ensure_fresh_keys()
        found = self._require_keys().find_keys(key_id, algorithm)
        if not found and self._may_fetch():
            await self._renew_keys()
            found = self._require_keys().find_keys(key_id, algorithm)
        return found

    async def ensure_fresh_keys(self) -> int:
        """Fetch the keys if they are due, and return the number of the key set in use.

        Raises VerifierUnavailable if no key set can be had.
        """
        if self._keys is None or self._measure_age() >= self._refresh:
            await self._renew_keys()
        self._require_keys()
        return self.generation

    def _require_keys(self) -> KeySet:
        """The key set; the old one serves for one more interval if the issuer cannot be reached."""
        if self._keys is not None and self._measure_age() < 2 * self._refresh:
            return self._keys
        message = self._failure.message if self._failure else "The issuer's keys are not known yet."
        raise build_unavailable(message, retry_after=max(1.0, self._measure_cooldown()))

    async def _renew_keys(self) -> None:
        """Fetch once; callers that come meanwhile wait for the same fetch."""
        if self._fetch is None:
            if not self._may_fetch():
                return
            self._tried_at = self._clock()
            self._fetch = asyncio.create_task(self._fetch_keys())
        await asyncio.shield(self._fetch)  # a caller who leaves does not end it for the others

    async def _fetch_keys(self) -> None:
        try:
            keys = await self._loader.load_key_set()
        except VerifierUnavailable as failure:
            self._failure = failure
            logger.warning("Tokens cannot be verified with new keys. %s", failure.message)
        else:
            self._keys, self._loaded_at, self._failure = keys, self._clock(), None
            self.generation += 1
        finally:
            self._fetch = None

    def _may_fetch(self) -> bool:
        return self._measure_cooldown() <= 0

    def _measure_cooldown(self) -> float:
        """Seconds until the issuer may be asked again."""
        if self._tried_at is None:
            return 0.0
        pause = (
            FAILED_FETCH_COOLDOWN_SECONDS if self._keys is None else UNKNOWN_KEY_COOLDOWN_SECONDS
        )
        return self._tried_at + pause - self._clock()

    def _measure_age(self) -> float:
        return self._clock() - self._loaded_at


def _parse_document(body: bytes) -> KeySet:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise MalformedKeySet("It is not JSON.") from None
    return parse_key_set(found)
