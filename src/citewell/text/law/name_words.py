"""Abbreviations and filling words in the names of cases."""

from __future__ import annotations

# Abbreviation (without its last dot) to the word it stands for, as citation manuals have them.
_ABBREVIATED_WORDS = """
acad academy|acct account|adm'r administrator|adm'x administratrix|admin administration administrative
adver advertising|agric agriculture agricultural|am america american|ann annual|app appeals|arb arbitration
assoc associate|ass'n association|assocs associates|assur assurance|atl atlantic|att'y attorney|auth authority
auto automobile automotive|ave avenue|bankr bankruptcy|bd board|behav behavior|bldg building|bros brothers
broad broadcasting|bus business|cas casualty|cent center central|ctr center|ctrs centers|chem chemical|coal coalition
coll college|comm committee|comm'n commission|comm'r commissioner|commc'n communication|commc'ns communications
commw commonwealth|cmty community|com commerce commercial|comp compensation|condo condominium|cong congress
congr congress|consol consolidated|const construction constitution|cont'l continental|contr contractor
coop cooperative|corr correction corrections correctional|cnty county|ct court|def defense|dep't department
dept department|depts departments|det detention|dev development|dir director|disc discount|disct discount
dist district|distrib distributing distribution distributor|div division|econ economic|educ education educational
elec electric electrical electronic|elecs electronics|emp employee employment|empls employees|eng'g engineering|eng'r engineer
enf't enforcement|enter enterprise entertainment|enters enterprises|ent entertainment|env't environment
envtl environmental|equal equality|equip equipment|exam'r examiner|exch exchange|exec executive|exp export express
fac facility faculty|fam family|fed federal|fed'n federation|fid fidelity|fin finance financial|found foundation
gen general|gov government governor|gov't government|grp group|guar guaranty|hist historical|hosp hospital|hosps hospitals
hous housing|imp import|indep independent|indem indemnity|indus industry industries industrial|info information
inj injury|ins insurance|inst institute institution|int'l international|intl international|inv investment|invs investors investments
investig investigation|just justice|lab laboratory labor|liab liability|litig litigation|loc local|mach machine machinery|maint maintenance
mar maritime marine|mech mechanical|med medical medicine|mem memorial|merch merchandise merchant|metro metropolitan
mfg manufacturing|mfr manufacturer|mfrs manufacturers|mgmt management|mkt market|mktg marketing|mort mortgage|mortg mortgage|mun municipal
mut mutual|nat'l national|natl national|nat natural|ne northeast|nw northwest|no north number|n north|s south|e east|w west|ne northeastern
opp opportunity|opt optical|org organization organizing|pac pacific|parl parliament|pat patent|pers personal personnel
pharm pharmaceutics pharmaceutical|pharms pharmaceuticals|philh philharmonic|phila philadelphia|pol policy|presb presbyterian|pres president
priv private|prob probate|prod product production|prods products|prof professional|prop property|props properties|prot protection
prosc prosecutor|pub public|publ publication publishing|publ'g publishing|publ'n publication|ref refining|reg'l regional
regents regents|rehab rehabilitation|rel relations|rels relations|rep reporter representative|res research reserve resources
resol resolution|rest restaurant|ret retirement|rd road|ry railway|r.r railroad|rr railroad|sav savings
sch school|schs schools|sci science|se southeast|sec'y secretary|sec security securities|secs securities|serv service|servs services
s'holder shareholder|soc social|soc'y society|sol solicitor|solic solicitor|sols solutions|st street saint state|std standard
sta station|steel steel|sub subcommittee|sup supreme|superint superintendent|supervis supervisor|sur surety|surv survey
sw southwest|sys system systems|tech technology technical|techs technologies|tel telephone telegraph|telecomm telecommunication
telecomms telecommunications|temp temporary|tenn tennessee|ter terminal terrace|theo theological|tpk turnpike|transcon transcontinental|transp transport transportation
tr trust|tribunal tribunal|tr's trustees|twp township|unif uniform|univ university|util utility|utils utilities
vill village|v versus|wkly weekly|workers workers|zoning zoning
"""
_STATE_WORDS = """
ala alabama|ariz arizona|ark arkansas|cal california|calif california|colo colorado|conn connecticut|del delaware
fla florida|ga georgia|haw hawaii|ill illinois|ind indiana|kan kansas|ky kentucky|la louisiana|me maine|md maryland
mass massachusetts|mich michigan|minn minnesota|miss mississippi|mo missouri|mont montana|neb nebraska|nev nevada
n.h newhampshire|n.j newjersey|n.m newmexico|n.y newyork|n.c northcarolina|n.d northdakota|okla oklahoma|or oregon
pa pennsylvania|r.i rhodeisland|s.c southcarolina|s.d southdakota|tenn tennessee|tex texas|vt vermont|va virginia
wash washington|w.va westvirginia|wis wisconsin|wyo wyoming|d.c districtofcolumbia|p.r puertorico|l.a losangeles
"""
ABBREVIATION_MEANINGS: dict[str, tuple[str, ...]] = {}
for _group in (_ABBREVIATED_WORDS + _STATE_WORDS).replace("\n", "|").split("|"):
    _short, *_meanings = _group.split() or ("",)
    if _short:
        ABBREVIATION_MEANINGS[_short] = (*ABBREVIATION_MEANINGS.get(_short, ()), *_meanings)

# Words that say nothing about which party it is.
_FILLING_LIST = """
the of and a an for in on at to by from inc co corp ltd llc llp lp plc company corporation
incorporated limited et al als ux vir ex rel parte re matter application petition estate no
nos aka dba fka jr sr ii iii iv sa nv ag gmbh and/or or as individually his her its their
capacity official appellant appellee petitioner respondent plaintiff defendant plaintiffs
defendants appellants appellees petitioners respondents intervenor others another
"""
FILLING_WORDS = frozenset(_FILLING_LIST.split())
# Words that many parties share: they count only if nothing better is there.
_COMMON_PARTY_LIST = """
united states unitedstates state people commonwealth city county town village board department
commission commissioner commissioners committee association national american federal
international society union district school education public bank trust insurance company
group service services authority agency bureau administration university college hospital
council center foundation institute organization general secretary attorney director warden
superintendent sheriff railroad railway electric power light gas oil steel motor motors foods
brothers sons systems technologies industries enterprises holdings properties products
manufacturing mutual life first new old north south east west northern southern eastern
western central pacific atlantic health medical environmental protection labor relations
security securities exchange communications telephone cases case rights civil
"""
COMMON_PARTY_WORDS = frozenset(_COMMON_PARTY_LIST.split())
GOVERNMENT_WORDS = frozenset({"people", "state", "commonwealth"})
_STATE_LIST = """
alabama alaska arizona arkansas california colorado connecticut delaware florida georgia
hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts
michigan minnesota mississippi missouri montana nebraska nevada newhampshire newjersey
newmexico newyork northcarolina northdakota ohio oklahoma oregon pennsylvania rhodeisland
southcarolina southdakota tennessee texas utah vermont virginia washington westvirginia
wisconsin wyoming
"""
STATE_NAMES = frozenset(_STATE_LIST.split())
