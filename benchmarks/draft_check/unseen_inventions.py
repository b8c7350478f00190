"""Titles that no work has, each of which the authors of a real article might have written for its journal."""

from __future__ import annotations

# By the DOI of the article whose authors, journal, volume and pages the invented one is given.
INVENTED_TITLES = {
    "10.1111/add.13193": "Opioid substitution on release from prison and deaths in the following month: a linkage study from Wales",
    "10.1093/bjsw/bch105": "Mothers in residential drug treatment: what social workers are told and what they are not",
    "10.1098/rsbl.2018.0649": "Tortoises remember the larger of two food patches for at least eighteen months",
    "10.7755/fb.114.2.3": "Metabarcoding of fish eggs in preserved plankton samples from the Mid-Atlantic Bight, 1977 to 1990",
    "10.1371/journal.pone.0134710": "Jaw muscle activity and bite force during defensive gaping in two species of gekkonid lizards",
    "10.1515/cclm-2019-0706": "Seasonal reference intervals for plasma renin concentration measured by mass spectrometry",
    "10.1186/s12913-017-2693-2": "Why outcome measures are abandoned after one year: interviews with physical therapists in Riyadh",
    "10.1016/j.bone.2020.115247": "A PIEZO1 haplotype and hip geometry in postmenopausal women",
    "10.1002/ehf2.13143": "Left atrial reservoir strain as a guide to diuretic dosing in heart failure",
    "10.1007/s11914-015-0286-8": "Delayed union of the tibia in adolescents with type 1 diabetes",
    "10.1016/j.apmr.2015.11.010": "Turning speed in the kitchen at home and falls in the year after stroke",
    "10.1002/ajmg.c.31724": "Schooling and employment of young adults with arthrogryposis multiplex congenita: a follow-up of the pilot registry",
    "10.1007/s00227-007-0726-9": "Hybrid flounders along the coast of Primorye: evidence from two mitochondrial genes",
    "10.1038/hr.2017.67": "Home blood pressure in the morning and new-onset diabetes among Japanese office workers",
    "10.1016/j.ejvs.2014.02.002": "Microbubble ultrasound without nephrotoxic contrast for the first two years after aneurysm repair",
    "10.3899/jrheum.180701": "Vessel wall enhancement and relapse after tapering of prednisone in Takayasu arteritis",
    "10.1097/bpo.0000000000000629": "Who follows patients with clubfoot after their eighteenth birthday? A survey of pediatric orthopaedic surgeons",
    "10.1007/s40121-020-00286-6": "Cefiderocol in continuous infusion: a pharmacokinetic rationale for critically ill patients",
    "10.1097/j.jcrs.0000000000000498": "Epithelial thickness maps after three nights of orthokeratology in eyes suspected of keratoconus",
    "10.3390/antibiotics11020213": "Hand hygiene and the clearance of carbapenemase producers from a veterinary intensive care unit",
    "10.1210/clinem/dgaa519": "Repeat adrenal vein sampling in patients with cortisol cosecretion: what changes after a year",
    "10.1111/j.1651-2227.2012.02708.x": "Muscle strength and participation in sports among Swedish children with distal arthrogryposis",
    "10.1007/s11912-023-01443-z": "Tumour-infiltrating lymphocytes after chemoradiation: three cautious conclusions",
    "10.1016/j.watres.2021.117261": "Sewage from nursing homes as a sentinel for resistant Enterobacterales: a two-winter survey",
    "10.2108/zsj.30.296": "Water temperature below the Three Gorges Dam and the first spawning day of grass carp",
    "10.1177/1941738109350438": "Load-dependent hydration of tibial cartilage in recreational rowers",
    "10.1152/ajpcell.00544.2022": "Piezo channels of chondrocytes under intermittent vibration: a dose-finding study",
    "10.1186/s13063-016-1555-2": "How many outcomes are too many? Agreement among trialists on the length of core outcome sets",
}
