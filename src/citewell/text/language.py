"""Which language a text is in: by its script, and where many share one, by its smallest words."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from citewell.text import stopwords

_LOOKED_AT = 8000  # characters; more do not change the verdict
_FEWEST = 5  # words or, in a script without spaces, letters
_LEAST = 0.06  # of all words: a list of names has fewer small words, and no language
_CLEAR = 1.08  # times the next language's score
_NOISE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\]\([^)\s]*\)|(?:https?://|www\.)\S+|&\w+;", re.DOTALL
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_PLAIN = re.compile(r"[\x00-\u024f\u1e00-\u1eff\u2000-\u20ff]+")

_SCRIPTS = {
    "latin": "a-zà-öø-ɏḀ-ỿ",
    "cyrillic": "а-яѐ-ӿ",
    "arabic": "\u0620-\u064a\u066e-\u06d3\u06fa-\u06fc",
    "kana": "ぁ-ゖァ-ヺ",
    "han": "㐀-䶿一-鿿",
    "ko": "가-힣",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "he": "\u05d0-\u05ea",
    "hi": "\u0904-\u0939\u0958-\u0961",
    "bn": "\u0985-\u09b9",
    "pa": "\u0a05-\u0a39",
    "gu": "\u0a85-\u0ab9",
    "ta": "\u0b85-\u0bb9",
    "te": "\u0c05-\u0c39",
    "kn": "\u0c85-\u0cb9",
    "ml": "\u0d05-\u0d39",
    "si": "\u0d85-\u0dc6",
    "th": "\u0e01-\u0e2e",
    "lo": "\u0e81-\u0eae",
    "my": "\u1000-\u1021",
    "km": "\u1780-\u17a2",
    "ka": "\u10d0-\u10ff",
    "hy": "\u0561-\u0587",
    "am": "\u1200-\u135a",
}
# A letter of one script may weigh as much as three of another: most texts quote Latin names.
_WEIGHTS = {"latin": 1 / 3, "han": 2.0, "kana": 2.0, "ko": 2.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tongue:
    letters: str  # beyond the plain alphabet of its script
    words: str = ""  # those that are not in `stopwords`


_LATIN = {
    "en": _Tongue(letters="é"),
    "de": _Tongue(letters="äöüß"),
    "es": _Tongue(letters="áéíóúüñ"),
    "fr": _Tongue(letters="àâæçéèêëîïôœùûüÿ", words="c'est d'un d'une l'on n'est qu'il s'est plus tout aussi même peut fait été"),
    "it": _Tongue(letters="àèéìòóù", words="questo questa essere delle degli dalla nelle loro stato anche quindi"),
    "nl": _Tongue(letters="éëïöü", words="worden hebben kunnen hun haar meer zich werd geen tussen"),
    "pt": _Tongue(letters="áâãàçéêíóôõúü", words="pode são seus suas pelos nós você está ter"),
    "sv": _Tongue(letters="åäöé", words="och att det i en jag är på av för med som den till har inte om men ett var kan ska från vi hade eller så när man vara hur där också mycket efter utan detta mer denna vid under över sig sin"),
    "da": _Tongue(letters="æøåé", words="og at det i en er på af for med som den til har ikke om men et var kan skal fra vi havde eller så når man være hvordan der også meget efter uden dette mere denne ved under over sig sin af blev hvad nogle mellem blive bliver gange gennem hvis nu ind mod jeg op lige hvor både"),
    "no": _Tongue(letters="æøåéòôà", words="og at det i en er på av for med som den til har ikke om men et var kan skal fra vi hadde eller så når man være hvordan der også mye etter uten dette mer denne ved under over seg sin ble hva noen mellom bli blir ganger gjennom hvis nå inn mot jeg opp like hvor både å"),
    "fi": _Tongue(letters="äöå", words="ja on ei se että oli joka mutta kun tai niin ovat myös kuin hän sen olla voi jos vain ole mitä sekä tämä ovat kanssa mukaan siitä jotka hänen tämän vielä joten"),
    "is": _Tongue(letters="áéíóúýþæöð", words="og að í á er það sem til við um en var með af ekki eru hann þar fyrir frá því þegar eða hún þess þau verið eftir svo einnig"),
    "pl": _Tongue(letters="ąćęłńóśźż", words="i w na z do się nie jest to że o jak po co ale od za tak przez są dla czy był jego może oraz które który która tego tym jej lub już tylko gdy można bardzo przy"),
    "cs": _Tongue(letters="áčďéěíňóřšťúůýž", words="a v na se je že s z do o to jako po ale k pro by od za jsou které který která byl nebo jeho při také až může však tak jen není podle ve ze už když aby mezi kde nejsou"),
    "sk": _Tongue(letters="áäčďéíĺľňóôŕšťúýž", words="a v na sa je že s z do o to ako po ale k pre by od za sú ktoré ktorý ktorá bol alebo jeho pri tiež až môže však tak len nie podľa vo zo už keď aby medzi kde"),
    "sl": _Tongue(letters="čšž", words="in v na se je da z za so ki pa tudi ali po kot ne od bi še s do ko pri lahko kar ter ni bil bila bilo ima med smo zelo če več tega to vse"),
    "hr": _Tongue(letters="čćđšž", words="i u na se je da za su koji koja koje s od kao o ne ili sa po iz što ali biti može nije bi to ovo samo više kako kada bio bila jer prema nakon između svoje te također"),
    "hu": _Tongue(letters="áéíóöőúüű", words="a az és hogy nem is egy ez van meg de ha csak már még volt vagy mint azt kell el lehet mert ki sem minden után majd között illetve ezt így azonban pedig"),
    "ro": _Tongue(letters="ăâîșțşţ", words="și şi de la în a cu nu o pe din care că un să este pentru mai au fi ce sau prin fost sunt ca dar al ale acest această între după poate când foarte unei"),
    "tr": _Tongue(letters="çğıöşüâîû", words="ve bir bu da de için ile olarak daha çok gibi olan ne en kadar sonra ama var değil her ya o hem veya ise olduğu göre tarafından arasında ancak şekilde"),
    "lt": _Tongue(letters="ąčęėįšųūž", words="ir kad į yra iš su ne tai o kaip bet ar už buvo po jis nuo dėl taip jau tik apie kurie labai prie per gali arba jei kai jų savo būti turi"),
    "lv": _Tongue(letters="āčēģīķļņšūž", words="un ir ar ka no uz par kas bet arī vai nav lai kā to tas bija pēc tikai jau viņš ja gan pie līdz tiek var kad savu ļoti kurā būt šī"),
    "et": _Tongue(letters="äöüõšž", words="ja on ei et see oli kui aga ka ning või mis ta mida siis oma kes nii selle seda tema pärast olema veel juba kõik võib peab ole vaid nagu"),
    "ca": _Tongue(letters="àçéèíïóòúü", words="de la i el que en a els per un una les amb és del al no són es com més o va però seva aquest aquesta ser als dels ha també fins hi on perquè quan molt sobre sense seu"),
    "id": _Tongue(letters="é", words="dan yang di untuk dari dengan pada ini itu dalam adalah tidak ke akan oleh juga atau sebagai telah dapat karena ada mereka saya kami lebih bisa tersebut antara seperti harus bagi setelah"),
    "vi": _Tongue(letters="àáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", words="và của là có được cho trong không một những các với người này đã để khi đến từ như về ra ở cũng vào nhiều sẽ làm phải hay nếu"),
    "sw": _Tongue(letters="", words="na ya wa kwa ni katika la za kuwa cha hii pia kama au hivyo baada yake vya lakini ambayo watu hiyo huo wake hayo bila kila zaidi"),
    "sq": _Tongue(letters="çë", words="dhe të në e i një për me nga që është si janë nuk ka më kjo ishte por ose mund ky duke pas deri edhe tij saj kanë"),
}  # fmt: skip
_CYRILLIC = {
    "ru": _Tongue(letters="ыэёъ"),
    "uk": _Tongue(letters="іїєґ", words="і в на що не з та до у це як за для від про але він є по або його які який яка був вона при також може так ми ви через цього бути якщо між після ще"),
    "be": _Tongue(letters="ыэёіў", words="і ў на што не з да у гэта як за для ад пра але ён па або яго якія які яна быў пры таксама можа так мы вы праз быць калі паміж пасля яшчэ"),
    "bg": _Tongue(letters="ъ", words="и на да се за от не с в е по са като но че си към при това или до ще както след беше много може които който която през бъде има още между когато този тази което а го ги му само"),
    "sr": _Tongue(letters="јљњћђџ", words="и у на се је да за су који која које са од као о не или по из што али бити може није би то ово само више како када био била јер према након између своје те"),
    "mk": _Tongue(letters="јљњќѓџѕ", words="и на да се во од за е со не по како кој која кои што но или до при ова може беше ќе има бил била повеќе меѓу кога тоа дека само го ги му овој оваа"),
}  # fmt: skip
_ARABIC = {
    "ar": _Tongue(letters="ةىأإكي", words="من في على إلى أن عن هذا هذه التي الذي ما لا مع كان كانت بعد قبل هو هي كل ذلك بين أو ثم قد لم عند حتى أثناء"),
    "fa": _Tongue(letters="پچژگکی", words="از در به که این با را است برای آن یک شد بود شده های می ها یا تا هم بر نیز اما خود کرد شود کند دارد"),
    "ur": _Tongue(letters="پچژگکیٹڈڑںےہھ", words="کے کی میں ہے اور سے کا کو اس کہ یہ پر نے ہیں ایک تھا بھی کر ہو جو نہیں تھے لیے ان کیا یا"),
}  # fmt: skip
_SHARED = {"latin": _LATIN, "cyrillic": _CYRILLIC, "arabic": _ARABIC}
_COMMON = {
    "latin": frozenset("abcdefghijklmnopqrstuvwxyz'’"),
    "cyrillic": frozenset("абвгдежзийклмнопрстуфхцчшщьюя'’"),
    "arabic": frozenset("ابتثجحخدذرزسشصضطظعغفقلمنهوءئؤآ"),
}


def detect(text: str) -> str | None:
    """The language as ISO 639-1 has it; None where the text is too short or speaks for none."""
    sample = _NOISE.sub(" ", text[: 2 * _LOOKED_AT])[:_LOOKED_AT].lower()
    script = _script(sample)
    if script in _SHARED:
        return _by_words(sample, script)
    return {"kana": "ja", "han": "zh"}.get(script, script) or None


def _script(sample: str) -> str:
    """The script that most is written in; a little kana among Han characters makes Japanese."""
    patterns = _patterns()
    counts = Counter(latin=sum(map(len, patterns["latin"].findall(sample))))
    rest = _PLAIN.sub("", sample)
    if rest:
        others = {name: sum(map(len, found.findall(rest))) for name, found in patterns.items()}
        counts.update({name: count for name, count in others.items() if name != "latin"})
    if counts["kana"] * 12 > counts["han"]:
        counts["kana"] += counts["han"]
    weighed = {name: count * _WEIGHTS.get(name, 1.0) for name, count in counts.items()}
    best = max(weighed, key=lambda name: weighed[name])
    return best if counts[best] >= _FEWEST else ""


def _by_words(sample: str, script: str) -> str | None:
    own = re.compile(f"[{_SCRIPTS[script]}]")
    words = Counter(word for word in _WORD.findall(sample) if own.match(word))
    total = words.total()
    if total < _FEWEST:
        return None
    scores = _scores(words, script)
    first, second = sorted(scores, key=lambda code: -scores[code])[:2]
    sure = scores[first] >= max(1.0, _LEAST * total)
    return first if sure and scores[first] > _CLEAR * max(scores[second], 0.0) else None


def _scores(words: Counter[str], script: str) -> dict[str, float]:
    """For each language its small words, the less for each other language that has them too."""
    spoken, spread = _lists(script)
    marked = Counter[frozenset[str]]()
    for word, count in words.items():
        if beyond := frozenset(word) - _COMMON[script]:
            marked[beyond] += count
    return {
        code: sum(words[word] / spread[word] for word in spoken[code] & words.keys())
        + _spelling(marked, script, code)
        for code in spoken
    }


def _spelling(marked: Counter[frozenset[str]], script: str, code: str) -> float:
    """What the letters beyond the plain alphabet say; a word it cannot spell speaks against it."""
    own, shared = frozenset(_SHARED[script][code].letters), _alphabets(script)
    score = 0.0
    for letters, count in marked.items():
        rarest = min(shared[letter] for letter in letters) if letters <= own else -1
        score += 0.5 * count / rarest
    return score


@cache
def _lists(script: str) -> tuple[dict[str, frozenset[str]], Counter[str]]:
    spoken = {
        code: stopwords.listed(code).union(tongue.words.split())
        for code, tongue in _SHARED[script].items()
    }
    return spoken, Counter(word for words in spoken.values() for word in words)


@cache
def _alphabets(script: str) -> Counter[str]:
    """Letters beyond the plain alphabet, with how many languages have them."""
    return Counter(letter for tongue in _SHARED[script].values() for letter in tongue.letters)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(f"[{ranges}]+") for name, ranges in _SCRIPTS.items()}
