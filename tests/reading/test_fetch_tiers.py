"""Pages in the charsets that pages are in, declared in every way or in none: the text is exact."""

from __future__ import annotations

import asyncio
import codecs
from dataclasses import dataclass

import pytest

from citewell.core.values.page import Page
from citewell.net.http.messages import HttpRequest, HttpResponse
from citewell.reading.fetch_tiers import HtmlTier, PageFetcher
from citewell.reading.page_tasks import PageTasks
from citewell.reading.pages.page_reader import AddressReader
from tests.requirements import requires
from tests.task_thread import ThreadTasks

SIMPLIFIED = (
    "潮汐是海水在月球和太阳的引力作用下发生的周期性涨落现象。",
    "大多数海岸每天有两次高潮和两次低潮，相隔大约六小时十二分钟。",
    "渔民和船员从很早以前就知道，满月和新月的时候潮水最高。",
)
TRADITIONAL = (
    "潮汐是海水在月球和太陽的引力作用下發生的週期性漲落現象。",
    "大多數海岸每天有兩次高潮和兩次低潮，相隔大約六小時十二分鐘。",
    "漁民和船員從很早以前就知道，滿月和新月的時候潮水最高。",
)
JAPANESE = (
    "潮汐とは、月や太陽の引力によって海面が周期的に上下する現象です。",
    "多くの海岸では一日に二回の満潮と干潮があり、その間隔はおよそ六時間です。",
    "昔の漁師は、満月と新月のころに潮がいちばん高くなることを知っていました。",
)
KOREAN = (
    "조석은 달과 태양의 인력 때문에 바닷물의 높이가 주기적으로 변하는 현상이다.",
    "대부분의 해안에서는 하루에 두 번 밀물과 썰물이 있으며 그 간격은 약 여섯 시간이다.",
    "옛날 어부들은 보름달과 초승달 무렵에 물이 가장 높다는 것을 알고 있었다.",
)
RUSSIAN = (
    "Приливом называют подъём уровня моря, который вызывает притяжение Луны и Солнца.",
    "На большинстве берегов вода поднимается и опускается дважды в сутки.",
    "Рыбаки давно заметили, что в полнолуние и новолуние прилив бывает самым высоким.",
)
GREEK = (
    "Η παλίρροια είναι η περιοδική άνοδος και πτώση της στάθμης της θάλασσας.",
    "Στις περισσότερες ακτές το νερό ανεβαίνει και κατεβαίνει δύο φορές την ημέρα.",
    "Οι ψαράδες ήξεραν από παλιά ότι με την πανσέληνο η θάλασσα ανεβαίνει περισσότερο.",
)
HEBREW = (
    "הגאות היא עלייה מחזורית של פני הים בגלל כוח המשיכה של הירח והשמש.",
    "ברוב החופים המים עולים ויורדים פעמיים ביום, וההפרש יכול להגיע ל-12 מטרים.",
    "הדייגים ידעו מזמן שבזמן ירח מלא הים גבוה יותר (NASA, 2019).",
)
ARABIC = (
    "المد هو ارتفاع دوري في مستوى سطح البحر بسبب جاذبية القمر والشمس.",
    "ترتفع المياه وتنخفض مرتين في اليوم على معظم السواحل، وقد يصل الفرق إلى 12 مترا.",
    "عرف الصيادون منذ زمن بعيد أن البحر يعلو أكثر عند اكتمال القمر (NASA, 2019).",
)
POLISH = (
    "Pływy to okresowe podnoszenie się i opadanie poziomu morza, wywołane przyciąganiem Księżyca.",
    "Na większości wybrzeży woda podnosi się i opada dwa razy na dobę.",
    "Rybacy już dawno zauważyli, że w pełni i w nowiu źródła przypływu są najsilniejsze.",
)
CZECH = (
    "Příliv je pravidelné stoupání mořské hladiny, které způsobuje přitažlivost Měsíce.",
    "Na většině pobřeží voda stoupá a klesá dvakrát denně, někdy i více než o deset metrů.",
    "Rybáři už dávno věděli, že za úplňku a za novu bývá příliv nejvyšší.",
)
GERMAN = (
    "Gezeiten heißt das regelmäßige Steigen und Fallen des Meeres, für das der Mond sorgt.",
    "An den meisten Küsten hebt und senkt sich das Wasser täglich zweimal um einige Meter.",
    "Früher wussten die Fischer längst, daß bei Vollmond die Flut am höchsten aufläuft.",
)
FRENCH = (
    "La marée est la montée et la descente périodiques de la mer, dues à l’attraction de la Lune.",
    "Sur la plupart des côtes, l’eau s’élève et s’abaisse deux fois par jour – c’est régulier.",
    "Les pêcheurs savaient déjà qu’à la pleine lune « le cœur de la mer » bat plus fort.",
)
EURO = (
    "La marée coûte 12 € à qui l'ignore : c'est le prix d'une nuit passée à attendre le reflux.",
    "Les pêcheurs parlent du « cœur » de la mer, et l'œuvre des vagues ne s'arrête jamais là.",
    "À Noël, même la côte bretonne connaît des marées très hautes, près de treize mètres.",
)
TURKISH = (
    "Gelgit, Ay'ın ve Güneş'in çekimi ile deniz seviyesinin düzenli olarak yükselip alçalmasıdır.",
    "Çoğu kıyıda su günde iki kez yükselir ve iki kez alçalır; aradaki fark on metreyi aşabilir.",
    "Balıkçılar dolunayda ve yeni ayda denizin daha çok yükseldiğini eskiden beri biliyordu.",
)
LITHUANIAN = (
    "Potvynis yra reguliarus jūros lygio kilimas, kurį sukelia Mėnulio ir Saulės trauka.",
    "Daugelyje pakrančių vanduo kyla ir slūgsta du kartus per dieną, kartais daugiau nei dešimt metrų.",
    "Žvejai seniai žinojo, kad per pilnatį ir jaunatį jūra pakyla aukščiausiai.",
)
BULGARIAN = (
    "Приливът е редовно покачване на морското равнище, което се дължи на привличането на Луната.",
    "На повечето брегове водата се вдига и спада два пъти на ден.",
    "Рибарите отдавна знаят, че при пълнолуние приливът е най-висок.",
)
HUNGARIAN = (
    "Az árapály a tenger szintjének rendszeres emelkedése és süllyedése, amelyet a Hold okoz.",
    "A legtöbb parton a víz naponta kétszer emelkedik meg és kétszer süllyed le, erősen vagy gyöngén.",
    "A halászok régóta tudják, hogy teliholdkor és újholdkor a legnagyobb a dagály, ha jön a szél is.",
)
DANISH = (
    "Tidevand er havets regelmæssige stigning og fald, som skyldes månens og solens tiltrækning.",
    "På de fleste kyster stiger og falder vandet to gange om dagen, og forskellen kan være stor.",
    "Fiskerne har længe vidst, at vandet når højest op ved fuldmåne og nymåne.",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    label: str  # as the page spells it
    codec: str
    language: str
    paragraphs: tuple[str, ...]

    def html(self, *, meta: str = "") -> str:
        body = "\n".join(f"<p>{text}</p>" for text in self.paragraphs)
        return (
            f"<!DOCTYPE html>\n<html><head>{meta}<title>{self.paragraphs[0][:12]}</title></head>\n"
            f"<body><main><article>\n{body}\n</article></main></body></html>\n"
        )


def sample(label: str, language: str, paragraphs: tuple[str, ...], codec: str = "") -> Sample:
    return Sample(label=label, codec=codec or label, language=language, paragraphs=paragraphs)


SAMPLES = (
    sample("gb2312", "zh", SIMPLIFIED),
    sample("GBK", "zh", SIMPLIFIED),
    sample("gb18030", "zh", SIMPLIFIED),
    sample("Big5", "zh", TRADITIONAL),
    sample("Shift_JIS", "ja", JAPANESE),
    sample("x-sjis", "ja", JAPANESE, "shift_jis"),
    sample("EUC-JP", "ja", JAPANESE),
    sample("ISO-2022-JP", "ja", JAPANESE),
    sample("EUC-KR", "ko", KOREAN),
    sample("windows-1250", "pl", POLISH),
    sample("windows-1250", "cs", CZECH),
    sample("windows-1250", "hu", HUNGARIAN),
    sample("windows-1251", "ru", RUSSIAN),
    sample("windows-1251", "bg", BULGARIAN),
    sample("windows-1252", "fr", FRENCH),
    sample("windows-1253", "el", GREEK),
    sample("windows-1254", "tr", TURKISH),
    sample("windows-1255", "he", HEBREW),
    sample("windows-1256", "ar", ARABIC),
    sample("windows-1257", "lt", LITHUANIAN),
    sample("ISO-8859-1", "de", GERMAN),
    sample("ISO-8859-1", "da", DANISH),
    sample("ISO-8859-2", "pl", POLISH),
    sample("ISO-8859-2", "hu", HUNGARIAN),
    sample("ISO-8859-2", "cs", CZECH),
    sample("ISO-8859-5", "ru", RUSSIAN),
    sample("ISO-8859-7", "el", GREEK),
    sample("ISO-8859-9", "tr", TURKISH),
    sample("ISO-8859-15", "fr", EURO),
    sample("KOI8-R", "ru", RUSSIAN),
    sample("utf-8", "ja", JAPANESE),
    sample("utf-8", "ar", ARABIC),
)
WIDE = (
    sample("utf-16-le", "ko", KOREAN),
    sample("utf-16-be", "ru", RUSSIAN),
    sample("utf-16-le", "he", HEBREW),
)
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}
ids = "{0.label} {0.language}".format


def read(body: bytes, *, content_type: str = "text/html") -> Page:
    """The page as scrape_page gets it, from a server that answers with these bytes."""

    class Canned:
        async def send_request(self, request: HttpRequest) -> HttpResponse:
            headers = {"content-type": content_type}
            return HttpResponse(status=200, url=request.url, headers=headers, body=body)

    tasks = PageTasks(ThreadTasks())
    door = PageFetcher(Canned(), tasks, max_bytes=len(body))
    reader = AddressReader([HtmlTier(door, tasks, timeout=1)], robots=None)
    return asyncio.run(reader.read_page("https://example.org/tides"))


def exact(page: Page, wanted: Sample) -> None:
    assert page.content == "\n\n".join(wanted.paragraphs)
    assert page.title == wanted.paragraphs[0][:12].strip()
    assert page.language == wanted.language


@requires("defect.charsets")
@pytest.mark.parametrize("wanted", SAMPLES, ids=ids)
def test_a_charset_in_the_header_is_believed(wanted: Sample) -> None:
    page = read(
        wanted.html().encode(wanted.codec), content_type=f"text/html; charset={wanted.label}"
    )

    exact(page, wanted)


@pytest.mark.parametrize("wanted", SAMPLES, ids=ids)
@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="{}">',
        "<meta http-equiv='Content-Type' content='text/html; charset={}'>",
    ],
    ids=["meta", "http-equiv"],
)
def test_a_charset_in_the_page_is_believed(wanted: Sample, meta: str) -> None:
    page = read(wanted.html(meta=meta.format(wanted.label)).encode(wanted.codec))

    exact(page, wanted)


@requires("defect.charsets")
@pytest.mark.parametrize("wanted", [*SAMPLES, *WIDE], ids=ids)
def test_a_charset_that_nobody_declares_is_recognised(wanted: Sample) -> None:
    exact(read(wanted.html().encode(wanted.codec)), wanted)


@pytest.mark.parametrize("wanted", [*SAMPLES[-2:], *WIDE], ids=ids)
def test_a_byte_order_mark_is_believed_above_the_header(wanted: Sample) -> None:
    body = MARKS[wanted.codec] + wanted.html().encode(wanted.codec)

    exact(read(body, content_type="text/html; charset=windows-1252"), wanted)


@pytest.mark.parametrize("wanted", WIDE, ids=ids)
def test_utf_16_in_the_header_is_believed(wanted: Sample) -> None:
    body = wanted.html().encode(wanted.codec)

    exact(read(body, content_type=f"text/html; charset={wanted.label}"), wanted)


@pytest.mark.parametrize("wanted", [s for s in SAMPLES if not s.codec.startswith("utf")], ids=ids)
def test_utf_8_in_the_header_of_another_charset_is_not_believed(wanted: Sample) -> None:
    body = wanted.html(meta=f'<meta charset="{wanted.label}">').encode(wanted.codec)

    exact(read(body, content_type="text/html; charset=utf-8"), wanted)


@pytest.mark.parametrize("text", [HEBREW[2], ARABIC[2]], ids=["he", "ar"])
def test_right_to_left_text_stays_in_reading_order(text: str) -> None:
    """As it is spoken, first word first; the Latin name and the year are not turned round."""
    html = f'<html dir="rtl"><body><main><p>{HEBREW[0]}</p><p>{text}</p></main></body></html>'

    page = read(html.encode())

    assert page.content.endswith(text)
    assert page.content.index(text.split(maxsplit=1)[0]) < page.content.index("(NASA, 2019)")


def test_a_declared_language_is_reported_as_declared() -> None:
    html = sample("utf-8", "de", GERMAN).html().replace("<html>", '<html lang="gsw">')

    assert read(html.encode()).language == "gsw"


def test_the_suite_is_as_wide_as_it_claims() -> None:
    assert len({(one.label, one.language) for one in (*SAMPLES, *WIDE)}) >= 25
    assert len({codecs.lookup(one.codec).name for one in (*SAMPLES, *WIDE)}) >= 12
