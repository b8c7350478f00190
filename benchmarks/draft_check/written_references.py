"""A reference as a draft has it: in a list, as a record, as a label in the text or as an address."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from benchmarks.draft_check.draft_gold import CitationKind, GoldCitation
from tests.internet.papers import Work
from tests.trust import styles

_SITES = {
    "www.cdc.gov": "Centers for Disease Control and Prevention",
    "www.fda.gov": "U.S. Food and Drug Administration",
    "www.nccih.nih.gov": "National Center for Complementary and Integrative Health",
    "www.niddk.nih.gov": "National Institute of Diabetes and Digestive and Kidney Diseases",
    "www.consumerfinance.gov": "Consumer Financial Protection Bureau",
    "www.sba.gov": "U.S. Small Business Administration",
    "www.ers.usda.gov": "Economic Research Service",
    "www.nsf.gov": "National Science Foundation",
    "www.hrsa.gov": "Health Resources and Services Administration",
    "svs.gsfc.nasa.gov": "NASA Scientific Visualization Studio",
}

_LOST_SITES = {CitationKind.DEAD: "Web Archive", CitationKind.MOVED: "Press Office"}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReference:
    """A work, or a page if `work` is None; everything as the draft's author wrote it."""

    key: str  # a cite key
    kind: CitationKind  # a fault of the reference itself, or sound
    source: str
    title: str
    work: Work | None = None
    doi: str = ""
    url: str = ""
    site_name: str = ""  # who publishes the page, if the draft's author names it

    @property
    def address(self) -> str:
        return self.url or (f"https://doi.org/{self.doi}" if self.doi else "")

    @property
    def signatures(self) -> tuple[str, ...]:
        # The key is the only thing that a record in another file shares with its place in the text.
        return tuple(filter(None, (self.title, self.doi, urlsplit(self.url).path.strip("/"))))

    @property
    def site(self) -> str:
        """Who stands for the author; the lost address of a page is told from the page itself by it."""
        host = urlsplit(self.url).netloc
        lost = _LOST_SITES.get(self.kind)
        return self.site_name or lost or _SITES.get(host) or host.removeprefix("www.")

    @property
    def family(self) -> str:
        """Who is named in the text: one, two, or the first of several."""
        if self.work is None:
            return self.site
        names = [one if isinstance(one, str) else one[1] for one in self.work.authors]
        if len(names) > 2:
            return f"{names[0]} et al."
        return " & ".join(names)

    @property
    def label(self) -> str:
        year = (self.work.year if self.work else None) or "n.d."
        return f"{self.family}, {year}"

    def format_entry(self, style: Callable[[Work, str], str]) -> str:
        """Without a number, whatever the style puts in front."""
        if self.work is None:
            year = "(n.d.). " if style in {styles.apa, styles.harvard} else ""
            return f"{self.site}. {year}{self.title}. {self.url}"
        return re.sub(r"^(?:\[\d+\]|\d+\.) ", "", style(self.work, self.address))

    def format_bibtex(self) -> str:
        fields: dict[str, str]
        if self.work is None:
            fields = {"author": f"{{{self.site}}}", "title": self.title, "url": self.url}
            kind = "online"
        else:
            fields = _list_fields(self.work) | {"doi": self.doi}
            kind = "misc" if self.work.kind == "article" else "article"
        lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
        return f"@{kind}{{{self.key},\n" + ",\n".join(lines) + "\n}\n"

    def build_csl(self) -> dict[str, Any]:
        """As reference managers keep it in the fields of a Word document."""
        item: dict[str, Any] = {"id": self.key, "title": self.title}
        if self.work is None:
            return item | {"type": "webpage", "container-title": self.site, "URL": self.url}
        work = self.work
        authors = [
            {"literal": one} if isinstance(one, str) else {"given": one[0], "family": one[1]}
            for one in work.authors
        ]
        return item | {
            "type": "article-journal",
            "author": authors,
            "issued": {"date-parts": [[work.year]]},
            "container-title": work.venue,
            "volume": work.volume,
            "page": work.pages,
            **({"DOI": self.doi} if self.doi else {}),
        }

    def build_gold(self, fragment: str, kind: CitationKind = CitationKind.SOUND) -> GoldCitation:
        """`kind` is that of the statement; a fault of the reference itself comes first."""
        chosen = self.kind if self.kind is not CitationKind.SOUND else kind
        return GoldCitation(
            kind=chosen, source=self.source, signatures=self.signatures, fragment=fragment
        )


def build_key(work: Work) -> str:
    first = work.authors[0] if work.authors else "anon"
    family = first if isinstance(first, str) else first[1]
    plain = unicodedata.normalize("NFKD", family).encode("ascii", "ignore").decode().lower()
    word = next((one for one in re.findall(r"[a-z]{4,}", work.title.lower())), "work")
    return f"{re.sub(r'[^a-z]', '', plain) or 'anon'}{work.year}{word}"


def format_zotero(references: list[WrittenReference], shown: str) -> str:
    """The instruction of a field, as Zotero writes it."""
    items = [{"id": one.key, "itemData": one.build_csl()} for one in references]
    body = {
        "citationID": references[0].key,
        "properties": {"formattedCitation": shown, "plainCitation": shown},
        "citationItems": items,
    }
    return f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(body, ensure_ascii=False)}"


def _list_fields(work: Work) -> dict[str, str]:
    names = [
        f"{{{one}}}" if isinstance(one, str) else f"{one[1]}, {one[0]}" for one in work.authors
    ]
    return {
        "author": " and ".join(names),
        "title": f"{{{work.title}}}",
        "journal": work.venue,
        "year": str(work.year),
        "volume": work.volume,
        "number": work.issue,
        "pages": work.pages.replace("-", "--"),
    }
