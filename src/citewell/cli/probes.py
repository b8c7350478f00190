"""Asks each provider once, cheaply, and says in words how it fared and what to change."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from citewell.errors import (
    AuthRequired,
    Blocked,
    CitewellError,
    NetworkFailed,
    OutOfCredit,
    RateLimited,
    Refused,
)
from citewell.model.search import Found, Query
from citewell.ports import Offer, Spec, WebSearch
from citewell.services.catalogue import Catalogue
from citewell.text.secrets import masked

PATIENCE = 5.0  # seconds for one provider
HARMLESS = Query(text="sleep", count=1)

WORKING = "working"
UNTRIED = "not tried"
UNCONFIGURED = "not configured"
LIMITED = "rate limited"
BLOCKED = "blocked"
UNREACHABLE = "unreachable"
FAILING = "failing"
EMPTY = "answers, finds nothing"

_STATES: tuple[tuple[type[CitewellError], str], ...] = (
    (RateLimited, LIMITED),
    (Blocked, BLOCKED),
    (NetworkFailed, UNREACHABLE),
    (Refused, UNREACHABLE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One provider's row: its state, why, and the line of configuration to change."""

    name: str
    title: str
    offers: tuple[str, ...]
    configured: bool
    state: str
    detail: str = ""
    change: str = ""

    @property
    def usable(self) -> bool:
        """Searches now, or would as far as anybody tried."""
        return self.configured and self.state in {WORKING, UNTRIED}


async def examine(
    catalogue: Catalogue,
    raw: Mapping[str, str],
    *,
    offline: bool,
    paid: bool,
    patience: float = PATIENCE,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[Verdict, ...]:
    """Every provider's verdict, all asked at once."""
    specs = [catalogue.spec(name) for name in catalogue.names()]

    async def one(spec: Spec) -> Verdict:
        if not catalogue.configured(spec.name):
            return _unconfigured(spec, catalogue)
        if offline and not spec.base_url:
            return _row(spec, UNTRIED, configured=False, detail="your documents; not looked at")
        if reason := _left_alone(spec, raw, offline=offline, paid=paid):
            return _row(spec, UNTRIED, detail=reason)
        return await _tried(spec, catalogue, raw, patience=patience, clock=clock)

    return tuple(await asyncio.gather(*map(one, specs)))


def _left_alone(spec: Spec, raw: Mapping[str, str], *, offline: bool, paid: bool) -> str:
    """Why no request is sent; empty when one is."""
    if offline:
        return "configured; nothing is asked with --offline"
    if Offer.WEB not in spec.offers:
        return "configured; it has no web search to try"
    if metered(spec, raw) and not paid:
        return "key set; --paid tries it at your cost"
    return ""


def metered(spec: Spec, raw: Mapping[str, str]) -> bool:
    """Whether a request may be charged to somebody: a key is set, and the server is not the user's own."""
    given = [option for option in spec.options if raw.get(option.env)]
    return any(option.secret for option in given) and not any(
        option.own_address for option in given
    )


async def _tried(
    spec: Spec,
    catalogue: Catalogue,
    raw: Mapping[str, str],
    *,
    patience: float,
    clock: Callable[[], float],
) -> Verdict:
    started = clock()
    try:
        provider = catalogue.provider(spec.name)
        if not isinstance(provider, WebSearch):
            return _row(spec, FAILING, detail="it declares web search and has none")
        async with asyncio.timeout(patience):
            found = await provider.web(HARMLESS)
    except TimeoutError:
        detail = f"no answer within {patience:g} s"
        return _row(spec, UNREACHABLE, detail=detail, change=_network_line(spec, raw))
    except CitewellError as error:
        return _failed(spec, error, raw)
    return _answered(spec, found, milliseconds=round(1000 * (clock() - started)))


def _answered(spec: Spec, found: Found, *, milliseconds: int) -> Verdict:
    where = f" from {found.instance}" if found.instance else ""
    notes = " ".join(found.notes)
    if found.hits:
        detail = f"answered in {milliseconds} ms{where}. {notes}".strip()
        return _row(spec, WORKING, detail=detail, change=_quoted(notes))
    failed = "; ".join(f"{engine}: {reason}" for engine, reason in found.unresponsive)
    if failed:
        return _row(spec, FAILING, detail=f"its engines fail{where}: {failed}")
    return _row(spec, EMPTY, detail=notes or f"no result for {HARMLESS.text!r}{where}")


def _failed(spec: Spec, error: CitewellError, raw: Mapping[str, str]) -> Verdict:
    if error.extra.get("reason") == "not_configured":
        return _row(
            spec,
            UNCONFIGURED,
            configured=False,
            detail=error.message,
            change=_quoted(error.message),
        )
    state = next((word for kind, word in _STATES if isinstance(error, kind)), FAILING)
    wait = (
        f" Wait {error.retry_after:.0f} s."
        if isinstance(error, RateLimited) and error.retry_after
        else ""
    )
    return _row(spec, state, detail=masked(error.message + wait), change=_change(spec, error, raw))


def _change(spec: Spec, error: CitewellError, raw: Mapping[str, str]) -> str:
    """The line to change; empty where waiting is all there is, or the message names it."""
    if isinstance(error, AuthRequired | OutOfCredit):
        secrets = [option.env for option in spec.options if option.secret]
        return f"{' '.join(f'{env}=…' for env in secrets)} (a key from {spec.home})"
    if isinstance(error, Refused):
        return "CITEWELL_ALLOW_PRIVATE_HOSTS=… (host:port of that address)"
    if isinstance(error, NetworkFailed):
        return _network_line(spec, raw)
    return _quoted(error.message)


def _quoted(text: str) -> str:
    """The line that a provider's own words name, where they name one in backticks."""
    found = re.search(r"`([^`]+)`", text)
    return found[1] if found else ""


def _network_line(spec: Spec, raw: Mapping[str, str]) -> str:
    if raw.get(spec.base_url_env):
        return f"{spec.base_url_env}=… (an address that answers)"
    own = next((env for env in spec.requires_any if raw.get(env)), None)
    return (
        f"{own}=… (an address that answers)"
        if own
        else "CITEWELL_PROXY=env (when only a proxy leads outside)"
    )


def _unconfigured(spec: Spec, catalogue: Catalogue) -> Verdict:
    return _row(
        spec,
        UNCONFIGURED,
        configured=False,
        detail=f"needs {catalogue.lacks(spec.name)}",
        change=_to_set(spec),
    )


def _to_set(spec: Spec) -> str:
    required = [option.env for option in spec.options if option.required]
    names: Iterable[str] = required or spec.requires_any[:1]
    return f"{' '.join(f'{env}=…' for env in names)} (see {spec.home})"


def _row(
    spec: Spec, state: str, *, configured: bool = True, detail: str = "", change: str = ""
) -> Verdict:
    return Verdict(
        name=spec.name,
        title=spec.title,
        offers=tuple(sorted(spec.offers)),
        configured=configured,
        state=state,
        detail=detail,
        change=change,
    )
