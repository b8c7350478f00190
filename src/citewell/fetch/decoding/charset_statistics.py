"""Guesses a charset from the bytes alone: decodes them in every likely charset and scores the result.

Text in the right charset is made of letters that its languages use often. Text in a wrong one is
full of rare characters, symbols and capital letters in the middle of words.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

_MAX_SAMPLE_BYTES = 512 * 1024
_MAX_JUDGED_BYTES = 8 * 1024  # bytes of words beyond ASCII; more do not change the result
_UTF16_TAG = re.compile(rb"(?:\s\0)*<\0[!?a-z]\0|(?P<big>(?:\0\s)*\0<\0[!?a-z])", re.IGNORECASE)
_COMMON_PUNCTUATION = frozenset("’‘“”„‚–—…«»‹›•·©®™€°§£\u00a0‐")


@dataclass(frozen=True, slots=True, kw_only=True)
class _CharsetProfile:
    charset: str
    common_characters: str  # the characters its languages use most
    known_ranges: str = ""  # ranges of a regular expression class: rarer characters of them
    languages: str = ""
    prior: float = 0.0  # added to the score: how common pages in this charset are


_COMMON_SIMPLIFIED_CHINESE = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然"
    "家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把"
    "机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果"
    "加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔"
    "更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展"
)
_COMMON_TRADITIONAL_CHINESE = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然"
    "家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把"
    "機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果"
    "加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾"
    "更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展"
)
_COMMON_KANA = "のにをはがとたでしなれるてすまいかうもらこあきりくそどつよけえさだみねせめろわばちやふおんっゃゅょアイスンルトーラクドリシジタレロプ"
_COMMON_KANJI = "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨分会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計死特私始朝運終台広住真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音注帰"
_COMMON_HANGUL = (
    "이다는의에을를하고가은로지서기한도사인리대자어그나아시있게수부정전보일해들과만제주라스장원구성여공상신소모동조면경오"
    "유비관무세용생개우실방중안계화연학위진행선적식물것문발국요회민되된될등속년월며으때할마바차타카트크프드러르니네까음습합"
    "했였었않없많좋같또더못다른내간분건결교각강감거려력록명반복산석설역영원음의입재저존종직참초최통표품필하향현형호환활"
)
_COMMON_CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйх"

_SCRIPT_PROFILES = (
    _CharsetProfile(charset="gb18030", common_characters=_COMMON_SIMPLIFIED_CHINESE + "，。、：；？！（）《》“”", known_ranges="一-鿿", languages="zh"),
    _CharsetProfile(charset="big5hkscs", common_characters=_COMMON_TRADITIONAL_CHINESE + "，。、：；？！（）「」", known_ranges="一-鿿", languages="zh"),
    _CharsetProfile(charset="cp932", common_characters=_COMMON_KANA + _COMMON_KANJI + "、。「」・", known_ranges="ぁ-ヿ一-鿿", languages="ja"),
    _CharsetProfile(charset="euc_jp", common_characters=_COMMON_KANA + _COMMON_KANJI + "、。「」・", known_ranges="ぁ-ヿ一-鿿", languages="ja"),
    _CharsetProfile(charset="cp949", common_characters=_COMMON_HANGUL, known_ranges="가-힣", languages="ko"),
    _CharsetProfile(charset="cp1251", common_characters=_COMMON_CYRILLIC, known_ranges="а-яёіїєґўљњћђџА-ЯЁІЇЄ№", languages="ru uk be bg sr mk"),
    _CharsetProfile(charset="koi8-r", common_characters=_COMMON_CYRILLIC, known_ranges="а-яёА-ЯЁ", languages="ru"),
    _CharsetProfile(charset="iso8859-5", common_characters=_COMMON_CYRILLIC, known_ranges="а-яёА-ЯЁ№", languages="ru bg sr"),
    _CharsetProfile(charset="cp866", common_characters=_COMMON_CYRILLIC, known_ranges="а-яёА-ЯЁ", languages="ru", prior=-0.35),
    _CharsetProfile(charset="cp1253", common_characters="αοιετσνηυρπκμλόίάήέύώςδγωχ", known_ranges="α-ώΑ-ΩΆΈΉΊΌΎΏΐΰ", languages="el"),
    _CharsetProfile(charset="iso8859-7", common_characters="αοιετσνηυρπκμλόίάήέύώςδγωχ", known_ranges="α-ώΑ-ΩΆΈΉΊΌΎΏΐΰ", languages="el"),
    _CharsetProfile(charset="cp1255", common_characters="יוהלאמרבתשנדפכקחעטםצגןסזץףך", known_ranges="א-ת\u05b0-\u05c2", languages="he yi"),
    _CharsetProfile(charset="cp1256", common_characters="الينمتروبعدسفهكقحجشطصخغضذثزظةىأإءئؤآ،؟", known_ranges="ء-يپچژگ\u064b-\u0652", languages="ar fa ur"),
    _CharsetProfile(charset="iso8859-6", common_characters="الينمتروبعدسفهكقحجشطصخغضذثزظةىأإءئؤآ،؟", known_ranges="ء-ي\u064b-\u0652", languages="ar"),
    _CharsetProfile(charset="cp874", common_characters="านรกเงมยลวดทสตะปบคหแจพชขใไอโผถ่้ิีุูัาำ็์", known_ranges="ก-๛", languages="th", prior=-0.35),
)  # fmt: skip

# Languages that share a charset are scored one by one: no text has the letters of all of them.
_ACCENTS_BY_LANGUAGE = {
    "en": "éï", "fr": "éèàçêâîôûùëïœ", "de": "äöüß", "es": "áéíóúñü¿¡", "pt": "ãõáéíóúâêôçàü",
    "it": "àèéìòù", "nl": "ëïéöü", "sv fi": "åäöé", "da no nb": "æøåé", "is": "áéíóúýþæöð",
    "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíĺľňóôŕšťúýž", "hu": "áéíóöőúüű",
    "ro": "ăâîşţ", "sl hr bs": "čćđšž", "tr az": "ıışşğğçöüİâî", "lt": "ąčęėįšųūž",
    "lv": "āčēģīķļņšūž", "et": "äöüõšž",
}  # fmt: skip
_WESTERN_LANGUAGES = ("en", "fr", "de", "es", "pt", "it", "nl", "sv fi", "da no nb")
_CENTRAL_LANGUAGES = ("pl", "cs", "sk", "hu", "ro", "sl hr bs")
_LANGUAGES_BY_CHARSET = (
    ("cp1252", _WESTERN_LANGUAGES, 0.04),
    ("iso8859-15", _WESTERN_LANGUAGES, 0.02),
    ("cp1250", _CENTRAL_LANGUAGES, 0.0),
    ("iso8859-2", _CENTRAL_LANGUAGES, 0.0),
    ("cp1254", ("tr az",), 0.0),
    ("cp1252", ("is",), 0.0),  # Turkish has other letters in these places, and more pages
    ("cp1257", ("lt", "lv", "et"), 0.0),
)


def _list_charset_profiles() -> Iterator[_CharsetProfile]:
    yield from _SCRIPT_PROFILES
    for charset, groups, prior in _LANGUAGES_BY_CHARSET:
        known = "".join(
            letters + letters.upper() for letters in map(_ACCENTS_BY_LANGUAGE.__getitem__, groups)
        )
        for group in groups:
            yield _CharsetProfile(
                charset=charset,
                common_characters=_ACCENTS_BY_LANGUAGE[group],
                known_ranges=known.replace("SS", "") + "ºª½²³",
                languages=group,
                prior=prior,
            )


def guess_charset(body: bytes, *, language: str | None = None) -> str:
    """The likeliest charset; one that is used for `language`, as the page declares it, scores higher."""
    sample = body[:_MAX_SAMPLE_BYTES]
    if wide := detect_unmarked_utf16(sample):
        return wide
    if b"\x1b$" in sample and sample.isascii():
        return "iso2022_jp"
    if _can_decode(body, "utf-8"):
        return "utf-8"
    words = _collect_foreign_words(sample)
    readings = tuple(_list_charset_profiles())
    seen = {
        charset: _count_foreign_characters(words, charset)
        for charset in {one.charset for one in readings}
    }
    return max(readings, key=lambda one: _score_profile(*seen[one.charset], one, language)).charset


def detect_unmarked_utf16(sample: bytes) -> str | None:
    """The charset, if it is UTF-16 without a byte order mark.

    It is, if it starts with a tag in UTF-16, or if many of the bytes are zero and nearly all of the
    zeros are either the first or the second byte of a character, as in text that is mostly ASCII.
    """
    if 0 not in sample:
        return None
    if tag := _UTF16_TAG.match(sample):
        return "utf-16-be" if tag["big"] else "utf-16-le"
    zeros = (sample[0::2].count(0), sample[1::2].count(0))
    if not (max(zeros) * 4 > len(sample) > 3 and min(zeros) * 20 < max(zeros)):
        return None
    return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"


def _collect_foreign_words(sample: bytes) -> bytes:
    """The words with a byte beyond ASCII; in no charset is a space or a bracket a trailing byte."""
    words = re.split(rb"[\s<>\"]+", sample)
    return b" ".join(word for word in words if not word.isascii())[:_MAX_JUDGED_BYTES]


def _can_decode(body: bytes, charset: str) -> bool:
    decoder = codecs.getincrementaldecoder(charset)()
    try:
        decoder.decode(body)  # not final: the sample may end inside a character
    except UnicodeDecodeError:
        return False
    return True


def _count_foreign_characters(words: bytes, charset: str) -> tuple[Counter[str], int]:
    """How often each character beyond ASCII occurs, and in how many places the text looks wrong."""
    text = codecs.getincrementaldecoder(charset)("replace").decode(words)
    odd = sum(len(pattern.findall(text)) for pattern in _oddity_patterns())
    return Counter(char for char in text if char > "\x7f"), odd


def _score_profile(
    foreign: Counter[str], odd: int, reading: _CharsetProfile, language: str | None
) -> float:
    total = foreign.total()
    if not total:
        return reading.prior
    common, known = _compile_profile(reading)
    worth = sum(
        count * _score_character(char, common=common, known=known)
        for char, count in foreign.items()
    )
    hint = 0.25 if language and language in reading.languages.split() else 0.0
    return (worth - min(odd, total)) / total + reading.prior + hint


def _score_character(char: str, *, common: frozenset[str], known: re.Pattern[str] | None) -> float:
    if char in common:
        return 1.0
    if char in _COMMON_PUNCTUATION:
        return 0.5
    if known is not None and known.fullmatch(char):
        return 0.35
    return -2.0 if char == "\ufffd" or char < "\u00a0" else -0.6


@cache
def _compile_profile(reading: _CharsetProfile) -> tuple[frozenset[str], re.Pattern[str] | None]:
    known = re.compile(f"[{reading.known_ranges}]") if reading.known_ranges else None
    return frozenset(reading.common_characters), known


@cache
def _oddity_patterns() -> tuple[re.Pattern[str], ...]:
    """Patterns that hardly occur in correctly decoded text.

    In this order: a foreign capital after a lower-case letter; a symbol inside a word; a single
    letter of another script; a third accented letter in a row; a Hebrew final letter before the
    end of a word, or a Hebrew vowel point without a letter.
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
