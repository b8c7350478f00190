"""How a tool and its command are declared, and the tools of all rooms.

A tool is a file of a room's `tools` folder, named after the tool, or the file of a domain.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Protocol, Self, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from citewell.core.room_modules import list_domains, list_room_modules
from citewell.core.values.argument_types import OptionalName
from citewell.core.values.research_session import SessionSource
from citewell.core.values.routing_trace import RoutingTrace
from citewell.core.values.wire_values import WireValue

if TYPE_CHECKING:
    from citewell.routing.ports import ToolProviders

S = TypeVar("S")
ANONYMOUS_USER = "anonymous"


class _CacheKeyExemption:
    """Marks an argument that does not change the result and is left out of the cache key."""


NOT_IN_CACHE_KEY = _CacheKeyExemption()
SessionId = Annotated[OptionalName, NOT_IN_CACHE_KEY, Field(validation_alias="sessionId")]


@dataclass(frozen=True, slots=True)
class Filter:
    """Marks an argument that narrows a search; rank 1 is the first that an empty answer names."""

    rank: int


class ToolArguments(BaseModel):
    """Base of every tool's Args: frozen, and unknown argument names are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def collect_cache_key(self) -> dict[str, Any]:
        """The arguments that can change the result, as JSON values."""
        return self.model_dump(mode="json", exclude=self._list_exempt_fields())

    def with_changes(self, **changes: Any) -> Self:
        """A copy with these arguments changed."""
        return self.model_copy(update=changes)

    def build_request(self, kind: type[S]) -> S:
        """The service request that these arguments contain: `kind` is a dataclass they inherit."""
        declared: Any = kind
        return kind(**{field_.name: getattr(self, field_.name) for field_ in fields(declared)})

    @classmethod
    @cache
    def _list_exempt_fields(cls) -> set[str]:
        return {
            name
            for name, field_ in cls.model_fields.items()
            if any(isinstance(mark, _CacheKeyExemption) for mark in field_.metadata)
        }

    def list_set_filters(self) -> tuple[str, ...]:
        """The names of the filters that have a value, by rank."""
        return tuple(name for name in self.list_filters() if getattr(self, name))

    @classmethod
    @cache
    def list_filters(cls) -> tuple[str, ...]:
        """The names of the arguments that are marked as filters, by rank."""
        ranks = {
            name: mark.rank
            for name, field_ in cls.model_fields.items()
            for mark in field_.metadata
            if isinstance(mark, Filter)
        }
        return tuple(sorted(ranks, key=lambda name: ranks[name]))

    @classmethod
    @cache
    def list_argument_names(cls) -> dict[str, tuple[str, ...]]:
        """For each field the argument names that are accepted, the published one first."""
        return {
            name: _list_alias_names(name, cls.model_fields[name].validation_alias)
            for name in cls.model_fields
        }


class SessionArguments(ToolArguments):
    """Base of the Args of tools whose calls can be linked to a research session."""

    session_id: SessionId = None


def _list_alias_names(name: str, alias: object) -> tuple[str, ...]:
    if isinstance(alias, AliasChoices):
        return tuple(str(choice) for choice in alias.choices)
    return (alias,) if isinstance(alias, str) else (name,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The tenant and user of a call; taken from the verified token, never from an argument."""

    tenant: str = "default"
    user: str = ANONYMOUS_USER

    @property
    def is_anonymous(self) -> bool:
        """Whether nobody said who is calling; such calls share what they store."""
        return self.user == ANONYMOUS_USER

    def __str__(self) -> str:
        """The name under which stores keep what is the owner's; no two owners share one."""
        return f"{_escape_name(self.tenant)}/{_escape_name(self.user)}"

    @classmethod
    def parse_text(cls, text: str) -> Owner:
        """The owner whose `str` is `text`."""
        tenant, _, user = text.partition("/")
        return cls(tenant=_unescape_name(tenant), user=_unescape_name(user))


def _escape_name(name: str) -> str:
    """`name` without slashes, so that tenant `a/b` cannot be mistaken for tenant `a`."""
    return name.replace("%", "%25").replace("/", "%2F")


def _unescape_name(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")


def build_local_owner(user: str | None) -> Owner:
    """The owner of what a stdio server or a command does; `user` is what STDIO_USER_ID says."""
    return Owner(user=user) if user else Owner()


_LEAST_PROGRESS = 0.001  # by which a report grows that has nothing new to count

# Reports how much of a call is done, the total if it is known, and a message.
ProgressCallback = Callable[[float, float | None, str | None], Awaitable[None]]


# Reports the sources that a call lists, reads or quotes.
SourceCallback = Callable[[Iterable[SessionSource]], None]


async def ignore_progress(_done: float, _total: float | None, _message: str | None) -> None:
    """Used when the caller did not ask for progress."""


class RequireService(Protocol):
    """Returns the server's one instance of a service class; raises InternalError if nothing builds it."""

    def __call__(self, kind: type[S], /) -> S: ...


@dataclass(slots=True, kw_only=True)
class ToolCall:
    """A running call of a tool: its owner, its progress reports and the services it can use."""

    owner: Owner = field(default_factory=Owner)
    require_service: RequireService
    send_progress: ProgressCallback = ignore_progress
    trace: RoutingTrace = field(default_factory=RoutingTrace)
    session_id: str | None = None
    sources: list[SessionSource] = field(default_factory=list)
    can_wait: bool = False  # the client takes the id of a job, and asks for its result later
    audit: dict[str, object] = field(default_factory=dict)  # further facts for the audit log
    linked_text: str | None = None  # markdown to link, if the result holds only passages of it
    _done: float | None = None  # as reported last
    _total: float | None = None

    def report_sources(self, sources: Iterable[SessionSource]) -> None:
        """Report sources of this call, for the session that it or a later, cached call names."""
        self.sources.extend(sources)

    async def report_progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report progress to the client; MCP requires that each number is larger than the last."""
        if self._done is not None and done <= self._done:
            done = self._done + _LEAST_PROGRESS
        self._done, self._total = done, total
        await self.send_progress(done, total, message)

    async def report_still_working(self, seconds: float) -> None:
        """Report that a long step is still running."""
        await self.report_progress(0.0, self._total, f"still working after {seconds:.0f} s")


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBody:
    """The one field that holds the text of a result; if it is cut, it alone becomes the artifact."""

    key: str  # in the wire form
    find_media_type: Callable[
        [dict[str, Any]], str | None
    ]  # None if the field is not a text of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool's declaration; the tool is named after its file and described by the Args docstring."""

    args: type[ToolArguments]
    result: type[WireValue]
    run: Callable[[Any, ToolCall], Awaitable[WireValue]]
    toolset: str
    title: str = ""  # for people; without one it is made from the name
    in_default_profile: bool = False  # offered in the default profile
    required_setting: str | None = None  # the tool is offered only if this setting is true
    read_only: bool = True
    idempotent: bool = True
    open_world: bool = True
    ttl_seconds: float | None = None  # seconds a result may be cached; None for never
    cache_version: int = (
        1  # increase when the result's fields change, so that cached results are dropped
    )
    has_long_timeout: bool = False  # uses the longer timeout
    shows_freshness: bool = False  # `_meta` describes cache freshness on uncached results too
    is_empty_result: Callable[[Any], bool] | None = None  # whether a result found nothing
    empty_ttl_seconds: float = 60.0  # seconds a result that found nothing may be cached, at most
    is_always_inline: bool = False  # always returned whole as one text item, never cut and linked
    bounds_own_size: Callable[[Any], bool] | None = (
        None  # whether a call's own arguments bound its result, which is then returned whole
    )
    links_large_results: bool = False  # from the link threshold on; others from the answer limit on
    main_body: MainBody | None = None  # of a result that is one long text and facts about it
    served_by: ToolProviders | None = None  # of a search tool: who serves it and its filters


FIELD_DEFAULT = object()  # an option has the default of its argument


@dataclass(frozen=True, slots=True)
class CommandOption:
    """Marks an argument of a tool as an option of its command; the first marked one is positional."""

    help: str = ""  # without one, the description of the argument
    flag: str = ""  # such as "-t --type", if it is not just named after the argument
    default: object = FIELD_DEFAULT
    fold: Callable[[str], str] | None = None  # applied to a value before it is sent


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One record as a person sees it: title, address, a line of facts, and its text; blanks are left out."""

    title: str
    url: str | None = None
    facts: tuple[str | None, ...] = ()
    lines: tuple[str | None, ...] = ()
    preview_url: str | None = None  # of a small picture, for terminals that can show one


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line between the records of an answer."""

    text: str = ""
    style: str = ""
    unwrapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCommand:
    """The command of a search tool; its options are the arguments that are marked as CommandOption."""

    name: str
    tool: str
    help: str
    show_answer: Callable[[Mapping[str, Any]], Iterable[Card | TextLine]]  # of the wire form
    doing: str = "Searching"  # beside the spinner
    # Loads the pictures at these addresses with the app, for the terminals that can show them.
    fetch_previews: Callable[[Any, Sequence[str]], Awaitable[Sequence[bytes | None]]] | None = None
    # Changes the options by name of their arguments, where the command has a choice of its own.
    adjust_arguments: Callable[[dict[str, Any]], dict[str, Any]] | None = None


@cache
def list_tool_modules() -> dict[str, str]:
    """The module of each tool by the tool's name, sorted, without importing any."""
    domains = {domain.tool: domain.module for domain in list_domains() if domain.tool}
    return dict(sorted((list_room_modules("tools") | domains).items()))


def list_tool_names() -> tuple[str, ...]:
    return tuple(list_tool_modules())


def load_tool(name: str) -> Tool:
    tool: Tool = import_module(list_tool_modules()[name]).TOOL
    return tool


def load_all_tools() -> dict[str, Tool]:
    return {name: load_tool(name) for name in list_tool_names()}


def load_tool_providers() -> dict[str, ToolProviders]:
    """Which providers serve each search tool, in the order of the offers; loads all tools."""
    served = {name: tool.served_by for name, tool in load_all_tools().items() if tool.served_by}
    offers = [*type(served["web_search"].offer)]
    return dict(sorted(served.items(), key=lambda item: offers.index(item[1].offer)))
