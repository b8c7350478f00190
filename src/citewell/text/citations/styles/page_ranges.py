"""Page ranges as each style shortens them."""

from __future__ import annotations

import re

# A letter may stand before the number (S224) or after it (12a).
_PAGE_RANGE_PATTERN = re.compile(
    r"(?<![\w.])(\d{0,6}[A-Za-z]{1,10}0{0,6})?(\d{1,12}+)([a-z]{0,3})\s{0,3}[-‐‑–—]{1,2}\s{0,3}"
    r"(\d{0,6}[A-Za-z]{1,10}0{0,6})?(\d{1,12}+)([a-z]{0,3})(?!\w)"
)
_PAGE_DASH_PATTERN = re.compile(r"\s{0,3}[-‐‑–]{1,2}\s{0,3}")
_SEVERAL_PAGES_PATTERN = re.compile(r"[–&,]")


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
