"""Citations of recorded works with one field altered, as assistants invent them, and their unaltered twins.

Half of the works, chosen by a hash of the DOI, were used while the comparison was built; the others were
kept apart until it was done.
"""

from __future__ import annotations

import random
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tests.internet.papers import Author, Work
from tests.trust import shelf, styles
from tests.trust.styles import Style

HALVES = ("built on", "kept apart")
_MIN_AUTHORS = 2
_MIN_TITLE_WORDS = 5
_SHOWN_AUTHORS = 3  # that every style with a list shows
_LISTING: dict[str, Style] = {
    name: styles.LATIN[name]
    for name in (
        *("APA", "Chicago", "Vancouver", "AMA", "IEEE", "Harvard", "Springer", "Cell", "Science"),
        "physiology",
    )
}
# Each word with one that makes another title of it, in both directions.
_OPPOSITES = (
    "increased decreased; federated centralized; supervised unsupervised; acute chronic; adult pediatric; male female;"
    " rural urban; early late; positive negative; linear nonlinear; static dynamic; high low; short long; local global;"
    " primary secondary; human mouse; rats mice; children adolescents; women men; oral topical; bacterial viral;"
    " hypertension hypotension; upregulation downregulation; inhibition activation; benefits harms; randomized observational;"
    " prospective retrospective; safety toxicity; diabetes asthma; breast lung; cardiac renal; hepatic pulmonary;"
    " cancer stroke; protein lipid; genetic epigenetic; model theory; learning memory; anxiety depression; prevention treatment;"
    " synthesis degradation; surface core; quantum classical; stochastic deterministic; discrete continuous; soil water;"
    " marine terrestrial; winter summer; income education; public private; national regional; before after; with without"
)
_INSERTED = (
    "multimodal", "longitudinal", "Bayesian", "adversarial", "paediatric", "zinc", "thermal", "maternal", "Nordic", "sparse", "equine", "hybrid",
)  # fmt: skip
_STOP = frozenset((
    "a", "an", "the", "of", "in", "on", "for", "and", "or", "to", "with", "by", "from", "at", "as", "is", "are", "its", "their", "using", "between", "among", "during", "via", "into", "not",
))  # fmt: skip
_SPELLINGS = (("tumor", "tumour"), ("color", "colour"), ("behavior", "behaviour"), ("ization", "isation"), ("pediatric", "paediatric"), ("analyz", "analys"), ("anemia", "anaemia"), ("fiber", "fibre"), ("modeling", "modelling"))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Altered:
    """One citation; `field` is what was altered, empty for a genuine one."""

    id: str
    kind: str
    field: str
    citation: str
    work: Work
    half: str
    has_doi: bool


Change = Callable[[Work, random.Random, Sequence[Work]], Work | None]


def list_altered_works() -> list[Work]:
    return [
        work
        for work in shelf.everything()
        if shelf.plain(work)
        and shelf.personal(work)
        and len(work.authors) >= _MIN_AUTHORS
        and len(work.title.split()) >= _MIN_TITLE_WORDS
        and all(not isinstance(one, str) and one[1] for one in work.authors)
    ]


def find_half(work: Work) -> str:
    return HALVES[zlib.crc32(b"altered" + work.key.encode()) % 2]


def make_citations(count: int, *, seed: int = 25) -> Iterator[Altered]:
    """Every change of `count` works, each in the next of ten styles, with and without the DOI in turn."""
    works = list_altered_works()
    chosen = random.Random(seed).sample(works, min(count, len(works)))
    names = list(_LISTING)
    turn = 0
    for place, work in enumerate(chosen):
        rng = random.Random(f"{seed}:{work.key}")
        for kind, (field, change) in CHANGES.items():
            made = change(work, rng, works)
            turn += 1
            style = names[(place // 2 + turn) % len(names)]
            if made is None:
                continue
            end = f"https://doi.org/{work.doi}" if (place + turn) % 2 else ""
            text = _LISTING[style](made, end)
            if field and text == _LISTING[style](work, end):
                continue
            yield Altered(
                id=f"{place:03d}-{kind}-{style}",
                kind=kind,
                field=field,
                citation=text,
                work=work,
                half=find_half(work),
                has_doi=bool(end),
            )


def _draw_strangers(
    work: Work, count: int, rng: random.Random, works: Sequence[Work]
) -> list[Author]:
    """Authors of other works whose family name no author of this one has."""
    own = {_plain(one[1]).split()[-1] for one in work.authors}
    drawn: list[Author] = []
    while len(drawn) < count:
        one = rng.choice(rng.choice(works).authors)
        if not isinstance(one, str) and _plain(one[1]).split()[-1] not in own:
            drawn.append(one)
    return drawn


def _add_authors(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    """Invented co-authors after the first of the real ones."""
    kept = work.authors[: rng.randint(1, 2)]
    new = _draw_strangers(work, rng.randint(1, 2), rng, works)
    return replace(work, authors=(*kept, *new, *work.authors[len(kept) :]))


def _append_authors(work: Work, rng: random.Random, works: Sequence[Work]) -> Work | None:
    """Invented co-authors after all real ones, which must be few enough to be shown."""
    if len(work.authors) > _SHOWN_AUTHORS - 1:
        return None
    return replace(work, authors=(*work.authors, *_draw_strangers(work, 1, rng, works)))


def _replace_author(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    at = rng.randrange(1, min(len(work.authors), _SHOWN_AUTHORS))
    [new] = _draw_strangers(work, 1, rng, works)
    return replace(work, authors=(*work.authors[:at], new, *work.authors[at + 1 :]))


def _replace_all_but_first(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    new = _draw_strangers(work, len(work.authors[1:6]), rng, works)
    return replace(work, authors=(work.authors[0], *new))


def _replace_and_drop(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    """The first author, one invented one, and nobody else."""
    return replace(work, authors=(work.authors[0], *_draw_strangers(work, 1, rng, works)))


def _replace_first(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    return replace(work, authors=(*_draw_strangers(work, 1, rng, works), *work.authors[1:]))


def _swap_authors(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work:
    first, second, *others = work.authors
    return replace(work, authors=(second, first, *others))


def _oppose_word(work: Work, rng: random.Random, _works: Sequence[Work]) -> Work | None:
    pairs = [pair.split() for pair in _OPPOSITES.split(";")]
    turned = {one: other for a, b in pairs for one, other in ((a, b), (b, a))}
    words = work.title.split(" ")
    places = [at for at, word in enumerate(words) if word.lower() in turned]
    if not places:
        return None
    at = rng.choice(places)
    return _put_word(work, words, at, turned[words[at].lower()])


def _exchange_word(work: Work, rng: random.Random, works: Sequence[Work]) -> Work | None:
    """A content word gives way to one of another work's title."""
    words = work.title.split(" ")
    places = [at for at, word in enumerate(words) if _is_content(word)]
    own = {_plain(word)[:4] for word in words}
    others = [
        word
        for word in rng.choice(works).title.split(" ")
        if _is_content(word) and _plain(word)[:4] not in own
    ]
    return (
        _put_word(work, words, rng.choice(places), rng.choice(others))
        if places and others
        else None
    )


def _insert_word(work: Work, rng: random.Random, _works: Sequence[Work]) -> Work | None:
    words = work.title.split(" ")
    places = [
        at for at in range(1, len(words)) if _is_content(words[at]) and words[at - 1][-1:].isalpha()
    ]
    if not places:
        return None
    at = rng.choice(places)
    return replace(work, title=" ".join([*words[:at], rng.choice(_INSERTED), *words[at:]]))


def _remove_word(work: Work, rng: random.Random, _works: Sequence[Work]) -> Work | None:
    words = work.title.split(" ")
    places = [
        at
        for at in range(1, len(words) - 1)
        if _is_content(words[at]) and words[at - 1][-1:].isalpha()
    ]
    if not places:
        return None
    at = rng.choice(places)
    return replace(work, title=" ".join([*words[:at], *words[at + 1 :]]))


def _put_word(work: Work, words: Sequence[str], at: int, new: str) -> Work:
    shaped = new.capitalize() if words[at][:1].isupper() else new
    return replace(work, title=" ".join([*words[:at], shaped, *words[at + 1 :]]))


def _is_content(word: str) -> bool:
    return word.isalpha() and len(word) > 3 and word.lower() not in _STOP


def _move_year(work: Work, rng: random.Random, _works: Sequence[Work]) -> Work:
    return replace(work, year=(work.year or 2000) + rng.choice((-7, -4, -3, 3, 4, 6)))


def _move_venue(work: Work, rng: random.Random, works: Sequence[Work]) -> Work:
    return replace(work, venue=rng.choice([one.venue for one in works if one.venue != work.venue]))


def _keep(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work:
    return work


def _cut_subtitle(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work | None:
    main, colon, _ = work.title.partition(": ")
    return replace(work, title=main) if colon and len(main.split()) > 2 else None


def _strip_marks(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work | None:
    bare = replace(
        work,
        title=_unaccented(work.title),
        authors=tuple((_unaccented(one[0]), _unaccented(one[1])) for one in work.authors),
    )
    return bare if bare != work else None


def _respell(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work | None:
    title = work.title
    for american, british in _SPELLINGS:
        title = (
            title.replace(american, british)
            if american in title
            else title.replace(british, american)
        )
    title = title.replace("-", " ") if "-" in title else title
    return replace(work, title=title) if title != work.title else None


def _move_one_year(work: Work, rng: random.Random, _works: Sequence[Work]) -> Work:
    return replace(work, year=(work.year or 2000) + rng.choice((-1, 1)))


def _abbreviate_given(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work:
    """Only the first initial of every author."""
    return replace(work, authors=tuple((one[0][:1], one[1]) for one in work.authors))


def _cut_authors(work: Work, _rng: random.Random, _works: Sequence[Work]) -> Work | None:
    """The first authors only, without a word about the others."""
    return replace(work, authors=work.authors[:3]) if len(work.authors) > _SHOWN_AUTHORS else None


def _plain(text: str) -> str:
    return re.sub(r"[^a-z ]", "", _unaccented(text).lower())


def _unaccented(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text)
    return "".join(char for char in parts if not unicodedata.combining(char))


CHANGES: dict[str, tuple[str, Change]] = {
    "authors added": ("authors", _add_authors),
    "author appended": ("authors", _append_authors),
    "author replaced": ("authors", _replace_author),
    "all but the first replaced": ("authors", _replace_all_but_first),
    "replaced and dropped": ("authors", _replace_and_drop),
    "first author replaced": ("authors", _replace_first),
    "first two swapped": ("authors", _swap_authors),
    "opposite word": ("title", _oppose_word),
    "other word": ("title", _exchange_word),
    "word added": ("title", _insert_word),
    "word removed": ("lost word", _remove_word),
    "other year": ("year", _move_year),
    "other venue": ("venue", _move_venue),
    "unaltered": ("", _keep),
    "subtitle left out": ("", _cut_subtitle),
    "without diacritics": ("", _strip_marks),
    "other spelling, no hyphens": ("", _respell),
    "one year off": ("", _move_one_year),
    "one initial each": ("", _abbreviate_given),
    "later authors left out": ("", _cut_authors),
}
