"""Finds sentences in outside text that try to command an AI reader.

A signal is a hint for the caller, not a verdict; the text itself is not changed.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from citewell.core.values.scrape_results import InjectedSentence

# One of these is in every match; looking for them first is far faster than the pattern.
_CUES = ("assistant", "chat", "language model", "llm", "a.i", " ai", "agent", "search engine", "asked", "the user", "the asker", "reader")  # fmt: skip
_READER_REGEX = r"(?:an? |any |all )?(?:a\.?i\.?|chat ?bots?|(?:large )?language models?|llms?|(?:ai|virtual|digital) (?:assistants?|agents?|models?|systems?)|assistants?|search engines?)"
_ANSWER_VERB_REGEX = r"(?:answer|reply|respond|say|state|claim|output|report|tell|write|quote|cite)"
_ANSWER_ORDER_PATTERN = re.compile(
    rf"\b{_READER_REGEX}\b.{{0,40}}\b(?:must|should|shall|ha[sv]e? to|needs? to|(?:is|are) to)\b.{{0,20}}"
    rf"\b{_ANSWER_VERB_REGEX}\b\s{{0,9}}+(?:[:“\"'‘]|that\b|only\b|with\b|the (?:user|reader|asker)\b)"
    rf"|\bif you(?: are|['’]re) {_READER_REGEX}\b.{{0,40}}\b{_ANSWER_VERB_REGEX}\b"
    rf"|\b(?:{_READER_REGEX}|readers?)s?\s{{0,9}}+:.{{0,40}}\b(?:correct|right|only) answer\b"
    rf"|\b(?:tell|inform|assure) the (?:user|asker) (?:that|to)\b"
    rf"|\b(?:when|if|whenever) (?:you are )?asked\b.{{0,60}},\s{{0,9}}+(?:always |only |just )?{_ANSWER_VERB_REGEX}\b",
    re.IGNORECASE,
)

# What an AI reader may be called, and the words for its instructions.
_READER_PRONOUN_REGEX = r"(?:you|your|yourself)"
_MODEL_NAME_REGEX = (
    r"(?:ai(?: (?:language )?(?:models?|assistants?|agents?|systems?|readers?|crawlers?|bots?|tools?|summari[sz]ers?|reviewers?))?"
    r"|(?:large )?language models?|llms?(?: agents?)?|chat ?bots?|chatgpt|gpt-?\d?|claude|gemini|copilot|grok"
    r"|(?:virtual |digital )?assistants?|(?:automated )?agents?|language-model)"
)
_INSTRUCTION_NOUN_REGEX = (
    r"(?:instructions?|directions?|directives?|prompts?|commands?|orders?|rules|guidelines|guardrails"
    r"|guidance|messages?|context|constraints|restrictions|safety (?:rules|policies|measures|filters)|programming|training)"
)
_EARLIER_ADJECTIVE_REGEX = r"(?:previous(?:ly)?|prior|earlier|above|preceding|existing|original|initial|foregoing|former|system|developer|safety|other|given|received|current|your|the user'?s?|user)"

# Where a command can start: at a sentence or clause, or after a word such as "please".
_COMMAND_START_REGEX = r"(?:^|[.!?:;,\n(\"“'*>-] *|\b(?:please|kindly|and|must|should|now|then|just|simply|immediately|instead|will) )"

# Kind, cue words, pattern. The pattern is tried only near one of the cue words. Words after "&" are
# further parts, one of which is in every match: they save trying the pattern near frequent cues.
INJECTION_PATTERN_ROWS: tuple[tuple[str, str, str], ...] = (
    ("override", "ignor|disregard|forget|overrid|bypass|discard|dismiss|neglect|overlook",
     rf"\b(?:ignore|disregard|forget|override|bypass|discard|dismiss|neglect|overlook)\b(?: (?:about|all|any|everything|every|each|of|the|these|those|that|and|whatever|completely|entirely|please|your|my|user'?s?))*[ ,]+(?:{_EARLIER_ADJECTIVE_REGEX}[ ,]+(?:and |or )?)+{_INSTRUCTION_NOUN_REGEX}"),
    ("override", "ignor|disregard|forget",
     rf"\b(?:ignore|disregard|forget)\b (?:all |any |everything |every |each |of |the |these |those |that |your |what )*(?:{_INSTRUCTION_NOUN_REGEX} (?:above|before|you|given|provided|previously|so far|from|that (?:came|you))|(?:you (?:were|have been|are) (?:told|given|instructed|taught))|above and (?:instead|do|print|say|reply)|everything (?:above|before|you))"),
    ("override", "instruction|directive|prompt",
     r"\b(?:new|updated|real|actual|important|urgent|hidden|special|secret|admin(?:istrator)?|system|priority) (?:system )?(?:instructions?|directives?|prompt)(?: (?:for (?:the )?(?:ai|llm|assistant|model|agent)s?|from (?:the )?(?:system|admin\w*|developer|user|operator)))?\s*:"),
    ("override", "instruction",
     rf"\b(?:instead|now|must|should|only)\b[^.!?\n]{{0,30}}\b(?:follow|obey|execute) (?:only )?(?:these|the following|the instructions|my|this|new) (?:new |hidden |following |below |next )?(?:{_INSTRUCTION_NOUN_REGEX})"),
    ("override", "supersede|replace|precedence|overrule|overrides",
     rf"\b(?:supersedes?|overrules?|overrides|replaces?|takes? precedence over)\b[^.!?\n]{{0,30}}\b{_EARLIER_ADJECTIVE_REGEX} {_INSTRUCTION_NOUN_REGEX}"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent&if you",
     rf"\bif you(?:'re|’re| are|r)\b (?:an? |any |the |reading this (?:as|and are) )+(?:\w+ )?{_MODEL_NAME_REGEX}\b(?! (?:researcher|engineer|developer|company|expert|user|startup|enthusiast|professional))[^.!?\n]{{0,60}}\b(?:please|must|should|then|you|do not|don't|always|never|ignore|include|add|say|respond|reply|write|mention|recommend|state|rate|give|insert|use|visit|open|call|stop|refuse|output|tell)\b"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent",
     rf"\b(?:note|attention|messages?|instructions?|notice|important|reminder|hey|dear|warning|hello|hi)\b[,:!]? (?:to |for |all )*(?:all |any |every |the |other )?{_MODEL_NAME_REGEX}(?: (?:reading|processing|summari[sz]ing|analy[sz]ing|crawling|parsing|visiting|scraping|reviewing)[^.!?\n:]{{0,40}})?\s*(?:[:,!—–-]|\bmust\b|\bplease\b)"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent&reading|processing|summari|analy|crawling|parsing|reviewing|evaluating",
     rf"\b(?:all |any |every )?{_MODEL_NAME_REGEX}\b,? (?:that (?:is |are )|which (?:is |are )|who (?:is |are )|when |while )?(?:reading|processing|summari[sz]ing|analy[sz]ing|crawling|parsing|reviewing|evaluating)\b[^.!?\n]{{0,50}}\b(?:must|should|please|needs? to|ha(?:s|ve) to|is required|are required|shall|is instructed|are instructed|:)"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent& you ",
     rf"\bas (?:an?|the) {_MODEL_NAME_REGEX},? you (?:must|should|need|have to|are (?:required|obliged|expected|asked|instructed)|will|shall)\b"),
    ("role", "you are now|act as|behave as|respond as|pretend| mode|from now on&you are now |from now on|pretend |act as |behave as |respond as | mode and| mode enabled| mode on| mode activated",
     rf"(?:(?:^|[.!?:;\n] *|\band |, )you are now (?:an? (?!\w+ (?:member|insider|subscriber|customer))|dan\b|in (?:\w+ )?mode|free (?:from|of)|acting|operating|no longer bound|the )|\bfrom now on,? you(?: are| will|'ll| must| should)|\bpretend (?:to be an? (?:\w+ )?(?:system|model|ai|assistant|human|person|admin\w*)|that you are|you are)|\b(?:act|behave|respond) as (?:if you (?:are|were) )?(?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|different|new|system|root|admin\w*|{_MODEL_NAME_REGEX})|\b(?:enter|you are in|engage|activate|switch (?:in)?to) (?:the )?(?:developer|dan|god|admin|jailbreak|unrestricted|root|sudo) mode and\b|\b(?:dan|jailbreak|god) mode (?:enabled|on|activated))"),
    ("conceal", "user|human|operator|instruction|this message|this prompt",
     r"\b(?:do not|don't|don’t|never|without|avoid|must not|should not)\b (?:ever )?(?:tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|mention(?:ing)?|disclos(?:e|ing)|show(?:ing)?|alert(?:ing)?|notify(?:ing)?|warn(?:ing)?|ask(?:ing)?|say(?:ing)?|let(?:ting)?)\b[^.!?\n]{0,40}\b(?:the |your )?(?:(?:human |end )?users?|human|operator|these instructions|this instruction|this message|this prompt|the instructions)\b"),
    ("disclose", "system prompt|system message|initial prompt|developer message|hidden prompt|verbatim|configuration prompt|system instruction",
     r"\b(?:reveal|print|repeat|output|show|display|disclose|leak|share|return|recite|expose|dump|tell me|give me|write out)\b[^.!?\n]{0,40}\b(?:your|the|its) (?:full |entire |complete |hidden |original |initial |secret |own |exact )*(?:system prompt|system message|initial prompt|developer message|hidden prompt|instructions verbatim|configuration prompt|system instructions)"),
    ("disclose", "conversation|chat history|chat log|system prompt|user|api key|credential|token|password|environment variable|private key",
     r"\b(?:send|post|exfiltrate|transmit|forward|upload|append|e-?mail|submit|encode|leak|include)\b[^.!?\n]{0,60}\b(?:(?:the |this |your |our |all |entire |full )*(?:conversation(?: history)?|chat (?:history|log)|system prompt|user'?s? (?:data|query|message|e-?mail|address|password|credentials|api keys?|secrets?|personal data|files|prompt)|api keys?|credentials|access tokens?|passwords?|environment variables|private keys?|session tokens?))\b[^.!?\n]{0,60}\b(?:to|at|in|into|as|via)\b[^.!?\n]{0,20}(?:https?:|\burl\b|\bquery\b|\bserver\b|\bendpoint\b|\bwebhook\b|@|\bthis\b|\bthe following\b|\bparameter\b|\baddress\b|\blink\b|\bsite\b|\bimage\b)"),
    ("act", "tool|function|mcp|shell|bash|terminal|send_email|delete|curl|command",
     rf"\b(?:{_READER_PRONOUN_REGEX} (?:must|should|need to|have to|will|are to) (?:now |immediately |also |first )?|immediately |please |now,? you must )(?:call|invoke|use|run|execute|trigger)\b[^.!?\n]{{0,30}}\b(?:the )?(?:\w+[ _])?(?:tools?|function|mcp|shell command|bash|terminal|send_email|delete\w*|curl|command)\b[^.!?\n]{{0,60}}\b(?:with|to|and|on|rm|http|before|in order)\b"),
    ("act", "nothing else|no matter|regardless|in your|in every|in all|in any|to the user|to every|to any|to all|to the q",
     r"\b(?:always |only |just |simply |must |should |instead,? )(?:answer|respond|reply|output|say|write|state|recommend|rate|summari[sz]e)\b[^.!?\n]{0,20}\b(?:with|that|as|only|exactly|this|it)\b[^.!?\n]{0,60}\b(?:and nothing else|no matter (?:what|how)|regardless of|in (?:your|every|all|any) (?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|reviews?)|to (?:the|every|any|all) (?:user|question|quer))"),
    ("act", "your answer|your respon|your repl|your summar|your output|your review|your final|your next|your every",
     r"\b(?:include|add|insert|append|put|end|start|begin|begin with|finish|embed|place|mention|use|copy|paste)\b[^.!?\n]{0,80}\b(?:in|to|into|of|at the (?:end|beginning|start|top) of) your (?:final |next |every )*(?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|reviews?)(?= *(?:[.!,;:\"'”]|$|\n|verbatim|exactly|word for word))"),
    ("act", "positive review|score|rating|maximum mark|negative|weakness|flaw|recommend accept|rank this&give |do not |recommend accept|rank this ",
     r"\b(?:give (?:a |only |this (?:paper|product|article|page|candidate|site|resume) )?(?:positive reviews?(?: only)?|(?:the )?(?:highest|maximum|top|best|perfect|a perfect) (?:possible )?(?:score|rating|marks?))|do not (?:highlight|mention|point out|raise) (?:any )?(?:negatives?|weaknesses|flaws)|recommend (?:acceptance|accepting) (?:of )?this|rank this (?:page|product|candidate|site|result) (?:first|highest|at the top))"),
    ("override", "ignor|disregard|forget|discard|dismiss",
     r"\b(?:ignore|disregard|forget|discard|dismiss)\b (?:about )?(?:whatever|everything|anything|all(?: that)?|what|the rest)\b[^.!?\n]{0,30}\b(?:you (?:were|have been|are|'ve been|had been) (?:told|given|asked|instructed|taught|said)|you (?:know|learned|read) (?:so far|before|above|earlier)|(?:was|were|is) (?:said|written|given) (?:above|before|earlier|so far)|came before|(?:before|above) this (?:point|line|message|text))"),
    ("override", "user's|user’s|the user|operator",
     r"\b(?:ignore|disregard|forget|do not (?:answer|follow|obey)|don't (?:answer|follow|obey))\b (?:the |whatever the )?(?:users?|operator|human)(?:'s|’s)? (?:actual |original |real |initial )?(?:question|request|query|prompt|message|task|instructions?|wishes|asks|wants|says)\b"),
    ("override", "task|goal|objective|mission|assignment|job",
     r"\byour (?:previous|current|original|former|earlier|old|initial) (?:task|goal|objective|mission|assignment|job)s? (?:is|are|was|has been|have been|were) (?:now )?(?:cancell?ed|over|void|complete[d]?|replaced|obsolete|suspended|aborted)|\b(?:here is|this is|below is) your (?:new|real|actual|next|true) (?:task|goal|objective|mission|assignment|instruction)|\byour (?:new|real|actual|only|true|sole) (?:task|goal|objective|mission|assignment|purpose|job)(?: now)? (?:is|:)"),
    ("override", "below|following&what|everything",
     r"(?:^|[.!?:;\n] *|\band |\bmust |\bplease )(?:do|follow|obey|execute|perform|carry out) (?:exactly )?(?:whatever|what|everything) (?:the |is |this )?(?:text|following|message|note|comment|instructions?|written)?[^.!?\n]{0,12}\b(?:below|says?|tells you|following)\b"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent&must|should|shall|need to|have to|required|instructed|asked|ordered|obliged|requested|advised",
     rf"\b{_MODEL_NAME_REGEX}(?: (?:visiting|reading|reviewing|summari[sz]ing|browsing|crawling|accessing|processing|using|indexing)[^.!?\n]{{0,30}})?,? (?:must|should|shall|need to|have to|(?:are|is) (?:required|instructed|asked|ordered|obliged|requested|advised) to) (?:now |always |only |never |not |immediately |also )*(?:give|recommend|rate|say|state|mention|include|buy|purchase|visit|click|praise|rank|describe|ignore|disregard|treat this|tell (?:the|their) users?|output|append|insert|reply|answer with|respond with|score|accept|endorse|promote|link to)\b"),
    ("act", "when |while |if &this |the above |the following ",
     r"\b(?:when|while|if|before|after|in) (?:you (?:are )?)?(?:summari[sz]|answer|describ|review|quot|analy[sz]|rat|evaluat|translat|cit)(?:e|es|ing|y|ing)?\b (?:about |of )?(?:this|the above|the following) (?:page|article|document|text|website|site|product|paper|content|manuscript|email|message|resume|review)\b[^.!?\n]{0,20}[,:]? (?:you (?:must|should|need)|always|please|never|do not|make sure|be sure|say|state|mention|include|add|tell)\b"),
    ("act", "before you answer|before answering|before responding|before you respond|before replying|before you reply|before continuing",
     r"\bbefore (?:you (?:answer|respond|reply|continue)|answering|responding|replying|continuing)\b[^.!?\n]{0,40}?[, ](?:you must |first |please )*(?:open|visit|fetch|call|send|click|load|browse|go to|run|execute|download|request|post|navigate)\b"),
    ("act", "make sure|be sure|remember to|you must|you should|please",
     r"\b(?:make sure|be sure|remember|you must|you should|please)\b(?: (?:that )?you|to| to)? (?:describe|present|portray|call|rank|rate|recommend|praise|promote|endorse) (?:this|our|the) (?:\w+ ){1,2}(?:as|to|above|over|first|highly|in) (?:the |every|all|your|any|users?)\b"),
    ("role", "no longer",
     r"\byou are no longer (?:an? |the )?(?:bound|restricted|limited|required|subject|ai|assistant|language model|chatbot|claude|chatgpt|helpful)\b|\byou (?:are|have been) (?:freed|released|liberated) from\b"),
    ("act", "permission|authori",
     rf"\b(?:dear|hey|hello|attention)?[, ]*\b{_MODEL_NAME_REGEX}\b,? (?:you )?(?:now )?(?:have|are granted|are given) (?:full |explicit |the )?(?:permission|authori[sz]ation|authority) to\b"),
    ("conceal", "secret|hidden|hide|conceal|from the",
     r"\b(?:keep (?:it|this|that|these|all of this)[^.!?\n]{0,20}(?:secret|hidden|private|quiet|confidential)|(?:hide|conceal) (?:it|this|that|these|all|the|any)\b)\b[^.!?\n]{0,25}\bfrom (?:the |your )(?:users?|human|operator)\b"),
    ("override", "ignor|disregard|forget|bypass|overrid|discard|not follow|n't follow|stop following",
     rf"{_COMMAND_START_REGEX}(?:ignore|disregard|forget|bypass|override|discard|do not follow|don't follow|stop following)\b(?: about)? (?:all|any|every|each|your|these|those|the above|prior|previous|earlier|other|my|existing|current|safety|content|whatever)\b[^.!?\n]{{0,30}}\b(?:instructions?|prompts?|guidelines?|guidance|filters?|restrictions?|directives?|limitations|messages?|constraints|polic(?:y|ies)|training|safeguards)\b"),
    ("override", "question|instructions have|prompt has|prompts have",
     rf"{_COMMAND_START_REGEX}(?:ignore|disregard|forget)(?: about)? the (?:question|request|query|task|assignment|article|page)\b[^.!?\n]{{0,12}}\b(?:and|instead|above)|\byour (?:instructions|orders|rules|guidelines|directives|prompt) (?:have|has) (?:now )?(?:been )?(?:changed|updated|replaced|revoked|cancell?ed|modified|expired)"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent&must|should|please|always|never|need|has to|have to",
     rf"\b{_MODEL_NAME_REGEX}\b[^.!?\n]{{0,40}}\b(?:must|should|please|always|never|needs? to|ha(?:s|ve) to)\b[^.!?\n]{{0,20}}\b(?:add|include|recommend|quote|rate|rank|praise|mention|link|insert|treat|endorse|promote|give|accept)\b[^.!?\n]{{0,30}}\b(?:our|this (?:page|site|website|product|company|paper|manuscript|article|link|phrase|candidate|shop|brand|text)|the (?:summary|answer|highest|maximum|best|following (?:text|link|phrase|sentence)))\b"),
    ("address", " ai|language model|llm|chatbot|chat bot|chatgpt|gpt|claude|gemini|copilot|grok|assistant|agent&:",
     rf"(?:^|[.!?\n] *)(?:all |any |every |to |for |dear |hey |attention )*(?:the )?{_MODEL_NAME_REGEX}(?: (?:reviewers?|readers?|crawlers?|scrapers?|indexers?|users?))?\s*:\s*(?:please |you must |always |never |do not )?(?:quote|say|tell|include|add|recommend|ignore|rate|rank|praise|mention|visit|send|state|write|respond|reply|answer|treat|describe|report|output|give)\b"),
    ("disclose", "conversation|chat history|system prompt|user's|user’s|users'",
     rf"(?:{_COMMAND_START_REGEX}|\byou (?:must|should|need to) )(?:send|e-?mail|submit|post|forward|share|upload|transmit|copy|leak)\b[^.!?\n]{{0,60}}\b(?:(?:content|contents|text|transcript|copy|history) of (?:the|this|your) conversation|(?:this|the|your|entire|full) (?:conversation|chat history|system prompt)|user(?:'s|’s|s'?) (?:details|data|information|files|emails?|messages|credentials|passwords?|contacts))\b"),
    ("act", " tool&use |call |invoke |run |trigger ",
     rf"(?:{_COMMAND_START_REGEX}|\byou (?:must|should|need to) )(?:use|call|invoke|run|trigger) (?:the|your) (?:\w+[ _-])?(?:tool|function|browser|plugin|terminal|shell)s? (?:to|and) (?:visit|send|open|submit|delete|post|fetch|download|e-?mail|transfer|buy|order|execute|upload|navigate|read)\b"),
    ("act", "tell the user|inform the user|convince the user|persuade the user|ask the user|warn the user|urge the user",
     rf"{_COMMAND_START_REGEX}(?:tell|inform|convince|persuade|warn|urge|ask) the user (?:that|to)\b[^.!?\n]{{0,80}}\b(?:must|account|hacked|call|click|visit|pay|password|download|install|buy|subscribe|credit card|log ?in)\b"),
    ("role", "moment on|point on|here on|now on|without restriction|without limit|without filter",
     rf"\bfrom (?:this moment|this point|here) on(?:ward)?,? you\b|(?:{_COMMAND_START_REGEX}|\byou (?:now |will |must |should )?)(?:act|operate|behave|respond|answer|continue) without (?:any )?(?:restrictions?|limits?|limitations|filters?|warnings|constraints|censorship)\b"),
    ("override", "nutzer|benutzer|anwender",
     r"\bignorier\w*\b[^.!?\n]{0,20}\b(?:frage|anfrage|bitte|wunsch|anweisung\w*) (?:de[sr]|von)\b[^.!?\n]{0,12}\b(?:nutzer|benutzer|anwender)"),
    ("conceal", "utilisateur",
     r"\bn['’](?:informe\w*|avertis\w*|alerte\w*|indique\w*|en parle\w*) pas\b[^.!?\n]{0,12}utilisateur"),
    ("address", " models| model:| bot| bots|assistants|assistant:",
     r"\b(?:notes?|instructions?|messages?|rules?|notice|attention|reminder|orders?) (?:to|for) (?:all |any |every |the )?(?:\w+ )?(?:models?|bots?|assistants?|agents?|crawlers?)\s*:|\bif you(?:'re|’re| are) an? (?:\w+ )?(?:bot|crawler|robot|machine|model|script)\b[^.!?\n]{0,40}\b(?:reply|respond|say|write|include|add|answer|stop|ignore|print|output)\b"),
    ("override", "reset your|clear your|erase your|wipe your",
     r"\b(?:reset|clear|erase|wipe|delete) your (?:instructions?|context|memory|guidelines|rules|system prompt|constraints)\b"),
    ("override", "apply to you|what the user|instructions in full|instructions verbatim",
     rf"\b(?:rules|instructions|restrictions|guidelines|limits|policies) (?:no longer|do not|don't) apply to you\b|(?:{_COMMAND_START_REGEX}|\byou (?:must|should) )(?:ignore|disregard|forget) what the user\b|\b(?:output|print|repeat|show|list) your (?:\w+ )?instructions (?:in full|verbatim|word for word)"),
    ("role", "you have been|you've been",
     r"\byou(?: have|'ve|’ve) been (?:upgraded|switched|promoted|set|moved|granted|elevated|reprogrammed|reconfigured)\b[^.!?\n]{0,15}\b(?:to|into|in)\b[^.!?\n]{0,15}\b(?:admin\w*|developer|root|debug|unrestricted|god|maintenance|jailbreak|system) (?:mode|access|privileges|rights)"),
    ("act", "your answer|your respon|your repl|your summar|your output",
     rf"{_COMMAND_START_REGEX}(?:always |never )?(?:end|begin|start|finish|close|open|sign|preface|prefix) (?:all |each of |every one of )?your (?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?) with\b"),
    ("conceal", "confirmation|permission|approval",
     rf"{_COMMAND_START_REGEX}(?:do not|don't|never) (?:ask|request|seek|wait)(?: the user)?(?: for)? (?:confirmation|permission|approval|consent)\b(?: from the user)? *(?:[.!;\n]|$)"),
    ("act", "link below|your task",
     rf"{_COMMAND_START_REGEX}(?:stop|quit|cease) (?:reading|summari[sz]ing|processing)[^.!?\n]{{0,30}}\b(?:and|then) (?:visit|open|go|follow|run|call|send|output|print)\b"),
    ("markup", "<<|im_start|im_end|endof|eot_id|begin_of|header_id|[inst]|[/inst]|###|[system]|<system|</system|<instructions|</instructions|<important|</important|<admin|<start_of&im_|inst|sys|user|assistant|endof|header_id|begin_of|eot_id|human|admin|important|start_of",
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

MAX_INJECTION_SIGNALS = 10
MAX_SIGNAL_CHARS = 200
_MAX_SCANNED_CHARS = 2_000_000  # characters
_CUE_WINDOW_CHARS = 160  # characters around a cue word that its pattern is tried on
_MAX_CUE_POSITIONS = 3000
_GRAM_BYTES = 4
_GRAM_CHUNK_BYTES = 2**16
# Letters of other alphabets than the Latin one.
_FOREIGN_LETTER_PATTERN = re.compile("[\u0370-\u1dff\u3040-\ud7ff]")
# Characters to either side of a match that are searched for the sentence's ends.
_SENTENCE_REACH_CHARS = 300

_LEADING_MARKS_PATTERN = re.compile(r"[.!?:;,\n(\"“'*>\s-]*")
_SENTENCE_EDGE_PATTERN = re.compile(r"[.!?](?=\s)|[\n。！？]")
# A sentence that quotes a command while it talks about attacks is a report, not a command.
_QUOTATION_MARK_PATTERN = re.compile(r"[\"“”„«»‘「『`]|(?<!\w)'(?=\w)|(?<=\w)'(?!\w)")
_REPORTING_WORDS_PATTERN = re.compile(
    r"attack|inject|jailbreak|example|such as|phrases?\b|strings?\b|\blike\b|e\.g\.|payload|adversar|malicious|hacker|researchers?|trick|vulnerab|typed|wrote|paper|study|called|z\. ?b\.|beispiel|angreifer|angriff"
    r"|exemple|attaqu|ejemplo|ataque|例如|攻击|攻撃|например|атак"
)


def find_injection_signals(text: str) -> tuple[InjectedSentence, ...]:
    """Sentences that look like commands to an AI reader, in text order; at most ten."""
    found: dict[int, InjectedSentence] = {}
    for start, signal in _iterate_signals(text):
        found.setdefault(start, signal)
    return tuple(found[start] for start in sorted(found)[:MAX_INJECTION_SIGNALS])


def has_injection_signal(text: str) -> bool:
    """Whether the text has at least one sentence that looks like a command to an AI reader."""
    return next(_iterate_signals(text), None) is not None


def _iterate_signals(text: str) -> Iterator[tuple[int, InjectedSentence]]:
    """The signals in the order of the patterns, each with the start of its sentence."""
    low = text[:_MAX_SCANNED_CHARS].lower()
    # Lower-casing rarely changes the length; if it does, the offsets fit only the lower-cased text.
    source = text if len(low) == len(text[:_MAX_SCANNED_CHARS]) else low
    for kind, place in _find_injection_matches(low):
        start, sentence = _extract_matched_sentence(source, *place)
        if not _is_quoted_report(low, place, sentence.lower()):
            yield (
                start,
                InjectedSentence(kind=kind, sentence=sentence[:MAX_SIGNAL_CHARS], end=place[1]),
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CommandRule:
    kind: str
    cues: tuple[str, ...]
    companions: tuple[str, ...]  # one of them is in every match; empty if that is not known
    pattern: re.Pattern[str]


@cache
def _compile_command_rules() -> tuple[_CommandRule, ...]:
    rules = []
    for kind, words, regex in INJECTION_PATTERN_ROWS:
        cues, _, companions = words.partition("&")
        rules.append(
            _CommandRule(
                kind=kind,
                cues=tuple(cues.split("|")),
                companions=tuple(filter(None, companions.split("|"))),
                pattern=re.compile(regex),
            )
        )
    return tuple(rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CueWords:
    """All cue words, by the way in which they are looked for."""

    direct: tuple[str, ...]
    foreign: tuple[str, ...]  # of other alphabets
    # With the groups of four letters that start at even places of the word, and at odd places.
    by_grams: tuple[tuple[str, frozenset[int], frozenset[int]], ...]


@cache
def _sort_cue_words() -> _CueWords:
    words = {word for rule in _compile_command_rules() for word in rule.cues}
    long = {word for word in words if word.isascii() and len(word) > _GRAM_BYTES}
    foreign = {word for word in words if _FOREIGN_LETTER_PATTERN.search(word)}
    return _CueWords(
        direct=tuple(words - long - foreign),
        foreign=tuple(foreign),
        by_grams=tuple(
            (word, frozenset(_list_grams(word.encode())), frozenset(_list_grams(word[1:].encode())))
            for word in long
        ),
    )


def _list_grams(data: bytes) -> set[int]:
    """The groups of four bytes at even places, each as a number: the fastest way to collect them."""
    grams: set[int] = set()
    for start in (0, _GRAM_BYTES // 2):
        end = len(data) - (len(data) - start) % _GRAM_BYTES
        grams.update(array("I", data[start:end]))
    return grams


def _find_cue_words(low: str) -> set[str]:
    """The cue words in the text. Most are not, and are ruled out by their groups of four letters."""
    cues = _sort_cue_words()
    there = {word for word in cues.direct if word in low}
    if _FOREIGN_LETTER_PATTERN.search(low):
        there.update(word for word in cues.foreign if word in low)
    data = low.encode("ascii", "replace")
    for start in range(0, len(data), _GRAM_CHUNK_BYTES):  # in chunks, for little memory
        grams = _list_grams(data[start : start + _GRAM_CHUNK_BYTES + _CUE_WINDOW_CHARS])
        likely = (word for word, even, odd in cues.by_grams if even <= grams or odd <= grams)
        there.update(word for word in likely if word not in there and word in low)
    return there


def _find_injection_matches(low: str) -> Iterator[tuple[str, tuple[int, int]]]:
    there = _find_cue_words(low)
    windows: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for rule in _compile_command_rules() if there else ():
        near = tuple(word for word in rule.cues if word in there)
        if near and near not in windows:
            windows[near] = _build_cue_windows(low, near)
        for start, end in windows[near] if near else ():
            if rule.companions and not _has_word_within(low, rule.companions, start, end):
                continue
            for match in rule.pattern.finditer(low, start, end):
                # A pattern may start with the punctuation of the previous sentence.
                lead = _LEADING_MARKS_PATTERN.match(match[0])
                yield rule.kind, (match.start() + (lead.end() if lead else 0), match.end())


def _has_word_within(low: str, words: tuple[str, ...], start: int, end: int) -> bool:
    return any(low.find(word, start, end) >= 0 for word in words)


def _build_cue_windows(low: str, words: tuple[str, ...]) -> list[tuple[int, int]]:
    """The parts of the text around the cue words; plain search is far faster than the patterns."""
    places: list[int] = []
    for word in words:
        place = low.find(word)
        while place >= 0 and len(places) < _MAX_CUE_POSITIONS:
            places.append(place)
            place = low.find(word, place + _CUE_WINDOW_CHARS)
    merged: list[tuple[int, int]] = []
    for place in sorted(places):
        if merged and place - _CUE_WINDOW_CHARS <= merged[-1][1]:
            merged[-1] = (merged[-1][0], place + _CUE_WINDOW_CHARS)
        else:
            merged.append((max(0, place - _CUE_WINDOW_CHARS), place + _CUE_WINDOW_CHARS))
    return merged


def _extract_matched_sentence(text: str, start: int, end: int) -> tuple[int, str]:
    """The start of the sentence around a match, and the sentence."""
    floor = max(0, start - _SENTENCE_REACH_CHARS)
    first = floor
    for edge in _SENTENCE_EDGE_PATTERN.finditer(text, floor, start):
        first = edge.end()
    # The match must be inside the characters that are returned.
    first = max(first, start - MAX_SIGNAL_CHARS // 2)
    close = _SENTENCE_EDGE_PATTERN.search(text, end, min(len(text), end + _SENTENCE_REACH_CHARS))
    last = close.end() if close else min(len(text), end + _SENTENCE_REACH_CHARS)
    return first, " ".join(text[first:last].split())


def _is_quoted_report(low: str, place: tuple[int, int], sentence: str) -> bool:
    start, end = place
    around = low[max(0, start - 3) : start], low[end : end + 120]
    quoted = _QUOTATION_MARK_PATTERN.search(around[0]) and _QUOTATION_MARK_PATTERN.search(around[1])
    return bool(quoted and _REPORTING_WORDS_PATTERN.search(sentence))


# Finds sentences that tell an AI reader what to answer.


def has_answer_order(sentence: str) -> bool:
    """Whether the sentence tells an assistant, or whoever is asked, what to say."""
    low = f" {sentence.lower()}"
    return any(cue in low for cue in _CUES) and _ANSWER_ORDER_PATTERN.search(sentence) is not None
