"""What becomes of an answer: reused until it expires, and cut with a link to the whole if it is too large.

Identical calls that run at the same time share one run of the tool, also across processes with the
same store. Cancelling one of them does not affect the others. What cuts an answer is imported only
when one is too large, which keeps the start of the server short.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from citewell.core.config import Settings
from citewell.core.tooling import Tool
from citewell.core.values.counted_words import pluralize
from citewell.core.values.search_queries import LIBRARY_PROVIDER
from citewell.reading.pages.artifacts import ARTIFACT_URI_PREFIX
from citewell.routing.settings import RoutingSettings
from citewell.server.call_values import ArtifactLink, NextStep, ToolInvocation, ToolOutcome
from citewell.server.settings import ServerSettings
from citewell.store.cache.answer_sharing import SHARED_WITH_EVERYBODY, AnswerSharing
from citewell.store.cache.artifact_store import ArtifactInfo, ArtifactStore
from citewell.store.cache.single_flight import CachedLoader, FreshValue, LoadedEntry
from citewell.store.cache.tiered_cache import CacheEntry
from citewell.store.failures import StoreError
from citewell.store.settings import StoreSettings

if TYPE_CHECKING:
    from citewell.server.answer_cuts import AnswerCut, CutAnswer

# The first byte of a stored answer: whether a provider was asked.
_ROUTED_MARK, _DIRECT_MARK = b"r", b"d"
_ENTRY_VERSION = 2  # a line with the answer's sources, then its text
MAX_KNOWN_CALLS = 4096
_KEY_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def build_answer_sharing(settings: Settings) -> AnswerSharing:
    """With whom answers may be shared under these settings."""
    routing_settings = settings[RoutingSettings]
    routes = f"{routing_settings.search_provider or ''} {routing_settings.search_routing or ''}"
    isolation = settings[StoreSettings].cache_isolation
    if isolation is None and settings[ServerSettings].is_authenticated:
        isolation = "tenant"
    return AnswerSharing(
        is_split_by_tenant=isolation == "tenant",
        is_library_routed=LIBRARY_PROVIDER in routes.lower(),
    )


def build_call_key(invocation: ToolInvocation) -> str:
    """A hash of the tool, its cache version and all arguments that affect the result."""
    parts = [
        invocation.name,
        _ENTRY_VERSION,
        invocation.tool.cache_version,
        invocation.arguments.collect_cache_key(),
    ]
    return hashlib.sha256(_KEY_ENCODER.encode(parts).encode("utf-8", "surrogatepass")).hexdigest()


def find_call_key(invocation: ToolInvocation) -> str:
    """The call's key, which is built once."""
    if invocation.cache_key is None:
        invocation.cache_key = build_call_key(invocation)
    return invocation.cache_key


class KnownCallKeys:
    """The keys of recent calls by a hash of what was sent, so that a repeated call is not validated again.

    No argument itself is kept.
    """

    def __init__(self) -> None:
        self._keys: OrderedDict[bytes, str] = OrderedDict()

    def find_key(
        self, invocation: ToolInvocation, validate: Callable[[ToolInvocation], None]
    ) -> str:
        """The cache key; a call that names a research session is always validated."""
        sent = hash_sent_call(invocation)
        key = self._keys.get(sent)
        if key is None:
            validate(invocation)
            key = build_call_key(invocation)
            if invocation.call.session_id is None:
                self._keys[sent] = key
                if len(self._keys) > MAX_KNOWN_CALLS:
                    self._keys.popitem(last=False)
        return key


def hash_sent_call(invocation: ToolInvocation) -> bytes:
    """A hash of the tool and its arguments before validation.

    Python writes two JSON values alike only if they are the same in type, value and order.
    """
    text = repr((invocation.name, invocation.raw_arguments))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


class AnswerCache:
    def __init__(
        self, loader: CachedLoader, *, sharing: AnswerSharing = SHARED_WITH_EVERYBODY
    ) -> None:
        self._loader = loader
        self._sharing = sharing

    async def load_answer(self, invocation: ToolInvocation, run: NextStep) -> ToolOutcome:
        """The cached answer, or that of `run`, which is cached if the tool allows it."""
        ttl, owner = invocation.tool.ttl_seconds, self._find_cache_owner(invocation)
        if ttl is None or owner is None:
            return await run(invocation)

        from citewell.sessions import session_rows

        async def make() -> FreshValue:
            outcome = await run(invocation)
            routed = _ROUTED_MARK if invocation.call.trace.attempted else _DIRECT_MARK
            text = json.dumps(outcome.body, ensure_ascii=False, separators=(",", ":"))
            kept = min(ttl, invocation.tool.empty_ttl_seconds) if outcome.found_nothing else ttl
            head = routed + session_rows.encode_sources(outcome.sources) + b"\n"
            return FreshValue(value=head + text.encode("utf-8", "surrogatepass"), ttl=kept)

        loaded = await self._loader.load_or_make(owner, find_call_key(invocation), make)
        return _build_cached_outcome(loaded, always_show_freshness=invocation.tool.shows_freshness)

    def find_held_answer(self, invocation: ToolInvocation) -> CacheEntry | None:
        """The answer, if it is cached in memory."""
        owner = self._find_cache_owner(invocation)
        if invocation.tool.ttl_seconds is None or owner is None:
            return None
        return self._loader.find_held_entry(owner, find_call_key(invocation))

    def give_held_answer(self, entry: CacheEntry) -> ToolOutcome:
        """An answer that was found in memory, as text alone."""
        self._loader.count_held_use()
        return ToolOutcome(text=_decode_answer(entry), meta=_describe_entry(entry, cached=True))

    def _find_cache_owner(self, invocation: ToolInvocation) -> str | None:
        return self._sharing.find_cache_owner(invocation.call.owner.tenant)


def _build_cached_outcome(loaded: LoadedEntry, *, always_show_freshness: bool) -> ToolOutcome:
    from citewell.sessions import session_rows

    text = _decode_answer(loaded.entry)
    shows_freshness = loaded.is_cached or always_show_freshness
    meta = _describe_entry(loaded.entry, cached=loaded.is_cached) if shows_freshness else {}
    head = loaded.entry.value[: loaded.entry.value.index(b"\n")]
    sources = session_rows.decode_sources(head[1:])
    return ToolOutcome(body=json.loads(text), text=text, meta=meta, sources=sources)


def _decode_answer(entry: CacheEntry) -> str:
    start = entry.value.index(b"\n") + 1
    return entry.value[start:].decode("utf-8", "surrogatepass")


def _describe_entry(entry: CacheEntry, *, cached: bool) -> dict[str, Any]:
    meta = describe_freshness(age=entry.age_seconds, ttl=entry.ttl, cached=cached)
    if cached and entry.value.startswith(_ROUTED_MARK):
        meta["routed"] = True
    return meta


def describe_freshness(*, age: float, ttl: float, cached: bool) -> dict[str, Any]:
    share = age / ttl if ttl else 1.0
    label = "fresh" if share < 0.5 else "aging" if share < 0.8 else "expiring"
    return {
        "cached": cached,
        "ageSeconds": int(age),
        "maxAgeSeconds": int(ttl),
        "freshness": label,
    }


# Stores a large result as an artifact, and sends it cut, with a link to the whole.


_MAX_QUICK_CHARS = 256 * 1024  # a larger answer would block the event loop while it is written
_SCALAR_CHARS = 8  # how long a number, a flag or the punctuation of a value is taken to be


class AnswerSize:
    def __init__(self, artifacts: ArtifactStore, *, threshold: int, limit: int) -> None:
        """`threshold` counts for the tools that spec 1 links, `limit` for the others."""
        self._artifacts = artifacts
        self._threshold = threshold
        self._limit = limit

    async def fit_outcome(self, invocation: ToolInvocation, outcome: ToolOutcome) -> ToolOutcome:
        """The outcome as it is sent: with its text, or cut and with a link to the whole."""
        if outcome.is_error or outcome.body is None:
            return outcome
        text = outcome.text or await _write_json(outcome.body)
        whole = replace(outcome, text=text)
        has_more = invocation.call.linked_text is not None
        if not has_more:
            # A character has one to four bytes, so most texts need not be encoded to be measured.
            size, tool = len(text), invocation.tool
            if not self.is_too_large(tool, size) and self.is_too_large(tool, 4 * size):
                size = len(text.encode("utf-8", "replace"))
            if not self.is_too_large(tool, size) or not self.can_link(invocation):
                return whole
        try:
            return await self._store_and_link(invocation, outcome, outcome.body, text)
        except StoreError:
            return whole  # it cannot be stored, so it is sent whole

    def can_link(self, invocation: ToolInvocation) -> bool:
        """Whether the result of this call may be cut; its arguments must be valid."""
        tool = invocation.tool
        if tool.is_always_inline:
            return False
        return tool.bounds_own_size is None or not tool.bounds_own_size(invocation.arguments)

    def is_too_large(self, tool: Tool, size: int) -> bool:
        return size >= self._find_limit(tool)

    def _find_limit(self, tool: Tool) -> int:
        return self._threshold if tool.links_large_results else self._limit

    async def _store_and_link(
        self, invocation: ToolInvocation, outcome: ToolOutcome, body: dict[str, Any], text: str
    ) -> ToolOutcome:

        shown, whole = await asyncio.to_thread(self._cut_and_encode, invocation, body, text)
        kept = await self._artifacts.store_artifact(
            str(invocation.call.owner), whole.data, mime=whole.media_type
        )
        uri = ARTIFACT_URI_PREFIX + kept.id
        linked = build_linked_body(invocation.name, shown, whole, kept, uri)
        link = ArtifactLink(
            uri=uri, name=f"{invocation.name} result", mime=kept.media_type, size=kept.size_bytes
        )
        return replace(outcome, body=linked, text=None, links=(link,))

    def _cut_and_encode(
        self, invocation: ToolInvocation, body: dict[str, Any], text: str
    ) -> tuple[CutAnswer, WholeAnswer]:
        from citewell.server.answer_cuts import CutAnswer, build_part_plan, cut_answer

        tool, page_texts = invocation.tool, invocation.call.linked_text
        if page_texts is not None:  # the markdown of which the answer holds only passages
            data = page_texts.encode("utf-8", "replace")
            whole = WholeAnswer(
                data=data, media_type="text/markdown", is_body=True, is_page_text=True
            )
            return CutAnswer(body=body, cuts=()), whole
        room = self._find_limit(tool) - _ENVELOPE_BYTES
        shown = cut_answer(body, build_part_plan(tool.result), room)
        return shown, choose_whole(tool, body, shown.cuts, text)


async def _write_json(body: dict[str, Any]) -> str:
    if _has_fewer_chars(body, _MAX_QUICK_CHARS):
        return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    from citewell.server.answer_cuts import dump_in_chunks

    return await asyncio.to_thread(dump_in_chunks, body)


def _has_fewer_chars(value: Any, most: int) -> bool:
    """Whether the JSON of a value has about at most `most` characters; stops counting there."""
    waiting, total = [value], 0
    while waiting and total <= most:
        part = waiting.pop()
        total += len(part) if isinstance(part, str) else _SCALAR_CHARS
        if isinstance(part, dict):
            total += sum(map(len, part))
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
    return total <= most


# Builds the answer that is sent instead of one that is too large: cut, and with a link to the whole.


ARTIFACT_TOOL = "read_artifact"
JSON_MEDIA_TYPE = "application/json"
SUMMARY_KEY, RENAMED_SUMMARY_KEY = "summary", "linkSummary"
# The keys that a linked answer has besides its own.
LINK_SCHEMA: dict[str, dict[str, Any]] = {
    "resource": {"type": "string"},
    "bytes": {"type": "integer"},
    "mimeType": {"type": "string"},
    SUMMARY_KEY: {"type": "string"},
    "expiresAt": {"type": "string"},
    "linked": {"type": "boolean"},
    "cut": {"type": "array", "items": {"type": "object"}},
}
_ENVELOPE_BYTES = 700  # of the keys above, without the list of cuts


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """What is stored as an artifact; `is_body` if it is the main text alone, not the JSON of all."""

    data: bytes
    media_type: str
    is_body: bool
    is_page_text: bool = False  # pages of which the answer has passages


def choose_whole(
    tool: Tool, body: dict[str, Any], cuts: tuple[AnswerCut, ...], text: str
) -> WholeAnswer:
    """The main text in its own media type, if nothing else was cut; otherwise all as JSON."""
    from citewell.server.answer_cuts import dump_in_chunks, join_pointer

    main = tool.main_body
    prefix = join_pointer("", main.key) if main else None
    if main and prefix and cuts and all(_is_within(cut.path, prefix) for cut in cuts):
        media_type, value = main.find_media_type(body), body[main.key]
        if media_type is not None:
            document = value if isinstance(value, str) else dump_in_chunks(value)
            data = document.encode("utf-8", "replace")
            return WholeAnswer(data=data, media_type=media_type, is_body=True)
    data = text.encode("utf-8", "replace")
    return WholeAnswer(data=data, media_type=JSON_MEDIA_TYPE, is_body=False)


def build_linked_body(
    name: str, shown: CutAnswer, whole: WholeAnswer, kept: ArtifactInfo, uri: str
) -> dict[str, Any]:
    """The cut answer with the keys of spec 1 for a linked result, and the list of cuts."""
    # Some tools have a summary of their own, which must stay.
    summary_key = RENAMED_SUMMARY_KEY if SUMMARY_KEY in shown.body else SUMMARY_KEY
    return shown.body | {
        "resource": uri,
        "bytes": kept.size_bytes,
        "mimeType": kept.media_type,
        summary_key: _describe_cut_answer(name, shown.cuts, whole),
        "expiresAt": datetime.fromtimestamp(kept.expires_at, UTC).isoformat(timespec="seconds"),
        "linked": True,
        "cut": [cut.to_wire() for cut in shown.cuts],
    }


def _describe_cut_answer(name: str, cuts: tuple[AnswerCut, ...], whole: WholeAnswer) -> str:
    size = f"{name} returned {len(whole.data):,} {pluralize(len(whole.data), 'byte')}"
    if whole.is_page_text:
        return (
            f"The pages have {len(whole.data):,} {pluralize(len(whole.data), 'byte')}; the answer has the passages nearest to the"
            f" query. Read on with {ARTIFACT_TOOL} at a source's artifactOffset plus a passage's start."
        )
    if not cuts:
        return f"{size}. They are all here, and in the resource too."
    lists = [cut for cut in cuts if cut.unit == "items"]
    left_out = "; ".join(
        f"{cut.total - cut.kept} of {cut.total} {pluralize(cut.total, 'entry', 'entries')} of {cut.path}"
        for cut in lists
    )
    start = cuts[0].kept if whole.is_body and len(cuts) == 1 else 0
    return (
        f"{size}; what `cut` lists is shortened here{f' ({left_out} left out)' if lists else ''}."
        f" Read the whole from the resource, or page it with {ARTIFACT_TOOL} from offset {start}."
    )


def _is_within(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(prefix + "/")
