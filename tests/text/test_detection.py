from __future__ import annotations

import pytest

from citewell.text.language.detection import detect_language
from citewell.text.language.scripts import classify_script
from tests.internet.world import Page, World

SENTENCES = {
    "en": "The tide is the rise and fall of the sea, and it is caused by the pull of the Moon.",
    "de": "Die Gezeiten sind das Steigen und Fallen des Meeres, das durch den Mond bewirkt wird.",
    "fr": "La marée est la montée et la descente de la mer, elle est causée par la lune et le soleil.",
    "es": "La marea es la subida y la bajada del mar, que se produce por la atracción de la luna.",
    "pt": "A maré é a subida e a descida do mar, que não acontece sem a atração da lua e do sol.",
    "it": "La marea è il salire e lo scendere del mare, che è causato anche dalla luna e dal sole.",
    "ca": "La marea és la pujada i la baixada del mar, però també hi ha els corrents amb més força.",
    "nl": "Het getij is het stijgen en dalen van de zee, en het wordt door de maan veroorzaakt.",
    "sv": "Tidvattnet är när havet stiger och sjunker, och det beror på månen som inte är långt bort.",
    "da": "Tidevandet er når havet stiger og falder, og det skyldes månen, som ikke er langt af vejen.",
    "no": "Tidevannet er når havet stiger og synker av seg selv, og noen mener at månen ikke ble forstått.",
    "fi": "Vuorovesi on meren nousu ja lasku, joka johtuu kuusta, mutta se ei ole joka päivä sama.",
    "is": "Sjávarföllin eru það þegar hafið rís og fellur, og það er tunglið sem veldur því að mestu.",
    "pl": "Pływy to podnoszenie się i opadanie morza, które jest wywołane przez księżyc oraz słońce.",
    "cs": "Příliv je stoupání a klesání moře, které je způsobeno měsícem, ale také při větru může být větší.",
    "sk": "Príliv je stúpanie a klesanie mora, ktoré je spôsobené mesiacom, ale tiež pri vetre môže byť väčšie.",
    "sl": "Plimovanje je dviganje in upadanje morja, ki je posledica lune, pa tudi sonce ga lahko okrepi.",
    "hr": "Plima je dizanje i spuštanje mora koje nastaje zbog mjeseca, ali može biti i veća kada je vjetar što jači.",
    "hu": "Az árapály a tenger emelkedése és süllyedése, amelyet a hold okoz, de nem csak az a fontos.",
    "ro": "Mareea este ridicarea și coborârea mării, care este cauzată de lună, dar și de soare în aceeași măsură.",
    "tr": "Gelgit denizin yükselmesi ve alçalmasıdır; bu olay ay için olduğu kadar güneş için de geçerlidir.",
    "lt": "Potvynis yra jūros kilimas ir slūgimas, kurį sukelia mėnulis, bet taip pat ir saulė.",
    "lv": "Paisums ir jūras celšanās un krišanās, ko izraisa mēness, bet arī saule to var pastiprināt.",
    "et": "Tõus ja mõõn on mere tõusmine ning langemine, mida põhjustab kuu, aga ka päike võib seda mõjutada.",
    "id": "Pasang adalah naik dan turunnya air laut yang disebabkan oleh bulan, dan juga oleh matahari.",
    "vi": "Thủy triều là sự dâng lên và hạ xuống của nước biển, được gây ra bởi mặt trăng và mặt trời.",
    "sw": "Maji kujaa na kupwa ni hali ya bahari ambayo husababishwa na mwezi, lakini pia kwa sababu ya jua.",
    "sq": "Baticat janë ngritja dhe ulja e detit, që shkaktohen nga hëna, por edhe dielli është një shkak.",
    "ru": "Прилив — это подъём моря, и он вызван притяжением Луны, но не только им.",
    "uk": "Приплив — це підйом моря, який викликаний тяжінням Місяця, але не тільки ним.",
    "be": "Прыліў — гэта пад'ём мора, які выкліканы прыцягненнем Месяца, але не толькі ім.",
    "bg": "Приливът е покачване на морето, което се дължи на Луната, но не само на нея, а и на други неща.",
    "sr": "Плима је дизање мора које настаје због Месеца, али није само то оно што га подиже.",
    "mk": "Плимата е кревање на морето што се должи на Месечината, но не само на неа, како што може да се види.",
    "el": "Η παλίρροια είναι η άνοδος και η πτώση της θάλασσας.",
    "he": "הגאות היא עלייה של מי הים בגלל הירח.",
    "ar": "المد هو ارتفاع مياه البحر الذي يحدث بسبب القمر في كل يوم.",
    "fa": "جزر و مد بالا و پایین رفتن آب دریا است که به سبب ماه روی می‌دهد.",
    "ur": "جوار بھاٹا سمندر کے پانی کا چڑھنا ہے اور یہ چاند کی وجہ سے ہوتا ہے۔",
    "hi": "ज्वार समुद्र के जल का ऊपर उठना है।",
    "ta": "அலை என்பது கடலின் ஏற்றமும் இறக்கமும் ஆகும்.",
    "th": "น้ำขึ้นน้ำลงเกิดจากแรงดึงดูดของดวงจันทร์",
    "ja": "潮汐は月の引力によって海面が上下する現象です。",
    "zh": "潮汐是海水在月球引力作用下的涨落现象。",
    "ko": "조석은 달의 인력 때문에 바닷물이 오르내리는 현상이다.",
    "ka": "მოქცევა ზღვის დონის აწევაა მთვარის გამო.",
    "hy": "Մակընթացությունը ծովի մակարդակի բարձրացումն է։",
}


@pytest.mark.parametrize("code", SENTENCES)
def test_one_sentence_tells_its_language(code: str) -> None:
    assert detect_language(SENTENCES[code]) == code


@pytest.mark.parametrize("page", World().pages, ids=lambda page: f"{page.host}/{page.path}")
def test_every_page_of_the_world_is_in_the_language_it_declares(page: Page) -> None:
    assert detect_language(page.markdown) == page.language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "…",
        "1, 2, 3; 4",
        "Oslo",
        "Nokia Sony Canon Lumix Leica Pentax Kodak Zeiss Minolta Yashica Contax",
        '{"id": 7, "name": "Foo", "size": "12px", "tags": ["alpha", "beta"]}',
        "```\nfor it in the_list: print(it, 'is the one of that')\n```",
        "https://example.org/this/is/the/way/of/the/world",
    ],
)
def test_what_speaks_for_no_language_has_none(text: str) -> None:
    assert detect_language(text) is None


def test_quoted_names_do_not_change_the_language() -> None:
    text = SENTENCES["ru"] + " Newton, Laplace, Kelvin, George Darwin."

    assert detect_language(text) == "ru"


def test_code_and_addresses_do_not_count() -> None:
    code = "```python\nif this is the one and that is not: return it\n```\n" * 20

    assert detect_language(code + SENTENCES["de"]) == "de"


def test_a_million_characters_are_judged_by_their_beginning() -> None:
    assert detect_language(SENTENCES["pl"] * 100 + SENTENCES["en"] * 10_000) == "pl"


def test_backticks_without_end_are_no_trap() -> None:
    assert detect_language("`" * 100_000 + SENTENCES["en"]) is None


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Tides", "latin"), ("ÅNGSTRÖM", "latin"), ("潮汐 (tides)", "unspaced"), ("น้ำขึ้นน้ำลง", "unspaced"),
        ("조석", "unspaced"), ("Приливы", "other"), ("1984", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_texts_are_compared_only_within_a_script(text: str, script: str) -> None:
    assert classify_script(text) == script
