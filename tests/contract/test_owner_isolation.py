"""Every method of every store, called by somebody else with the ids of an owner: nothing is read or changed.

The calls are made from the signatures. A new method is tried by itself; one whose arguments are not
known here, or that takes no owner, fails until it is added to a table below.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pytest

from citewell.core.errors import CitewellError
from citewell.core.values.research import ResearchClaim, ResearchFindings
from citewell.jobs.durable_job import JobOrder
from citewell.jobs.store.job_store import ReconciledCall
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.people.consent_service import CONSENT_PURPOSES, ConsentRecord
from citewell.people.memory_store import MemoryRecord
from citewell.people.usage_analytics import ToolUse
from citewell.people.workspace_store import SharedFinding, WorkspaceMember
from citewell.research.research_rows import ClaimEvent
from citewell.server.state.mcp_session_store import SharedSession
from citewell.server.state.state_store import StateStore
from citewell.watching.watch_store import WatchNewsItem, WatchRecord
from tests.contract.states import Kept
from tests.requirements import requires

SECRET = "xylophone"  # in everything that the owner stored; nobody else sends it
VICTIM = "acme/anna"
OTHERS = ("acme/otto", "other/anna", "default/anonymous")
IDS: dict[str, Any] = {
    "session_id": "session-1",
    "document_id": "document-1",
    "document_ids": ["document-1"],
    "job_id": "job-1",
    "job": "job-1",
    "thread_id": "thread-1",
    "thread": "thread-1",
    "claim_id": "claim-1",
    "workspace_id": "workspace-1",
    "token_id": "token-1",
    "watch_id": "watch-1",
    "query": "harbour seals",
    "key": "step",
}
# Parameters that need no value of the owner's: the default, or this.
FILLED: dict[str, Any] = {
    "step": b'"of another"',
    "body": b'"of another"',
    "version": 1,
    "change": lambda stored: pytest.fail(f"was given {stored}"),
    "outcome": ReconciledCall(cost=1),
    "event": ClaimEvent(happened=0.0, type="evidence_added", payload={}),
    "purpose": "memory",
    "limit": 10,
    "record": WatchRecord(id="watch-1", owner="", kind="query", definition={}, revision=1),
    "state": {},
    "due": 0.0,
    "news": (),
    "content": "{}",
}

# Methods that only make something of the caller's own, from values that are no ids of others.
CREATES_OWN = {
    "sessions.create_session",
    "jobs.create_job",
    "research.store_findings",
    "library.store_documents",
    "threads.add_message",
    "ledger.post_credit",
    "consents.save_decision",
    "workspaces.add_member",
    "workspaces.add_finding",
    "memories.add_memory",
    "watches.add_watch",
    "analytics.add_uses",
    "tokens.create_token",
    "mcp_sessions.open_session",
}
# Methods without an owner, and why they need none.
WITHOUT_OWNER = {
    "sessions.delete_expired": "a sweep",
    "sessions.forget_tagged_owner": "part of an erasure that another process made",
    "jobs.delete_old_jobs": "a sweep",
    "jobs.has_unfinished_jobs": "asked by the worker, answers yes or no",
    "library.rebuild_index": "upkeep by the operator",
    "ledger.ensure_account": "takes the keys of its owner",
    "consents.find_grants": "asked by the server about several contributors",
    "workspaces.list_members": "for the operator",
    "workspaces.delete_expired": "a sweep",
    "memories.delete_expired": "a sweep",
    "watches.delete_expired": "a sweep",
    "watches.list_due_watches": "asked by the process that checks them",
    "watches.list_untold_news": "asked by the process that tells the webhook",
    "watches.mark_news_told": "of the process that tells the webhook",
    "analytics.list_tenant": "for the operator",
    "tokens.find_token": "takes the secret itself",
    "mcp_sessions.keep_sessions": "takes the names of rows that this instance serves",
    "mcp_sessions.make_room": "for those who open a session, whoever they are",
    "mcp_sessions.list_messages": "for the instances, which know whose session it is",
    "mcp_sessions.hash_session_name": "reads nothing",
    "tokens.revoke_token": "for the operator",
}
OPERATORS_STORES = {
    "database",
    "vault",
    "master_key_source",
    "audit",
    "erasures",
    "leases",
    "notices",
    "circuits",
}


async def fill(state: StateStore, owner: str) -> None:
    head = f'"{SECRET}"'.encode()
    await state.sessions.create_session(owner, IDS["session_id"], head, [head])
    card = DocumentCard(id=IDS["document_id"], title=f"Harbour seals {SECRET}")
    document = LibraryDocument(card=card, text=f"Harbour seals sleep. {SECRET}")
    await state.library.store_documents(owner, [document])
    await state.ledger.post_credit(owner, 10**9, note=SECRET)
    asked = f"Where do harbour seals sleep? {SECRET}"
    order = JobOrder(
        kind="research", args={"q": SECRET}, thread=IDS["thread_id"], title=SECRET, question=asked
    )
    await state.jobs.create_job(owner, IDS["job_id"], order)
    claim = ResearchClaim(
        id=IDS["claim_id"],
        content=f"Harbour seals sleep {SECRET}",
        confidence=0.5,
        confidence_level="low",
    )
    found = ResearchFindings(
        query=asked, synthesis=SECRET, synthesis_by="extractive", claims=(claim,)
    )
    await state.research.store_findings(owner, IDS["job_id"], found)
    opened = SharedSession(path="/mcp", client_id=None, opening=f'"{SECRET}"')
    await state.mcp_sessions.open_session(owner, IDS["session_id"], opened, holder=owner)
    await fill_people(state, owner)


async def fill_people(state: StateStore, owner: str) -> None:
    tenant, user = owner.split("/")
    for purpose in CONSENT_PURPOSES:
        decision = ConsentRecord(
            tenant=tenant,
            user=user,
            purpose=purpose,
            granted=True,
            terms_version=SECRET,
            decided=1.0,
            decided_from=SECRET,
        )
        await state.consents.save_decision(owner, decision)
    note = f"Harbour seals sleep {SECRET}"
    await state.memories.add_memory(
        owner, MemoryRecord(id="memory-1", tenant=tenant, user=user, note=note)
    )
    watch = WatchRecord(
        id=IDS["watch_id"], owner=owner, kind="query", definition={"query": note}, due=1.0
    )
    news = WatchNewsItem(id="news-1", watch=watch.id, content={"text": note})
    await state.watches.add_watch(owner, watch, most=5, news=[news])
    member = WorkspaceMember(workspace_id=IDS["workspace_id"], tenant=tenant, user=user)
    await state.workspaces.add_member(owner, member)
    finding = SharedFinding(
        id="finding-1", workspace_id=IDS["workspace_id"], tenant=tenant, user=user, note=note
    )
    await state.workspaces.add_finding(owner, finding)
    uses = [ToolUse(tool=SECRET, at=1.0)]
    await state.analytics.add_uses(owner, tenant=tenant, user=user, uses=uses)


def list_owner_methods(state: StateStore) -> Iterator[tuple[str, Any]]:
    """Every public coroutine of the stores that keep something of owners, by "store.method"."""
    built = {name for name, value in vars(StateStore).items() if isinstance(value, cached_property)}
    for part in sorted(built | {name for name in vars(state) if not name.startswith("_")}):
        if part in OPERATORS_STORES:
            continue
        for name, method in inspect.getmembers(getattr(state, part), inspect.iscoroutinefunction):
            if not name.startswith("_"):
                yield f"{part}.{name}", method


def build_arguments(method: Any) -> dict[str, Any]:
    """What somebody else would send who knows every id; raises KeyError for an unknown parameter."""
    return {
        name: IDS[name] if name in IDS else FILLED[name]
        for name, parameter in inspect.signature(method).parameters.items()
        if name != "owner" and (name in IDS or parameter.default is parameter.empty)
    }


async def try_method(method: Any, owner: str) -> str:
    """What the call returned, or its refusal."""
    try:
        return repr(await method(owner, **build_arguments(method)))
    except CitewellError as error:
        return repr(error)


async def describe_content(state: StateStore) -> list[str]:
    """What the victim reads, in the order of the stores."""
    seen = [
        await state.sessions.load_session(VICTIM, IDS["session_id"]),
        await state.library.load_document(VICTIM, IDS["document_id"]),
        await state.ledger.list_transactions(VICTIM),
        await state.jobs.require_job_view(VICTIM, IDS["job_id"]),
        await state.threads.load_thread(VICTIM, IDS["thread_id"]),
        await state.threads.list_messages(VICTIM, IDS["thread_id"]),
        await state.research.load_findings(VICTIM, IDS["job_id"]),
        await state.research.list_claim_events(VICTIM, IDS["claim_id"]),
        await state.mcp_sessions.use_session(VICTIM, IDS["session_id"]),
        await state.mcp_sessions.list_messages(
            [await state.mcp_sessions.hash_session_name(IDS["session_id"])]
        ),
        await state.memories.export_owner(VICTIM),
        await state.watches.export_owner(VICTIM),
        await state.workspaces.export_owner(VICTIM),
        await state.consents.export_owner(VICTIM),
        await state.analytics.export_owner(VICTIM),
    ]
    return [repr(one) for one in seen]


@requires("tenant.every_method")
def test_no_method_of_a_store_gives_or_changes_what_another_owner_keeps(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        await fill(state, VICTIM)
        before, leaks, tried = await describe_content(state), [], 0
        for name, method in list_owner_methods(state):
            if name in CREATES_OWN or name in WITHOUT_OWNER:
                continue
            for owner in OTHERS:
                tried += 1
                if SECRET in await try_method(method, owner):
                    leaks.append(f"{name} as {owner}")
        return before, await describe_content(state), leaks, tried

    before, after, leaks, tried = store.run(scenario)

    assert leaks == []
    assert after == before
    assert all(SECRET in one for one in (*before[:2], *before[-4:]))
    assert tried > 100


@requires("tenant.every_method")
def test_every_method_of_a_store_takes_an_owner_or_says_why_not(store: Kept) -> None:
    async def scenario(state: StateStore) -> Any:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in list_owner_methods(state)
        }

    methods = store.run(scenario)

    without = {name for name, parameters in methods.items() if parameters[:1] != ["owner"]}
    assert without == {name for name in WITHOUT_OWNER if name in methods}
    assert CREATES_OWN | WITHOUT_OWNER.keys() <= methods.keys()
