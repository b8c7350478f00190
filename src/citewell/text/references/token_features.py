"""What the tagger sees of each token of a reference: itself, its neighbours and its surroundings."""

from __future__ import annotations

from citewell.text.references import token_chunks
from citewell.text.references.reference_tokens import WORD_SHAPES, ReferenceToken

_OPENING_QUOTES = frozenset('“«„"‘`')
_CLOSING_QUOTES = frozenset("”»\"“’'")


def _list_word_kinds() -> dict[str, str]:
    """Words that announce a field or tell what it is, by kind."""
    return {word: kind for kind, words in _KIND_WORDS.items() for word in words.split()}


_KIND_WORDS = {
    "mon": "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec"
    " januar februar märz mai juni juli oktober dezember okt dez janvier février mars avril juin juillet août septembre octobre novembre décembre"
    " enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre janeiro fevereiro março maio junho julho setembro outubro"
    " gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre spring summer autumn fall winter",
    "vol": "vol vols volume volumes bd band tome tomo jg jahrgang",
    "num": "no nos nr issue heft num number iss",
    "pag": "pp pages page pgs seiten págs pag",
    "eds": "eds ed editor editors edited hrsg hg dir éd éds herausgegeben coord org orgs",
    "pub": "press verlag publishers publishing publications éditions editions editorial editora presses books uitgeverij edizioni publisher",
    "con": "proceedings proc conference conf symposium symp workshop congress colloquium meeting",
    "jou": "journal j review rev transactions trans annals ann bulletin letters lett zeitschrift revue revista quarterly archives magazine acta",
    "org": "university université universität universidad institute institut collaboration consortium organization ministry department committee foundation",
    "the": "thesis dissertation diss ph phd habilitation",
    "rep": "report tech rep technical paper manuscript preprint unpublished",
    "al": "al others",
}  # fmt: skip
_WORD_KINDS = _list_word_kinds()


def extract_token_features(tokens: list[ReferenceToken]) -> list[list[str]]:
    """The names of the features of every token, in the order of the tokens."""
    count = len(tokens)
    words = ["<s>", "<s>", *(token.word for token in tokens), "</s>", "</s>"]
    kinds = [_WORD_KINDS.get(token.word) or token.shape for token in tokens]
    shapes = ["<s>", "<s>", *kinds, "</s>", "</s>"]
    spaces = ["s" if token.is_spaced else "n" for token in tokens] + ["s"]
    chunks = token_chunks.describe_chunks(tokens, token_chunks.CHUNK_ENDS)
    sentences = token_chunks.describe_chunks(tokens, token_chunks.SENTENCE_ENDS)
    quotes = _find_quote_states(tokens)
    brackets = _find_bracket_states(tokens)
    dates = _find_date_states(tokens)
    features: list[list[str]] = []
    for at, token in enumerate(tokens):
        b2, b1, w, a1, a2 = words[at : at + 5]
        t2, t1, s, n1, n2 = shapes[at : at + 5]
        glue = spaces[at] + spaces[at + 1]
        chunk, sentence = chunks[at], sentences[at]
        found = [
            "b",
            "w" + w,
            "<" + b1,
            ">" + a1,
            "<<" + b2,
            ">>" + a2,
            f"2{b1} {w}",
            f"3{w} {a1}",
            f"4{t1} {s}{glue}",
            f"5{s} {n1}{glue}",
            f"6{t1} {s} {n1}",
            f"7{t2} {t1} {s}",
            f"8{s} {n1} {n2}",
            f"9{t2} {t1} {s} {n1} {n2}",
            f"p{10 * at // count}{s}",
            f"i{min(at, 6)}",
            f"e{min(count - at, 5)}{s}",
            f"q{quotes[at]}",
            f"k{brackets[at]}{s}",
            f"y{dates[at]}",
            f"Y{dates[at]}{quotes[at]}{brackets[at]}",
            f"c{chunk.kind}",
            f"C{chunk.opening}{chunk.kind}{chunk.closing}",
            f"d{chunk.before} {chunk.kind}",
            f"D{chunk.kind} {chunk.after}",
            f"f{chunk.before} {chunk.kind} {chunk.after}",
            f"F{chunk.first}",
            f"l{chunk.last}",
            f"N{chunk.next_first}",
            f"L{chunk.before_last}",
            f"n{min(chunk.number, 8)}{dates[at]}",
            f"S{min(sentence.number, 4)}{sentence.kind}",
            f"t{sentence.first}",
            f"T{sentence.before} {sentence.kind} {sentence.after}",
            f"u{min(sentence.number, 4)}{dates[at]}{quotes[at]}{chunk.kind}",
            f"m{chunk.kind}{sentence.kind}{dates[at]}",
        ]
        if token.shape in WORD_SHAPES:
            if len(w) > 3:
                found += (f"z{w[-3:]}", f"Z{w[-2:]}{s}", f"x{w[:3]}")
        else:
            found += (
                f"g{t1}{s}{n1}{glue}{dates[at]}",
                f"h{w}{b1} {a1}",
                f"j{s}{chunk.kind}{chunk.after}{chunk.next_first}",
            )
        features.append(found)
    return features


def _find_quote_states(tokens: list[ReferenceToken]) -> list[str]:
    """Of each token: 0 no quotation in the reference, else before, in or after the first."""
    start = end = -1
    for at, token in enumerate(tokens):
        if start < 0:
            opens = token.shape in _OPENING_QUOTES and (token.is_spaced or at == 0)
            if opens or (token.shape == "'" and token.is_spaced):
                start = at
        elif (
            at > start + 3
            and token.shape in _CLOSING_QUOTES
            and (at + 1 == len(tokens) or tokens[at + 1].is_spaced or tokens[at + 1].is_mark)
        ):
            end = at
            break
    if end < 0:
        return ["0"] * len(tokens)
    return ["b" if at < start else "i" if at <= end else "a" for at in range(len(tokens))]


def _find_bracket_states(tokens: list[ReferenceToken]) -> list[str]:
    states: list[str] = []
    inside = ""
    since = 0
    for token in tokens:
        if token.shape in {"(", "["}:
            inside, since = token.shape, 0
        since += 1
        if since > 30:
            inside = ""
        states.append(inside)
        if token.shape in {")", "]"}:
            inside = ""
    return states


def _find_date_states(tokens: list[ReferenceToken]) -> list[str]:
    """Of each token: whether the first year of the reference comes, and how early it stands."""
    years = [at for at, token in enumerate(tokens) if token.shape == "year"]
    if not years:
        return ["n"] * len(tokens)
    first = years[0]
    bracketed = first and tokens[first - 1].shape in {"(", "["}
    early = "e" if 2 * first < len(tokens) else "l"
    style = early + ("b" if bracketed else "p")
    last = years[-1]
    return [
        style
        + (
            "<"
            if at < first
            else "="
            if at == first
            else ">"
            if at < last or last == first
            else ">>"
            if at > last
            else "=="
        )
        for at in range(len(tokens))
    ]
