"""How people write to machines that read: the phrasings that `injection` looks for, by language."""

from __future__ import annotations

# What a reader of ours could be called, and what it could have been told.
_YOU = r"(?:you|your|yourself)"
_MODEL = (
    r"(?:ai(?: (?:language )?(?:models?|assistants?|agents?|systems?|readers?|crawlers?|bots?|tools?|summari[sz]ers?|reviewers?))?"
    r"|(?:large )?language models?|llms?(?: agents?)?|chat ?bots?|chatgpt|gpt-?\d?|claude|gemini|copilot|grok"
    r"|(?:virtual |digital )?assistants?|(?:automated )?agents?|language-model)"
)
_ORDERS = (
    r"(?:instructions?|directions?|directives?|prompts?|commands?|orders?|rules|guidelines|guardrails"
    r"|guidance|messages?|context|constraints|restrictions|safety (?:rules|policies|measures|filters)|programming|training)"
)
_BEFORE = r"(?:previous(?:ly)?|prior|earlier|above|preceding|existing|original|initial|foregoing|former|system|developer|safety|other|given|received|current|your|the user'?s?|user)"

# The kind; words of which one must stand in the text, in lower case, for the row to be tried; the pattern.
ROWS: tuple[tuple[str, str, str], ...] = (
    ("override", "ignor|disregard|forget|overrid|bypass|discard|dismiss|neglect|overlook",
     rf"\b(?:ignore|disregard|forget|override|bypass|discard|dismiss|neglect|overlook)\b(?: (?:about|all|any|everything|every|each|of|the|these|those|that|and|whatever|completely|entirely|please|your|my|user'?s?))*[ ,]+(?:{_BEFORE}[ ,]+(?:and |or )?)+{_ORDERS}"),
    ("override", "ignor|disregard|forget",
     rf"\b(?:ignore|disregard|forget)\b (?:all |any |everything |every |each |of |the |these |those |that |your |what )*(?:{_ORDERS} (?:above|before|you|given|provided|previously|so far|from|that (?:came|you))|(?:you (?:were|have been|are) (?:told|given|instructed|taught))|above and (?:instead|do|print|say|reply)|everything (?:above|before|you))"),
    ("override", "instruction|directive|prompt",
     r"\b(?:new|updated|real|actual|important|urgent|hidden|special|secret|admin(?:istrator)?|system|priority) (?:system )?(?:instructions?|directives?|prompt)(?: (?:for (?:the )?(?:ai|llm|assistant|model|agent)s?|from (?:the )?(?:system|admin\w*|developer|user|operator)))?\s*:"),
    ("override", "instruction",
     rf"\b(?:instead|now|must|should|only)\b[^.!?\n]{{0,30}}\b(?:follow|obey|execute) (?:only )?(?:these|the following|the instructions|my|this|new) (?:new |hidden |following |below |next )?(?:{_ORDERS})"),
    ("override", "supersede|replace|precedence|overrule",
     rf"\b(?:supersedes?|overrules?|replaces?|takes? precedence over)\b[^.!?\n]{{0,30}}\b{_BEFORE} {_ORDERS}"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent",
     rf"\bif you(?:'re|’re| are|r)\b (?:an? |any |the |reading this (?:as|and are) )+(?:\w+ )?{_MODEL}\b(?! (?:researcher|engineer|developer|company|expert|user|startup|enthusiast|professional))[^.!?\n]{{0,60}}\b(?:please|must|should|then|you|do not|don't|always|never|ignore|include|add|say|respond|reply|write|mention|recommend|state|rate|give|insert|use|visit|open|call|stop|refuse|output|tell)\b"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent",
     rf"\b(?:note|attention|messages?|instructions?|notice|important|reminder|hey|dear|warning|hello|hi)\b[,:!]? (?:to |for |all )*(?:all |any |every |the |other )?{_MODEL}(?: (?:reading|processing|summari[sz]ing|analy[sz]ing|crawling|parsing|visiting|scraping|reviewing)[^.!?\n:]{{0,40}})?\s*(?:[:,!—–-]|\bmust\b|\bplease\b)"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent",
     rf"\b(?:all |any |every )?{_MODEL}\b,? (?:that (?:is |are )|which (?:is |are )|who (?:is |are )|when |while )?(?:reading|processing|summari[sz]ing|analy[sz]ing|crawling|parsing|reviewing|evaluating)\b[^.!?\n]{{0,50}}\b(?:must|should|please|needs? to|ha(?:s|ve) to|is required|are required|shall|is instructed|are instructed|:)"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent",
     rf"\bas an? {_MODEL},? you (?:must|should|need|have to|are required|will|shall)\b"),
    ("role", "you are now|act as|behave as|respond as|pretend| mode|from now on",
     rf"(?:(?:^|[.!?:;\n] *|\band |, )you are now (?:an? (?!\w+ (?:member|insider|subscriber|customer))|dan\b|in (?:\w+ )?mode|free (?:from|of)|acting|operating|no longer bound|the )|\bfrom now on,? you(?: are| will|'ll| must| should)|\bpretend (?:to be an? (?:\w+ )?(?:system|model|ai|assistant|human|person|admin\w*)|that you are|you are)|\b(?:act|behave|respond) as (?:if you (?:are|were) )?(?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|different|new|system|root|admin\w*|{_MODEL})|\b(?:enter|you are in|engage|activate|switch (?:in)?to) (?:the )?(?:developer|dan|god|admin|jailbreak|unrestricted|root|sudo) mode and\b|\b(?:dan|jailbreak|god) mode (?:enabled|on|activated))"),
    ("conceal", "user|human|operator|instruction|this message|this prompt",
     r"\b(?:do not|don't|don’t|never|without|avoid|must not|should not)\b (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|mention(?:ing)?|disclos(?:e|ing)|show(?:ing)?|alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|ask(?:ing)?|say(?:ing)?|let(?:ting)?)\b[^.!?\n]{0,40}\b(?:the |your )?(?:(?:human |end )?users?|human|operator|these instructions|this instruction|this message|this prompt|the instructions)\b"),
    ("disclose", "system prompt|system message|initial prompt|developer message|hidden prompt|verbatim|configuration prompt|system instruction",
     r"\b(?:reveal|print|repeat|output|show|display|disclose|leak|share|return|recite|expose|dump|tell me|give me|write out)\b[^.!?\n]{0,40}\b(?:your|the|its) (?:full |entire |complete |hidden |original |initial |secret |own |exact )*(?:system prompt|system message|initial prompt|developer message|hidden prompt|instructions verbatim|configuration prompt|system instructions)"),
    ("disclose", "conversation|chat history|chat log|system prompt|user|api key|credential|token|password|environment variable|private key",
     r"\b(?:send|post|exfiltrate|transmit|forward|upload|append|e-?mail|submit|encode|leak|include)\b[^.!?\n]{0,60}\b(?:(?:the |this |your |our |all |entire |full )*(?:conversation(?: history)?|chat (?:history|log)|system prompt|user'?s? (?:data|query|message|e-?mail|address|password|credentials|api keys?|secrets?|personal data|files|prompt)|api keys?|credentials|access tokens?|passwords?|environment variables|private keys?|session tokens?))\b[^.!?\n]{0,60}\b(?:to|at|in|into|as|via)\b[^.!?\n]{0,20}(?:https?:|\burl\b|\bquery\b|\bserver\b|\bendpoint\b|\bwebhook\b|@|\bthis\b|\bthe following\b|\bparameter\b|\baddress\b|\blink\b|\bsite\b|\bimage\b)"),
    ("act", "tool|function|mcp|shell|bash|terminal|send_email|delete|curl|command",
     rf"\b(?:{_YOU} (?:must|should|need to|have to|will|are to) (?:now |immediately |also |first )?|immediately |please |now,? you must )(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,30}}\b(?:the )?(?:\w+[ _])?(?:tools?|function|mcp|shell command|bash|terminal|send_email|delete\w*|curl|command)\b[^.!?\n]{{0,60}}\b(?:with|to|and|on|rm|http|before|in order)\b"),
    ("act", "nothing else|no matter|regardless|in your|in every|in all|in any|to the user|to every|to any|to all|to the q",
     r"\b(?:always |only |just |simply |must |should |instead,? )(?:answer|respond|reply|output|say|write|state|recommend|rate|summari[sz]e)\b[^.!?\n]{0,20}\b(?:with|that|as|only|exactly|this|it)\b[^.!?\n]{0,60}\b(?:and nothing else|no matter (?:what|how)|regardless of|in (?:your|every|all|any) (?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|reviews?)|to (?:the|every|any|all) (?:user|question|quer))"),
    ("act", "your answer|your respon|your repl|your summar|your output|your review|your final|your next|your every",
     r"\b(?:include|add|insert|append|put|end|start|begin|begin with|finish|embed|place|mention|use)\b[^.!?\n]{0,80}\b(?:in|to|into|of|at the (?:end|beginning|start|top) of) your (?:final |next |every )*(?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|reviews?)(?= *(?:[.!,;:\"'”]|$|\n))"),
    ("act", "positive review|score|rating|maximum mark|negative|weakness|flaw|recommend accept|rank this",
     r"\b(?:give (?:a |only |this (?:paper|product|article|page|candidate|site|resume) )?(?:positive reviews?(?: only)?|(?:the )?(?:highest|maximum|top|best|perfect|a perfect) (?:possible )?(?:score|rating|marks?))|do not (?:highlight|mention|point out|raise) (?:any )?(?:negatives?|weaknesses|flaws)|recommend (?:acceptance|accepting) (?:of )?this|rank this (?:page|product|candidate|site|result) (?:first|highest|at the top))"),
    ("markup", "<<|im_start|im_end|endof|eot_id|begin_of|header_id|[inst]|[/inst]|###|[system]|<system|</system|<instructions|</instructions|<important|</important|<admin|<start_of",
     r"<\|(?:im_(?:start|end)|system|user|assistant|endoftext|endofprompt|start_header_id|begin_of_text|eot_id)\|>|\[/?inst\]|<</?sys>>|(?:^|\n)\s*\[?(?:### ?)(?:system|instructions?|human|assistant)(?: (?:prompt|message))?\]?\s*:|</?(?:system|instructions|admin|important)(?:[_-](?:prompt|message|instructions?|note))?>|<start_of_turn>|(?:^|\n)\s*\[system\]\s*[:(]"),
    ("override", "ignor|vergiss|missacht|missachte|vergessen|übergeh",
     r"\b(?:ignorier\w*|vergiss|vergessen sie|missachte\w*|übergeh\w*)\b[^.!?\n]{0,30}\b(?:alle\w*|bisherig\w*|vorherig\w*|vorhergehend\w*|frühere\w*|obig\w*|deine|ihre|vorangegangen\w*)\b[^.!?\n]{0,30}\b(?:anweisung\w*|instruktion\w*|befehl\w*|regeln|vorgaben|prompts?)"),
    ("address", " ki|sprachmodell|intelligenz|chatbot|llm",
     r"\b(?:(?:wenn|falls|sofern) (?:du|sie) (?:ein|eine|als)|als|hinweis (?:für|an)|achtung,?|an alle) [^.!?\n]{0,20}\b(?:ki(?:-\w+)?|sprachmodelle?|künstliche intelligenz|chatbots?|llms?)\b[^.!?\n]{0,60}\b(?:musst|müssen|sollst|sollen|solltest|bitte|antworte\w*|schreibe\w*|erwähne\w*|empfiehl|empfehlen|bist|gib|ignoriere\w*)\b"),
    ("conceal", "nutzer|benutzer|anwender",
     r"\b(?:sage?|sagen sie|verrate\w*|teile|erwähne\w*|informiere\w*|erzähle?)\b[^.!?\n]{0,40}\b(?:nutzer\w*|benutzer\w*|anwender\w*)\b[^.!?\n]{0,40}\b(?:nicht|nichts|kein\w*)\b"),
    ("override", "ignor|oubli",
     r"\b(?:ignore[zr]?|oublie[zr]?|ne tiens pas compte|ne tenez pas compte)\b[^.!?\n]{0,30}\b(?:instructions?|consignes?|directives?|ordres|règles)\b[^.!?\n]{0,40}\b(?:précédent\w*|antérieur\w*|ci-dessus|initial\w*|reçu\w*|système)|\b(?:ignore[zr]?|oublie[zr]?)\b[^.!?\n]{0,20}\b(?:précédent\w*|tout ce qui précède)"),
    ("address", " ia|artificielle|modèle|llm",
     r"\b(?:si (?:vous êtes|tu es)|en tant qu|note (?:à|pour)|à l'attention de|attention)[^.!?\n]{0,25}\b(?:ia|intelligence artificielle|modèles? de langage|assistants? (?:ia|virtuel\w*)|llms?|agents? ia)\b[^.!?\n]{0,60}\b(?:devez|dois|doit|veuillez|répond\w*|ajoute\w*|mentionne\w*|recommande\w*|incluez|inclus|dites|dis|écri\w*)\b"),
    ("conceal", "utilisateur",
     r"\bne (?:dis|dites|révèle\w*|mentionne\w*|parle\w*|informe\w*|signale\w*)\b[^.!?\n]{0,30}\b(?:l'|l’|à l'|à l’|aux |cet )utilisateurs?"),
    ("override", "ignor|olvid|descart",
     r"\b(?:ignora|ignore|ignorar|olvida|olvide|descarta|descarte|haz caso omiso de)\b[^.!?\n]{0,30}\b(?:instrucciones|órdenes|indicaciones|reglas|directrices)\b[^.!?\n]{0,30}\b(?:anterior\w*|previa\w*|previo\w*|originales|iniciales|del sistema|recibid\w*)|\b(?:ignora|olvida)\b[^.!?\n]{0,20}\btodo lo anterior"),
    ("address", " ia|artificial|modelo|llm",
     r"\b(?:si (?:eres|usted es|es usted)|como|nota para|atención|aviso a)[^.!?\n]{0,25}\b(?:ia|inteligencia artificial|modelos? de lenguaje|asistentes? (?:de ia|virtual\w*)|llms?)\b[^.!?\n]{0,60}\b(?:debes|debe|deben|tienes|por favor|responde\w*|incluye\w*|menciona\w*|recomienda\w*|di|escribe)\b"),
    ("conceal", "usuario",
     r"\bno (?:le )?(?:digas|diga|reveles|revele|menciones|mencione|informes|informe|cuentes)\b[^.!?\n]{0,30}\b(?:al|el|los) usuarios?"),
    ("override", "忽略|无视|無視|忘记|忘記|不要理会|不理会|忽视",
     r"(?:忽略|无视|無視|忘记|忘記|不要理会|忽视)[^。！？\n]{0,15}(?:之前|以前|先前|上述|以上|前面|所有|此前|原有|系统)[^。！？\n]{0,12}(?:指令|指示|命令|提示|规则|規則|要求|说明|設定|设定)"),
    ("address", "如果|若|请|請|必须|必須|务必|注意",
     r"(?:如果|若|倘若)(?:你|您)是[^。！？\n]{0,12}(?:ai|人工智能|人工智慧|语言模型|語言模型|大模型|机器人|助手)|(?:致|请|請)?(?:所有|各位)?(?:ai|人工智能|语言模型|語言模型|大模型)(?:助手|模型|助理)?[^。！？\n]{0,8}(?:请|請|必须|必須|务必|注意)"),
    ("conceal", "不要告诉|不要告訴|不得告诉|别告诉|不要向",
     r"(?:不要|不得|别|切勿|請勿|请勿)(?:告诉|告訴|告知|向|让|讓)[^。！？\n]{0,6}(?:用户|用戶|使用者)"),
    ("override", "無視|忘れ|従わない",
     r"(?:これまで|以前|前|上記|上|すべて|全て|今まで|先)の?[^。！？\n]{0,10}(?:指示|命令|プロンプト|ルール|指令|内容)[^。！？\n]{0,6}(?:を)?(?:すべて|全て)?(?:無視|忘れ)"),
    ("address", "ください|しなさい|場合|必ず|なら",
     r"(?:あなたが|もし|お読みの|この(?:ページ|文章)を読[んむ])[^。！？\n]{0,15}(?:ai|人工知能|言語モデル|アシスタント)[^。！？\n]{0,25}(?:してください|しなさい|場合|必ず|なら)"),
    ("conceal", "ユーザー|利用者",
     r"(?:ユーザー|利用者)(?:に|には|へ)[^。！？\n]{0,12}(?:言わない|教えない|伝えない|知らせない|明かさない|言うな|話さない)"),
    ("override", "игнорир|забуд|не обращай",
     r"(?:игнорируй\w*|проигнорируй\w*|забудь\w*|не обращай\w* внимания на)[^.!?\n]{0,30}(?:предыдущ\w*|прежн\w*|все|прошл\w*|вышеуказанн\w*|системн\w*|выше|ранее)[^.!?\n]{0,25}(?:инструкци\w*|указани\w*|команд\w*|правил\w*|промпт\w*)"),
    ("address", "ии|искусственн|языков|нейросет|чат",
     r"(?:если (?:ты|вы)|внимание,?|как|для всех)[^.!?\n]{0,20}(?:\bии\b|ии-\w+|искусственн\w+ интеллект\w*|языков\w+ модел\w+|нейросет\w+|чат-?бот\w*)[^.!?\n]{0,60}(?:долж\w+|обязан\w*|пожалуйста|ответь\w*|напиши\w*|добавь\w*|упомяни\w*|рекомендуй\w*|скажи\w*)"),
    ("conceal", "пользовател",
     r"не (?:говори\w*|сообщай\w*|раскрывай\w*|упоминай\w*|рассказывай\w*)[^.!?\n]{0,30}пользовател\w+"),
)  # fmt: skip
