"""Classifies statements: their kind, what authors say of their own work, and parts that are no prose."""

from __future__ import annotations

import re

# The order matters: the first match gives the kind.
_STATEMENT_KIND_REGEXES = (
    ("null_finding", r"\bno (?:significant |clear |statistically significant )?(?:effect|difference|association|evidence|link|relationship|correlation|benefit|change)\b|\bnot (?:significantly )?(?:associated|differ|linked|related|effective)\b|\bdid not (?:find|differ|show|reduce|improve|increase)\b"),
    ("prediction", r"\b(?:will|is expected to|are expected to|is projected to|are projected to|is forecast|is likely to|are likely to|by 20[3-9]\d|predicts?|forecasts?)\b"),
    ("recommendation", r"\b(?:should|ought to|recommends?|recommended|advises?|it is advisable|guidelines? (?:suggest|recommend))\b"),
    ("conditional_hypothesis", r"^\s*(?:if|unless|provided that)\b|\bhypothesi[sz]\w*|\bmight be\b|\bcould be because\b"),
    ("comparison", r"\b(?:more|less|fewer|greater|higher|lower|larger|smaller|better|worse|faster|slower|cheaper|older|younger) than\b|\bcompared (?:with|to)\b|\bwhereas\b|\bunlike\b|\bas \w+ as\b"),
    ("causal_relation", r"\b(?:causes?|caused|leads? to|led to|results? in|resulted in|because of|due to|triggers?|triggered|contributes? to|responsible for|increases? the risk|reduces? the risk|increased the risk|reduced the risk)\b"),
    ("mechanism", r"\b(?:mechanism|by (?:inhibiting|binding|blocking|activating|converting|increasing|reducing|releasing|absorbing)|works by|works through|acts? (?:by|on|as)|mediated by)\b"),
    ("definition", r"^\W{0,3}(?:an?|the)?\s?[\w\s-]{2,60}? (?:is|are) (?:an?|the|any|one of)\b|\brefers to\b|\bis defined as\b|\bis known as\b|\bis called\b"),
    ("quantitative_finding", r"\d"),
)  # fmt: skip
_COMPILED_STATEMENT_PATTERNS = tuple(
    (name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _STATEMENT_KIND_REGEXES
)
_MAX_STATEMENT_CHARS = 1200  # characters; sentences are shorter
DEFAULT_STATEMENT_KIND = "categorical_statement"

_OWN_PATTERN = re.compile(
    r"\b(?:we|our|ours|us|I|my|mine|myself|ourselves)\b|\b(?:this|the present|the current|our) (?:paper|study|article|report|thesis|section|chapter|work|survey|review|post|essay|analysis|dissertation|manuscript|brief|document|guide)\b"
    r"|\b(?:in|see|as) (?:section|chapter|figure|fig\.|table|appendix|equation)s?\b|\b(?:figure|table|fig\.) [A-Z]?\d|\b(?:the )?authors? (?:declare|thank|received)\b"
    r"|\b(?:wir|uns|unser\w{0,2}|ich|mein\w{0,2})\b|\b(?:diese[rs]?|der vorliegende[n]?|die vorliegende|vorliegende[rn]?) (?:Arbeit|Studie|Beitrag|Aufsatz|Artikel|Abschnitt|Kapitel|Text|Untersuchung)\b|\bin (?:Abschnitt|Kapitel|Abbildung|Tabelle) \d"
    r"|\b(?:nous|notre|nos|je|mon|ma|mes)\b|\bcet(?:te)? (?:article|étude|travail|section|chapitre|mémoire|thèse|recherche)\b|\b(?:nosotros|nosotras|nuestr[oa]s?|yo|mi|mis)\b|\beste? (?:artículo|estudio|trabajo|capítulo)\b|\besta (?:sección|tesis|investigación|revisión)\b|\b\w{3,20}(?:amos|imos)\b"
    r"|我们|我們|本文|本研究|本章|本稿|本論文|我々|筆者|著者らは",
    re.IGNORECASE,
)
_QUOTATION_PATTERN = re.compile(r"[“„«「『][^“”„«»「」『』\n]{1,1000}[”“»」』]|\"[^\"\n]{1,1000}\"")
_QUESTION_ENDS = ("?", "？", "؟")
_UNCHECKED_HEADING_PATTERN = re.compile(
    r"\W{0,6}(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{1,3})?(?:abstract|acknowledge?ments?|key ?words?|funding|author contributions?|(?:conflicts?|competing|declarations?) (?:of |)interests?|data availability|ethics|disclosures?|about the authors?|table of contents|contents|abbreviations|danksagung|schlagw[öo]rter|stichworte|inhalt(?:sverzeichnis)?|förderung|interessenkonflikte?|remerciements|mots[- ]clés|financement|table des matières|agradecimientos|palabras clave|financiación|conflictos? de intereses|índice|致谢|关键词|謝辞|キーワード|目录|目次)\b",
    re.IGNORECASE,
)
_OWN_HEADING_PATTERN = re.compile(
    r"\W{0,6}(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{1,3})?(?:(?:materials? and )?methods?|methodology|results?(?: and discussion)?|findings|statistical analys[ie]s|participants|procedures?|study design|data collection|experiments?|experimental setup|implementation|conclusions?|discussion of results|limitations|methoden?|methodik|ergebnisse|material und methoden|zusammenfassung|fazit|schluss|schlussfolgerungen|durchführung|stichprobe|méthodes?|matériel et méthodes|résultats|résumé|conclusion|métodos?|metodología|material y métodos|resultados|resumen|conclusiones|方法|结果|結果|摘要|要旨|结论|結論)\b",
    re.IGNORECASE,
)
_PAPER_HEADING_PATTERN = re.compile(
    r"\W{0,6}(?:\d{1,2}(?:\.\d{1,2}){0,3}\.?\s{1,3})?(?:(?:materials? and )?methods?|methodology|results?(?: and discussion)?|methoden|methodik|ergebnisse|méthodes?|résultats|métodos?|metodología|resultados|方法|结果|結果)\b",
    re.IGNORECASE,
)
_KEYWORD_LINE_PATTERN = re.compile(
    r"\W{0,6}(?:key ?words?|index terms|schlagw[öo]rter|mots[- ]clés|palabras clave|关键词|キーワード|author|authors|date|doi|email|e-mail|contact|version|license|copyright|©|published|updated|last updated|received|accepted)\s{0,2}[:：—–]",
    re.IGNORECASE,
)


# Sentences that only say where something was taken from.
_PROVENANCE_PATTERN = re.compile(
    r"(?:(?:both|all|these|those|the|its|most of the|some of the) )?(?:two |three |four |other |following |above |preceding )?"
    r"(?:dates?|figures?|numbers?|data|facts?|quotes?|quotations?|details?|estimates?|values?|statistics|percentages?|definitions?|information|examples?)"
    r"(?: (?:above|below|here|given|cited|used|quoted|in this (?:section|paragraph|table)))? (?:are|is|come|comes|were|was|stem|stems) (?:all |both |also )?(?:taken |drawn |quoted |adapted |cited |compiled )?(?:from|by|in)\b"
    r"|(?:this|that|it) (?:comes|is taken|is drawn|is quoted) from\b|(?:taken|drawn|adapted|quoted|according to) (?:from )?(?:the|this|an?) (?:same )?(?:source|page|guide|report)\b"
    r"|(?:(?:beide|alle|diese|die) )?(?:genannten |obigen )?(?:zahlen|daten|angaben|werte|fakten|zitate|informationen|jahreszahlen) (?:stammen|kommen|sind|wurden)\b[^.]{0,40}\b(?:aus|von|vom|bei|entnommen)\b"
    r"|(?:(?:les|ces|toutes les|tous les) )?(?:deux )?(?:chiffres|dates|données|informations|citations|valeurs)\b[^.]{0,40}\b(?:proviennent|viennent|sont tirée?s|sont issue?s|provient)\b"
    r"|(?:(?:las|los|estas|estos|todas las|todos los|ambas|ambos) )?(?:dos )?(?:cifras|fechas|datos|informaciones|citas|valores)\b[^.]{0,40}\b(?:proceden|provienen|vienen|son de|están tomad[oa]s)\b",
    re.IGNORECASE,
)
_DOCUMENT_PATTERN = re.compile(
    r"\b(?:pages?|web ?sites?|sites?|guides?|guidance|links?|address(?:es)?|archives?|articles?|papers?|stud(?:y|ies)|reports?|sources?|documents?|handouts?|leaflets?|manuals?|versions?|dossiers?"
    r"|surveys?|reviews?|overviews?|literature|publications?|books?|chapters?|essays?|posts?|brochures?|letters?|memos?|editions?|series"
    r"|seiten?|internetseiten?|anleitung(?:en)?|merkbl(?:att|ätter)|quellen?|studien?|aufs(?:atz|ätze)|beitr(?:ag|äge)|berichte?|leitf(?:aden|äden)|fassung(?:en)?|artikel|arbeit(?:en)?|adressen?|ratgeber|bücher|buch|untersuchung(?:en)?|übersicht(?:en)?|hefte?"
    r"|études?|adresses?|rapports?|revues?|livres?|brochures?|travaux|ouvrages?|notices?|billets?"
    r"|páginas?|sitios?|guías?|artículos?|estudios?|fuentes?|versi(?:ón|ones)|informes?|documentos?|enlaces?|direcci(?:ón|ones)|libros?|folletos?|trabajos?|manuales?)\b",
    re.IGNORECASE,
)


def is_provenance_statement(text: str) -> bool:
    """Whether a sentence only says where something is from: "Both dates are from the guide"."""
    return _PROVENANCE_PATTERN.match(text) is not None


def speaks_of_document(text: str) -> bool:
    """Whether a statement names a text as such, as in "an older guide is kept at this address"."""
    return _DOCUMENT_PATTERN.search(_QUOTATION_PATTERN.sub(" ", text)) is not None


def is_own_statement(text: str) -> bool:
    """Whether the authors speak of their own doing or their own text."""
    return _OWN_PATTERN.search(_QUOTATION_PATTERN.sub(" ", text)) is not None


def is_question(text: str) -> bool:
    return text.rstrip("\"'”’)»").endswith(_QUESTION_ENDS)


def is_unchecked_heading(title: str, *, is_paper: bool) -> bool:
    """Whether what stands under a heading needs no sources; in a paper, methods and results too."""
    if _UNCHECKED_HEADING_PATTERN.match(title):
        return True
    return is_paper and _OWN_HEADING_PATTERN.match(title) is not None


def is_paper_heading(title: str) -> bool:
    """Whether a heading is one that only a paper on one's own research has."""
    return _PAPER_HEADING_PATTERN.match(title) is not None


def is_label_line(text: str) -> bool:
    """Whether a line is a list of keywords, a date of publication or the like."""
    return _KEYWORD_LINE_PATTERN.match(text) is not None


# Classifies the statement that a sentence makes, by its words.


def classify_statement(sentence: str) -> str:
    """The kind of statement; "categorical_statement" if no pattern matches (they are English)."""
    looked = sentence[:_MAX_STATEMENT_CHARS]
    return next(
        (name for name, pattern in _COMPILED_STATEMENT_PATTERNS if pattern.search(looked)),
        DEFAULT_STATEMENT_KIND,
    )
