"""Tells by its words what kind of work a citation claims to be, and whether registries should have it.

Registries of papers hold nearly every article of a journal or a conference of the last decades. They
lack many books, reports, theses, web pages, newspapers, standards and works in other languages, so the
absence of one of those means nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_texts, load_words
from citewell.text.language import detection, word_forms

YEAR_PATTERN = compile_on_use(r"(?<![\d./:-])(1[5-9]\d\d|20\d\d)(?=[a-z]?(?!\w))(?!\s?[-–/]\s?\d)")
_MAX_TEXT_CHARS = 4000  # characters of a reference that are searched
_ADDRESS_PATTERN = compile_on_use(r"(?:https?://|www\.|doi:? ?)\S+", re.IGNORECASE)
_ACCESS_PATTERN = compile_on_use(
    r"\b(?:accessed|retrieved|cited|viewed|visited|available|abgerufen|consulté|consultado|zugriff)\b[^;()\[\]]{0,40}?"
    r"(?:1[5-9]|20)\d\d",
    re.IGNORECASE,
)
# A number in the place of a volume, an issue or a page, though it may look like a year.
_NUMBERING_PATTERN = compile_on_use(
    r"(?:\b(?:vol|volume|no|nr|number|issue|pp?|pages?|art|article|bd|band|t|#)\.? ?|; ?)"
    r"(?P<marked>(?:1[5-9]|20)\d\d)\b"
    r"|\b(?P<issued>(?:1[5-9]|20)\d\d) ?\(\d{1,3}(?:[-–/]\d{1,3})?\) ?[,:.]"
    r"|\b(?P<paged>(?:1[5-9]|20)\d\d) ?: ?[A-Za-z]{0,2}\d"
    r"|[-–] ?(?P<last>(?:1[5-9]|20)\d\d)\b",
    re.IGNORECASE,
)
_BRACKETED_PATTERN = compile_on_use(
    r"[(\[](?:[A-Za-z]{3,9}\.? )?((?:1[5-9]|20)\d\d)[a-z]?(?=[)\],;: ])"
)

FIRST_COVERED_YEAR = 1950  # registries lack many older works
_MAX_FOREIGN_SHARE = 0.3  # of the letters may be of another script than Latin; titles quote words
# CSL types that registries cover; everything else that a format states is not accused.
_COVERED_KINDS = frozenset({"article-journal", "paper-conference"})
UNSTATED_KIND = "a work that names no journal"
_MIN_TEAM_AUTHORS = 3  # authors; a long title by so many is an article, if nothing else is said
_MIN_LONG_TITLE_WORDS = 6
# Phrases outside a title that show a kind of work which registries often lack.
_TELLING_PHRASES: tuple[tuple[str, str], ...] = (
    ("a thesis", r"\b(?:ph\.? ?d\.?|doctoral|master['’]?s?|m\.? ?sc\.?|bachelor['’]?s?|diploma|habilitation)[\s-]{1,3}(?:thesis|dissertation)|\[(?:thesis|dissertation)[^\]]{0,60}\]|\b(?:dissertation|diplomarbeit|magisterarbeit|habilitationsschrift|thèse|tesis|tesi)\b"),
    ("software or a data set", r"\[(?:computer |mobile )?(?:software|app|program|data ?set|database)[^\]]{0,40}\]|\br package\b|\bgithub\b|\bzenodo\b|\bfigshare\b|\bpython package\b"),
    ("a standard", r"\b(?:iso(?:/iec)?|iec|ieee std\.?|astm|din(?: en)?|bs en|ansi|rfc|itu-t|nist (?:sp|special publication))[ -]{0,2}[a-z]{0,2}\.?\d{2,6}\b"),
    ("a patent", r"\bpatent(?:s)?\b.{0,20}\d{4,}|\b(?:us|ep|wo) ?\d{6,}"),
    ("an unpublished work", r"\b(?:in press|in preparation|forthcoming|to appear|to be published|submitted (?:to|for)|under review|unpublished|personal communication|accepted for publication|im druck|im erscheinen|à paraître|en prensa)\b|\bmanuscript (?:submitted|in)\b|\(submitted\)|\[manuscript\]"),
    ("a report", r"\b(?:technical|tech\.?|research|annual|final|internal|interim|progress|country|policy|government|evaluation) (?:report|rep\.)|\b(?:working|white|discussion|policy|position|occasional|issue) paper\b|\bpolicy brief\b|\bfact ?sheet\b|\breport (?:no|number|nr|to)\b|\b(?:nber|imf|oecd|world bank|iza|cepr) (?:working|discussion|policy)\b|\bmemorandum\b|\btech\. ?rep\b"),
    ("a talk", r"\b(?:poster|paper|talk|lecture|keynote|abstract) (?:presented|session|given|delivered)\b|\bpresented at\b|\[(?:conference presentation|poster|lecture|powerpoint)[^\]]{0,40}\]|\bconference presentation\b"),
    ("a film, broadcast or post", r"\[(?:video|film|tv|audio|podcast|tweet|post|image|photograph|song|interview)[^\]]{0,40}\]|\b(?:youtube|netflix|podcast|vimeo)\b|\bdirected by\b"),
    ("a book", r"\b(?:\d{1,2}(?:st|nd|rd|th)|rev(?:ised)?\.?|second|third|fourth|fifth|expanded|updated|international|student) (?:ed\b|edn\b|edition)|\bisbn\b|\b\d{1,2}\. (?:aufl|auflage|udg|éd)\b|\bhardcover\b|\bpaperback\b|\b\d{2,4} ?(?:pp|pages|p|s|seiten)\.?$|\bvols\."),
    ("a web page", r"\b(?:retrieved|accessed|available|abgerufen|consulté|consultado|last (?:visited|viewed|checked)|date accessed|cited 20\d\d)\b.{0,50}(?:https?:|www\.|from\b|at\b|\d{4})|https?://|\bwww\.\w|\[(?:internet|online|webpage|website|blog post)\]|\bwikipedia\b|\bblog\b"),
)  # fmt: skip
_TELLING_PATTERNS = tuple(
    (noun, re.compile(pattern, re.IGNORECASE)) for noun, pattern in _TELLING_PHRASES
)
_CHAPTER_PATTERN = compile_on_use(
    r"\((?:eds?|hrsg|hg|dir|coord)\.?\)|\b(?:eds?\.|edited by|hrsg\.|editors?[,:.]|herausgegeben)(?!\w)",
    re.IGNORECASE,
)
_PUBLISHER_PATTERN = compile_on_use(
    r"\b(?:press|presses|publish\w*|verlag|books|editions?|éditions|editorial|ediciones|editora|wiley|springer|elsevier"
    r"|routledge|sage|penguin|mcgraw|pearson|norton|harper\w*|macmillan|palgrave|birkhäuser|academic press|crc|o'reilly"
    r"|oxford|cambridge|blackwell|kluwer|prentice|addison|basic books|simon|random house|vintage|knopf|doubleday"
    r"|suhrkamp|gallimard|seuil|puf|hachette|einaudi|feltrinelli|mondadori|de gruyter|brill|brepols|ashgate|edward elgar)\b",
    re.IGNORECASE,
)
_PLACE_AND_PUBLISHER_PATTERN = compile_on_use(
    r"\b[A-Z][a-zà-ÿ]{2,20}(?:[ ,]{1,2}[A-Z][A-Za-z.]{1,15}){0,2} ?: ?[A-Z][\w&.'’-]{2,20}"
)
_NEWSPAPER_PATTERN = compile_on_use(
    r"\b(?:new york times|washington post|guardian|wall street journal|financial times|le monde|le figaro|el país|der spiegel"
    r"|die zeit|süddeutsche|frankfurter|la repubblica|corriere|new yorker|the atlantic|economist|bbc|cnn|reuters|bloomberg"
    r"|forbes|wired|newsweek|daily|tribune|herald|gazette|zeitung|newspaper|magazine|usa today|los angeles times|the times"
    r"|the independent|the telegraph|the conversation|vox|politico|associated press)\b",
    re.IGNORECASE,
)
_CONFERENCE_PATTERN = compile_on_use(
    r"\b(?:proceedings|proc\.|conference on|conf\.|symposium on|workshop on|advances in neural information processing"
    r"|neurips|nips|icml|iclr|cvpr|iccv|eccv|emnlp|naacl|aaai|ijcai|sigir|sigkdd|kdd|interspeech|icassp|miccai)\b",
    re.IGNORECASE,
)
_PREPRINT_PATTERN = compile_on_use(
    r"\b(?:arxiv|biorxiv|medrxiv|chemrxiv|psyarxiv|corr|research square)\b", re.IGNORECASE
)
# Volume and pages in the many ways in which journals are cited.
_NUMBERING_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b\d{1,4} ?\([\w .–/-]{1,16}\) ?[,:;.] ?(?:pp?\.? ?|s\. ?)?[a-z]{0,2}\d",  # 12(3), 45
        r"\b(?:vol|bd|jg|t)\.? ?\d{1,4}\b.{0,40}?(?:\b(?:no|nr|issue|iss)\.? ?\d|\b(?:pp?|s)\.? ?[a-z]?\d)",
        r"\b(?:1[89]|20)\d\d[^;\n]{0,14}; ?[\w.]{1,8} ?(?:\([^()]{1,16}\))? ?: ?[a-z]{0,3}\d",  # 2011;55:4896
        r"\b\d{1,4} ?, ?(?:pp?\.? ?)?[a-z]{0,2}\d{1,6}(?: ?[-–] ?[a-z]{0,2}\d{1,6})?\.? ?[,.]? ?\((?:1[89]|20)\d\d[a-z]?\)",
        r"\b\d{1,4} ?(?:\([\w .–/-]{1,16}\))? ?: ?[a-z]{0,2}\d{1,6} ?[-–] ?[a-z]{0,2}\d{1,6}",  # 12:345-356
        r"\b\d{1,4} ?, ?(?:pp?\.? ?)?[a-z]{0,2}\d{1,6} ?[-–] ?[a-z]{0,2}\d{1,6}\b",  # 12, 345-356
        r"\b\d{1,4} ?: ?(?:e|article )?\d{4,8}\b",  # 85:106681
        r"\b\d{1,4}, ?\d{0,3},? ?\((?:[a-z]{3,9}\.? )?(?:1[89]|20)\d\d\),? ?[a-z]?\d",  # 26, 3 (2021), 118
        r"\b(?:1[89]|20)\d\d ?, ?\d{1,4} ?(?:\(\d{1,3}\))? ?[,:] ?[a-z]?\d{1,6}",  # 2019, 12, 345
        r"\b\d{1,4} ?\((?:1[89]|20)\d\d\)[ ,:]{0,3}(?:s\. |pp?\. ?|no\. ?\d{1,3}, )?[a-z]?\d",  # 12 (2019) 345
    )
)
_WORD_PATTERN = compile_on_use(r"[^\W\d_]+")
_LATIN_LETTER_PATTERN = compile_on_use(r"[A-Za-zÀ-ɏḀ-ỿ]")
_LETTER_PATTERN = compile_on_use(r"[^\W\d_]")
_ACCENTED_LETTER_PATTERN = compile_on_use(r"[À-ÖØ-öø-ɏ]")
_COMMON_LANGUAGES = ("de", "fr", "es", "it", "pt", "nl")
_SHARED_WORDS = frozenset(
    {"non", "care", "like", "via", "pro", "per", "sub"}
)  # in English titles, too
# Journals that are called by one word: Haematologica, Viruses, Antibiotics.
_SCIENCE_NAME_PATTERN = compile_on_use(
    r"[A-Z]\w{2,20}(?:ology|ologica|ologia|istry|ics|uses|ases|ncers|ells|cules|rients|sors|teria)"
)
_BYLINE_PATTERN = compile_on_use(r"\bby (?:[A-Z]\. ?){0,3}[A-Z]")
_LIFE_SCIENCE_PATTERN = compile_on_use(
    r"\b(?:med|medic|medicine|clin|patient|disease|cancer|tumou?r|cell|gene|genet|genom|protein|biol|bio|immun|infect|virus|viral"
    r"|bacteri|microb|neuro|brain|cardi|heart|surg|surgery|pharm|drug|therap|health|nurs|pediatr|psychiat|physiol|anatom"
    r"|epidemi|diabet|hypertens|kidney|liver|lung|blood|bone|lancet|bmj|jama|vaccin|rna|dna|receptor|antimicrob|antibiot"
    r"|hepat|oncol|radiol|nutri|obes|trauma|ecolog|species|plant|animal|mice|mouse|rat|human)\w*",
    re.IGNORECASE,
)
_EXACT_SCIENCE_PATTERN = compile_on_use(
    r"\b(?:arxiv|phys|quantum|math|theor|algebra|topolog|geometr|comput|algorithm|neural|learning|network|optimi[sz]|stochastic"
    r"|statist|probabil|bayes|astro|galax|stellar|cosmolog|particle|ieee|acm|software|data|graph|language model|transformer"
    r"|robot|vision|image|signal|information|communicat|entropy|hypothesis test|lattice|boson|fermion)\w*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedForm:
    """What a citation says about where its work appeared; `text` is free text without the title."""

    title: str = ""
    text: str = ""
    kind: str = ""  # a CSL type, if a format states it
    venue: str = ""
    volume: str = ""
    pages: str = ""
    publisher: str = ""
    year: int | None = None
    author_count: int = 0
    is_quoted: bool = False  # the title stands in quotation marks


def find_uncovered_kind(form: CitedForm) -> str:
    """Why registries need not have the work, as a noun ("a book"); empty for an article they should have."""
    shown = form.title or form.text
    letters = len(_LETTER_PATTERN.findall(shown))
    if letters - len(_LATIN_LETTER_PATTERN.findall(shown)) > _MAX_FOREIGN_SHARE * letters:
        return "a work in another script"
    if form.year is not None and form.year < FIRST_COVERED_YEAR:
        return f"a work from before {FIRST_COVERED_YEAR}"
    if _is_foreign_language(form.title):
        return "a work that is not in English"
    if form.kind:
        return _judge_stated_kind(form)
    return _judge_written_kind(form)


def is_life_science(text: str) -> bool:
    """Whether a medical registry should have a work with these words in its title or journal."""
    return bool(_LIFE_SCIENCE_PATTERN.search(text))


def is_exact_science(text: str) -> bool:
    """Whether a registry of preprints may have a work with these words in its title or venue."""
    return bool(_EXACT_SCIENCE_PATTERN.search(text))


def _is_foreign_language(title: str) -> bool:
    """Whether a title is surely not English: it has accents, or two function words of its language."""
    spoken = detection.detect_language(title)
    if spoken == "en":
        return False
    words = {word.lower() for word in _WORD_PATTERN.findall(title)} - _SHARED_WORDS
    english = word_forms.list_stopwords("en")
    for code in (spoken,) if spoken else _COMMON_LANGUAGES:
        used = words & (word_forms.list_stopwords(code) - english)
        if len(used) > 1 or (spoken and _ACCENTED_LETTER_PATTERN.search(title)):
            return True
    return False


def _judge_stated_kind(form: CitedForm) -> str:
    if form.kind not in _COVERED_KINDS:
        if form.kind == "article" and _PREPRINT_PATTERN.search(f"{form.venue} {form.publisher}"):
            return ""
        return load_texts(__package__, "cited_kinds", "kind_nouns").get(
            form.kind, "a work of a kind that registries often lack"
        )
    if not form.venue:
        return UNSTATED_KIND
    if not (form.volume or form.pages) and _NEWSPAPER_PATTERN.search(form.venue):
        return "a newspaper article"
    return _find_telling_kind(form.text)


def _judge_written_kind(form: CitedForm) -> str:
    text = f"{form.text} {form.venue} {form.publisher}"
    if kind := _find_telling_kind(text):
        return kind
    numbered = bool(form.venue and form.volume and form.pages) or any(
        pattern.search(form.text) for pattern in _NUMBERING_PATTERNS
    )
    if _CHAPTER_PATTERN.search(text) and not _CONFERENCE_PATTERN.search(text):
        return "" if numbered and _has_journal_word(form.venue) else "a chapter of a book"
    if _CONFERENCE_PATTERN.search(text) or _PREPRINT_PATTERN.search(text):
        return ""
    if numbered and form.author_count:
        return ""
    return _judge_unnumbered_kind(form, text)


def _judge_unnumbered_kind(form: CitedForm, text: str) -> str:
    if _NEWSPAPER_PATTERN.search(text):
        return "a newspaper article"
    if _PUBLISHER_PATTERN.search(text) or _PLACE_AND_PUBLISHER_PATTERN.search(form.text):
        return "a book"
    claimed = _has_journal_word(form.venue) or form.is_quoted  # books stand in italics
    named = form.author_count or (form.is_quoted and _BYLINE_PATTERN.search(form.text))
    alone = (
        form.author_count >= _MIN_TEAM_AUTHORS
        and not form.venue
        and len(_WORD_PATTERN.findall(form.title)) >= _MIN_LONG_TITLE_WORDS
    )
    return "" if named and (claimed or alone) else UNSTATED_KIND


def _find_telling_kind(text: str) -> str:
    return next((noun for noun, pattern in _TELLING_PATTERNS if pattern.search(text)), "")


def _has_journal_word(venue: str) -> bool:
    if _SCIENCE_NAME_PATTERN.fullmatch(venue.strip(" .")):
        return True
    return any(
        word.lower() in load_words(__package__, "cited_kinds", "journal_words")
        for word in _WORD_PATTERN.findall(venue)
    )


# Finds the years that a free-text reference may have as its own: not a volume, a page or a day of access.


def find_own_years(
    text: str, *, titles: tuple[str, ...] = (), volume: str = "", year: int | None = None
) -> frozenset[int]:
    """The years that may be the reference's own; `titles` are texts whose years belong to them.

    `year` is the guess of a parser. If it stands in brackets, as most styles have it, only years in
    brackets count.
    """
    rest = _ACCESS_PATTERN.sub(" ", _ADDRESS_PATTERN.sub(" ", text[:_MAX_TEXT_CHARS]))
    for title in titles:
        rest = rest.replace(title, " ") if title else rest
    bracketed = {int(found) for found in _BRACKETED_PATTERN.findall(rest)}
    if year is not None and year in bracketed:
        return frozenset(bracketed)
    found = set(map(int, YEAR_PATTERN.findall(_NUMBERING_PATTERN.sub(_blank_number, rest))))
    taken = {int(digits) for title in titles for digits in YEAR_PATTERN.findall(title)}
    own = found - taken - ({int(volume)} if volume.isdecimal() and len(volume) == 4 else set())
    return frozenset(own or found - taken)


def _blank_number(match: re.Match[str]) -> str:
    """The match with another number in place of its own, so that what surrounds it is read as before."""
    number = next(part for part in match.groups() if part)
    return match[0].replace(number, "0000")
