"""The words by which a sentence negates or refutes something, by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NegationWords:
    """The words of one language as alternatives of a regular expression.

    They match whole words; in Chinese, Japanese and Korean they match anywhere.
    """

    both: str = ""  # negate a statement, and are a cue that a sentence refutes one
    negating: str = ""  # negate, but are too common to be a cue
    refuting: str = ""  # are a cue, but do not turn a statement into its opposite

    @property
    def negation_regex(self) -> str:
        return "|".join(filter(None, (self.both, self.negating)))

    @property
    def refutation_regex(self) -> str:
        return "|".join(filter(None, (self.both, self.refuting)))


# Connectives (however, although, whereas) are left out: they contrast without refuting.
WORDS_BY_LANGUAGE = {
    "en": NegationWords(
        both=r"neither|den(?:y|ies|ied)|refut(?:e|es|ed|ing)|disprov\w+|debunk\w*|false(?:ly)?|incorrect"
        r"|myth|unfounded|baseless|ineffective|cannot",
        negating=r"not (?:\w+ )?enough|not|n[o']t|\w+n['’]t|no|never|none|nobody|nothing|nor|without|cant|dont|doesnt|isnt|wasnt"
        r"|fail(?:s|ed|ing|ure)?|lack(?:s|ed|ing)?|unable|unlikely|hardly|scarcely|untrue|unproven|absence|insufficient|too (?:little|few)",
        refuting=r"did not|didn['’]t|does not|doesn['’]t|do not|is not|isn['’]t|are not|aren['’]t|was not|wasn['’]t|were not"
        r"|weren['’]t|has not|have not|had not|could not|failed to|fails to|fail to|no (?:clear |strong |credible )?evidence"
        r"|no (?:link|association|correlation|relationship|effect|difference|benefit)|no (?:statistically )?significant"
        r"|not significant(?:ly)?|non-?significant|insufficient evidence|lack of evidence|lack of (?:an )?(?:effect|association)"
        r"|contrary to|refut\w+|rebut\w*|contradict\w*|disput\w+|incorrectly|inaccurate|misleading|hoax|misinformation"
        r"|unsupported|not supported|retracted|unrelated to|rather than",
    ),
    "de": NegationWords(
        both=r"nicht|kein\w*|weder|falsch\w*|widerleg\w*",
        negating=r"nie|niemals|niemand|nichts|ohne|kaum|mangels|zu wenige?",
        refuting=r"widersprech\w*|widersprich\w*|unbegründet\w*|irreführend\w*|bestreit\w*|unwirksam\w*|entgegen",
    ),
    "fr": NegationWords(
        both=r"faux|fausse\w*",
        negating=r"pas|jamais|aucune?|rien|personne|sans|ni|nullement|guère|trop peu",
        refuting=r"n['’e]\s?\w+ (?:pas|aucun\w*|jamais)|ne [^.]{0,30}\bpas\b|pas de|aucun(?:e)? (?:preuve|effet|lien|différence|association)"
        r"|sans effet|réfut\w+|contredi\w+|dément\w*|infondé\w*|trompeu\w+|contrairement à",
    ),
    "es": NegationWords(
        both=r"no|ningun[ao]?|ningún|tampoco|fals[oa]s?",
        negating=r"nunca|jamás|nadie|nada|sin|ni|demasiado poc[oa]s?",
        refuting=r"sin (?:efecto|evidencia|pruebas|relación)|refut\w+|contradi\w+|desm(?:ient|ent)\w*|infundad\w+|engaños\w+|contrariamente",
    ),
    "it": NegationWords(
        both=r"non|nessun[oa]?|né|fals[oaie]",
        negating=r"mai|niente|nulla|senza|neanche",
        refuting=r"senza (?:effetto|prove|evidenze)|confut\w+|contradd\w+|smenti\w+|infondat\w+|fuorviant\w+|contrariamente",
    ),
    "pt": NegationWords(
        both=r"não|nenhuma?|nem|fals[oa]s?",
        negating=r"nunca|jamais|ninguém|nada|sem|tampouco",
        refuting=r"sem (?:efeito|evidências?|provas|relação)|refut\w+|contradi\w+|desment\w+|infundad\w+|enganos\w+|contrariamente",
    ),
    "nl": NegationWords(
        both=r"niet|geen|noch|onjuist\w*",
        negating=r"nooit|niemand|niets|zonder|nauwelijks",
        refuting=r"weerleg\w*|weerspre\w*|tegenspre\w*|ongegrond\w*|misleidend\w*|in strijd met|onwaar",
    ),
    "sv": NegationWords(
        both=r"inte|ej|ingen|inga|inget|varken|falsk\w*",
        negating=r"aldrig|utan|knappast",
        refuting=r"motbevis\w*|motsäg\w*|felaktig\w*|ogrundad\w*|vilseledande",
    ),
    "da": NegationWords(
        both=r"ikke|ingen|intet|hverken|falsk\w*",
        negating=r"aldrig|uden|næppe",
        refuting=r"modbevis\w*|modsig\w*|forkert\w*|ubegrundet|vildledende",
    ),
    "no": NegationWords(
        both=r"ikke|ingen|intet|verken|falsk\w*",
        negating=r"aldri|uten|neppe",
        refuting=r"motbevis\w*|motsi\w*|feilaktig\w*|ubegrunnet|villedende",
    ),
    "fi": NegationWords(
        both=r"ei|eivät|eikä",
        negating=r"en|emme|ette|älä|ilman|tuskin",
        refuting=r"ettei|kumoa\w*|kumos\w*|kiistä\w*|virheelli\w+|perusteet\w+|harhaanjohtav\w+|väärä\w*",
    ),
    "pl": NegationWords(
        both=r"nie|żad\w+|ani|fałszyw\w+",
        negating=r"nigdy|nikt|nic|bez",
        refuting=r"brak|obal\w+|zaprzecz\w+|sprzeczn\w+|błędn\w+|bezpodstawn\w+|wbrew",
    ),
    "cs": NegationWords(
        both=r"není|nejsou|nebyl\w*|nepravdiv\w+|neopodstatněn\w+|žádn\w+|ani",
        negating=r"ne|nikdy|nikdo|nic|bez|ne\w{4,}",
        refuting=r"vyvrát\w+|vyvrac\w+|odporuj\w+|navzdory",
    ),
    "ru": NegationWords(
        both=r"не|нет|ни|ложн\w+",
        negating=r"никогда|никто|ничего|без|нельзя|неверно",
        refuting=r"никак\w*|опроверг\w*|опроверж\w*|противореч\w*|ошибочн\w+|необоснован\w+|вопреки",
    ),
    "uk": NegationWords(
        both=r"не|немає|ні|хибн\w+",
        negating=r"ніколи|ніхто|нічого|без",
        refuting=r"спрост\w+|супереч\w+|помилков\w+|безпідставн\w+|всупереч",
    ),
    "tr": NegationWords(
        both=r"değil\w*|yok\w*|\w+(?:mez|maz|medi|madı|miyor|mıyor|muyor|müyor)",
        negating=r"hiç|asla",
        refuting=r"hiçbir|ne de|çürüt\w+|yalanla\w*|çeliş\w+|yanlış\w*|asılsız\w*|yanıltıcı\w*|\w+(?:madı|medi|mamış|memiş|mıyor|miyor|muyor|müyor|maz|mez)\w*",
    ),
    "ar": NegationWords(
        both=r"لم|لا|ليس|ليست|لن|غير|بدون",
        negating=r"ما",
        refuting=r"دون|نفى|نفت|دحض|يدحض|يناقض|خاطئ|كاذب|مضلل",
    ),
    "fa": NegationWords(
        both=r"نیست|نیستند|نشد|نبود|هیچ|بدون|نادرست|غلط",
        refuting=r"رد کرد|گمراه‌کننده",
    ),
    "hi": NegationWords(negating=r"नहीं|न|मत|बिना"),
    "zh": NegationWords(
        both=r"没有|沒有|并非|並非",
        negating=r"不|没|沒|无|無|未|非",
        refuting=r"不是|无关|無關|无显著|無顯著|不显著|不顯著|未能|未发现|未發現|否认|否認|反驳|反駁|错误|錯誤|虚假|虛假|谣言|謠言|误导|誤導|矛盾|不支持",
    ),
    "ja": NegationWords(
        both=r"ない|ません|なかった",
        negating=r"なく|ぬ|ず|非|未|無",
        refuting=r"なく、|否定|反論|反証|誤り|誤解|虚偽|デマ|矛盾|根拠がない|有意差は",
    ),
    "ko": NegationWords(
        negating=r"않|없|못하|아니",
        refuting=r"않[았는다은을]|아니[다라며]|없[다었는음]|못[했하]|부인|반박|거짓|허위|오해|모순|근거 없는",
    ),
}  # fmt: skip
