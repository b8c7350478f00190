"""The sentences of all pages, each scored for every side of the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from citewell.services.research import kinds
from citewell.services.research.candidates import Candidate, candidates
from citewell.services.research.material import Plan, Reading, Readings
from citewell.text import shingles, similar
from citewell.text.bags import Bag, bag
from citewell.text.rank import Corpus, answering, combine

ADDRESSED = 0.5  # of the weight of a side's words, for a sentence that speaks to all of it
_SUBJECT = 0.5  # of the weight that a side's words have among pages
_CONTEXT = 0.5  # what words of the title and the heading count
_ANSWER, _CUE, _LEANING = (
    0.1,
    0.1,
    0.05,
)  # what fits the kind of question, its side; what needs context
_DIGITS = 6
_NEARLY, _ENOUGH, _LEAST = 0.75, 0.4, 0.25  # of the best sentence's share; the bar is between these
_Side = tuple[tuple[float, ...], tuple[float, ...], tuple[bool, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """For each side its sentences' scores, and how much of the side's words each one holds."""

    plan: Plan
    pages: tuple[Reading, ...]  # those that were read
    copies: tuple[int, ...]  # for each page the first one it repeats, or itself
    found: tuple[Candidate, ...]
    corpus: Corpus
    scores: tuple[tuple[float, ...], ...]
    coverage: tuple[tuple[float, ...], ...]
    cued: tuple[tuple[bool, ...], ...]
    bars: tuple[float, ...]  # what a sentence's coverage must reach, for each side

    def owner(self, candidate: int) -> str:
        return kinds.owner(self.pages[self.found[candidate].page].url)

    def answers(self, side: int, candidate: int) -> bool:
        """Whether a sentence is about this side, as far as any is."""
        return self.cued[side][candidate] and self.coverage[side][candidate] >= self.bars[side]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What every side is scored from."""

    found: Sequence[Candidate]
    priors: Sequence[float]
    titles: Sequence[Bag]  # of the pages
    headings: frozenset[str]
    pages: Corpus  # each page as one bag: what is rare among pages is what they are about


def study(plan: Plan, readings: Readings) -> Study:
    pages = tuple(page for page in readings.pages if page.read)
    copies = shingles.copies([page.text for page in pages])
    originals = [place for place, first in enumerate(copies) if place == first]
    found = candidates(pages, among=originals)
    corpus = Corpus([_leant(one, pages) for one in found])
    known = _Known(
        found=found,
        priors=_priors(plan, pages, found),
        titles=[bag(page.title, language=page.language) for page in pages],
        headings=frozenset(one.heading for one in found),
        pages=_whole(pages, found),
    )
    sides = [_side(plan, number, corpus, known) for number in range(len(plan.sides))]
    return Study(
        plan=plan,
        pages=pages,
        copies=copies,
        found=found,
        corpus=corpus,
        scores=tuple(scores for scores, _, _ in sides),
        coverage=tuple(covered for _, covered, _ in sides),
        cued=tuple(cued for _, _, cued in sides),
        bars=tuple(_bar(covered) for _, covered, _ in sides),
    )


def _bar(covered: Sequence[float]) -> float:
    return max(_LEAST, min(_ENOUGH, _NEARLY * max(covered, default=0.0)))


def _leant(one: Candidate, pages: Sequence[Reading]) -> Bag:
    """What a sentence is ranked by: with the one before where it points back to that."""
    if one.before is None:
        return one.bag
    start, end = one.before
    context = bag(pages[one.page].text[start:end], language=one.bag.language)
    return replace(one.bag, stems=(*one.bag.stems, *context.stems))


def _side(plan: Plan, number: int, corpus: Corpus, known: _Known) -> _Side:
    side = plan.sides[number]
    wanted = bag(side.about or side.query, language=plan.language)
    wanted = wanted if wanted.terms else bag(plan.query, language=plan.language)
    found = known.found
    heads = {heading: bag(heading, language=plan.language).terms for heading in known.headings}
    places = [_place(one, similar.coverage(wanted, heads[one.heading])) for one in found]
    alone = corpus.scores(wanted.terms)
    covered = _covered(alone.coverage, wanted, corpus, known, heads)
    plain = combine(replace(alone, coverage=covered), places=places, priors=known.priors)
    cue = re.compile(rf"\b(?:{side.cue})", re.IGNORECASE) if side.cue else None
    cued = tuple(
        (cue is None or cue.search(one.text) is not None)
        and _on_subject(
            wanted, leant.terms | known.titles[one.page].terms | heads[one.heading], known
        )
        for one, leant in zip(found, corpus.sentences, strict=True)
    )
    fitting = answering(plan.query, [one.text for one in found], plain)
    scores = tuple(
        round(score + _bonus(one, cued=cue is not None and hit), _DIGITS)
        for score, one, hit in zip(fitting, found, cued, strict=True)
    )
    return scores, covered, cued


def _on_subject(wanted: Bag, held: frozenset[str], known: _Known) -> bool:
    """Whether a sentence or its page names the subject, and not only the common words around it."""
    return similar.coverage(wanted, held, known.pages.weigh) >= _SUBJECT


def _whole(pages: Sequence[Reading], found: Sequence[Candidate]) -> Corpus:
    held: list[set[str]] = [set() for _ in pages]
    for one in found:
        held[one.page] |= one.bag.terms
    return Corpus([Bag(text="", stems=tuple(sorted(terms))) for terms in held])


def _covered(
    alone: Sequence[float],
    wanted: Bag,
    corpus: Corpus,
    known: _Known,
    heads: Mapping[str, frozenset[str]],
) -> tuple[float, ...]:
    """A page on the subject need not name it in every sentence: title and heading count in part."""
    blended = []
    for share, one in zip(alone, known.found, strict=True):
        context = known.titles[one.page].terms | heads[one.heading]
        more = share
        if share and context & wanted.terms:
            more = similar.coverage(wanted, one.bag.terms | context, corpus.weigh)
        blended.append(round(share + _CONTEXT * max(0.0, more - share), _DIGITS))
    return tuple(blended)


def _place(one: Candidate, headed: float) -> float:
    """Early sentences sum up, and those under a heading on the subject are on it."""
    return 0.5 / (1 + one.place / 20) + 0.5 * headed


def _bonus(one: Candidate, *, cued: bool) -> float:
    return (_CUE if cued else 0.0) - (_LEANING if one.before is not None else 0.0)


def _priors(plan: Plan, pages: Sequence[Reading], found: Sequence[Candidate]) -> list[float]:
    """What the source is worth, 0 to 1; for news also how its date stands among the others."""
    worths = [
        kinds.worth(kinds.kind(page.url, page_kind=page.page_kind), page.reputation) / 0.6
        for page in pages
    ]
    if plan.kind == "latest":
        days = sorted({page.published[:10] for page in pages if page.published})
        order = {day: (place + 1) / len(days) for place, day in enumerate(days)}
        fresh = [order[page.published[:10]] if page.published else 0.0 for page in pages]
        worths = [0.4 * old + 0.6 * new for old, new in zip(worths, fresh, strict=True)]
    return [min(1.0, worths[one.page]) for one in found]
