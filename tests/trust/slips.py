"""What honest authors do to the facts of a work that they cite: shorten, respell, mistype, misdate by a year."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace

from tests.internet.papers import Author, Work

Slip = Callable[[Work, random.Random], Work]
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "κ": "kappa",
    "μ": "mu",
    "ω": "omega",
}
_UMLAUTS = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ß": "ss",
    "ø": "oe",
    "å": "aa",
}
_SPELLINGS = (("tumor", "tumour"), ("behavior", "behaviour"), ("signaling", "signalling"), ("modeling", "modelling"),
              ("ization", "isation"), ("hemo", "haemo"), ("edema", "oedema"), ("color", "colour"), ("analyz", "analys"),
              ("pediatric", "paediatric"), ("center", "centre"), ("fiber", "fibre"))  # fmt: skip
_LIGATURES = {"ffi": "ﬃ", "fi": "ﬁ", "fl": "ﬂ", "ff": "ﬀ"}


def subtitle_dropped(work: Work, _: random.Random) -> Work:
    head, mark, _rest = work.title.partition(": ")
    return replace(work, title=head) if mark and len(head.split()) > 2 else work


def subtitle_added(work: Work, _: random.Random) -> Work:
    """Registries keep some subtitles apart; books are cited with them."""
    return replace(work, title=f"{work.title}: {work.subtitle}") if work.subtitle else work


def plain_letters(work: Work, _: random.Random) -> Work:
    return _renamed(replace(work, title=_bare(work.title)), _bare)


def spelt_out(work: Work, _: random.Random) -> Work:
    """Umlauts as two letters, Greek by its names."""
    return _renamed(replace(work, title=_mapped(work.title)), _mapped)


def other_spelling(work: Work, _: random.Random) -> Work:
    title = work.title
    for spelling, other in _SPELLINGS:
        title = title.replace(other, spelling) if other in title else title.replace(spelling, other)
    return replace(work, title=title)


def ligatures(work: Work, _: random.Random) -> Work:
    """As copied from a PDF."""
    title = work.title
    for letters, sign in _LIGATURES.items():
        title = title.replace(letters, sign)
    return replace(work, title=title)


def broken_word(work: Work, rng: random.Random) -> Work:
    """A word divided at the end of a line, as copied from a PDF."""
    words = work.title.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 8 and word.isalpha()]
    if not long:
        return work
    place = rng.choice(long)
    words[place] = f"{words[place][:4]}- {words[place][4:]}"
    return replace(work, title=" ".join(words))


def typo(work: Work, rng: random.Random) -> Work:
    words = work.title.split(" ")
    long = [place for place, word in enumerate(words) if len(word) > 6 and word.isalpha()]
    if not long:
        return work
    place = rng.choice(long)
    word, at = words[place], rng.randrange(2, len(words[place]) - 2)
    words[place] = rng.choice(
        [
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
        ]
    )
    return replace(work, title=" ".join(words))


def word_lost(work: Work, rng: random.Random) -> Work:
    words = work.title.split(" ")
    if len(words) < 9:
        return work
    del words[rng.randrange(2, len(words) - 2)]
    return replace(work, title=" ".join(words))


def capitals(work: Work, _: random.Random) -> Work:
    return replace(work, title=work.title.upper())


def title_case(work: Work, _: random.Random) -> Work:
    small = {"a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"}
    words = [
        word if word in small else word[:1].upper() + word[1:] for word in work.title.split(" ")
    ]
    return replace(work, title=" ".join([words[0][:1].upper() + words[0][1:], *words[1:]]))


def dashes(work: Work, _: random.Random) -> Work:
    return replace(work, title=work.title.replace("-", "‐").replace("'", "’"))


def year_of_first_online(work: Work, _: random.Random) -> Work:
    return replace(work, year=(work.year or 0) - 1)


def year_of_print(work: Work, _: random.Random) -> Work:
    return replace(work, year=(work.year or 0) + 1)


def journal_shortened(work: Work, _: random.Random) -> Work:
    words = [
        word for word in work.venue.split() if word.lower() not in {"of", "the", "and", "in", "for"}
    ]
    if len(words) < 2:
        return work
    short = [word if len(word) < 6 else f"{word[:4].rstrip('aeiou')}." for word in words]
    return replace(work, venue=" ".join(short))


def journal_forgotten(work: Work, _: random.Random) -> Work:
    return replace(work, venue="", volume="", issue="", pages="")


def first_author_only(work: Work, _: random.Random) -> Work:
    return replace(work, authors=work.authors[:1])


def particle_moved(work: Work, _: random.Random) -> Work:
    """“van der Merwe, Sean” as “Merwe, Sean van der”."""

    def moved(author: Author) -> Author:
        if isinstance(author, str):
            return author
        match = re.match(r"((?:[a-z]+ )+)(\S.*)", author[1])
        return (f"{author[0]} {match[1].strip()}", match[2]) if match else author

    return replace(work, authors=tuple(map(moved, work.authors)))


def pages_elided(work: Work, _: random.Random) -> Work:
    """1482-1495 as 1482–95."""
    first, mark, last = re.sub("–", "-", work.pages).partition("-")
    if not mark or len(first) != len(last):
        return work
    same = next(
        (at for at, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), len(first)
    )
    return replace(work, pages=f"{first}–{last[same:]}")


def untouched(work: Work, _: random.Random) -> Work:
    return work


SLIPS: dict[str, Slip] = {
    "as registered": untouched,
    "subtitle dropped": subtitle_dropped,
    "no diacritics": plain_letters,
    "umlauts and Greek spelt out": spelt_out,
    "other spelling": other_spelling,
    "ligatures": ligatures,
    "word broken at a line end": broken_word,
    "typing error": typo,
    "word lost": word_lost,
    "capitals": capitals,
    "title case": title_case,
    "typographic dashes": dashes,
    "year of first online": year_of_first_online,
    "year of print": year_of_print,
    "journal shortened": journal_shortened,
    "journal forgotten": journal_forgotten,
    "first author only": first_author_only,
    "particle moved": particle_moved,
    "pages elided": pages_elided,
}


def slipped(name: str, work: Work, rng: random.Random) -> Work:
    return SLIPS[name](work, rng)


def able(name: str, work: Work) -> bool:
    """Whether the slip changes anything about the work."""
    return name == "as registered" or SLIPS[name](work, random.Random(1)) != work


def _bare(text: str) -> str:
    text = text.replace("ß", "ss").replace("ø", "o").replace("ł", "l")
    return "".join(
        char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char)
    )


def _mapped(text: str) -> str:
    return "".join((_GREEK | _UMLAUTS).get(char, char) for char in text)


def _renamed(work: Work, change: Callable[[str], str]) -> Work:
    authors = tuple(
        change(author) if isinstance(author, str) else (change(author[0]), change(author[1]))
        for author in work.authors
    )
    return replace(work, authors=authors)
