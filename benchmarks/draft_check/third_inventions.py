"""Titles that no work has, each of which the authors of a real article might have written for its journal."""

from __future__ import annotations

# By the DOI of the article whose authors, journal, volume and pages the invented one is given.
INVENTED_TITLES = {
    "10.1128/aac.00481-11": "Dissemination of OXA-181-producing Klebsiella pneumoniae among travellers returning from the Indian subcontinent",
    "10.1128/aac.01090-21": "Stepwise selection of aztreonam-avibactam resistance in clinical Escherichia coli under sub-inhibitory exposure",
    "10.1128/aac.00756-10": "In vitro activity of NXL104 with cefepime against metallo-β-lactamase producers from London hospitals",
    "10.1093/jac/dkr382": "Screening of medical travellers for carbapenemase carriage at admission: a five-year experience from Tel Aviv",
    "10.1093/jac/dkt259": "Faecal carriage of OXA-48 producers in veterinary staff and their households",
    "10.1016/j.jbc.2023.104941": "A phosphatase checkpoint limits SGK1 signaling in the distal nephron under potassium loading",
    "10.1074/jbc.m110.166991": "Leucine deprivation uncouples mTORC2 from insulin receptor signaling in cultured hepatocytes",
    "10.1016/j.jbc.2021.100942": "TBK1 phosphorylates rictor to restrain inflammatory signaling in macrophages",
    "10.1126/science.1193270": "Piezo channels set the threshold for mechanical pain in mammalian sensory neurons",
    "10.1038/s41467-018-03502-7": "Voltage memory of PIEZO1 channels in red blood cells",
    "10.1038/s41467-019-09055-7": "Omega-3 fatty acids protect endothelial cells from Piezo1 overactivation in vivo",
    "10.1016/j.jcrs.2006.02.044": "Ten-year refractive stability after intracorneal ring segments in early keratoconus",
    "10.1016/j.clae.2015.01.008": "Seasonal variation of eye rubbing and contact lens tolerance in keratoconus",
    "10.1016/j.ophtha.2004.02.010": "Endothelial cell loss five years after deep lamellar keratoplasty for keratoconus",
    "10.1210/clinem/dgz017": "Bilateral adrenal vein sampling without cannulation of the right vein: the AVIS-3 study",
    "10.1001/jamasurg.2021.0254": "Cost-effectiveness of universal screening for primary aldosteronism in Canadian hypertension clinics",
    "10.1161/hypertensionaha.122.19377": "Saline suppression at home: a randomized comparison of seated and recumbent testing for aldosteronism",
    "10.1371/journal.pone.0234200": "Gait speed over four and ten metres in memory clinics: agreement and predictive value",
    "10.3390/s20185244": "Inertial sensors at the ankle predict falls within one year after severe brain injury",
    "10.1111/dmcn.14504": "Fatigue and walking satisfaction from adolescence to adulthood in cerebral palsy",
    "10.1093/ptj/86.5.735": "Minimal detectable change of pediatric mobility scores in home-based therapy",
    "10.1007/s11160-015-9395-9": "Fish passage and the recovery of potamodromous species below cascading dams",
    "10.1371/journal.pone.0134647": "Moonlight and the timing of spawning in southern California kelp forests",
    "10.1002/ece3.2060": "Environmental DNA reveals seasonal turnover of cyprinid assemblages in the Yangtze",
    "10.1039/d2em00039c": "Mercury in rice from mining districts of Guizhou: two decades of monitoring",
    "10.1161/circulationaha.120.051542": "Left atrial strain during exercise as an early marker of heart failure with preserved ejection fraction: a multicentre trial",
    "10.1002/ehf2.13193": "Right ventricular strain and one-year outcome across heart failure entities",
    "10.1016/j.metabol.2014.10.018": "Telephone coaching and glycaemic control in type 2 diabetes: a network meta-analysis",
    "10.1038/s41440-022-01051-7": "Low-dose triple combination therapy in patients with obesity: a secondary analysis of blood pressure variability",
    "10.1038/s41467-019-11867-6": "Drug response of lung cancer organoids predicts progression-free survival in a prospective cohort",
}
