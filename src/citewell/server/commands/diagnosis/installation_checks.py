"""The doctor's checks besides providers: Python, extras, settings, data directory, state, cache, routing, lenses, models."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from citewell.core import environment
from citewell.core.config import Settings, list_settings
from citewell.core.errors import CitewellError
from citewell.core.tooling import Owner
from citewell.core.values.counted_words import pluralize
from citewell.evidence.encoding.encoders import find_model_folder, find_server_address
from citewell.evidence.encoding.passage_similarity import PassageSimilarity
from citewell.evidence.judging.claim_judge import NLI_NAME, ClaimJudge, ClaimPair, Judgement
from citewell.evidence.judging.claim_judging import ClaimJudging, JudgeContext
from citewell.evidence.settings import EvidenceSettings
from citewell.evidence.signs.claim_support import SourceText
from citewell.routing.ports import ProviderSpec
from citewell.server.app import App
from citewell.server.reference.setting_files import ENVIRONMENT_ONLY_SETTINGS, list_site_entries
from citewell.server.state.state_check import (
    KEY_FAULTS,
    StateCondition,
    StateFault,
    check_stored_state,
    classify_state_error,
)
from citewell.server.state.state_store import has_stored_state
from citewell.store.cache_store import CACHE_FILE, CACHE_KEY_FILE
from citewell.store.failures import StoreError
from citewell.store.master_keys import choose_master_key_source
from citewell.store.settings import STATE_FILE, StoreSettings
from citewell.store.sql.postgres_database import PostgresDatabase

_STATE_NAME, _KEY_NAME = "stored state", "master key"
_KEY_CHANGE = "CITEWELL_MASTER_KEY=… (the key that the data was encrypted with)"
_RESTORE_CHANGE = "citewell restore <a file that `citewell backup` wrote>"
_CHANGES = {
    StateFault.DAMAGED: _RESTORE_CHANGE,
    StateFault.EMPTIED: _RESTORE_CHANGE,
    StateFault.TOO_NEW: "upgrade citewell, or set another CITEWELL_DATA_DIR",
    StateFault.SERVER_TOO_OLD: "upgrade PostgreSQL to version 14 or newer",
    StateFault.READ_ONLY: "CITEWELL_DATABASE_URL=… (a server that can be written)",
    StateFault.FULL: "free space on the disk of the database, or make it larger",
}
_KEY_DETAILS = {
    StateCondition.ABSENT: "nothing is stored yet",
    StateCondition.UNUSED: "nothing is encrypted yet",
    StateCondition.READABLE: "it decrypts the stored data",
}

_SETTING_PREFIX = "CITEWELL_"
_EXTRA_PATTERN = re.compile(r"([\w.-]+).*;.*\bextra == ['\"]([\w-]+)['\"].*")
_PROBE_TEXT = "What is an encoder?"
SEMANTIC_LIBRARIES = ("onnxruntime", "tokenizers")
INSTALL_COMMAND = 'pip install "citewell[semantic]"'

_PROBE_PAIR = ClaimPair(
    claim="The bridge was finished in 1932.",
    source=SourceText(
        text="Workers finished the bridge in 1932. It spans the river.", language="en"
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationCheck:
    name: str
    state: str = "ok"  # or warning, or failed
    detail: str
    change: str = ""


def check_extras() -> InstallationCheck:
    """Which of the extras that the package declares are installed."""
    try:
        requires = metadata.requires("citewell") or []
    except metadata.PackageNotFoundError:
        return InstallationCheck(
            name="extras",
            state="warning",
            detail="citewell is not installed as a package, so its extras are unknown",
        )
    parts = {
        found[2]: found[1]
        for line in requires
        if (found := _EXTRA_PATTERN.fullmatch(line)) and found[2] != "all"
    }
    there = [extra for extra, library in parts.items() if _is_installed(library)]
    absent = [extra for extra in parts if extra not in there]
    detail = (
        f"installed: {', '.join(there) or 'none'}; not installed: {', '.join(absent) or 'none'}"
    )
    change = f'pip install "citewell[{",".join(absent)}]" (optional)' if absent else ""
    return InstallationCheck(name="extras", detail=detail, change=change)


def _is_installed(library: str) -> bool:
    try:
        metadata.version(library)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_config_file(environ: Mapping[str, str]) -> InstallationCheck:
    path = environment.find_config_path(environ)
    if path.is_file():
        return InstallationCheck(name="configuration file", detail=str(path))
    named = environ.get(environment.CONFIG_FILE_VARIABLE)
    return InstallationCheck(
        name="configuration file",
        state="warning" if named else "ok",
        detail=f"none; {path} is read if it exists",
        change=f"create the file {environment.CONFIG_FILE_VARIABLE} names, or unset it"
        if named
        else "",
    )


def check_setting_names(settings: Settings, specs: Iterable[ProviderSpec]) -> InstallationCheck:
    """Warns of unknown names that start with CITEWELL_, which are usually misspelt."""
    known = collect_setting_names(specs)
    strangers = sorted(
        name for name in settings.raw if name.startswith(_SETTING_PREFIX) and name not in known
    )
    changes = []
    for name in strangers:
        close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.8)
        changes.append(f"write {close[0]} instead of {name}" if close else f"unset {name}")
    if not strangers:
        return InstallationCheck(name="setting names", detail="every CITEWELL_ setting is known")
    return InstallationCheck(
        name="setting names",
        state="warning",
        detail=f"unknown: {', '.join(strangers)}",
        change="; ".join(changes),
    )


def collect_setting_names(specs: Iterable[ProviderSpec]) -> frozenset[str]:
    ours = {
        name
        for setting in list_settings()
        for name in (setting.name, setting.other_name)
        if name is not None
    }
    theirs = {
        name
        for spec in specs
        for name in (spec.base_url_env, *(option.env for option in spec.options))
    }
    of_sites = {entry.name for entry in list_site_entries()}
    return frozenset(ours | theirs | of_sites | set(ENVIRONMENT_ONLY_SETTINGS))


def check_data_directory(settings: Settings) -> InstallationCheck:
    """Whether the data directory is writable, or can be created; it is not created here."""
    path = settings[StoreSettings].data_path
    if reason := _describe_unusable_directory(path):
        return InstallationCheck(
            name="data directory",
            state="warning",
            detail=f"{reason}; answers are cached only in memory",
            change="CITEWELL_DATA_DIR=<a directory you can write to>",
        )
    detail = str(path) if path.exists() else f"{path}, created on first use"
    return InstallationCheck(name="data directory", detail=detail)


def _describe_unusable_directory(path: Path) -> str:
    """Why nothing can be written into the directory; empty if it can, or if it can be created."""
    present = next((place for place in (path, *path.parents) if place.exists()), path)
    if not present.is_dir():
        return f"{path} cannot be used, because {present} is not a directory"
    if not os.access(present, os.W_OK | os.X_OK):
        return f"{path} cannot be used, because {present} is not writable"
    return ""


def check_cache(settings: Settings, warnings: Iterable[str]) -> InstallationCheck:
    """Whether the cache is on and works; `warnings` are those of the store, after a first lookup."""
    store_settings = settings[StoreSettings]
    if not store_settings.cache_enabled:
        return InstallationCheck(
            name="cache", state="warning", detail="off", change="CITEWELL_CACHE=true"
        )
    problems = " ".join(warnings)
    if not problems and not is_cache_remote(settings):
        problems = _describe_unusable_directory(settings[StoreSettings].cache_path)
    if problems:
        return InstallationCheck(name="cache", state="warning", detail=problems)
    place = (
        "PostgreSQL"
        if settings[StoreSettings].database_url
        else str(settings[StoreSettings].cache_path)
    )
    place = "Redis" if settings[StoreSettings].redis_url else place
    return InstallationCheck(
        name="cache", detail=f"encrypted with {_describe_cache_key(settings)}, in {place}"
    )


def is_cache_remote(settings: Settings) -> bool:
    """True if the cache is kept by a database server, so that a lookup would be a request."""
    store_settings = settings[StoreSettings]
    return bool(store_settings.redis_url or store_settings.database_url)


def has_cache_files(settings: Settings) -> bool:
    """True if a lookup would find the cache's files and create none."""
    store_settings = settings[StoreSettings]
    key_is_there = store_settings.cache_key or (store_settings.data_path / CACHE_KEY_FILE).exists()
    return bool(key_is_there) and (store_settings.cache_path / CACHE_FILE).exists()


def _describe_cache_key(settings: Settings) -> str:
    store_settings = settings[StoreSettings]
    if store_settings.cache_key:
        return "CACHE_ENCRYPTION_KEY"
    if is_cache_remote(settings):
        return "a key derived from the master key"
    return f"the key file {Path(store_settings.data_path, CACHE_KEY_FILE)}"


def check_routing(
    problem: CitewellError | None, warnings: Iterable[str], chain: Iterable[str]
) -> InstallationCheck:
    """The providers that web search asks, in their order, or why there are none."""
    if problem is not None:
        return InstallationCheck(name="routing", state="failed", detail=problem.message)
    problems = " ".join(warnings)
    order = ", ".join(chain)
    return InstallationCheck(
        name="routing",
        state="warning" if problems else "ok",
        detail=f"web search asks {order}. {problems}".strip(),
    )


def check_lenses(names: Iterable[str], warnings: Iterable[str]) -> InstallationCheck:
    problems = " ".join(warnings)
    return InstallationCheck(
        name="lenses",
        state="warning" if problems else "ok",
        detail=f"{len([*names])} known. {problems}".strip(),
    )


# The doctor's checks of the stored state and of the master key that decrypts it.


async def check_state(app: App, *, offline: bool) -> tuple[InstallationCheck, ...]:
    """Whether the stored state can be read, and whether the master key decrypts it.

    On PostgreSQL also whether something can be stored. Creates neither state nor key.
    """
    store_settings = app.settings[StoreSettings]
    try:
        place = choose_master_key_source(app.settings).location
        # Raises for a malformed key or an unreadable file; a key file of our own is not created.
        if store_settings.master_key or store_settings.master_key_file:
            choose_master_key_source(app.settings).load_master_keys()
        if offline and store_settings.database_url:
            detail = f"{place}; not compared with the database with --offline"
            return (
                InstallationCheck(name=_STATE_NAME, detail="PostgreSQL; not asked with --offline"),
                InstallationCheck(name=_KEY_NAME, detail=detail),
            )
        condition = await check_stored_state(app.open_state(), app.settings)
        database = app.open_state().database
        if isinstance(database, PostgresDatabase):
            await database.check_writing()
    except StoreError as error:
        fault = classify_state_error(error)
        if fault in KEY_FAULTS or not has_stored_state(app.settings):
            return (_build_state_failure(_KEY_NAME, error, _KEY_CHANGE),)
        return (_build_state_failure(_STATE_NAME, error, _CHANGES.get(fault, "")),)
    except CitewellError as error:  # a key that is malformed
        return (_build_state_failure(_KEY_NAME, error, _KEY_CHANGE),)
    return (
        InstallationCheck(name=_STATE_NAME, detail=_describe_state(app, condition)),
        InstallationCheck(name=_KEY_NAME, detail=f"{place}; {_KEY_DETAILS[condition]}"),
    )


def _build_state_failure(name: str, error: CitewellError, change: str) -> InstallationCheck:
    return InstallationCheck(name=name, state="failed", detail=error.message, change=change)


def _describe_state(app: App, condition: StateCondition) -> str:
    store_settings = app.settings[StoreSettings]
    if store_settings.database_url:
        return "PostgreSQL; it can be read and written"
    path = store_settings.data_path / STATE_FILE
    return f"{path}, created on first use" if condition is StateCondition.ABSENT else str(path)


async def check_judge(app: App, *, offline: bool, paid: bool) -> InstallationCheck:
    """Which judge decides, and whether it answers; a model that costs something only with `paid`."""
    judging = app.require_service(ClaimJudging)
    if judging.is_lexical:
        if app.settings[EvidenceSettings].judge_model:
            detail = "lexical; CITEWELL_JUDGE_MODEL is set but not used"
            return InstallationCheck(
                name="judge", state="warning", detail=detail, change="CITEWELL_JUDGE=nli"
            )
        return InstallationCheck(name="judge", detail="lexical: words are compared")
    if judging.kind == NLI_NAME and not has_semantic_libraries():
        detail = "nli needs the extra `semantic`; words decide instead"
        return InstallationCheck(
            name="judge", state="warning", detail=detail, change=INSTALL_COMMAND
        )
    try:
        judge = await judging.open_chosen_judge(JudgeContext(owner=str(Owner())))
        is_free = judging.kind == NLI_NAME or judge.is_local
        if (not is_free and not paid) or (offline and judging.kind != NLI_NAME):
            return InstallationCheck(name="judge", detail=f"{judge.name}, not tried")
        return await _try_chosen_judge(judge)
    except CitewellError as error:
        return InstallationCheck(
            name="judge",
            state="warning",
            detail=f"{error.message} Words decide instead.",
            change=error.remedy or "mend CITEWELL_JUDGE, or set CITEWELL_JUDGE=lexical",
        )


async def _try_chosen_judge(judge: ClaimJudge) -> InstallationCheck:
    [verdict] = await judge.judge_claims([_PROBE_PAIR])
    if isinstance(verdict, Judgement):
        detail = f"{judge.name} works: it says {verdict.relation.value}"
        return InstallationCheck(name="judge", detail=detail)
    detail = f"{judge.name} answers, but not usably: {verdict.reason}"
    return InstallationCheck(name="judge", state="warning", detail=detail)


# The doctor's check of the encoder: which one is chosen, and whether it works.


def has_semantic_libraries() -> bool:
    """Whether the libraries that run a local model are installed; they are not loaded."""
    return all(importlib.util.find_spec(name) for name in SEMANTIC_LIBRARIES)


async def check_encoder(app: App, *, offline: bool) -> InstallationCheck:
    """Whether passages are ranked by meaning, and with what; a server is not asked with `offline`."""
    server, folder = find_server_address(app.settings), find_model_folder(app.settings)
    if server is None and folder is None:
        return _describe_absence(app)
    if server is not None and offline:
        return InstallationCheck(name="encoder", detail=f"{server}, not tried")
    if folder is not None and not has_semantic_libraries():
        detail = f"{folder} cannot be used without the extra `semantic`; words alone rank"
        return InstallationCheck(
            name="encoder", state="warning", detail=detail, change=INSTALL_COMMAND
        )
    return await _try_encoder(app, str(server or folder))


def _describe_absence(app: App) -> InstallationCheck:
    if app.settings[EvidenceSettings].encoder.strip().lower() not in {"", "auto"}:
        return InstallationCheck(name="encoder", detail="off; words alone rank passages")
    detail = "none; words alone rank passages"
    steps = ["citewell data encoder"]
    if not has_semantic_libraries():
        steps.insert(0, INSTALL_COMMAND)
    change = f"{' && '.join(steps)} (optional)"
    return InstallationCheck(name="encoder", detail=detail, change=change)


async def _try_encoder(app: App, place: str) -> InstallationCheck:
    try:
        encoder = await app.require_service(PassageSimilarity).find_encoder()
        vectors = await encoder.embed_texts([_PROBE_TEXT]) if encoder is not None else ()
    except CitewellError as error:
        detail = f"{error.message} Words alone rank passages."
        change = error.remedy or "mend CITEWELL_ENCODER, or set CITEWELL_ENCODER=off"
        return InstallationCheck(name="encoder", state="warning", detail=detail, change=change)
    sizes = ", ".join(f"{len(vector)} {pluralize(len(vector), 'dimension')}" for vector in vectors)
    return InstallationCheck(name="encoder", detail=f"{place} works: {sizes}")
