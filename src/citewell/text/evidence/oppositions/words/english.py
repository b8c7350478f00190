"""English words of opposition."""

from __future__ import annotations

from citewell.text.evidence.oppositions.word_table import OppositionWords

CHANGE, GOODNESS, EFFECT, NEED, LINK = "change", "goodness", "effect", "need", "link"
# Words of amount that describe a thing rather than say what becomes of it.
AMOUNT_WORDS = frozenset(
    ["low", "high", "more", "less", "longer", "larger", "smaller", "fewer", "greater"]
)
# What words say on each axis, on its two sides; a star stands for any ending.
AXIS_WORDS = {
    CHANGE: (
        ("increas* raise raised raises raising rise rises rising rose risen elevat* enhanc* promot* boost*"
        " augment* stimulat* accelerat* upregulat* amplif* strengthen* intensif* potentiat* facilitat* expand*"
        " expansion grow grows grew growing heighten* higher high greater more exacerbat*"
        " aggravat* prolong* longer surge surges surged surging soar* faster larger bigger doubled tripled induc* trigger*"
        " hyperactiv* encourag* worsen* worse activat* generat* speed* gaining"),
        ("decreas* reduc* lower lowers lowered lowering low diminish* suppress* inhibit* attenuat* impair* block blocks"
        " blocked blocking blockade prevent prevents prevented preventing prevention declin* fall falls fell fallen sink sinks sank sunk sinking"
        " drop drops dropped less fewer weaken* slow slows slowed slowing slower downregulat* abolish* limit limits limited"
        " restrict* shorten* protect protects protected protecting protection protective mitigat* alleviat* ameliorat*"
        " blunt* dampen* eliminat* eradicat* abrogat* hinder* imped* curb* cuts shrink* shrank shrunk minimis* minimiz*"
        " halv* lessen* delay delays delayed shorter smaller counteract* prohibit* avert* obstruct* deactivat* inactivat*"
        " deplet* deficien* lack lacks lacking loss loses losing lost absence delet* knockout knockdown silencing antagonis*"
        " antagoniz* milder disrupt* defective stop stops stopped halts halted ceases ceased insufficient inadequate"),
    ),
    GOODNESS: (
        "improv* better benefi* superior helpful ameliorat* restor* rescu*",
        "wors* deteriorat* harm harms harmed harmful detriment* inferior damag* exacerbat* aggravat*",
    ),
    EFFECT: (
        "effective effectively efficacious efficacy useful accurate accurately reliable reliably success* works",
        "ineffective* inefficacious ineffectual useless futile inaccurate* unreliable unsuccessful*",
    ),
    NEED: (
        "requir* essential necessary crucial needed vital pivotal indispensable critical needs",
        "dispensable unnecessary redundant nonessential unneeded",
    ),
    LINK: (
        ("associated association* correlat* linked link links relat* cause caused causes causing contribut* predict*"
        " affect affects affected influence influences influenced impact impacts interact* regulat* differ differs differed difference differences alter*"
        " chang* effect effects role responsible mediat* evidence benefit*"),
        "unrelated unassociated unaffected unchanged unaltered uninvolved",
    ),
}  # fmt: skip
STATE_WORDS = (
    "deficien* loss deplet* delet* knockout knockdown silencing inactivat* inhibit* overexpress* activat*"
    " upregulat* downregulat* blockade"
)
WORDS = OppositionWords(
    denials=(
        r"(?:no|little|not any) (?:\w{1,20} ){0,2}(?:evidence|indication|proof|sign)(?: that| of| for)?|"
        r"(?:a|the) (?:\w{1,20} )?(?:myth|misconception|hoax) that|"
        r"not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w{2,12}n['’]t|hardly|"
        "scarcely|barely|little (?:about|to do with)|rather than|instead of|dispens(?:es?|ed|ing) with"
    ),
    noun_denials="no without",
    limits=(
        r"only|unless|except|if|until(?! \d)|but|however|though|although|too(?= \w)|few|fewer|little|"
        "rarely|seldom|less|lacks?|lacking|lacked|fails?|failed|failing|prevents?|prevented|"
        r"avoids?|avoid(?:ed|ing)|prohibit\w{0,5}|forbid\w{0,5}|banned|unable|unlikely|"
        r"refus\w{1,4}|den(?:y|ies|ied)|myth|false|untrue|wrong|absen\w{1,3}|free of|far from|"
        r"stop(?:s|ped)?|instead|rather|despite|may|might|could|whether|non\w{0,12}|"
        r"insufficient\w{0,2}|inadequate|impossible|questionable|doubt\w{0,5}|end(?:s|ed)?"
    ),
    hidden_denials=(
        r"out of|outside|away from|other than|differ\w{0,4} from|different from|apart from|"
        r"free from|clear of|exempt\w{0,4}|exclu\w{1,5}|omit\w{0,4}|rejects?|rejected|rul(?:es?|"
        "ed) out|beyond"
    ),
    duties="necessary required obligatory mandatory compulsory obliged needed need",
    permissions="can may",
    pairs=(
        "before/after with/without all/no all/none all/neither both/neither inside/outside "
        "at_least/at_most maximum/minimum easier/difficult easier/harder lighter/heavier "
        "smaller/larger smaller/bigger thinner/thicker cheaper/costlier cheaper/expensive "
        "warmer/colder hotter/colder hotter/cooler fastest/slowest largest/smallest "
        "highest/lowest longest/shortest strongest/weakest most/least best/worst "
        "allowed/forbidden allowed/prohibited allows/forbids permitted/forbidden "
        "permitted/banned required/optional mandatory/voluntary compulsory/voluntary "
        "everyone/nobody everyone/none always/never frequent/rare often/rarely common/rare "
        "usual/unusual added/removed gain/loss gained/lost rises/falls rose/fell rising/falling "
        "up/down upper/lower accepted/refused accept/refuse open/closed begin/end began/ended "
        "entry/exit buyers/sellers solid/liquid positive/negative majority/minority many/few "
        "more/fewer more/less earlier/later early/late wetter/drier faster/slowly quickly/slowly "
        "rapidly/slowly quick/slow sharply/slightly taller/shorter wider/narrower "
        "deeper/shallower brighter/darker louder/quieter increases/reduces raises/lowers "
        "raise/lower expands/contracts heats/cools improves/worsens healthier/unhealthier "
        "safer/riskier encouraged/discouraged recommended/discouraged encourages/discourages "
        "left/right northern/southern eastern/western possible/impossible agree/disagree "
        "agreed/disagreed dependent/independent positively/negatively above/below "
        "upstream/downstream proponents/opponents present/absent presence/absence "
        "internal/external warm/cold warming/cooling warmer/cooler hot/cold true/false "
        "alive/dead same/different similar/different stabilize/destabilize "
        "stabilizes/destabilizes stabilise/destabilise stable/unstable common/uncommon "
        "likely/unlikely able/unable known/unknown sufficient/insufficient "
        "symptomatic/asymptomatic direct/indirect directly/indirectly reversible/irreversible "
        "wet/dry strong/weak strongly/weakly stronger/weaker easy/difficult fast/slow "
        "faster/slower long/short longer/shorter older/younger win/lose won/lost support/oppose "
        "supports/opposes supported/opposed approved/rejected accepted/rejected allow/ban "
        "allows/bans allowed/banned permitted/prohibited legal/illegal include/exclude "
        "includes/excludes included/excluded import/export rich/poor success/failure "
        "succeeded/failed safe/unsafe safe/dangerous harmless/harmful sensitive/resistant "
        "sensitivity/resistance sensitizes/desensitizes susceptible/resistant "
        "susceptibility/resistance abundant/scarce rich/depleted overestimates/underestimates "
        "overestimate/underestimate hyperactive/hypoactive homogeneous/heterogeneous "
        "acquired/inherited begins/ends start/end started/ended first/last north/south east/west "
        "male/female men/women married/unmarried profit/loss buy/sell bought/sold enter/leave "
        "entered/left arrive/depart advantage/disadvantage mild/severe accelerates/slows "
        "accelerate/slow lower/higher low/high small/large cheaper/dearer public/private "
        "agonist/antagonist inhibitor/activator repressor/activator tumor-suppressor/oncogene "
        "sister/brother mother/father wife/husband active/inactive cytosolic/nuclear "
        "maternal/paternal systolic/diastolic optional/mandatory natural/artificial "
        "single/multiple single/several sole/many always/seldom always/rarely opens/closes opened/closed usually/rarely usually/seldom "
        "often/seldom often/never frequently/rarely frequently/seldom commonly/rarely everybody/nobody "
        "everything/nothing everywhere/nowhere all/few most/few mostly/rarely thick/thin hard/soft "
        "heavy/light bright/dark deep/shallow wide/narrow full/empty tall/short "
        ""
        "clockwise/anticlockwise clockwise/counterclockwise permanent/temporary expensive/cheap "
        "acidic/alkaline nearly/hardly "
        "slightly/greatly quickly/gradually suddenly/gradually oldest/youngest heaviest/lightest "
        "deepest/shallowest hottest/coldest warmest/coldest richest/poorest "
        "cheapest/dearest earliest/latest visible/hidden "
        "guilty/innocent convicted/acquitted employed/unemployed vertebrate/invertebrate"
    ),
    verb_pairs=(
        "rise/sink rise/fall rise/drop rise/decline grow/shrink grow/decline ascend/descend climb/fall "
        "float/sink increase/decrease increase/reduce raise/lower expand/contract expand/shrink swell/shrink "
        "gain/lose win/lose keep/lose keep/discard earn/lose continue/stop continue/cease "
        "continue/end start/stop start/end begin/stop begin/end stay/leave enter/leave "
        "arrive/depart arrive/leave advance/retreat lock/unlock add/remove attach/detach "
        "insert/remove connect/disconnect fill/empty load/unload allow/forbid allow/prohibit allow/ban "
        "allow/prevent permit/forbid permit/prohibit permit/ban permit/prevent enable/prevent enable/disable "
        "require/forbid accept/reject accept/refuse approve/reject adopt/reject grant/refuse grant/deny "
        "support/oppose include/exclude confirm/refute confirm/deny confirm/contradict admit/deny "
        "agree/disagree trust/distrust succeed/fail pass/fail attract/repel "
        "absorb/release store/release freeze/melt freeze/thaw heat/cool warm/cool strengthen/weaken "
        "accelerate/slow hasten/delay improve/worsen improve/deteriorate heal/injure help/hinder "
        "help/harm protect/harm encourage/discourage recommend/discourage buy/sell lend/borrow import/export "
        "push/pull create/destroy build/demolish preserve/destroy save/waste hide/reveal "
        "conceal/reveal remember/forget lengthen/shorten widen/narrow harden/soften thicken/thin "
        "brighten/darken overestimate/underestimate praise/criticize praise/criticise love/hate"
    ),
    light="nearly almost greatly strongly considerably significantly substantially markedly much largely really actually still already even especially particularly generally typically slightly very quite just about roughly make makes made making itself themselves himself herself always",
    than="than",
    comparatives="more less fewer",
    exceeding=r"(?:outperform|exceed|surpass|outnumber|outweigh|outrank|overtak|overtook|outpac)\w{0,5}|(?:is|are|was|were|been|be) preferred (?:to|over)",
    additions="and",
)
