"""Marks of a sentence that cannot stand alone: it refers back, or it speaks of the site itself."""

from __future__ import annotations

import re

_NAVIGATION_PATTERN = re.compile(
    r"\bcookies?\b.{0,80}\b(?:accept|consent|use|experience|settings|prefer)|\b(?:accept|we use|uses)\b.{0,30}\bcookies"
    r"|\bnewsletter\b|\bsubscrib\w+|\bsign(?:ed)? up\b|\blog(?:ged)? in\b|\ball rights reserved\b|©"
    r"|\bprivacy policy\b|\bterms (?:of (?:use|service)|and conditions)\b|\bread more\b|\bclick here\b"
    r"|\bshare (?:this|on)\b|\bfollow us\b|\bskip to\b|\bjavascript\b.{0,40}\b(?:enable|disabled|required)\b"
    r"|\benable javascript\b|\badvertis(?:e|ing) (?:with|on) (?:us|this)\b|\baffiliate\b.{0,40}\b(?:links?|commission)\b"
    r"|\bin this (?:article|post|guide|section|chapter|paper|video|episode|tutorial)\b"
    r"|\bthis (?:article|post|guide|page|website|site) (?:was|is|has been|explains|covers|discusses|will|contains)\b"
    r"|\bfor (?:more|further) (?:information|details)\b|\bsee also\b|\bread next\b|\brelated (?:articles|posts|reading|links)\b"
    r"|\bback to top\b|\btable of contents\b|\bcopyright\b|\bretrieved (?:on )?\d|\bpage last (?:updated|modified|reviewed)\b"
    r"|\blast (?:updated|modified|reviewed)\b|\bleave a (?:comment|reply)\b|\bnext article\b|\bprevious article\b"
    r"|\bmin(?:ute)?s? read\b|\bfree trial\b|\badd to cart\b|\bcustomer reviews?\b|\bcitation needed\b"
    r"|\bDatenschutz|\bAlle Rechte vorbehalten|\bNewsletter\b|\bCookies?\b.{0,60}\b(?:verwenden|akzept|utilis|usamos|utiliz|nutzen)"
    r"|\bTous droits réservés|\bTodos los derechos reservados|\bpolitique de confidentialité|利用規約|プライバシー|版权所有|隐私政策",
    re.IGNORECASE,
)
_POINTING_OPENER_PATTERN = re.compile(
    r"\A\W*(?:this|that|these|those|it|its|they|their|he|she|his|her|such|both|the former|the latter"
    r"|dies\w*|es|er|sie|il|elle|ils|elles|cela|ceci|esto|esta|este|ello|esso|questo|questa|isso|isto"
    r"|dit|deze|hij|zij|это|он|она|они)\b|\A\W*(?:これ|それ|その|この|这|該|该|此)",
    re.IGNORECASE,
)
_CONNECTIVE_OPENER_PATTERN = re.compile(
    r"\A\W*(?:however|but|and|so|therefore|thus|moreover|furthermore|also|instead|similarly|conversely"
    r"|nevertheless|consequently|additionally|in addition|as a result|for example|for instance|by contrast"
    r"|in contrast|on the other hand|otherwise|then|yet|still)\b",
    re.IGNORECASE,
)


def has_navigation_words(sentence: str) -> bool:
    """Whether it speaks of the site itself: cookies, newsletters, terms, related articles."""
    return _NAVIGATION_PATTERN.search(sentence) is not None


def needs_previous_sentence(sentence: str) -> bool:
    """Whether the sentence opens with a pronoun or connective that refers to the one before."""
    return (
        _POINTING_OPENER_PATTERN.match(sentence) is not None
        or _CONNECTIVE_OPENER_PATTERN.match(sentence) is not None
    )
