"""What a round left open, and what to search for next: the words of the best sentences lead on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from citewell.services.research.material import Plan, Readings
from citewell.services.research.study import ADDRESSED, Study, study
from citewell.text import stopwords, tokens
from citewell.text.bags import bag

_TOP = 6  # sentences whose words lead on
_NEW = 3  # words added to a query
_LONGEST = 300  # characters of a query


def gaps(plan: Plan, readings: Readings, *, searched: Iterable[str] = ()) -> tuple[str, ...]:
    """Queries for the sides on which nothing, or one source alone, was found; empty when none is."""
    return queries(study(plan, readings), searched=searched)


def queries(done: Study, *, searched: Iterable[str] = ()) -> tuple[str, ...]:
    plan = done.plan
    asked = {query.lower() for query in searched}
    wanted = [_query(done, side) for side in open_sides(done)]
    wanted += [plan.sides[side].query for side in missing(done)]
    fresh = dict.fromkeys(query for query in wanted if query and query.lower() not in asked)
    return tuple(fresh)[: plan.further]


def missing(done: Study) -> tuple[int, ...]:
    """Sides about which no sentence says anything."""
    places = range(len(done.found))
    return tuple(
        side
        for side in range(len(done.plan.sides))
        if not any(done.answers(side, place) for place in places)
    )


def open_sides(done: Study) -> tuple[int, ...]:
    """Sides with fewer than two owners of sources, the emptiest first."""
    owners = {side: len(_owners(done, side)) for side in range(len(done.plan.sides))}
    return tuple(
        sorted((side for side in owners if owners[side] < 2), key=lambda side: (owners[side], side))
    )


def _owners(done: Study, side: int) -> set[str]:
    return {done.owner(place) for place in range(len(done.found)) if done.answers(side, place)}


def _query(done: Study, side: int) -> str:
    """The side's subject with the rarest new words of the sentences nearest to it."""
    about = done.plan.sides[side].about or done.plan.sides[side].query
    return " ".join([about, *_leading(done, side)])[:_LONGEST]


def _leading(done: Study, side: int) -> list[str]:
    held = bag(
        f"{done.plan.query} {done.plan.sides[side].query}", language=done.plan.language
    ).terms
    order = sorted(
        range(len(done.found)), key=lambda at: (-done.scores[side][at], done.found[at].text)
    )
    best = [at for at in order[:_TOP] if done.coverage[side][at] >= ADDRESSED / 2]
    counts: Counter[str] = Counter()
    for at in best:
        counts.update(done.found[at].bag.terms - held)
    weights = {
        stem: counts[stem] * done.corpus.weigh(stem) for stem in counts if not stem[0].isdigit()
    }
    stems = sorted(weights, key=lambda stem: (-round(weights[stem], 6), stem))[:_NEW]
    words = _words(done, best)
    return [words[stem] for stem in stems if stem in words]


def _words(done: Study, best: list[int]) -> dict[str, str]:
    """Each stem as the sentences spell it first."""
    code = (done.plan.language or "en")[:2]
    plain = stopwords.listed(done.plan.language)
    spelt: dict[str, str] = {}
    for at in best:
        for word in tokens.words(done.found[at].text):
            if word not in plain:
                spelt.setdefault(tokens.stem(word, code), word)
    return spelt
