"""Tells a charset from the bytes alone: reads them in every likely one and sees which makes words.

A right reading is made of letters that its languages use often, small ones inside words; a wrong
one is full of rare characters, symbols and capitals in the middle.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_LOOKED_AT = 512 * 1024
_ENOUGH = 8 * 1024  # bytes of foreign words judged; more do not change the verdict
_QUOTES = frozenset("’‘“”„‚–—…«»‹›•·©®™€°§£\u00a0‐")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    charset: str
    common: str  # characters its languages use most
    known: str = ""  # ranges of a regular expression class: seen in these languages, but less often
    languages: str = ""
    prior: float = 0.0  # how common pages in it are, beside the others


_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把"
    "机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果"
    "加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔"
    "更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然"
    "家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把"
    "機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果"
    "加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾"
    "更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展"
)
_KANA = "のにをはがとたでしなれるてすまいかうもらこあきりくそどつよけえさだみねせめろわばちやふおんっゃゅょアイスンルトーラクドリシジタレロプ"
_KANJI = "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨分会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰"
_HANGUL = (
    "이다는의에을를하고가은로지서기한도사인리대자어그나아시있게수부정전보일해들과만제주라스장원구성여공상신소모동조면경오"
    "유비관무세용생개우실방중안계화연학위진행선적식물것문발국요회민되된될등속년월며으때할마바차타카트크프드러르니네까음습합"
    "했였었않없많좋같또더못다른내간분건결교각강감거려력록명반복산석설역영원음의입재저존종직참초최통표품필하향현형호환활"
)
_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйх"

_READINGS = (
    _Reading(charset="gb18030", common=_SIMPLIFIED + "，。、：；？！（）《》“”", known="一-鿿", languages="zh"),
    _Reading(charset="big5hkscs", common=_TRADITIONAL + "，。、：；？！（）「」", known="一-鿿", languages="zh"),
    _Reading(charset="cp932", common=_KANA + _KANJI + "、。「」・", known="ぁ-ヿ一-鿿", languages="ja"),
    _Reading(charset="euc_jp", common=_KANA + _KANJI + "、。「」・", known="ぁ-ヿ一-鿿", languages="ja"),
    _Reading(charset="cp949", common=_HANGUL, known="가-힣", languages="ko"),
    _Reading(charset="cp1251", common=_CYRILLIC, known="а-яёіїєґўљњћђџА-ЯЁІЇЄ№", languages="ru uk be bg sr mk"),
    _Reading(charset="koi8-r", common=_CYRILLIC, known="а-яёА-ЯЁ", languages="ru"),
    _Reading(charset="iso8859-5", common=_CYRILLIC, known="а-яёА-ЯЁ№", languages="ru bg sr"),
    _Reading(charset="cp866", common=_CYRILLIC, known="а-яёА-ЯЁ", languages="ru", prior=-0.35),
    _Reading(charset="cp1253", common="αοιετσνηυρπκμλόίάήέύώςδγωχ", known="α-ώΑ-ΩΆΈΉΊΌΎΏΐΰ", languages="el"),
    _Reading(charset="iso8859-7", common="αοιετσνηυρπκμλόίάήέύώςδγωχ", known="α-ώΑ-ΩΆΈΉΊΌΎΏΐΰ", languages="el"),
    _Reading(charset="cp1255", common="יוהלאמרבתשנדפכקחעטםצגןסזץףך", known="א-ת\u05b0-\u05c2", languages="he yi"),
    _Reading(charset="cp1256", common="الينمتروبعدسفهكقحجشطصخغضذثزظةىأإءئؤآ،؟", known="ء-يپچژگ\u064b-\u0652", languages="ar fa ur"),
    _Reading(charset="iso8859-6", common="الينمتروبعدسفهكقحجشطصخغضذثزظةىأإءئؤآ،؟", known="ء-ي\u064b-\u0652", languages="ar"),
    _Reading(charset="cp874", common="านรกเงมยลวดทสตะปบคหแจพชขใไอโผถ่้ิีุูัาำ็์", known="ก-๛", languages="th", prior=-0.35),
)  # fmt: skip

# Languages that share a charset are read for one by one: no text has the letters of all of them.
_LATIN = {
    "en": "éï", "fr": "éèàçêâîôûùëïœ", "de": "äöüß", "es": "áéíóúñü¿¡", "pt": "ãõáéíóúâêôçàü",
    "it": "àèéìòù", "nl": "ëïéöü", "sv fi": "åäöé", "da no nb": "æøåé", "is": "áéíóúýþæöð",
    "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű",
    "ro": "ăâîşţ", "sl hr bs": "čćđšž", "tr az": "ıışşğğçöüİâî", "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž", "et": "äöüõšž",
}  # fmt: skip
_WEST = ("en", "fr", "de", "es", "pt", "it", "nl", "sv fi", "da no nb")
_MIDDLE = ("pl", "cs", "sk", "hu", "ro", "sl hr bs")
_SHARED = (
    ("cp1252", _WEST, 0.04),
    ("iso8859-15", _WEST, 0.02),
    ("cp1250", _MIDDLE, 0.0),
    ("iso8859-2", _MIDDLE, 0.0),
    ("cp1254", ("tr az",), 0.0),
    ("cp1252", ("is",), 0.0),  # where Turkish has other letters, and more readers
    ("cp1257", ("lt", "lv", "et"), 0.0),
)


def _readings() -> Iterator[_Reading]:
    yield from _READINGS
    for charset, groups, prior in _SHARED:
        known = "".join(letters + letters.upper() for letters in map(_LATIN.__getitem__, groups))
        for group in groups:
            yield _Reading(
                charset=charset,
                common=_LATIN[group],
                known=known.replace("SS", "") + "ºª½²³",
                languages=group,
                prior=prior,
            )


def guess(body: bytes, *, language: str | None = None) -> str:
    """The likeliest charset; a language the page itself names speaks for its charsets."""
    sample = body[:_LOOKED_AT]
    if wide := _wide(sample):
        return wide
    if b"\x1b$" in sample and sample.isascii():
        return "iso2022_jp"
    if _reads(body, "utf-8"):
        return "utf-8"
    words = _foreign_words(sample)
    readings = tuple(_readings())
    seen = {charset: _read(words, charset) for charset in {one.charset for one in readings}}
    return max(readings, key=lambda one: _score(*seen[one.charset], one, language)).charset


def _wide(sample: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of its markup is zero."""
    zeros = (sample[0::2].count(0), sample[1::2].count(0))
    if max(zeros) * 5 < len(sample) // 2 or min(zeros) * 4 > max(zeros):
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _foreign_words(sample: bytes) -> bytes:
    """Words with a byte beyond ASCII; no charset has a blank or a bracket as a later byte."""
    words = re.split(rb"[\s<>\"]+", sample)
    return b" ".join(word for word in words if not word.isascii())[:_ENOUGH]


def _reads(body: bytes, charset: str) -> bool:
    decoder = codecs.getincrementaldecoder(charset)()
    try:
        decoder.decode(body)  # not final: the last character may be cut off
    except UnicodeDecodeError:
        return False
    return True


def _read(words: bytes, charset: str) -> tuple[Counter[str], int]:
    """The characters beyond ASCII, and how many places look wrong."""
    text = codecs.getincrementaldecoder(charset)("replace").decode(words)
    odd = sum(len(pattern.findall(text)) for pattern in _oddities())
    return Counter(char for char in text if char > "\x7f"), odd


def _score(foreign: Counter[str], odd: int, reading: _Reading, language: str | None) -> float:
    total = foreign.total()
    if not total:
        return reading.prior
    common, known = _sets(reading)
    worth = sum(count * _worth(char, common=common, known=known) for char, count in foreign.items())
    hint = 0.25 if language and language in reading.languages.split() else 0.0
    return (worth - min(odd, total)) / total + reading.prior + hint


def _worth(char: str, *, common: frozenset[str], known: re.Pattern[str] | None) -> float:
    if char in common:
        return 1.0
    if char in _QUOTES:
        return 0.5
    if known is not None and known.fullmatch(char):
        return 0.35
    return -2.0 if char == "\ufffd" or char < "\u00a0" else -0.6


@cache
def _sets(reading: _Reading) -> tuple[frozenset[str], re.Pattern[str] | None]:
    known = re.compile(f"[{reading.known}]") if reading.known else None
    return frozenset(reading.common), known


@cache
def _oddities() -> tuple[re.Pattern[str], ...]:
    """A foreign capital after a small letter; a sign inside a word; a letter far from its likes.

    A third accent in a row; a Hebrew final letter that is not final, a point without a letter.
    """
    accented = "[À-ÖØ-öø-ſ]"
    other = "[\u0370-\u06ff\u0e00-\u0e7f]"
    return (
        re.compile(r"(?<=[a-zà-öø-ÿа-яёα-ώ])[À-ÖØ-ÞА-ЯЁΑ-Ω]"),
        re.compile(r"(?<=[^\W\d_])[¡-¿ˇ˘˙¨´¸˛×÷](?=[^\W\d_])"),
        re.compile(f"(?<!{other}){other}(?!{other})"),
        re.compile(f"(?<={accented}{accented}){accented}"),
        re.compile("[ךםןףץ](?=[א-ת])|(?<![\u05b0-\u05ea])[\u05b0-\u05c2]"),
    )
