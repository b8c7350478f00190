"""Tells a full stop that belongs to an abbreviation from one that ends a sentence."""

from __future__ import annotations

import re


def _split_word_list(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Titles before a name: when capitalised and followed by more text, they never end a sentence.
_TITLE_ABBREVIATIONS = _split_word_list(
    "dr drs mr mrs ms mx messrs mme mlle mgr prof profs gen col lt sgt cpl capt cmdr maj adm brig rev"
    " ee fr hon sig fa gem sen sens rep reps gov pres supt sra srta ing dipl dott avv hr fra st ste mt ft insp det"
    " m.sc b.sc dipl.-ing lic arq pfc pvt msgr amb atty"
)
# These never end a sentence, capitalised or not.
_MID_SENTENCE_ABBREVIATIONS = _split_word_list(
    "e.g i.e eg ie cf vs viz z.b u.a d.h bzw sog vgl ca approx inkl evtl ggf p.ej p.ex"
    " z.t u.u i.d.r s.o s.u m.e o.g n° nbr insbes einschl zzgl stv bspw т.е т.н напр см"
)
# Usually followed by a number, letter or name; they end a sentence only before a sentence opener.
_ABBREVIATIONS_BEFORE_NUMBERS = _split_word_list(
    "fig figs eq eqs eqn eqns sec sect secs ref refs tab tabs vol vols nos nr nrn pp pg ch chap chaps"
    " art arts cl para paras app appx ed eds ex exs ser suppl ver abb abs bd hrsg kap ziff rn rz núm"
    " exp expt thm lem prop cor def alg pág págs pag pagg abs gem fa sig sigg zit zool bot lit trans"
    " tel ext est op cit ibid jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu"
    " thur thurs fri sat sun okt dez mai déc févr janv juil рис табл стр гл ст п"
)
# These may end a sentence or not; the following word decides.
_AMBIGUOUS_ABBREVIATIONS = _split_word_list(
    "inc corp ltd co cos bros llc plc gmbh assn dept univ inst natl intl jr sr esq etc al ave blvd rd"
    " mio mrd tsd mill mln hwy sq bldg apt no p min max avg std dev temp cc oz lb lbs ft in yd mi kg km cm mm hr hrs mins"
    " secs yr yrs ph.d phd m.d b.a m.a m.b.a d.phil usw u.s.w ff et.al resp incl excl est obs orig"
    " ft mt st sec spp sp var subsp ssp cv comb nov gen ined auct syn г гг в вв др пр т.д т.п руб млн млрд тыс"
)
_SENTENCE_OPENING_WORDS = _split_word_list(
    "the a an in on at it he she they we i this that these those there but and or so if when while as"
    " for from by with to of after before since until although though however moreover furthermore"
    " therefore thus hence meanwhile instead also another some many most several each every all both"
    " few one two three no not his her their its our my your who what where why how which is are was"
    " were do does did can could will would should may might must nevertheless nonetheless overall"
    " additionally finally first second third next then now today yesterday because during despite"
    " unlike under over between among through without within according such other others here yet"
    " even only just once still later earlier like upon let please you otherwise maybe perhaps sometimes"
    " often usually generally recently currently previously originally eventually initially similarly"
    " specifically consequently accordingly indeed again whether whereas having being using given based"
    " following unless neither either nor subsequently typically overall nowadays against along about"
    " anyone everyone someone nobody people researchers scientists critics experts officials"
    " der die das ein eine es er sie wir ich im am auf mit von zu bei nach für und aber doch wenn als"
    " dies diese dieser dieses auch seit durch bis sowie dabei damit daher deshalb allerdings jedoch"
    " le la les l un une il elle ils elles nous ce cette ces dans en sur pour par avec mais et ou si"
    " el los las una en por con pero y este esta estos estas se su sus al del para como"
    " o os as um uma no na em mas e ele ela il lo gli nel nella ma questo questa per"
    " de het een in op maar dit deze hij zij"
    " в на и но это он она они для по с у к если когда как что"
)
_WORDS_AFTER_ORDINALS = _split_word_list(
    "januar jänner februar märz april mai juni juli august september oktober november dezember"
    " jahrhundert jahrhunderts jahrhunderten jh klasse auflage weltkrieg weltkriegs lebensjahr etage"
    " kapitel platz januari februari maj joulukuuta tammikuuta ledna února března dubna května června"
    " století siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga"
    " prosinca stoljeća stoljeću marts"
)
_LAST_WORD_PATTERN = re.compile(r"[^\s(\[\"'“‘„«—–]+\Z")
_DOTTED_LETTERS_PATTERN = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")
_ORDINAL_PATTERN = re.compile(r"\d{1,2}\Z|[IVX]{2,5}\Z")
_CLOCK_ABBREVIATIONS = _split_word_list("a.m p.m b.c b.c.e c.e")
# Words that may follow a time of day within the same sentence.
_WORDS_AFTER_CLOCK_TIME = _split_word_list(
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february"
    " march april may june july august september october november december jan feb mar apr jun jul aug sep"
    " sept oct nov dec est edt et cst cdt ct mst mdt mt pst pdt pt gmt utc bst cet cest ist jst eastern central"
    " pacific local"
)


def is_sentence_opener(word: str) -> bool:
    """Whether the word commonly starts a sentence and is not part of a name."""
    return word.lower().replace("’", "'").partition("'")[0] in _SENTENCE_OPENING_WORDS


def is_abbreviation_stop(
    before: str, next_word: str, *, number_follows: bool, nothing_closes: bool
) -> bool:
    """Whether a full stop belongs to an abbreviation, so that the sentence continues after it.

    `before` is the text up to the stop. `next_word` is the word after it, with its own stop if it
    is a single letter. `number_follows` is set if a number comes next. `nothing_closes` is set if
    no quotation mark or bracket closes after the stop; if one does, only abbreviations that never
    end a sentence count.
    """
    found = _LAST_WORD_PATTERN.search(before)
    if found is None:
        return False
    word = found[0].strip("*_").rstrip(")]")
    low = word.lower()
    if number_follows is False and any(map(str.isdigit, next_word)):
        number_follows = low in _ABBREVIATIONS_BEFORE_NUMBERS or low == "no"
    if low in _MID_SENTENCE_ABBREVIATIONS:
        return nothing_closes or low in {"e.g", "i.e", "cf"}
    if low in _TITLE_ABBREVIATIONS and word[0].isupper():
        return nothing_closes
    if not nothing_closes:
        return False
    if low in _ABBREVIATIONS_BEFORE_NUMBERS:
        return number_follows or not (
            is_sentence_opener(next_word) or (word.islower() and not _is_short_word(next_word))
        )
    if low in _AMBIGUOUS_ABBREVIATIONS and not (len(word) == 1 and word.isupper()):
        return _is_ambiguous_stop(low, next_word, digit=number_follows)
    named = before[: found.start()].rstrip().rpartition(" ")[2][:1].isupper()
    if (number_follows and low in {"v", "p", "c", "n", "s", "r"}) or (word == "v" and named):
        return True
    return _is_initial_stop(word, next_word, digit=number_follows, named=named) or _is_ordinal_stop(
        word, next_word
    )


def _is_short_word(ahead: str) -> bool:
    return len(ahead) <= 2


def _is_ambiguous_stop(low: str, ahead: str, *, digit: bool) -> bool:
    if low in {"no", "p", "min", "max"}:
        return digit
    if low == "al":
        return not is_sentence_opener(ahead)
    return bool(ahead) and not is_sentence_opener(ahead) and low not in {"in", "etc"}


def _is_initial_stop(word: str, ahead: str, *, digit: bool, named: bool) -> bool:
    """Whether the stop follows an initial, as in J. Smith, U.S. Senate and 5 p.m. Monday."""
    if _DOTTED_LETTERS_PATTERN.match(word):
        if word.lower() in _CLOCK_ABBREVIATIONS:
            return ahead.lower() in _WORDS_AFTER_CLOCK_TIME
        return not is_sentence_opener(ahead) and (bool(ahead) or digit)
    if len(word) == 1 and ahead.endswith("."):  # J. S. Bach, z. B.
        return word.isalpha()
    single = len(word) == 1 and word.isalpha() and word.isupper() and (word != "I" or named)
    return single and bool(ahead) and not is_sentence_opener(ahead)


def _is_ordinal_stop(word: str, ahead: str) -> bool:
    return bool(_ORDINAL_PATTERN.match(word)) and ahead.lower() in _WORDS_AFTER_ORDINALS
