"""Shared by the styles: final marks, dates, editions, lists of names, title case and page ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from citewell.citations.author_names import AuthorName
from citewell.citations.citable_works import CitableWork
from citewell.core.lazy_patterns import compile_on_use
from citewell.text.data_tables import load_words

# A letter may stand before the number (S224) or after it (12a).
_PAGE_RANGE_PATTERN = compile_on_use(
    r"(?<![\w.])(\d{0,6}[A-Za-z]{1,10}0{0,6})?(\d{1,12}+)([a-z]{0,3})\s{0,3}[-‐‑–—]{1,2}\s{0,3}"
    r"(\d{0,6}[A-Za-z]{1,10}0{0,6})?(\d{1,12}+)([a-z]{0,3})(?!\w)"
)
_PAGE_DASH_PATTERN = compile_on_use(r"\s{0,3}[-‐‑–]{1,2}\s{0,3}")
_SEVERAL_PAGES_PATTERN = compile_on_use(r"[–&,]")

_TITLE_TOKEN_PATTERN = compile_on_use(
    r"[-–—/.,;?!:\[\]()‘’“”\"']|\s+|[^-–—/.,;?!:\[\]()‘’“”\"'\s]+"
)
_HOST_PATTERN = compile_on_use(r"[a-z0-9-]{1,63}\.[a-z0-9-]{0,60}[a-z]{2}")
_MAX_HOST_TOKENS = 12
_INNER_MARKS = frozenset("’'\".")
_FRESH_START_MARKS = frozenset("?!:")

SERIAL_KINDS = frozenset({
    "article-journal", "article-magazine", "article-newspaper", "periodical", "post-weblog", "review",
    "review-book",
})  # fmt: skip
_ENGLISH_WORDS = frozenset({"of", "the", "and", "for", "with", "from", "based", "how", "what"})
_REVIEW_TITLE_STARTS = ("review", "peer review", "referee", "decision", "author response", "editor")
_TITLE_MARK = compile_on_use(r"[-–—/.,;?!:\[\]()‘’“”\"']")

_DOUBLE_OPENING_PATTERN = compile_on_use(r"(?<![^\s(\[{/—–‘“-])\"(?=\S)")
_SINGLE_OPENING_PATTERN = compile_on_use(r"(?<![^\s(\[{/—–“-])'(?=\w\w)")
_SINGLE_CLOSING_PATTERN = compile_on_use(r"(?<=\S)'(?!\w)")
_INCH_MARK_PATTERN = compile_on_use(r"(?<=\d)\"")
_ODD_DOUBLE_MARKS = compile_on_use(r"[„‟]|``|''")
_INCHES = "\0"  # stands for a mark that is no quotation mark
_OPENING_MARKS = "“‘"

_LONG_MONTH_LIST = (
    "January February March April May June July August September October November December"
)
_SHORT_MONTH_LIST = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec."
LONG_MONTHS, SHORT_MONTHS = tuple(_LONG_MONTH_LIST.split()), tuple(_SHORT_MONTH_LIST.split())
_SENTENCE_ENDS = frozenset(".?!…。？！")
_CLOSING_QUOTES = "”’"
# Between two initials, and not before a small word.
_INITIAL_SPACE_PATTERN = compile_on_use(r"\. (?=[^\W\d_]\.)")


def add_final_mark(text: str, mark: str = ".", *, british: bool = False) -> str:
    """The text with a mark at its end, inside a closing quotation mark; no stop after another end.

    British styles put the mark outside.
    """
    text = text.strip()
    bare = text.rstrip(_CLOSING_QUOTES)
    quotes = text[len(bare) :]
    if not bare or (mark == "." and bare[-1] in _SENTENCE_ENDS) or bare.endswith(mark):
        return text
    is_quoted = "”" in quotes or (quotes and "‘" in bare)  # and no apostrophe
    return f"{bare}{mark}{quotes}" if is_quoted and not british else f"{text}{mark}"


def join_nonempty(parts: Iterable[str], separator: str = " ") -> str:
    return separator.join(part for part in parts if part)


def join_marked(parts: Iterable[str], mark: str = ".", *, british: bool = False) -> str:
    """The parts with a mark and a space between them, placed as `add_final_mark` does."""
    *heads, last = [part for part in parts if part] or [""]
    return " ".join((*(add_final_mark(head, mark, british=british) for head in heads), last))


def quote_title(title: str) -> str:
    """The title in double quotation marks; those inside become single ones."""
    return f"“{nest_quotation_marks(title)}”" if title else ""


def join_names(names: Sequence[str], *, last_separator: str) -> str:
    """The names joined by commas, with `last_separator` before the last one."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])}{last_separator}{names[-1]}"


def format_spoken_name(author: AuthorName, given: str | None = None) -> str:
    """These given names first, else the author's own, with a full stop after every initial."""
    if author.is_indivisible:
        return author.name
    shown = author.punctuated_given if given is None else given
    return join_nonempty((shown, author.family, author.suffix))


def format_short_name(author: AuthorName) -> str:
    """Initials first."""
    return format_spoken_name(author, author.initials)


def format_sorted_name(author: AuthorName, given: str | None = None) -> str:
    """Family name first, then these given names, else the author's own, with full stops."""
    if author.is_indivisible:
        return author.name
    shown = author.punctuated_given if given is None else given
    return join_nonempty((author.family, shown, author.suffix), ", ")


def choose_last_separator(people: Sequence[AuthorName], separator: str) -> str:
    """The separator before the last name, without its comma between two organisations."""
    if len(people) == 2 and all(person.is_indivisible for person in people):
        return separator.removeprefix(",")
    return separator


def close_initials(author: AuthorName) -> str:
    """The initials without spaces between them; a small word keeps its spaces: V. de O."""
    return _INITIAL_SPACE_PATTERN.sub(".", author.initials)


def is_same_name(first: str, second: str) -> bool:
    return first.casefold().strip(". ") == second.casefold().strip(". ")


def format_long_day(day: date) -> str:
    return f"{LONG_MONTHS[day.month - 1]} {day.day}, {day.year}"


def format_short_day(day: date) -> str:
    return f"{day.day} {SHORT_MONTHS[day.month - 1]} {day.year}"


def format_edition(edition: str) -> str:
    """3 as 3rd ed.; anything but a plain number is returned unchanged."""
    ordinal = format_ordinal(edition)
    return ordinal if ordinal == edition else f"{ordinal} ed."


def format_ordinal(edition: str) -> str:
    """3 as 3rd; anything but a plain number is returned unchanged."""
    if not edition.isascii() or not edition.isdigit():
        return edition
    number = int(edition[-2:])
    ending = "th" if 10 < number < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{edition}{ending}"


def format_volume(volume: str, word: str = "vol.") -> str:
    """A plain number or range with its label; a volume that has words of its own as it is."""
    return format_numbered(word, volume) if volume[:1].isdigit() else volume


def format_numbered(word: str, number: str) -> str:
    """The number after a label, which is plural before a range: no. 3, nos. 3–4."""
    if not number:
        return ""
    return f"{word.replace('.', 's.')} {number}" if "–" in number else f"{word} {number}"


# Quotation marks and apostrophes as printers set them.


def set_quotation_marks(text: str) -> str:
    """Straight quotation marks and apostrophes as typographic ones, in pairs where they enclose words."""
    if not any(mark in text for mark in "\"'`„‟"):
        return text
    text = _ODD_DOUBLE_MARKS.sub('"', text)
    if text.count('"') % 2:
        text = _INCH_MARK_PATTERN.sub(_INCHES, text)
    if text.count('"') % 2 == 0:
        text = _DOUBLE_OPENING_PATTERN.sub("“", text).replace('"', "”")
    return _set_single_marks(text).replace("'", "’").replace(_INCHES, '"')


def nest_quotation_marks(text: str, *, marks: str = "‘’“”") -> str:
    """The text as it stands inside quotation marks: “a ‘b’ c” is ‘a “b” c’. Apostrophes stay.

    `marks` are those of the first and of the second level inside.
    """
    if not any(mark in text for mark in _OPENING_MARKS):
        return text
    nested: list[str] = []
    opened: list[str] = []
    for place, char in enumerate(text):
        level = len(opened) % 2
        if char in _OPENING_MARKS:
            nested.append(marks[level * 2])
            opened.append(char)
        elif opened and _closes_quotation(text, place, opened[-1]):
            opened.pop()
            nested.append(marks[(1 - level) * 2 + 1])
        else:
            nested.append(char)
    return "".join(nested)


def _closes_quotation(text: str, place: int, opening: str) -> bool:
    if opening == "“":
        return text[place] == "”"
    return text[place] == "’" and not text[place + 1 : place + 2].isalnum()


def _set_single_marks(text: str) -> str:
    """Pairs of straight single marks as double ones, or as single ones inside double ones."""
    chars = list(text)
    closings = [match.start() for match in _SINGLE_CLOSING_PATTERN.finditer(text)]
    depth = seen = place = 0
    end = -1
    for match in _SINGLE_OPENING_PATTERN.finditer(text):
        start = match.start()
        if start < end:
            continue
        while place < len(closings) and closings[place] <= start:
            place += 1
        if place == len(closings):
            break
        end = closings[place]
        depth += text.count("“", seen, start) - text.count("”", seen, start)
        seen = start
        chars[start], chars[end] = "‘’" if depth > 0 else "“”"
    return "".join(chars)


# Works made ready for print: typographic marks, dashes, and a language for titles that state none.


def typeset_work(work: CitableWork) -> CitableWork:
    """The work with typographic quotation marks and dashes; a title that looks English is marked so."""
    return replace(
        work,
        title=set_quotation_marks(work.title),
        site=set_quotation_marks(work.site),
        publisher=set_quotation_marks(work.publisher),
        place=set_quotation_marks(work.place),
        authors=tuple(map(_typeset_name, work.authors)),
        editors=tuple(map(_typeset_name, work.editors)),
        volume=format_page_range(work.volume),
        issue=format_page_range(work.issue),
        language=work.language or _guess_title_language(work.title),
    )


def capitalize_container(work: CitableWork) -> str:
    """The container's title in title case if it is English; a host name stays as it is."""
    return capitalize_headline(work.site, work.language) if work.site else work.container_title


def is_serial(work: CitableWork) -> bool:
    """Whether this is part of a serial; a conference paper in an edited volume is not."""
    return work.kind in SERIAL_KINDS or (work.kind == "paper-conference" and not work.editors)


def reviews_title(work: CitableWork) -> bool:
    """Whether the title is that of the work reviewed, and not of the review itself."""
    is_review = work.kind in {"review", "review-book"}
    return is_review and not work.title.casefold().startswith(_REVIEW_TITLE_STARTS)


def _typeset_name(author: AuthorName) -> AuthorName:
    if "'" not in author.name:
        return author
    family, given, suffix = (part.replace("'", "’") for part in author.known_parts)
    return replace(author, name=author.name.replace("'", "’"), known_parts=(family, given, suffix))


def _guess_title_language(title: str) -> str:
    from citewell.text.language.detection import detect_language

    detected = detect_language(title)
    if detected is None and title.isascii():  # too short to tell
        words = title.lower().split()
        looks_english = any(word in _ENGLISH_WORDS or word.endswith("ing") for word in words)
        return "en" if looks_english else ""
    return "en" if detected == "en" else ""


# English titles with capitals as MLA and Chicago write them.


def capitalize_headline(text: str, language: str) -> str:
    """An English title with capitals as in MLA and Chicago; no letter is made lower-case.

    Titles in other languages are returned unchanged.
    """
    if not language.lower().startswith("en"):
        return text
    tokens = _TITLE_TOKEN_PATTERN.findall(text)
    begins, last = True, -1
    for place, token in enumerate(tokens):
        if not token[0].isspace() and not _TITLE_MARK.fullmatch(token):
            # A host or file name such as my-site.example.org keeps its letters.
            rest = "".join(tokens[place : place + _MAX_HOST_TOKENS])
            if not _goes_on(tokens, place) and not _HOST_PATTERN.match(rest):
                tokens[place] = _capitalize_word(token, begins=begins)
            begins, last = False, place
        elif token in _FRESH_START_MARKS:
            begins = True
    if (
        last >= 0
        and len(tokens[last]) > 1
        and tokens[last] in load_words(__package__, "title_case", "small_words")
    ):
        tokens[last] = _raise_first_letter(tokens[last])
    return "".join(tokens)


def _capitalize_word(word: str, *, begins: bool) -> str:
    if word != word.lower():
        return word
    is_small = word in load_words(__package__, "title_case", "small_words") or len(word) == 1
    return word if is_small and not begins else _raise_first_letter(word)


def _raise_first_letter(word: str) -> str:
    lone_greek = len(word) == 1 and "\u0370" <= word <= "\u03ff"
    return word if lone_greek else word[:1].upper() + word[1:]


def _goes_on(tokens: list[str], place: int) -> bool:
    """Whether a mark inside a word comes before: l’homme, o’clock, example.org, or an accent in LaTeX."""
    if place < 2 or tokens[place - 1] not in _INNER_MARKS:
        return False
    before = tokens[place - 2][-1]
    return before.isalnum() or before == "\\"


# Page ranges as each style shortens them.


def format_page_range(span: str, *, form: str = "expanded") -> str:
    """Page ranges with an en dash: expanded, chicago, minimal (436–44, 48–9) or minimal-two (48–49).

    A range from a page to itself is that page.
    """
    pieces, end = [], 0
    for match in _PAGE_RANGE_PATTERN.finditer(span):
        pieces += [_join_pages(span[end : match.start()]), _format_range(match, form)]
        end = match.end()
    return "".join((*pieces, _join_pages(span[end:]))).strip()


def format_labelled_pages(span: str, *, form: str = "expanded") -> str:
    """The pages with p. before a single one and pp. before several."""
    shown = format_page_range(span, form=form)
    if not shown:
        return ""
    return f"pp. {shown}" if _SEVERAL_PAGES_PATTERN.search(shown) else f"p. {shown}"


def _join_pages(text: str) -> str:
    return _PAGE_DASH_PATTERN.sub("–", text)


def _format_range(match: re.Match[str], form: str) -> str:
    prefix, first, mark, again, last, last_mark = (part or "" for part in match.groups())
    whole = first[: len(first) - len(last)] + last if len(last) < len(first) else last
    if again and again != prefix:
        return f"{prefix}{first}{mark}–{again}{last}{last_mark}"
    if (first, mark) == (whole, last_mark):
        return f"{prefix}{first}{mark}"
    if int(first) >= int(whole) or mark or last_mark or form == "expanded":
        again = prefix if int(first) < int(whole) else again
        return f"{prefix}{first}{mark}–{again}{whole if again == prefix else last}{last_mark}"
    return f"{prefix}{first}–{_shorten_last_page(first, whole, form)}"


def _shorten_last_page(first: str, last: str, form: str) -> str:
    if form == "chicago":
        return _shorten_chicago_page(int(first), int(last))
    if len(first) != len(last):
        return last
    alike = next((n for n, (a, b) in enumerate(zip(first, last, strict=True)) if a != b), 0)
    fewest = 2 if form == "minimal-two" else 1
    return last[min(alike, max(len(last) - fewest, 0)) :]


def _shorten_chicago_page(first: int, last: int) -> str:
    """The last page by Chicago's rule.

    In full up to 100 and after multiples of 100; otherwise at least the last two digits, and more
    until those before are alike; a zero at the front is left out (505–6).
    """
    if first > 100 and first % 100:
        for digits in range(2, len(str(last))):
            if first // 10**digits == last // 10**digits:
                return str(last % 10**digits)
    return str(last)
