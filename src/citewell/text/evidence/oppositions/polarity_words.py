"""English words that say in which direction something goes, and words that are opposites."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPolarity:
    """The axis a word speaks of and its side; only words of one axis can oppose each other."""

    axis: str
    sign: int  # 1 or -1
    is_state: bool = False  # may stand behind its noun: "FGF21 deficiency"


CHANGE, GOODNESS, EFFECT, NEED, LINK = "change", "goodness", "effect", "need", "link"
_WORD_CACHE_ENTRIES = 2**14
# Words of amount that describe a thing rather than say what becomes of it.
AMOUNT_WORDS = frozenset(
    ["low", "high", "more", "less", "longer", "larger", "smaller", "fewer", "greater"]
)
# A star stands for any ending.
_AXIS_WORDS = {
    CHANGE: (
        ("increas* raise raised raises raising rise rises rising rose risen elevat* enhanc* promot* boost*"
        " augment* stimulat* accelerat* upregulat* amplif* strengthen* intensif* potentiat* facilitat* expand*"
        " expansion grow grows grew growing heighten* higher high greater more exacerbat*"
        " aggravat* prolong* longer surge surges surged surging soar* faster larger bigger doubled tripled induc* trigger*"
        " hyperactiv* encourag* worsen* worse activat* generat* speed* gaining"),
        ("decreas* reduc* lower lowers lowered lowering low diminish* suppress* inhibit* attenuat* impair* block blocks"
        " blocked blocking blockade prevent prevents prevented preventing prevention declin* fall falls fell fallen"
        " drop drops dropped less fewer weaken* slow slows slowed slowing slower downregulat* abolish* limit limits limited"
        " restrict* shorten* protect protects protected protecting protection protective mitigat* alleviat* ameliorat*"
        " blunt* dampen* eliminat* eradicat* abrogat* hinder* imped* curb* cuts shrink* shrank shrunk minimis* minimiz*"
        " halv* lessen* delay delays delayed shorter smaller counteract* prohibit* avert* obstruct* deactivat* inactivat*"
        " deplet* deficien* lack lacks lacking loss loses losing lost absence delet* knockout knockdown silencing antagonis*"
        " antagoniz* milder disrupt* defective stop stops stopped halts halted ceases ceased insufficient inadequate"),
    ),
    GOODNESS: (
        "improv* better benefi* superior helpful ameliorat* restor* rescu*",
        "wors* deteriorat* harm harms harmed harmful detriment* inferior damag* exacerbat* aggravat*",
    ),
    EFFECT: (
        "effective effectively efficacious efficacy useful accurate accurately reliable reliably success* works",
        "ineffective* inefficacious ineffectual useless futile inaccurate* unreliable unsuccessful*",
    ),
    NEED: (
        "requir* essential necessary crucial needed vital pivotal indispensable critical needs",
        "dispensable unnecessary redundant nonessential unneeded",
    ),
    LINK: (
        ("associated association* correlat* linked link links relat* cause caused causes causing contribut* predict*"
        " affect affects affected influence influences influenced impact impacts interact* regulat* differ differs differed difference differences alter*"
        " chang* effect effects role responsible mediat* evidence benefit*"),
        "unrelated unassociated unaffected unchanged unaltered uninvolved",
    ),
}  # fmt: skip
_STATE_WORDS = (
    "deficien* loss deplet* delet* knockout knockdown silencing inactivat* inhibit* overexpress* activat*"
    " upregulat* downregulat* blockade"
)
# Pairs of words that exclude each other when all else is the same.
_OPPOSITE_PAIRS = (
    "dependent/independent positive/negative positively/negatively above/below upstream/downstream"
    " majority/minority proponents/opponents present/absent presence/absence internal/external early/late"
    " warm/cold warming/cooling warmer/cooler hot/cold true/false alive/dead same/different similar/different stabilize/destabilize"
    " stabilizes/destabilizes stabilise/destabilise stable/unstable common/rare common/uncommon likely/unlikely able/unable"
    " possible/impossible known/unknown sufficient/insufficient symptomatic/asymptomatic direct/indirect"
    " directly/indirectly reversible/irreversible maximum/minimum best/worst most/least always/never wet/dry"
    " strong/weak strongly/weakly stronger/weaker easy/difficult easier/harder fast/slow faster/slower long/short longer/shorter older/younger"
    " win/lose won/lost support/oppose supports/opposes supported/opposed approved/rejected accepted/rejected"
    " allow/ban allows/bans allowed/banned permitted/prohibited legal/illegal include/exclude includes/excludes included/excluded"
    " import/export rich/poor success/failure succeeded/failed open/closed safe/unsafe safe/dangerous harmless/harmful"
    " sensitive/resistant sensitivity/resistance sensitizes/desensitizes susceptible/resistant susceptibility/resistance"
    " abundant/scarce rich/depleted overestimates/underestimates overestimate/underestimate"
    " hyperactive/hypoactive homogeneous/heterogeneous acquired/inherited begins/ends start/end started/ended"
    " first/last north/south northern/southern east/west eastern/western male/female men/women married/unmarried"
    " profit/loss buy/sell bought/sold enter/leave entered/left arrive/depart advantage/disadvantage"
    " mild/severe accelerates/slows accelerate/slow fewer/more less/more lower/higher low/high small/large"
    " shorter/taller lighter/heavier cheaper/dearer public/private agonist/antagonist inhibitor/activator"
    " repressor/activator tumor-suppressor/oncogene sister/brother mother/father wife/husband active/inactive"
    " cytosolic/nuclear maternal/paternal systolic/diastolic voluntary/mandatory optional/mandatory"
    " natural/artificial guilty/innocent convicted/acquitted employed/unemployed vertebrate/invertebrate"
)  # fmt: skip
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "dis", "non", "de")
_CONTRARY_PREFIXES = (("hyper", "hypo"), ("up", "down"), ("over", "under"), ("pro", "anti"), ("intra", "extra"))  # fmt: skip
_MIN_PREFIXED_LETTERS = 5  # of the rest: "in" + "sight" is no denial


@lru_cache(maxsize=_WORD_CACHE_ENTRIES)
def find_word_polarities(word: str) -> tuple[WordPolarity, ...]:
    """What the word says on each axis; empty for most words."""
    exact, endings = _load_polarities()
    found = list(exact.get(word, ()))
    for length in range(4, len(word) + 1):
        found += endings.get(word[:length], ())
    state = _is_state_word(word)
    return tuple(
        WordPolarity(axis=axis, sign=sign, is_state=state) for axis, sign in dict(found).items()
    )


@lru_cache(maxsize=_WORD_CACHE_ENTRIES)
def list_opposite_words(word: str) -> frozenset[str]:
    """The words that exclude a word in its place: independent for dependent, hypo- for hyper-."""
    found = set(_load_pairs().get(word, ()))
    if len(word) >= _MIN_PREFIXED_LETTERS:
        found.update(prefix + word for prefix in _NEGATIVE_PREFIXES)
    for prefix in _NEGATIVE_PREFIXES:
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _MIN_PREFIXED_LETTERS:
            found.add(rest)
    for pair in _CONTRARY_PREFIXES:
        for one, other in (pair, pair[::-1]):
            rest = word.removeprefix(one)
            if rest != word and len(rest) >= _MIN_PREFIXED_LETTERS:
                found.add(other + rest)
    return frozenset(found)


def _is_state_word(word: str) -> bool:
    exact, endings = _split_entries(_STATE_WORDS)
    return word in exact or any(word.startswith(one) for one in endings)


@cache
def _split_entries(listed: str) -> tuple[frozenset[str], frozenset[str]]:
    """The whole words of a list, and its beginnings of words."""
    each = listed.split()
    return (
        frozenset(one for one in each if not one.endswith("*")),
        frozenset(one[:-1] for one in each if one.endswith("*")),
    )


@cache
def _load_polarities() -> tuple[dict[str, list[tuple[str, int]]], dict[str, list[tuple[str, int]]]]:
    exact: dict[str, list[tuple[str, int]]] = {}
    endings: dict[str, list[tuple[str, int]]] = {}
    for axis, sides in _AXIS_WORDS.items():
        for sign, listed in zip((1, -1), sides, strict=True):
            whole, begun = _split_entries(listed)
            for word in whole:
                exact.setdefault(word, []).append((axis, sign))
            for word in begun:
                endings.setdefault(word, []).append((axis, sign))
    return exact, endings


@cache
def _load_pairs() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITE_PAIRS.split():
        one, other = pair.split("/")
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}
