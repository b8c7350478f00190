"""What the engine of our own and the paid providers found, as one registry and one set of claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from citewell.model.research import Findings, ProviderReport, Source
from citewell.services.research import claims, followons, gaps, kinds, local, report
from citewell.services.research.check import Check, uncited
from citewell.services.research.claims import Built
from citewell.services.research.material import LOCAL, Plan, Reading, Readings
from citewell.services.research.study import study
from citewell.text import shingles, urls

_CLAIMS = 120  # kept at most, of all providers together


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything a job has read and been told, before any of it is compared."""

    plan: Plan
    own: Readings = field(default_factory=Readings)  # pages that the engine of our own read
    cited: tuple[tuple[str, Reading], ...] = ()  # addresses that reports cite, and what was there
    reports: tuple[ProviderReport, ...] = ()
    notes: tuple[str, ...] = ()


def combined(
    gathered: Gathered, *, salt: str, archived: Mapping[str, str] | None = None
) -> Findings:
    """The same material gives the same bytes; `archived` has copies of pages that are gone."""
    pages = _pages(gathered)
    sources = _registry(gathered, pages, archived or {})
    refs = {urls.key(source.url): source.ref for source in sources}
    told = {urls.key(url): refs[urls.key(page.url)] for url, page in gathered.cited} | refs
    done = study(gathered.plan, gathered.own)
    said = list(local.quoted(done, refs=_named(gathered.own, refs)))
    check = Check(_by_key(gathered), told)
    for one in gathered.reports:
        said += check.statements(gathered.plan, one)
    built = _kept(claims.build(said, language=gathered.plan.language, salt=salt))
    missing = tuple(
        gathered.plan.sides[side].title for side in gaps.missing(done) if side or not done.found
    )
    not_found = missing if gathered.own.pages else ()
    return Findings(
        query=gathered.plan.query,
        synthesis=report.extractive(
            gathered.plan,
            built,
            sources,
            not_found=not_found,
            pages=sum(1 for page in pages if page.read),
            sentences=len(done.found),
        ),
        synthesis_by="extractive",
        sources=sources,
        claims=built.claims,
        evidence=built.evidence,
        value_tables=built.tables,
        follow_ons=followons.suggest(gathered.plan, built, not_found=not_found),
        not_found=not_found,
        notes=tuple(dict.fromkeys((*gathered.notes, *uncited(gathered.reports), *_verdict(built)))),
    )


def _pages(gathered: Gathered) -> tuple[Reading, ...]:
    """Every page once: those we found, then those that were cited."""
    first: dict[str, Reading] = {}
    for page in (*gathered.own.pages, *(page for _, page in gathered.cited)):
        key = urls.key(page.url)
        if key not in first or (page.read and not first[key].read):
            first[key] = page
    own = {urls.key(page.url) for page in gathered.own.pages if page.read}
    cited = {urls.key(page.url) for _, page in gathered.cited}
    return tuple(page for key, page in first.items() if key in own | cited)


def _by_key(gathered: Gathered) -> dict[str, Reading]:
    found = {urls.key(page.url): page for page in gathered.own.pages}
    return found | {urls.key(url): page for url, page in gathered.cited}


def _named(readings: Readings, refs: Mapping[str, str]) -> dict[str, str]:
    return {page.url: refs[urls.key(page.url)] for page in readings.pages if page.read}


def _registry(
    gathered: Gathered, pages: Sequence[Reading], archived: Mapping[str, str]
) -> tuple[Source, ...]:
    read = [place for place, page in enumerate(pages) if page.read]
    copies = shingles.copies([pages[place].text for place in read])
    first = {read[at]: read[origin] for at, origin in enumerate(copies)}
    who = _finders(gathered)
    return tuple(
        _source(page, place, first.get(place, place), who[urls.key(page.url)], archived)
        for place, page in enumerate(pages)
    )


def _finders(gathered: Gathered) -> dict[str, tuple[str, ...]]:
    """Who found or cited each page."""
    names: dict[str, dict[str, None]] = {}
    for page in gathered.own.pages:
        names.setdefault(urls.key(page.url), {})[LOCAL] = None
    landed = {urls.key(url): urls.key(page.url) for url, page in gathered.cited}
    for one in gathered.reports:
        for url in _mentioned(one):
            key = urls.key(url)
            names.setdefault(landed.get(key, key), {})[one.provider] = None
    for _, page in gathered.cited:
        names.setdefault(urls.key(page.url), {})
    return {key: tuple(found) for key, found in names.items()}


def _mentioned(one: ProviderReport) -> Iterable[str]:
    return dict.fromkeys(cited.url for cited in one.citations)


def _source(
    page: Reading, place: int, first: int, who: tuple[str, ...], archived: Mapping[str, str]
) -> Source:
    return Source(
        ref=f"src_{place + 1}",
        url=page.url,
        title=page.title,
        domain=urls.display(page.url),
        type=kinds.kind(page.url, page_kind=page.page_kind),
        published=page.published,
        retrieved_at=page.retrieved_at,
        sha256=page.sha256,
        state=page.state,
        reputation=page.reputation,
        archived_url=archived.get(page.url),
        copy_of=None if first == place else f"src_{first + 1}",
        providers=who,
    )


def _kept(built: Built) -> Built:
    ids = {claim.id for claim in built.claims[:_CLAIMS]}
    ids |= {each for pair in built.conflicts if ids & set(pair) for each in pair}
    return Built(
        claims=tuple(claim for claim in built.claims if claim.id in ids),
        evidence=tuple(one for one in built.evidence if one.claim_id in ids),
        tables=built.tables,
        conflicts=tuple(pair for pair in built.conflicts if set(pair) <= ids),
    )


def _verdict(built: Built) -> tuple[str, ...]:
    """How the citations fared, in a line for each way to fail."""
    words = {
        "unsupported": ("is not borne out by what it cites", "are not borne out by what they cite"),
        "number_not_found": (
            "gives a number that its source does not",
            "give numbers that their sources do not",
        ),
        "never_existed": ("cites a page that does not exist", "cite pages that do not exist"),
        "unreachable": (
            "cites a page that could not be read",
            "cite pages that could not be read",
        ),
    }
    counts = {flag: sum(1 for claim in built.claims if flag in claim.flags) for flag in words}
    return tuple(
        f"1 claim {words[flag][0]}." if count == 1 else f"{count} claims {words[flag][1]}."
        for flag, count in counts.items()
        if count
    )
