"""The engine that needs no model and no key: it reads, compares and quotes, and invents nothing.

Its pure part (`registry`, `statements`, `analyse`) depends on its arguments alone: the same plan and
the same readings give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from citewell.model.research import Findings, Relation, Source, Tier
from citewell.services.research import claims, collect, followons, gaps, kinds, report
from citewell.services.research.claims import Built, Statement
from citewell.services.research.collect import Ports
from citewell.services.research.material import LOCAL, OWN, Leads, Plan, Reading, Readings
from citewell.services.research.plan import plan as planned
from citewell.services.research.study import Study, study
from citewell.text import shingles, urls

_POOL = 400  # sentences that are compared with one another
_CLAIMS = 60  # kept at most
_EACH_SIDE = 25  # sentences of one side at least, before the best of all fill the pool


def registry(readings: Readings, *, provider: str = LOCAL) -> tuple[Source, ...]:
    """Every page that was read, numbered in order; a copy names the page that it repeats."""
    pages = [page for page in readings.pages if page.read]
    return _registry(pages, shingles.copies([page.text for page in pages]), provider)


def _registry(pages: Sequence[Reading], copies: Sequence[int], provider: str) -> tuple[Source, ...]:
    return tuple(
        _source(page, place + 1, copies[place] + 1, provider) for place, page in enumerate(pages)
    )


def _source(page: Reading, number: int, first: int, provider: str) -> Source:
    own = page.url.startswith(OWN)
    return Source(
        ref=f"src_{number}",
        url=page.url,
        title=page.title,
        domain="library" if own else urls.display(page.url),
        type=kinds.kind(page.url, page_kind=page.page_kind),
        published=page.published,
        retrieved_at=page.retrieved_at,
        sha256=page.sha256,
        state=page.state,
        reputation=page.reputation,
        copy_of=None if first == number else f"src_{first}",
        providers=(provider,),
    )


def statements(
    plan: Plan, readings: Readings, *, refs: Mapping[str, str] | None = None
) -> tuple[Statement, ...]:
    """The sentences worth quoting, ready for `claims.build`; `refs` gives the src_N of an address."""
    return quoted(study(plan, readings), refs=refs)


def quoted(done: Study, *, refs: Mapping[str, str] | None = None) -> tuple[Statement, ...]:
    """The same for a study that is made already."""
    names = [
        (refs or {}).get(page.url) or f"src_{place + 1}" for place, page in enumerate(done.pages)
    ]
    return tuple(_statement(done, place, side, names) for place, side in _pool(done))


def _pool(done: Study) -> list[tuple[int, int]]:
    """The sentences that say something on the question, each with the side it serves best."""
    sides = range(len(done.plan.sides))
    best: dict[int, int] = {}
    for place in range(len(done.found)):
        # The question itself is the first side, and gets what no other side is about.
        fitting = [side for side in sides if done.answers(side, place)]
        if fitting:
            best[place] = max(fitting, key=lambda side: (done.scores[side][place], -side))

    def order(place: int) -> tuple[float, str, int]:
        return -done.scores[best[place]][place], done.found[place].text, place

    ranked = sorted(best, key=order)
    seeds = [
        place for side in sides for place in [at for at in ranked if best[at] == side][:_EACH_SIDE]
    ]
    kept = list(dict.fromkeys((*seeds, *ranked)))[:_POOL]
    return [(place, best[place]) for place in kept]


def _statement(done: Study, place: int, side: int, names: Sequence[str]) -> Statement:
    found = done.found[place]
    page = done.pages[found.page]
    start = found.before[0] if found.before else found.start
    return Statement(
        text=found.text,
        provider=LOCAL,
        source=names[found.page],
        owner=kinds.owner(page.url),
        worth=kinds.worth(kinds.kind(page.url, page_kind=page.page_kind), page.reputation),
        support=1.0,
        relation=Relation.SUPPORTS,
        snippet=page.text[start : found.end],
        start=start,
        end=found.end,
        facet=done.plan.sides[side].title,
        published=page.published,
        interest=done.scores[side][place],
        origin=names[found.page],
    )


def analyse(
    plan: Plan, readings: Readings, *, notes: Iterable[str] = (), salt: str = ""
) -> Findings:
    """Everything the pages say on the question: claims, evidence, disagreements and the report."""
    done = study(plan, readings)
    sources = _registry(done.pages, done.copies, LOCAL)
    built = _kept(claims.build(quoted(done), language=plan.language, salt=salt))
    not_found = tuple(
        plan.sides[side].title for side in gaps.missing(done) if side or not done.found
    )
    told = (*notes, *_unread(readings))
    return Findings(
        query=plan.query,
        synthesis=report.extractive(
            plan,
            built,
            sources,
            not_found=not_found,
            pages=len(done.pages),
            sentences=len(done.found),
        ),
        synthesis_by="extractive",
        sources=sources,
        claims=built.claims,
        evidence=built.evidence,
        value_tables=built.tables,
        follow_ons=followons.suggest(plan, built, not_found=not_found),
        not_found=not_found,
        notes=tuple(dict.fromkeys(told)),
    )


def _kept(built: Built) -> Built:
    """The claims nearest to the question, and those that others contradict, with their evidence."""
    ids = [claim.id for claim in built.claims[:_CLAIMS]]
    near = set(ids)
    paired = {each for pair in built.conflicts if near & set(pair) for each in pair}
    kept = {claim.id: claim for claim in built.claims if claim.id in near | paired}
    return Built(
        claims=tuple(kept.values()),
        evidence=tuple(one for one in built.evidence if one.claim_id in kept),
        tables=built.tables,
        conflicts=tuple(pair for pair in built.conflicts if set(pair) <= kept.keys()),
    )


def _unread(readings: Readings) -> tuple[str, ...]:
    lost = [page for page in readings.pages if not page.read]
    if not lost:
        return ()
    return (f"{len(lost)} of {len(readings.pages)} pages could not be read.",)


async def research(
    query: str, tier: Tier, ports: Ports, *, year: int | None = None, salt: str = ""
) -> Findings:
    """All rounds in one go, for callers without a durable job."""
    plan = planned(query, tier, year=year)
    readings, searched, notes = Readings(), list[str](), list[str]()
    wanted: Sequence[str] = plan.queries
    for _ in range(plan.rounds):
        leads = await collect.search_round(
            plan, ports, queries=wanted, known=[page.url for page in readings.pages]
        )
        searched += wanted
        notes += leads.notes
        fresh = await _read(leads, readings, plan, ports)
        if not fresh.pages:
            break
        readings = readings.joined(fresh)
        wanted = gaps.gaps(plan, readings, searched=searched)
        if not wanted:
            break
    return analyse(plan, readings, notes=notes, salt=salt)


async def _read(leads: Leads, readings: Readings, plan: Plan, ports: Ports) -> Readings:
    known = [page.url for page in readings.pages]
    chosen = collect.choose(leads, most=plan.pages - len(known), read=known)
    return await collect.fetch_round(chosen, ports)
