"""Detects the language of a text by its script and, if languages share one, by function words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from citewell.text.language import stopwords
from citewell.text.language.scripts import SCRIPT_LETTER_RANGES

_MAX_SAMPLE_CHARS = 8000  # characters; a longer sample does not change the result
_MIN_SAMPLE_WORDS = 5  # words, or letters in a script without spaces
_MIN_FUNCTION_WORD_SHARE = 0.06  # of all words must be function words; a list of names has fewer
_MIN_LEAD_RATIO = 1.08  # times the score of the second language
_CODE_AND_LINK_PATTERN = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\]\([^()\s]*+\)|(?:https?://|www\.)\S+|&\w+;"
    r"|\b[A-Z]\.(?:[A-Z]\.)+",  # the letters of "U.S." are words in other languages
    re.DOTALL,
)
_LETTER_WORD_PATTERN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN_RUN_PATTERN = re.compile(r"[\x00-\u024f\u1e00-\u1eff\u2000-\u20ff]+")

# Weight of a letter by script. Latin counts less, because most texts quote Latin names.
_SCRIPT_WEIGHTS = {"latin": 1 / 3, "han": 2.0, "kana": 2.0, "ko": 2.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _LanguageProfile:
    extra_letters: str  # letters beyond the basic alphabet of its script
    extra_words: str = ""  # function words that are not in `stopwords`


_LATIN_LANGUAGES = {
    "en": _LanguageProfile(extra_letters="é"),
    "de": _LanguageProfile(extra_letters="äöüß"),
    "es": _LanguageProfile(extra_letters="áéíóúüñ"),
    "fr": _LanguageProfile(extra_letters="àâæçéèêëîïôœùûüÿ", extra_words="c'est d'un d'une l'on n'est qu'il s'est plus tout aussi même peut fait été"),
    "it": _LanguageProfile(extra_letters="àèéìòóù", extra_words="questo questa essere delle degli dalla nelle loro stato anche quindi"),
    "nl": _LanguageProfile(extra_letters="éëïöü", extra_words="worden hebben kunnen hun haar meer zich werd geen tussen"),
    "pt": _LanguageProfile(extra_letters="áâãàçéêíóôõúü", extra_words="pode são seus suas pelos nós você está ter"),
    "sv": _LanguageProfile(extra_letters="åäöé", extra_words="och att det i en jag är på av för med som den till har inte om men ett var kan ska från vi hade eller så när man vara hur där också mycket efter utan detta mer denna vid under över sig sin"),
    "da": _LanguageProfile(extra_letters="æøåé", extra_words="og at det i en er på af for med som den til har ikke om men et var kan skal fra vi havde eller så når man være hvordan der også meget efter uden dette mere denne ved under over sig sin af blev hvad nogle mellem blive bliver gange gennem hvis nu ind mod jeg op lige hvor både"),
    "no": _LanguageProfile(extra_letters="æøåéòôà", extra_words="og at det i en er på av for med som den til har ikke om men et var kan skal fra vi hadde eller så når man være hvordan der også mye etter uten dette mer denne ved under over seg sin ble hva noen mellom bli blir ganger gjennom hvis nå inn mot jeg opp like hvor både å"),
    "fi": _LanguageProfile(extra_letters="äöå", extra_words="ja on ei se että oli joka mutta kun tai niin ovat myös kuin hän sen olla voi jos vain ole mitä sekä tämä ovat kanssa mukaan siitä jotka hänen tämän vielä joten"),
    "is": _LanguageProfile(extra_letters="áéíóúýþæöð", extra_words="og að í á er það sem til við um en var með af ekki eru hann þar fyrir frá því þegar eða hún þess þau verið eftir svo einnig"),
    "pl": _LanguageProfile(extra_letters="ąćęłńóśźż", extra_words="i w na z do się nie jest to że o jak po co ale od za tak przez są dla czy był jego może oraz które który która tego tym jej lub już tylko gdy można bardzo przy"),
    "cs": _LanguageProfile(extra_letters="áčďéěíňóřšťúůýž", extra_words="a v na se je že s z do o to jako po ale k pro by od za jsou které který která byl nebo jeho při také až může však tak jen není podle ve ze už když aby mezi kde nejsou"),
    "sk": _LanguageProfile(extra_letters="áäčďéíĺľňóôŕšťúýž", extra_words="a v na sa je že s z do o to ako po ale k pre by od za sú ktoré ktorý ktorá bol alebo jeho pri tiež až môže však tak len nie podľa vo zo už keď aby medzi kde"),
    "sl": _LanguageProfile(extra_letters="čšž", extra_words="in v na se je da z za so ki pa tudi ali po kot ne od bi še s do ko pri lahko kar ter ni bil bila bilo ima med smo zelo če več tega to vse"),
    "hr": _LanguageProfile(extra_letters="čćđšž", extra_words="i u na se je da za su koji koja koje s od kao o ne ili sa po iz što ali biti može nije bi to ovo samo više kako kada bio bila jer prema nakon između svoje te također"),
    "hu": _LanguageProfile(extra_letters="áéíóöőúüű", extra_words="a az és hogy nem is egy ez van meg de ha csak már még volt vagy mint azt kell el lehet mert ki sem minden után majd között illetve ezt így azonban pedig"),
    "ro": _LanguageProfile(extra_letters="ăâîșțşţ", extra_words="și şi de la în a cu nu o pe din care că un să este pentru mai au fi ce sau prin fost sunt ca dar al ale acest această între după poate când foarte unei"),
    "tr": _LanguageProfile(extra_letters="çğıöşüâîû", extra_words="ve bir bu da de için ile olarak daha çok gibi olan ne en kadar sonra ama var değil her ya o hem veya ise olduğu göre tarafından arasında ancak şekilde"),
    "lt": _LanguageProfile(extra_letters="ąčęėįšųūž", extra_words="ir kad į yra iš su ne tai o kaip bet ar už buvo po jis nuo dėl taip jau tik apie kurie labai prie per gali arba jei kai jų savo būti turi"),
    "lv": _LanguageProfile(extra_letters="āčēģīķļņšūž", extra_words="un ir ar ka no uz par kas bet arī vai nav lai kā to tas bija pēc tikai jau viņš ja gan pie līdz tiek var kad savu ļoti kurā būt šī"),
    "et": _LanguageProfile(extra_letters="äöüõšž", extra_words="ja on ei et see oli kui aga ka ning või mis ta mida siis oma kes nii selle seda tema pärast olema veel juba kõik võib peab ole vaid nagu"),
    "ca": _LanguageProfile(extra_letters="àçéèíïóòúü", extra_words="de la i el que en a els per un una les amb és del al no són es com més o va però seva aquest aquesta ser als dels ha també fins hi on perquè quan molt sobre sense seu"),
    "id": _LanguageProfile(extra_letters="é", extra_words="dan yang di untuk dari dengan pada ini itu dalam adalah tidak ke akan oleh juga atau sebagai telah dapat karena ada mereka saya kami lebih bisa tersebut antara seperti harus bagi setelah"),
    "vi": _LanguageProfile(extra_letters="àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", extra_words="và của là có được cho trong không một những các với người này đã để khi đến từ như về ra ở cũng vào nhiều sẽ làm phải hay nếu"),
    "sw": _LanguageProfile(extra_letters="", extra_words="na ya wa kwa ni katika la za kuwa cha hii pia kama au hivyo baada yake vya lakini ambayo watu hiyo huo wake hayo bila kila zaidi"),
    "sq": _LanguageProfile(extra_letters="çë", extra_words="dhe të në e i një për me nga që është si janë nuk ka më kjo ishte por ose mund ky duke pas deri edhe tij saj kanë"),
}  # fmt: skip
_CYRILLIC_LANGUAGES = {
    "ru": _LanguageProfile(extra_letters="ыэёъ"),
    "uk": _LanguageProfile(extra_letters="іїєґ", extra_words="і в на що не з та до у це як за для від про але він є по або його які який яка був вона при також може так ми ви через цього бути якщо між після ще"),
    "be": _LanguageProfile(extra_letters="ыэёіў", extra_words="і ў на што не з да у гэта як за для ад пра але ён па або яго якія які яна быў пры таксама можа так мы вы праз быць калі паміж пасля яшчэ"),
    "bg": _LanguageProfile(extra_letters="ъ", extra_words="и на да се за от не с в е по са като но че си към при това или до ще както след беше много може които който която през бъде има още между когато този тази което а го ги му само"),
    "sr": _LanguageProfile(extra_letters="јљњћђџ", extra_words="и у на се је да за су који која које са од као о не или по из што али бити може није би то ово само више како када био била јер према након између своје те"),
    "mk": _LanguageProfile(extra_letters="јљњќѓџѕ", extra_words="и на да се во од за е со не по како кој која кои што но или до при ова може беше ќе има бил била повеќе меѓу кога тоа дека само го ги му овој оваа"),
}  # fmt: skip
_ARABIC_LANGUAGES = {
    "ar": _LanguageProfile(extra_letters="ةىأإكي", extra_words="من في على إلى أن عن هذا هذه التي الذي ما لا مع كان كانت بعد قبل هو هي كل ذلك بين أو ثم قد لم عند حتى أثناء"),
    "fa": _LanguageProfile(extra_letters="پچژگکی", extra_words="از در به که این با را است برای آن یک شد بود شده های می ها یا تا هم بر نیز اما خود کرد شود کند دارد"),
    "ur": _LanguageProfile(extra_letters="پچژگکیٹڈڑںےہھ", extra_words="کے کی میں ہے اور سے کا کو اس کہ یہ پر نے ہیں ایک تھا بھی کر ہو جو نہیں تھے لیے ان کیا یا"),
}  # fmt: skip
_LANGUAGES_BY_SCRIPT = {
    "latin": _LATIN_LANGUAGES,
    "cyrillic": _CYRILLIC_LANGUAGES,
    "arabic": _ARABIC_LANGUAGES,
}
_COMMON_LETTERS_BY_SCRIPT = {
    "latin": frozenset("abcdefghijklmnopqrstuvwxyz'’"),
    "cyrillic": frozenset("абвгдежзийклмнопрстуфхцчшщьюя'’"),
    "arabic": frozenset("ابتثجحخدذرزسشصضطظعغفقلمنهوءئؤآ"),
}


def detect_language(text: str) -> str | None:
    """The ISO 639-1 code of the language; None if the text is too short or unclear."""
    sample = _CODE_AND_LINK_PATTERN.sub(" ", text[: 2 * _MAX_SAMPLE_CHARS])[
        :_MAX_SAMPLE_CHARS
    ].lower()
    script = _detect_main_script(sample)
    if script in _LANGUAGES_BY_SCRIPT:
        return _detect_by_words(sample, script)
    return {"kana": "ja", "han": "zh"}.get(script, script) or None


def _detect_main_script(sample: str) -> str:
    """The main script, or empty if there are too few letters; some kana among Han is Japanese."""
    patterns = _compile_script_patterns()
    counts = Counter(latin=sum(map(len, patterns["latin"].findall(sample))))
    rest = _LATIN_RUN_PATTERN.sub("", sample)
    if rest:
        others = {name: sum(map(len, found.findall(rest))) for name, found in patterns.items()}
        counts.update({name: count for name, count in others.items() if name != "latin"})
    if counts["kana"] * 12 > counts["han"]:
        counts["kana"] += counts["han"]
    weighed = {name: count * _SCRIPT_WEIGHTS.get(name, 1.0) for name, count in counts.items()}
    best = max(weighed, key=lambda name: weighed[name])
    return best if counts[best] >= _MIN_SAMPLE_WORDS else ""


def _detect_by_words(sample: str, script: str) -> str | None:
    own = re.compile(f"[{SCRIPT_LETTER_RANGES[script]}]")
    words = Counter(word for word in _LETTER_WORD_PATTERN.findall(sample) if own.match(word))
    total = words.total()
    if total < _MIN_SAMPLE_WORDS:
        return None
    scores = _score_languages(words, script)
    first, second = sorted(scores, key=lambda code: -scores[code])[:2]
    sure = scores[first] >= max(1.0, _MIN_FUNCTION_WORD_SHARE * total)
    return first if sure and scores[first] > _MIN_LEAD_RATIO * max(scores[second], 0.0) else None


def _score_languages(words: Counter[str], script: str) -> dict[str, float]:
    """A score for each language: its function words, each divided by the languages sharing it."""
    spoken, spread = _collect_function_words(script)
    marked = Counter[frozenset[str]]()
    for word, count in words.items():
        if beyond := frozenset(word) - _COMMON_LETTERS_BY_SCRIPT[script]:
            marked[beyond] += count
    return {
        code: sum(words[word] / spread[word] for word in spoken[code] & words.keys())
        + _score_spelling(marked, script, code)
        for code in spoken
    }


def _score_spelling(marked: Counter[frozenset[str]], script: str, code: str) -> float:
    """A score for special letters; negative for words with letters the language does not have."""
    own, shared = (
        frozenset(_LANGUAGES_BY_SCRIPT[script][code].extra_letters),
        _count_letter_languages(script),
    )
    score = 0.0
    for letters, count in marked.items():
        rarest = min(shared[letter] for letter in letters) if letters <= own else -1
        score += 0.5 * count / rarest
    return score


@cache
def _collect_function_words(script: str) -> tuple[dict[str, frozenset[str]], Counter[str]]:
    spoken = {
        code: stopwords.list_stopwords(code).union(tongue.extra_words.split())
        for code, tongue in _LANGUAGES_BY_SCRIPT[script].items()
    }
    return spoken, Counter(word for words in spoken.values() for word in words)


@cache
def _count_letter_languages(script: str) -> Counter[str]:
    """Letters beyond the basic alphabet, with the number of languages that use each."""
    return Counter(
        letter
        for tongue in _LANGUAGES_BY_SCRIPT[script].values()
        for letter in tongue.extra_letters
    )


@cache
def _compile_script_patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(f"[{ranges}]+") for name, ranges in SCRIPT_LETTER_RANGES.items()}
