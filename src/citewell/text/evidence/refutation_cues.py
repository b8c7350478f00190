"""Words and phrases by which a sentence denies or refutes something, by language."""

from __future__ import annotations

import re
from functools import cache

# Connectives (however, although, whereas) are left out: they contrast without refuting.
_REFUTATION_REGEXES = {
    "en": r"\b(?:did not|didn['’]t|does not|doesn['’]t|do not|is not|isn['’]t|are not|aren['’]t|was not|wasn['’]t|were not"
    r"|weren['’]t|has not|have not|had not|cannot|could not|failed to|fails to|fail to|no (?:clear |strong |credible )?evidence|no (?:link|association|correlation|relationship|effect|difference|benefit)"
    r"|no (?:statistically )?significant|not significant(?:ly)?|non-?significant|insufficient evidence|lack of evidence|lack of (?:an )?(?:effect|association)|contrary to|refut\w+|rebut\w*|debunk\w*"
    r"|disprov\w+|contradict\w*|disput\w+|den(?:y|ies|ied)|false(?:ly)?|incorrect(?:ly)?|inaccurate|misleading|hoax"
    r"|myth|unfounded|baseless|misinformation|unsupported|not supported|neither|retracted|ineffective|unrelated to|rather than)\b",
    "de": r"\b(?:nicht|kein(?:e[nmrs]?)?|weder|widerleg\w*|widersprech\w*|widersprich\w*|falsch\w*|unbegründet\w*|irreführend\w*|bestreit\w*|unwirksam\w*|entgegen)\b",
    "fr": r"\b(?:n['’e]\s?\w+ (?:pas|aucun\w*|jamais)|ne [^.]{0,30}\bpas\b|pas de|aucun(?:e)? (?:preuve|effet|lien|différence|association)|sans effet|réfut\w+|contredi\w+|dément\w*|faux|fausse\w*|infondé\w*|trompeu\w+|contrairement à)\b",
    "es": r"\b(?:no|ningún|ninguna?|tampoco|sin (?:efecto|evidencia|pruebas|relación)|refut\w+|contradi\w+|desm(?:ient|ent)\w*|fals[oa]s?|infundad\w+|engaños\w+|contrariamente)\b",
    "it": r"\b(?:non|nessun[oa]?|né|senza (?:effetto|prove|evidenze)|confut\w+|contradd\w+|smenti\w+|fals[oaie]|infondat\w+|fuorviant\w+|contrariamente)\b",
    "pt": r"\b(?:não|nenhum[a]?|nem|sem (?:efeito|evidências?|provas|relação)|refut\w+|contradi\w+|desment\w+|fals[oa]s?|infundad\w+|enganos\w+|contrariamente)\b",
    "nl": r"\b(?:niet|geen|noch|weerleg\w*|weerspre\w*|tegenspre\w*|onjuist\w*|ongegrond\w*|misleidend\w*|in strijd met|onwaar)\b",
    "sv": r"\b(?:inte|ej|ingen|inga|inget|varken|motbevis\w*|motsäg\w*|felaktig\w*|falsk\w*|ogrundad\w*|vilseledande)\b",
    "da": r"\b(?:ikke|ingen|intet|hverken|modbevis\w*|modsig\w*|forkert\w*|falsk\w*|ubegrundet|vildledende)\b",
    "no": r"\b(?:ikke|ingen|intet|verken|motbevis\w*|motsi\w*|feilaktig\w*|falsk\w*|ubegrunnet|villedende)\b",
    "fi": r"\b(?:ei|eivät|eikä|ettei|kumoa\w*|kumos\w*|kiistä\w*|virheelli\w+|perusteet\w+|harhaanjohtav\w+|väärä\w*)\b",
    "ru": r"\b(?:не|нет|ни|никак\w*|опроверг\w*|опроверж\w*|противореч\w*|ложн\w+|ошибочн\w+|необоснован\w+|вопреки)\b",
    "pl": r"\b(?:nie|brak|żad\w+|ani|obal\w+|zaprzecz\w+|sprzeczn\w+|fałszyw\w+|błędn\w+|bezpodstawn\w+|wbrew)\b",
    "tr": r"\b(?:değil\w*|yok\w*|hiçbir|ne de|çürüt\w+|yalanla\w*|çeliş\w+|yanlış\w*|asılsız\w*|yanıltıcı\w*|\w+(?:madı|medi|mamış|memiş|mıyor|miyor|muyor|müyor|maz|mez)\w*)\b",
    "uk": r"\b(?:не|немає|ні|спрост\w+|супереч\w+|хибн\w+|помилков\w+|безпідставн\w+|всупереч)\b",
    "cs": r"\b(?:není|nejsou|nebyl\w*|žádn\w+|ani|vyvrát\w+|vyvrac\w+|odporuj\w+|nepravdiv\w+|neopodstatněn\w+|navzdory)\b",
    "ar": r"(?:(?<!\w)(?:لم|لا|ليس|ليست|لن|غير|دون|بدون|نفى|نفت|دحض|يدحض|يناقض|خاطئ|كاذب|مضلل|لا يوجد)(?!\w))",
    "fa": r"(?:(?<!\w)(?:نیست|نیستند|نشد|نبود|هیچ|بدون|رد کرد|نادرست|غلط|گمراه‌کننده)(?!\w))",
}  # fmt: skip
_UNSPACED_REFUTATION_REGEXES = {
    "zh": r"没有|沒有|并非|並非|不是|无关|無關|无显著|無顯著|不显著|不顯著|未能|未发现|未發現|否认|否認|反驳|反駁|错误|錯誤|虚假|虛假|谣言|謠言|误导|誤導|矛盾|不支持",
    "ja": r"ない|なかった|ません|なく、|否定|反論|反証|誤り|誤解|虚偽|デマ|矛盾|根拠がない|有意差は",
    "ko": r"않[았는다은을]|아니[다라며]|없[다었는음]|못[했하]|부인|반박|거짓|허위|오해|모순|근거 없는",
}


def has_refutation_cue(sentence: str, *, language: str | None) -> bool:
    """Whether the sentence contains a refuting word; False for languages without a list."""
    pattern = _compile_refutation_pattern((language or "en")[:2])
    return bool(pattern and pattern.search(sentence))


@cache
def _compile_refutation_pattern(language: str) -> re.Pattern[str] | None:
    found = _REFUTATION_REGEXES.get(language) or _UNSPACED_REFUTATION_REGEXES.get(language)
    return re.compile(found, re.IGNORECASE) if found else None
