"""Builds, from the settings, what the authentication layers need."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.people.token_store import SqlTokenStore
from citewell.server.http.auth.auth_ways import (
    check_auth_settings,
    choose_audiences,
    list_auth_ways,
)
from citewell.server.http.auth.authenticator import (
    Authenticator,
    ClaimRules,
    SignedToken,
    TokenVerifier,
    check_claim_times,
    check_token_kind,
    parse_signed_token,
)
from citewell.server.http.auth.caller import (
    CallerProof,
    CredentialsRefused,
    ProxyIdentity,
    RefusalCause,
    TrustedProxies,
    VerifiedCaller,
    VerifierUnavailable,
)
from citewell.server.http.auth.key_source import (
    ALGORITHMS,
    IssuerClient,
    IssuerKeySetLoader,
    KeySource,
    build_unavailable,
)
from citewell.server.http.auth.protected_resource import ProtectedResource, ScopeRules
from citewell.server.settings import ServerSettings

if TYPE_CHECKING:
    from citewell.server.app import App

ANSWER_SECONDS = 30.0  # how long an answer is used: a revoked token is accepted no longer than that
MAX_REMEMBERED_ANSWERS = 4096
MAX_CONCURRENT_QUESTIONS = 16
MAX_WAITING_QUESTIONS = 256

MAX_KEY_ID_CHARS = 256
MAX_REMEMBERED_TOKENS = 4096
_MAX_CANDIDATE_KEYS = 4  # tried for a token without a key id
_TOKEN_TYPES = frozenset({"jwt", "at+jwt", "application/at+jwt"})

STORE_RETRY_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthSetup:
    authenticator: Authenticator
    rules: ScopeRules
    resource: ProtectedResource | None  # None without OAuth


def build_auth_setup(app: App, offered: Mapping[str, frozenset[str]]) -> AuthSetup | None:
    """None if nobody has to prove anything. `offered` has the names of the tools at each MCP path.

    Raises Misconfigured if the settings do not fit together.
    """
    settings = app.settings
    check_auth_settings(settings)
    if not list_auth_ways(settings):
        return None
    signed, opaque = _build_oauth_verifiers(app)
    return AuthSetup(
        authenticator=Authenticator(
            proxy=_build_proxy_identity(app),
            api_tokens=(
                ApiTokenVerifier(lambda: app.open_state().tokens)
                if settings[ServerSettings].api_tokens
                else None
            ),
            signed_tokens=signed,
            opaque_tokens=opaque,
        ),
        rules=ScopeRules.from_settings(settings, toolsets=app.toolset_names, offered=offered),
        resource=ProtectedResource.from_settings(settings),
    )


def build_issuer_client(app: App) -> IssuerClient | None:
    """The client for the configured issuer; None without OAuth."""
    settings = app.settings
    server_settings = settings[ServerSettings]
    if not server_settings.oauth_issuer:
        return None
    named = tuple(
        url
        for url in (
            server_settings.oauth_jwks_url,
            server_settings.introspection_url,
        )
        if url
    )
    return IssuerClient(app.network, server_settings.oauth_issuer, named_urls=named)


def build_key_set_loader(app: App, client: IssuerClient) -> IssuerKeySetLoader:
    return IssuerKeySetLoader(client, jwks_url=app.settings[ServerSettings].oauth_jwks_url)


def _build_oauth_verifiers(app: App) -> tuple[TokenVerifier | None, TokenVerifier | None]:
    """The verifiers of signed and of opaque tokens."""
    client = build_issuer_client(app)
    if client is None:
        return None, None
    settings = app.settings[ServerSettings]
    rules = ClaimRules(
        issuer=client.issuer,
        audiences=frozenset(choose_audiences(app.settings)),
        tenant_claim=settings.oauth_tenant_claim,
        user_claim=settings.oauth_user_claim,
    )
    keys = KeySource(build_key_set_loader(app, client), refresh_seconds=settings.jwks_refresh)
    opaque = None
    if settings.introspection_client_id and settings.introspection_client_secret:
        opaque = TokenIntrospector(
            client,
            rules,
            credentials=(
                settings.introspection_client_id,
                settings.introspection_client_secret,
            ),
            url=settings.introspection_url,
        )
    return SignedTokenVerifier(keys, rules), opaque


def _build_proxy_identity(app: App) -> ProxyIdentity | None:
    settings = app.settings
    server_settings = settings[ServerSettings]
    if not server_settings.proxy_user_header:
        return None
    return ProxyIdentity(
        TrustedProxies.from_names(server_settings.trusted_proxies),
        user_header=server_settings.proxy_user_header,
        tenant_header=server_settings.proxy_tenant_header,
    )


# Verifies the API tokens that `citewell users token create` makes.


class ApiTokenVerifier:
    def __init__(
        self, open_tokens: Callable[[], SqlTokenStore], *, now: Callable[[], float] = time.time
    ) -> None:
        """`open_tokens` gives the store; it is called when the first token comes."""
        self._open_tokens = open_tokens
        self._now = now

    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if the store fails."""
        try:
            record = await self._open_tokens().find_token(token)
        except CitewellError as error:
            raise VerifierUnavailable(
                RefusalCause.STORE_UNAVAILABLE,
                f"API tokens cannot be looked up. {error.message}",
                retry_after=STORE_RETRY_SECONDS,
            ) from None
        if record is None:
            raise CredentialsRefused(RefusalCause.UNKNOWN_TOKEN, "This API token does not exist.")
        if record.revoked is not None:
            raise CredentialsRefused(RefusalCause.REVOKED, "This API token was revoked.")
        if not record.is_valid_at(self._now()):
            raise CredentialsRefused(
                RefusalCause.EXPIRED, "This API token has expired. Ask the operator for a new one."
            )
        return VerifiedCaller(
            owner=Owner.parse_text(record.owner),
            proof=CallerProof.API_TOKEN,
            scopes=None if record.scopes is None else frozenset(record.scopes),
            client_id=f"token:{record.id}",
            credential_id=record.id,
        )


# Verifies signed access tokens (JWT) of the configured issuer.


@dataclass(frozen=True, slots=True, kw_only=True)
class _RememberedToken:
    caller: VerifiedCaller
    claims: dict[str, Any]
    generation: int  # of the key set that verified it


class SignedTokenVerifier:
    """Decides on tokens by their signature and claims. Nothing in a token chooses how it is verified.

    A token that was verified is remembered, so that its next request costs no signature; its
    times are checked each time, and new keys of the issuer end what the old ones had verified.
    """

    def __init__(
        self, keys: KeySource, rules: ClaimRules, *, now: Callable[[], float] = time.time
    ) -> None:
        self._keys = keys
        self._rules = rules
        self._now = now
        self._remembered: OrderedDict[bytes, _RememberedToken] = OrderedDict()

    async def verify_token(self, token: str) -> VerifiedCaller:
        """The caller; raises CredentialsRefused, or VerifierUnavailable if the keys cannot be had."""
        name = hashlib.sha256(token.encode("ascii")).digest()
        known = self._remembered.get(name)
        if known is not None and known.generation == await self._keys.ensure_fresh_keys():
            check_claim_times(known.claims, now=self._now())  # nothing else can have changed
            self._remembered.move_to_end(name)
            return known.caller
        parsed = parse_signed_token(token)
        algorithm, key_id = check_token_header(parsed.header)
        await self._check_signature(parsed, algorithm, key_id)
        self._rules.check_claims(parsed.claims, now=self._now())
        caller = self._rules.build_caller(parsed.claims, credential_id=name.hex()[:12])
        self._remember_token(name, caller, parsed.claims)
        return caller

    async def _check_signature(
        self, token: SignedToken, algorithm: str, key_id: str | None
    ) -> None:
        keys = await self._keys.find_signing_keys(key_id, algorithm)
        if not keys:
            raise CredentialsRefused(
                RefusalCause.UNKNOWN_KEY, "The token was signed with a key that the issuer lacks."
            )
        for key in keys[:_MAX_CANDIDATE_KEYS]:
            if key.is_signature_of(algorithm, token.signed_bytes, token.signature):
                return
        raise CredentialsRefused(RefusalCause.SIGNATURE, "The signature of the token is wrong.")

    def _remember_token(self, name: bytes, caller: VerifiedCaller, claims: dict[str, Any]) -> None:
        self._remembered[name] = _RememberedToken(
            caller=caller, claims=claims, generation=self._keys.generation
        )
        while len(self._remembered) > MAX_REMEMBERED_TOKENS:
            self._remembered.popitem(last=False)


def check_token_header(header: dict[str, Any]) -> tuple[str, str | None]:
    """The algorithm and key id of a header; raises CredentialsRefused for one that is not accepted.

    Keys and addresses of keys in the header (`jwk`, `jku`, `x5u`, `x5c`) are never used.
    """
    algorithm, key_id, kind = header.get("alg"), header.get("kid"), header.get("typ", "JWT")
    if not isinstance(algorithm, str) or algorithm not in ALGORITHMS:
        raise CredentialsRefused(
            RefusalCause.ALGORITHM,
            f"Tokens must be signed with one of {', '.join(ALGORITHMS)}.",
        )
    if "crit" in header or "b64" in header:
        raise CredentialsRefused(
            RefusalCause.CRITICAL_HEADER, "The token needs an extension that is not supported."
        )
    if not isinstance(kind, str) or kind.lower() not in _TOKEN_TYPES:
        raise CredentialsRefused(
            RefusalCause.TOKEN_TYPE, "This is not an access token. Send the access token."
        )
    if key_id is not None and not (isinstance(key_id, str) and len(key_id) <= MAX_KEY_ID_CHARS):
        raise CredentialsRefused(
            RefusalCause.MALFORMED_TOKEN, "The key id of the token is no name."
        )
    return algorithm, key_id


# Asks the issuer about opaque tokens (RFC 7662), and remembers the answers for a moment.


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
        # RFC 6749 wants both form-encoded before they are joined.
        pair = ":".join(quote(part, safe="") for part in credentials)
        basic = base64.b64encode(pair.encode()).decode("ascii")
        self._headers = {"authorization": f"Basic {basic}"}
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
