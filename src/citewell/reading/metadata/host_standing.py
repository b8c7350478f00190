"""Looks up what is known of a host: its kind of source, authority and reputation, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from citewell.core.values.search_results import SourceReputation
from citewell.text import addresses
from citewell.text import addresses as registered_domains
from citewell.text.data_tables import load_table

UNKNOWN_KIND = "unknown"
# A subdomain's name says what its pages are, but nothing about who writes them.
_LABELLED_HOST_AUTHORITY = 0.5


def find_host_reputation(host: str) -> SourceReputation | None:
    """The reputation of the host or of its nearest listed parent domain; None if there is none."""
    standing = find_host_standing(host)
    if standing.reputation is None:
        return None
    return SourceReputation(
        tier=standing.reputation,
        basis=standing.basis,
        note=standing.note,
        as_of=_load_standing_table()["version"],  # the day on which the table was last reviewed
    )


# Looks up what is known of a host: its kind of source, authority and reputation, and why.


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStanding:
    kind: str  # such as journal, preprint, university, news, forum; `unknown` if nothing is known
    source_type: str  # one of the nine types of the tools' contract
    authority: float  # 0 to 1
    basis: str  # why, in one sentence
    reputation: str | None = None  # high, mixed or low, where it is documented
    note: str | None = None


def find_page_standing(url: str) -> HostStanding:
    """The standing of the host, refined by what the path says about the page."""
    standing = find_host_standing(addresses.extract_host(url))
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    for rule in _load_standing_table()["path_rules"]:
        if _is_path_rule_for(rule, standing.kind, url) and re.search(rule["pattern"], path):
            return refine_kind(standing, rule["kind"], rule["basis"])
    return standing


def find_host_standing(host: str) -> HostStanding:
    if not host or addresses.is_numeric_host(host):
        return _build_standing("unnamed_host", "The address has no host name.")
    for name in iterate_host_names(host):
        if name in _load_listed_hosts():
            return _load_listed_hosts()[name]
    return _apply_name_rules(host)


def find_subject(host: str) -> str | None:
    """The subject category of a listed host; None for any other."""
    subjects = _load_subjects()
    return next((subjects[name] for name in iterate_host_names(host) if name in subjects), None)


def iterate_host_names(host: str) -> Iterator[str]:
    """The host and its parents down to the registered domain, then the public suffix.

    On some platforms users have subdomains under a public suffix, so that it is listed itself.
    """
    floor = registered_domains.find_registered_domain(host)
    name = host
    while name:
        yield name
        if name == floor:
            break
        name = name.partition(".")[2]
    yield registered_domains.find_public_suffix(host)


def refine_kind(standing: HostStanding, kind: str, basis: str) -> HostStanding:
    """The standing with a finer kind, which may lower the authority of a host without a reputation."""
    facts = _load_standing_table()["kinds"][kind]
    known = standing.reputation is not None
    authority = standing.authority if known else min(standing.authority, facts["authority"])
    return replace(
        standing, kind=kind, source_type=facts["source_type"], authority=authority, basis=basis
    )


def get_source_type(kind: str) -> str:
    source_type: str = _load_standing_table()["kinds"][kind]["source_type"]
    return source_type


def _is_path_rule_for(rule: Mapping[str, Any], kind: str, url: str) -> bool:
    if "hosts" in rule:
        return not set(rule["hosts"]).isdisjoint(iterate_host_names(addresses.extract_host(url)))
    return kind in rule["kinds"] if "kinds" in rule else kind not in rule["not_kinds"]


def _apply_name_rules(host: str) -> HostStanding:
    table = _load_standing_table()
    ending = registered_domains.find_public_suffix(host).split(".")
    for rule in table["suffix_rules"]:
        if ending[0] in rule["labels"] and (len(ending) > 1) == rule.get("country", False):
            return _build_standing(rule["kind"], rule["basis"])
    for rule in table["host_patterns"]:
        if re.search(rule["pattern"], host):
            return _build_standing(rule["kind"], rule["basis"])
    first = host.removeprefix("www.").partition(".")[0]
    if host != registered_domains.find_registered_domain(host):
        for kind, labels in table["first_labels"].items():
            if first in labels:
                found = _build_standing(kind, f"Its host name begins with “{first}”.")
                return replace(found, authority=_LABELLED_HOST_AUTHORITY)
    return _build_standing(UNKNOWN_KIND, "Nothing is known of this host.")


def _build_standing(
    kind: str,
    basis: str,
    *,
    reputation: str | None = None,
    note: str | None = None,
    authority: float | None = None,
) -> HostStanding:
    table = _load_standing_table()
    facts = table["kinds"][kind]
    usual = table["reputation_authority"].get(reputation, facts["authority"])
    return HostStanding(
        kind=kind,
        source_type=facts["source_type"],
        authority=usual if authority is None else authority,
        basis=basis,
        reputation=reputation,
        note=note,
    )


def _load_standing_table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = load_table(__package__, "source_standing")
    return table


@cache
def _load_listed_hosts() -> Mapping[str, HostStanding]:
    listed = {}
    for group in _load_standing_table()["groups"]:
        facts = {name: value for name, value in group.items() if name not in {"kind", "hosts"}}
        standing = _build_standing(group["kind"], **facts)
        listed.update(dict.fromkeys(group["hosts"], standing))
    return listed


@cache
def _load_subjects() -> Mapping[str, str]:
    subjects: Mapping[str, Sequence[str]] = _load_standing_table()["subjects"]
    return {host: subject for subject, hosts in subjects.items() for host in hosts}
