"""Whether a full stop belongs to the word before it: titles, initials, references, months."""

from __future__ import annotations

import re


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# With a capital they stand before a name; never the end of a sentence when more follows.
_TITLES = _words(
    "dr drs mr mrs ms mx messrs mme mlle mgr prof profs gen col lt sgt cpl capt cmdr maj adm brig rev"
    " ee fr hon sig fa gem sen sens rep reps gov pres supt sra srta ing dipl dott avv hr fra st ste mt ft insp det"
    " m.sc b.sc dipl.-ing lic arq pfc pvt msgr amb atty"
)
# Never the end of a sentence either, in any case.
_JOINING = _words(
    "e.g i.e eg ie cf vs viz z.b u.a d.h bzw sog vgl ca approx inkl evtl ggf p.ej p.ex"
    " z.t u.u i.d.r s.o s.u m.e o.g n° nbr insbes einschl zzgl stv bspw т.е т.н напр см"
)
# They stand before a number, a letter or a name, and end a sentence before a word that opens one.
_BEFORE_A_NUMBER = _words(
    "fig figs eq eqs eqn eqns sec sect secs ref refs tab tabs vol vols nos nr nrn pp pg ch chap chaps"
    " art arts cl para paras app appx ed eds ex exs ser suppl ver abb abs bd hrsg kap ziff rn rz núm"
    " exp expt thm lem prop cor def alg pág págs pag pagg abs gem fa sig sigg zit zool bot lit trans"
    " tel ext est op cit ibid jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu"
    " thur thurs fri sat sun okt dez mai déc févr janv juil рис табл стр гл ст п"
)
# They may end a sentence; what follows decides.
_EITHER = _words(
    "inc corp ltd co cos bros llc plc gmbh assn dept univ inst natl intl jr sr esq etc al ave blvd rd"
    " mio mrd tsd mill mln hwy sq bldg apt no p min max avg std dev temp cc oz lb lbs ft in yd mi kg km cm mm hr hrs mins"
    " secs yr yrs ph.d phd m.d b.a m.a m.b.a d.phil usw u.s.w ff et.al resp incl excl est obs orig"
    " ft mt st sec spp sp var subsp ssp cv comb nov gen ined auct syn г гг в вв др пр т.д т.п руб млн млрд тыс"
)
_OPENERS = _words(
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
_AFTER_A_DAY = _words(
    "januar jänner februar märz april mai juni juli august september oktober november dezember"
    " jahrhundert jahrhunderts jahrhunderten jh klasse auflage weltkrieg weltkriegs lebensjahr etage"
    " kapitel platz januari februari maj joulukuuta tammikuuta ledna února března dubna května června"
    " století siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga"
    " prosinca stoljeća stoljeću marts"
)
_LAST = re.compile(r"[^\s(\[\"'“‘„«—–]+\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}\Z")
_NUMERAL = re.compile(r"\d{1,2}\Z|[IVX]{2,5}\Z")
_CLOCK = _words("a.m p.m b.c b.c.e c.e")
# What follows the time of day within a sentence.
_AFTER_THE_CLOCK = _words(
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february"
    " march april may june july august september october november december jan feb mar apr jun jul aug sep"
    " sept oct nov dec est edt et cst cdt ct mst mdt mt pst pdt pt gmt utc bst cet cest ist jst eastern central"
    " pacific local"
)


def opens(word: str) -> bool:
    """Whether a word is one that sentences start with, and names do not."""
    return word.lower().replace("’", "'").partition("'")[0] in _OPENERS


def goes_on(before: str, ahead: str, *, digit: bool, bare: bool) -> bool:
    """Whether the sentence goes on past a full stop.

    `before` is the text up to the stop, `ahead` the next word (with its stop when it is a letter
    alone), `digit` says that a number is next,
    and `bare` that nothing closes between: after a closing quote only what never ends counts.
    """
    found = _LAST.search(before)
    if found is None:
        return False
    word = found[0].strip("*_").rstrip(")]")
    low = word.lower()
    if digit is False and any(map(str.isdigit, ahead)):
        digit = low in _BEFORE_A_NUMBER or low == "no"
    if low in _JOINING:
        return bare or low in {"e.g", "i.e", "cf"}
    if low in _TITLES and word[0].isupper():
        return bare
    if not bare:
        return False
    if low in _BEFORE_A_NUMBER:
        return digit or not (opens(ahead) or (word.islower() and not _short(ahead)))
    if low in _EITHER and not (len(word) == 1 and word.isupper()):
        return _undecided(low, ahead, digit=digit)
    named = before[: found.start()].rstrip().rpartition(" ")[2][:1].isupper()
    if (digit and low in {"v", "p", "c", "n", "s", "r"}) or (word == "v" and named):
        return True
    return _initial(word, ahead, digit=digit, named=named) or _ordinal(word, ahead)


def _short(ahead: str) -> bool:
    return len(ahead) <= 2


def _undecided(low: str, ahead: str, *, digit: bool) -> bool:
    if low in {"no", "p", "min", "max"}:
        return digit
    if low == "al":
        return not opens(ahead)
    return bool(ahead) and not opens(ahead) and low not in {"in", "etc"}


def _initial(word: str, ahead: str, *, digit: bool, named: bool) -> bool:
    """J. Smith, U.S. Senate and 5 p.m. Monday go on; a word that opens sentences ends them."""
    if _DOTTED.match(word):
        if word.lower() in _CLOCK:
            return ahead.lower() in _AFTER_THE_CLOCK
        return not opens(ahead) and (bool(ahead) or digit)
    if len(word) == 1 and ahead.endswith("."):  # J. S. Bach, z. B.
        return word.isalpha()
    single = len(word) == 1 and word.isalpha() and word.isupper() and (word != "I" or named)
    return single and bool(ahead) and not opens(ahead)


def _ordinal(word: str, ahead: str) -> bool:
    return bool(_NUMERAL.match(word)) and ahead.lower() in _AFTER_A_DAY
