"""German words of opposition."""

from __future__ import annotations

from citewell.text.evidence.oppositions.word_table import OppositionWords

WORDS = OppositionWords(
    denials=r"nicht|kein\w{0,2}|nie|niemals|weder|ohne|kaum|statt|anstatt|anstelle",
    noun_denials="kein keine keinen keiner keinem ohne",
    limits=(
        r"nur|außer|sofern|falls|wenn|bis(?! \d)|aber|jedoch|obwohl|wenig\w{0,2}|selten\w{0,2}|zu (?:viel|früh|spät|kurz|lang|klein|groß|hoch|niedrig|schwach|gering|schwer)\w{0,2}|"
        r"fehl\w{0,4}|mangel\w{0,3}|verhinder\w{0,3}|vermeid\w{0,3}|verboten\w{0,2}|"
        r"untersagt\w{0,2}|un(?:möglich|zulässig|wahrscheinlich|wirksam|nötig)\w{0,2}|sonst|"
        r"anders|trotz|könnte\w{0,1}|ob|falsch\w{0,2}"
    ),
    hidden_denials=(
        r"außerhalb|fern von|verschieden von|ander\w{1,3} als|frei von|ausgenommen|ausgeschlossen|"
        r"schließ\w{1,3}|entfäll\w{0,2}|lehn\w{1,3}|jenseits"
    ),
    duties="nötig notwendig erforderlich verpflichtet verpflichtend muss müssen brauchen braucht",
    permissions="kann können darf dürfen",
    pairs=(
        "vor/nach mit/ohne alle/keine alle/kein jeder/keiner immer/nie innerhalb/außerhalb "
        "höchstens/mindestens maximal/mindestens maximal/minimal erlaubt/verboten "
        "erlaubt/untersagt zulässig/unzulässig gestattet/verboten gestattet/untersagt "
        "früher/später warm/kalt wärmer/kälter heiß/kalt größte/kleinste höchste/niedrigste "
        "stärkste/schwächste beginn/ende erste/letzte ersten/letzten offen/geschlossen "
        "geöffnet/geschlossen verpflichtend/freiwillig pflicht/freiwillig leichter/schwerer "
        "einfacher/schwieriger nützlich/schädlich sicher/gefährlich häufig/selten "
        "öffentlich/privat oben/unten über/unter empfohlen/abgeraten möglich/unmöglich "
        "nötig/unnötig notwendig/unnötig gesund/ungesund wirksam/unwirksam vorteil/nachteil "
        "gewinn/verlust zunahme/abnahme anstieg/rückgang hoch/niedrig hohe/niedrige "
        "hohen/niedrigen trocken/feucht trockener/feuchter schnell/langsam hell/dunkel "
        "immer/selten stets/nie stets/selten meist/selten oft/selten hart/weich dick/dünn tief/flach "
        "stark/schwach lang/kurz groß/klein billig/teuer voll/leer innen/außen innere/äußere "
        "geeignet/ungeeignet befristet/unbefristet kostenlos/kostenpflichtig gewonnen/verloren "
        "gewann/verlor gewinnt/verliert begann/endete beginnt/endet öffnet/schließt bleibt/verlässt "
        "bleiben/verlassen einzige/mehrere einzigen/mehreren steigend/fallend "
        "nördlich/südlich östlich/westlich dafür/dagegen bejaht/verneint angenommen/abgelehnt zugestimmt/abgelehnt"
    ),
    rising=(
        "steig stieg gestieg erhöh zunahm zunehm zugenomm wächst wachs gewachs mehr höher größer "
        "länger schnell stärk häufig besser verbesser begünstig förder"
    ),
    falling=(
        "sink sank gesunk senk gesenk fiel gefall verringer reduzier abnahm abnehm abgenomm "
        "schrumpf weniger niedrig kleiner kürz langsam schwäch selten schlecht verschlecht hemm"
    ),
    light="sehr fast nahezu stark erheblich deutlich wesentlich noch schon bereits sogar besonders etwa rund immer stets selbst",
    than="als",
    comparatives="mehr weniger",
    exceeding=r"(?:übertriff|übertref|übertraf|übertroff|übersteig|überstieg|überhol)\w{0,5}",
    additions="und",
)
