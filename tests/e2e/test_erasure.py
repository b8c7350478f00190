"""A marker planted everywhere for one user is nowhere after the erasure; kill -9 loses nothing."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from citewell.audit.audit_recorder import UNVERIFIED_OWNER
from citewell.audit.audit_verification import verify_audit_log
from citewell.core import config
from citewell.core.tooling import Owner
from citewell.core.values.research import ResearchClaim, ResearchFindings
from citewell.jobs.durable_job import JobOrder
from citewell.library.library_rows import DocumentCard, LibraryDocument
from citewell.server.app import App
from citewell.server.http.hosting import ErasureWatch, build_layered_app
from citewell.watching.watch_store import WatchNewsItem, WatchRecord
from tests.requirements import requires
from tests.services import postgres_or_skip, redis_or_skip

MARKER, OTHER = "zyxplanted", "zyxstaying"
ADMIN = {"x-admin-key": "an admin key of 2026"}
ANN, BEN = Owner(tenant="acme", user="ann"), Owner(tenant="acme", user="ben")
BACKENDS: dict[str, Callable[[], dict[str, str]]] = {
    "sqlite": dict,
    "postgres": lambda: {"CITEWELL_DATABASE_URL": postgres_or_skip().new()},
    "redis": lambda: {"REDIS_URL": redis_or_skip()},
}
FEATURES = {
    "ADMIN_API_KEY": ADMIN["x-admin-key"],
    "MEMORY_ENABLED": "true",
    "WORKSPACES_ENABLED": "true",
    "USER_ANALYTICS_ENABLED": "true",
    "MONITORING_ENABLED": "true",
    "AUDIT_ENABLED": "true",
    "AUDIT_INCLUDE_REQUEST_BODY": "true",
}


@pytest.fixture(params=sorted(BACKENDS))
def settings(
    request: pytest.FixtureRequest, environ: dict[str, str], tmp_path: Path
) -> dict[str, str]:
    audit = {"AUDIT_OUTPUT_PATH": str(tmp_path / "data" / "audit.jsonl")}
    return environ | FEATURES | audit | BACKENDS[request.param]()


async def plant(app: App, client: httpx2.AsyncClient, owner: Owner, word: str) -> None:
    """`word` in everything that this user can leave behind."""
    who = {"tenant_id": owner.tenant, "user_id": owner.user}
    for purpose in ("memory", "analytics", "workspace", "monitoring"):
        consent = who | {"purpose": purpose, "granted": True, "terms_version": word}
        assert (await client.post("/admin/consent", json=consent)).status_code == 200
    member = who | {"workspace_id": f"lab {word}"}
    assert (await client.post("/admin/workspace/members", json=member)).status_code == 200
    step = {"searchStep": f"about {word}", "stepNumber": 1, "totalStepsEstimate": 1}
    calls: dict[str, dict[str, Any]] = {
        "sequential_search": step | {"nextStepNeeded": False},
        "web_search": {"query": f"http caching {word}"},
        "memory_save": {"note": f"remember {word}", "tags": [word]},
        "workspace_contribute": {"workspace_id": f"lab {word}", "note": f"shared {word}"},
        "monitor_query_save": {"query": f"http caching {word}"},
        "get_my_analytics": {},
    }
    for name, arguments in calls.items():
        outcome = await app.call_tool(name, arguments, owner=owner)
        assert not outcome.is_error, (name, outcome)
    failed = await app.call_tool("web_search", {"query": "x", "provider": word}, owner=owner)
    assert failed.is_error
    await plant_in_stores(app, str(owner), word)


async def plant_in_stores(app: App, owner: str, word: str) -> None:
    """What only long jobs and files would make."""
    state = app.open_state()
    card = DocumentCard(id=word, title=f"Title {word}", tags=(word,))
    await state.library.store_documents(owner, [LibraryDocument(card=card, text=f"On {word}.")])
    job, thread = f"job of {owner}", f"thread of {owner}"
    order = JobOrder(kind="none", args={"q": word}, thread=thread, title=word, question=word)
    await state.jobs.create_job(owner, job, order)
    claim = ResearchClaim(id="c", content=word, confidence=0.5, confidence_level="low")
    found = ResearchFindings(query=word, synthesis=word, synthesis_by="extractive", claims=(claim,))
    await state.research.store_findings(owner, job, found)
    await state.ledger.post_credit(owner, 10**9, note=word)
    watch = WatchRecord(
        id=f"watch of {owner}", owner=owner, kind="references", definition={"name": word}, due=4e9
    )
    news = WatchNewsItem(id=f"news of {owner}", watch=watch.id, content={"text": word})
    await state.watches.add_watch(owner, watch, most=5, news=[news])
    await app.store.artifacts.store_artifact(owner, f"artifact {word}".encode(), "text/plain")


def stored_bytes(settings: dict[str, str]) -> bytes:
    """Every byte in files of the product, in the database's files, and in Redis."""
    folder = Path(settings["CITEWELL_DATA_DIR"])
    found = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    if url := settings.get("CITEWELL_DATABASE_URL"):
        postgres, database = postgres_or_skip(), url.split("/")[3].partition("?")[0]
        postgres.ask("CHECKPOINT", database=database)
        sql = "SELECT oid FROM pg_database WHERE datname = current_database()"
        base = postgres.folder / "data/base" / postgres.ask(sql, database=database).strip()
        found += [file.read_bytes() for file in base.iterdir() if file.is_file()]
    if url := settings.get("REDIS_URL"):
        import redis

        with redis.Redis.from_url(url) as client:
            for key in client.scan_iter("citewell:*"):
                found += [key, client.dump(key) or b""]
    return b"".join(found)


def cached_values(app: App) -> bytes:
    """Every value that the memory of the cache holds."""
    memory = app.store.facts._memory
    held = [memory.find_recent_value(key) for key in memory.list_keys()]
    return b"".join(one.value for one in held if one is not None)


async def audited_text(app: App) -> str:
    rows = [row.build_line() async for row in app.open_state().audit.iterate_rows()]
    return json.dumps(rows)


async def archive_of(client: httpx2.AsyncClient, owner: Owner) -> Any:
    who = {"tenant_id": owner.tenant, "user_id": owner.user}
    return await client.get("/admin/data", params=who)


def require_planted(archive: dict[str, list[Any]]) -> None:
    """Every namespace has the marker, except where a user writes no text."""
    for namespace, items in archive.items():
        assert items or namespace == "api_tokens", namespace
        assert namespace in {"analytics", "api_tokens"} or MARKER in json.dumps(items), namespace


@requires("admin.erasure", "admin.analytics")
def test_nothing_of_the_marker_is_left_and_everything_of_others_is(
    settings: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="citewell")

    async def scenario() -> Any:
        app = App(config.load_settings(settings))
        transport = httpx2.ASGITransport(app=build_layered_app(app))
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers=ADMIN, timeout=30
        ) as client:
            await plant(app, client, ANN, MARKER)
            await plant(app, client, BEN, OTHER)
            usage = (await client.get("/admin/analytics", params={"tenant_id": "acme"})).json()
            before = [(await archive_of(client, one)).json()["data"] for one in (ANN, BEN)]
            planted = [MARKER in await audited_text(app), MARKER.encode() in cached_values(app)]
            who = {"tenant_id": ANN.tenant, "user_id": ANN.user}
            receipt = await client.delete("/admin/data", params=who)
            after = [await archive_of(client, one) for one in (ANN, BEN)]
            name = hashlib.sha256(f"artifact {OTHER}".encode()).hexdigest()
            kept = await app.store.artifacts.load_artifact(str(BEN), name)
            left = {
                "errors": app.recent.list_owner_errors(ANN),
                "cache": cached_values(app),
                "audit": await audited_text(app),
            }
            verdict = await verify_audit_log(app.open_state().audit)
        await app.aclose()
        return usage, before, planted, receipt, after, left, kept, verdict

    usage, before, planted, receipt, after, left, kept, verdict = asyncio.run(scenario())

    require_planted(before[0])
    assert usage["users"] == 2
    assert usage["totalCalls"] >= 10
    assert planted == [True, True]
    told = receipt.json()
    assert (receipt.status_code, told["status"]) == (200, "erased")
    assert MARKER not in receipt.text
    assert "ann" not in {*told["deleted"], told["subject"]}
    assert after[0].status_code == 404
    others = after[1].json()["data"]
    assert {name: items for name, items in others.items() if name != "audit"} == {
        name: items for name, items in before[1].items() if name != "audit"
    }
    assert kept.body == f"artifact {OTHER}".encode()
    assert left["errors"] == []
    assert MARKER.encode() not in left["cache"]
    assert MARKER not in left["audit"]
    assert OTHER in left["audit"]
    assert verdict.is_intact
    assert MARKER not in caplog.text
    assert MARKER.encode() not in stored_bytes(settings)


CHILD = """
import asyncio, os, signal, sys
from importlib import import_module
from citewell.cli import main

place, name = sys.argv[1].rsplit(".", 1)
module, kind = place.rsplit(".", 1)
owner = getattr(import_module(module), kind)
original = getattr(owner, name)

async def die(*args, **options):
    if sys.argv[2] == "after":
        await original(*args, **options)
    os.kill(os.getpid(), signal.SIGKILL)

setattr(owner, name, die)
main(["users", "erase", "acme", "ann", "--yes"])
"""


@requires("admin.erasure_resumes")
@pytest.mark.parametrize(
    ("place", "when"),
    [
        ("citewell.library.library_store.SqlLibraryStore.clear_for_erasure", "after"),
        ("citewell.store.sql.sqlite_database.SqliteDatabase.erase_rows", "after"),
        ("citewell.store.cache_store.CacheStore.erase_owner", "after"),
        ("citewell.people.erasure_store.SqlErasureStore.finish_erasure", "before"),
    ],
)
def test_an_erasure_ended_by_kill_9_is_completed_by_the_next_run(
    place: str, when: str, environ: dict[str, str]
) -> None:
    async def prepare() -> None:
        app = App(config.load_settings(environ))
        await plant_in_stores(app, str(ANN), MARKER)
        await app.aclose()

    asyncio.run(prepare())
    killed = subprocess.run(
        [sys.executable, "-c", CHILD, place, when],
        env=environ,
        check=False,
        capture_output=True,
        timeout=60,
    )

    done = subprocess.run(
        [sys.executable, "-m", "citewell", "users", "erase", "acme", "ann", "--yes"],
        env=environ,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert killed.returncode == -signal.SIGKILL
    assert done.returncode == 0, done.stderr
    receipt = json.loads(done.stdout)
    assert receipt["status"] == "erased"
    assert receipt["deleted"]["library_documents"] == receipt["deleted"]["jobs"] == 1

    async def look() -> Any:
        app = App(config.load_settings(environ))
        state = app.open_state()
        records = await state.erasures.list_erasures()
        names = await state.vault.list_owner_names()
        await app.aclose()
        return [(one.finished is not None, bool(one.keychain)) for one in records], names

    # The command's own audit row names nobody; its key is that of unverified callers.
    assert asyncio.run(look()) == ([(True, True)], [UNVERIFIED_OWNER])
    assert MARKER.encode() not in stored_bytes(environ)


@requires("admin.erasure")
def test_another_process_forgets_whoever_was_erased(environ: dict[str, str]) -> None:
    """A second server keeps answers, keys and errors in memory, which no deletion in a file reaches."""

    async def scenario() -> Any:
        serving, erasing = (App(config.load_settings(environ | FEATURES)) for _ in range(2))
        await serving.call_tool("web_search", {"query": f"http caching {MARKER}"}, owner=ANN)
        await serving.call_tool("web_search", {"query": "x", "provider": MARKER}, owner=ANN)
        await plant_in_stores(serving, str(ANN), MARKER)
        watch = ErasureWatch(serving)
        await watch.check_erasures()
        held = MARKER.encode() in cached_values(serving), serving.recent.list_owner_errors(ANN)
        await erasing.open_state().erase_owner(str(ANN))
        found = await watch.check_erasures()
        left = cached_values(serving), serving.recent.list_owner_errors(ANN)
        chain = await serving.open_state().vault.find_keychain(str(ANN))
        for app in (serving, erasing):
            await app.aclose()
        return held, found, left, chain

    held, found, left, chain = asyncio.run(scenario())

    assert held[0]
    assert held[1]
    assert found == 1
    assert left == (b"", [])
    assert chain is None
