"""Asks the issuer about opaque tokens (RFC 7662), and remembers the answers for a moment."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from citewell.errors import CitewellError
from citewell.server.http.auth.caller import VerifiedCaller
from citewell.server.http.auth.claim_rules import ClaimRules, check_token_kind
from citewell.server.http.auth.issuer_metadata import (
    IssuerClient,
    build_unavailable,
)
from citewell.server.http.auth.refusals import CredentialsRefused, RefusalCause

ANSWER_SECONDS = 30.0  # how long an answer is used: a revoked token is accepted no longer than that
MAX_REMEMBERED_ANSWERS = 4096
MAX_CONCURRENT_QUESTIONS = 16
MAX_WAITING_QUESTIONS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    claims: dict[str, Any]
    expires: float


class TokenIntrospector:
    """Decides on opaque tokens by asking the issuer, with the credentials that the settings name."""

    def __init__(
        self,
        client: IssuerClient,
        rules: ClaimRules,
        *,
        credentials: tuple[str, str],
        url: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`credentials` are the id and secret of this server's client; `url` overrides discovery."""
        self._client = client
        self._rules = rules
        self._headers = {"authorization": _build_basic_header(*credentials)}
        self._url = url
        self._clock = clock
        self._now = now
        self._answers: OrderedDict[bytes, _Answer] = OrderedDict()
        self._questions: dict[bytes, asyncio.Task[_Answer]] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_QUESTIONS)

    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if the issuer cannot be asked."""
        name = hashlib.sha256(token.encode("ascii")).digest()
        claims = (await self._find_answer(name, token)).claims
        if claims.get("active") is not True:
            raise CredentialsRefused(
                RefusalCause.INACTIVE, "The issuer says that the token is not valid. Get a new one."
            )
        self._check_claims(claims)
        return self._rules.build_caller(claims, credential_id=name.hex()[:12])

    def _check_claims(self, claims: Mapping[str, Any]) -> None:
        """The rules of signed tokens, except that issuer and times may be left out of the answer."""
        if "exp" in claims or "iss" in claims:
            usual = {"iss": self._rules.issuer, "exp": self._now() + 1}
            self._rules.check_claims({**usual, **claims}, now=self._now())
        self._rules.check_audience(claims)
        check_token_kind(claims)

    async def _find_answer(self, name: bytes, token: str) -> _Answer:
        known = self._answers.get(name)
        if known is not None and known.expires > self._clock():
            self._answers.move_to_end(name)
            return known
        question = self._questions.get(name)
        if question is None:
            if len(self._questions) >= MAX_WAITING_QUESTIONS:
                raise build_unavailable("Too many tokens are being asked about.", retry_after=1.0)
            question = asyncio.create_task(self._ask_and_remember(name, token))
            self._questions[name] = question
            question.add_done_callback(partial(self._end_question, name))
        return await asyncio.shield(question)

    def _end_question(self, name: bytes, question: asyncio.Task[_Answer]) -> None:
        self._questions.pop(name, None)
        if not question.cancelled():
            question.exception()  # all who asked may have left, and then nobody else looks at it

    async def _ask_and_remember(self, name: bytes, token: str) -> _Answer:
        async with self._slots:
            claims = await self._ask_issuer(token)
        answer = _Answer(claims=claims, expires=self._clock() + ANSWER_SECONDS)
        self._answers[name] = answer
        while len(self._answers) > MAX_REMEMBERED_ANSWERS:
            self._answers.popitem(last=False)
        return answer

    async def _ask_issuer(self, token: str) -> dict[str, Any]:
        url = self._url or await self._discover_url()
        try:
            form = {"token": token, "token_type_hint": "access_token"}
            response = await self._client.post_form(url, form, secret_headers=self._headers)
            found = response.parse_json()
        except CitewellError as error:
            raise build_unavailable(
                f"The issuer cannot be asked about tokens. {error.message}"
            ) from None
        if not isinstance(found, dict):
            raise build_unavailable("The issuer's answer about a token is not a JSON object.")
        return found

    async def _discover_url(self) -> str:
        found = (await self._client.load_metadata()).introspection_url
        if found is None:
            raise build_unavailable(
                "The issuer's metadata name no introspection_endpoint. Set OAUTH_INTROSPECTION_URL."
            )
        self._url = found
        return found


def _build_basic_header(client_id: str, secret: str) -> str:
    """RFC 6749 wants both form-encoded before they are joined."""
    pair = f"{quote(client_id, safe='')}:{quote(secret, safe='')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")
