"""Says what of a draft left this machine, and to whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from citewell.services.judging.claim_judge import LEXICAL_NAME, NLI_NAME
from citewell.services.judging.statements.read_source import ReadSource
from citewell.services.trust.audit_findings import ExaminedEntry
from citewell.services.trust.finding_advice import join_registry_names
from citewell.services.trust.references import audited_references
from citewell.text.web.addresses import extract_host

_MAX_HOSTS = 12
_REFUSED_REASON = "refused"
NOTHING_SHARED = "Nothing of the draft left this machine."
_DRAFT_KEPT = "The draft itself was not sent anywhere."


def list_shared_facts(
    entries: Iterable[ExaminedEntry],
    reads: Iterable[ReadSource],
    judges: Sequence[str],
    *,
    searched_count: int = 0,
) -> tuple[str, ...]:
    """One sentence for each kind of thing that was sent, with its receivers."""
    every = tuple(entries)
    told = [
        *_describe_registries(every),
        *_describe_asked_sites(every, reads),
        *_describe_law(every),
        *_describe_judges(judges),
    ]
    if searched_count:
        told.append(
            f"The words of {_count(searched_count, 'statement')}: to the search providers"
            " (literature, and the web if that had nothing), as asked."
        )
    return (*told, _DRAFT_KEPT) if told else (NOTHING_SHARED,)


def _describe_registries(entries: Sequence[ExaminedEntry]) -> Iterable[str]:
    asked = [one for one in entries if one.finding.asked_registries]
    names = dict.fromkeys(name for one in asked for name in one.finding.asked_registries)
    if not names:
        return
    by_words = any(one.finding.searched_by_words for one in asked)
    what = "Identifiers, titles, authors and years" if by_words else "Identifiers"
    yield f"{what} of {_count(len(asked), 'reference')}: to {join_registry_names(tuple(names))}."


def _describe_asked_sites(
    entries: Sequence[ExaminedEntry], reads: Iterable[ReadSource]
) -> Iterable[str]:
    visited = [
        one for one in entries if one.link is not None and one.link.reason != _REFUSED_REASON
    ]
    cited = (audited_references.find_checked_address(one.reference) for one in visited)
    hosts = dict.fromkeys(filter(None, map(extract_host, (*cited, *(one.url for one in reads)))))
    if hosts:
        shown = ", ".join(list(hosts)[:_MAX_HOSTS])
        more = f" and {len(hosts) - _MAX_HOSTS} more" if len(hosts) > _MAX_HOSTS else ""
        yield f"Addresses of sources: to the sites themselves ({shown}{more})."
    lost = [one for one in visited if one.link is not None and not one.link.reachable]
    if lost:
        yield f"{_count(len(lost), 'address', 'addresses')} that did not answer: to the Internet Archive."


def _describe_law(entries: Sequence[ExaminedEntry]) -> Iterable[str]:
    cases = sum(one.case is not None for one in entries)
    if cases:
        yield f"{_count(cases, 'legal citation')}: to the registries of law."


def _describe_judges(judges: Sequence[str]) -> Iterable[str]:
    away = [name for name in dict.fromkeys(judges) if name not in {LEXICAL_NAME, NLI_NAME, ""}]
    if away:
        yield f"Single statements with passages of their sources: to the judge {', '.join(away)}."


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
