"""A study with everything that ClinicalTrials.gov posts, in the shape of its API; nobody ran it."""

from __future__ import annotations

from typing import Any

NUMBER = "NCT09000001"


def values(*numbers: str, name: str = "value") -> list[dict[str, str]]:
    """One number for each group of a table."""
    return [{"groupId": f"G{place}", name: number} for place, number in enumerate(numbers)]


def groups(*titles: str) -> list[dict[str, str]]:
    return [
        {"id": f"G{place}", "title": title, "description": f"Took {title.lower()} \\>= 4 weeks."}
        for place, title in enumerate(titles)
    ]


def study() -> dict[str, Any]:
    return {
        "protocolSection": {
            "identificationModule": {
                "nctId": NUMBER,
                "orgStudyIdInfo": {"id": "EX-1"},
                "secondaryIdInfos": [{"id": "2024-000001-10", "type": "EUDRACT_NUMBER"}],
                "briefTitle": "Melatonin for sleep onset insomnia",
                "officialTitle": "A randomised trial of melatonin <5 mg in insomnia",
                "acronym": "MELA",
            },
            "statusModule": {
                "statusVerifiedDate": "2026-02",
                "overallStatus": "TERMINATED",
                "whyStopped": "Slow recruitment",
                "startDateStruct": {"date": "2024-03", "type": "ACTUAL"},
                "primaryCompletionDateStruct": {"date": "2025-06-30", "type": "ACTUAL"},
                "completionDateStruct": {"date": "2025-12-31", "type": "ESTIMATED"},
                "studyFirstPostDateStruct": {"date": "2024-01-15", "type": "ACTUAL"},
                "resultsFirstPostDateStruct": {"date": "2026-01-20", "type": "ACTUAL"},
                "lastUpdatePostDateStruct": {"date": "2026-02-20", "type": "ACTUAL"},
            },
            "sponsorCollaboratorsModule": {
                "leadSponsor": {"name": "Example University", "class": "OTHER"},
                "collaborators": [{"name": "Example Institute"}],
            },
            "descriptionModule": {
                "briefSummary": "Does melatonin help?\n\n# Not a heading",
                "detailedDescription": "Two arms of \\[equal\\] size.",
            },
            "conditionsModule": {"conditions": ["Insomnia"], "keywords": ["sleep"]},
            "designModule": {
                "studyType": "INTERVENTIONAL",
                "phases": ["PHASE2", "PHASE3"],
                "designInfo": {
                    "allocation": "RANDOMIZED",
                    "interventionModel": "PARALLEL",
                    "primaryPurpose": "TREATMENT",
                    "maskingInfo": {"masking": "DOUBLE", "whoMasked": ["PARTICIPANT", "INVESTIGATOR"]},
                },
                "enrollmentInfo": {"count": 120, "type": "ACTUAL"},
            },
            "armsInterventionsModule": {
                "armGroups": [
                    {
                        "label": "Melatonin",
                        "type": "EXPERIMENTAL",
                        "description": "3 mg at night",
                        "interventionNames": ["Drug: Melatonin"],
                    }
                ],
                "interventions": [
                    {
                        "type": "DRUG",
                        "name": "Melatonin",
                        "description": "* a tablet\n* by mouth",
                        "otherNames": ["Circadin"],
                    }
                ],
            },
            "outcomesModule": {
                "primaryOutcomes": [
                    {"measure": "Sleep latency", "timeFrame": "4 weeks", "description": "By diary."}
                ],
                "secondaryOutcomes": [{"measure": "Quality of sleep", "timeFrame": "4 weeks"}],
            },
            "eligibilityModule": {
                "eligibilityCriteria": "Inclusion Criteria:\n\n* Adults\n\nExclusion Criteria:\n\n* Shift work",
                "healthyVolunteers": False,
                "sex": "ALL",
                "minimumAge": "18 Years",
            },
            "contactsLocationsModule": {
                "centralContacts": [{"name": "Study office", "role": "CONTACT", "email": "trial@example.org"}],
                "overallOfficials": [{"name": "The investigator", "role": "PRINCIPAL_INVESTIGATOR"}],
                "locations": [
                    {"facility": f"Clinic {place}", "city": "Example City", "country": "France", "status": "COMPLETED"}
                    for place in range(45)
                ],
            },
            "referencesModule": {
                "references": [{"pmid": "1234567", "type": "RESULT", "citation": "Example E. Sleep. 2026."}],
                "seeAlsoLinks": [{"label": "The trial", "url": "https://example.org/trial"}],
            },
            "ipdSharingStatementModule": {"ipdSharing": "NO"},
        },
        "resultsSection": {
            "participantFlowModule": {
                "recruitmentDetails": "In one clinic.",
                "groups": groups("Melatonin", "Placebo"),
                "periods": [
                    {
                        "title": "Overall Study",
                        "milestones": [{"type": "STARTED", "achievements": values("60", "60", name="numSubjects")}],
                        "dropWithdraws": [{"type": "Adverse Event", "reasons": values("2", "1", name="numSubjects")}],
                    }
                ],
            },
            "baselineCharacteristicsModule": {
                "groups": groups("Melatonin", "Placebo"),
                "denoms": [{"units": "Participants", "counts": values("60", "60")}],
                "measures": [
                    {
                        "title": "Age",
                        "paramType": "MEAN",
                        "dispersionType": "STANDARD_DEVIATION",
                        "unitOfMeasure": "years",
                        "classes": [{"categories": [{"measurements": [
                            {"groupId": "G0", "value": "44.1", "spread": "9.0"},
                            {"groupId": "G1", "value": "45.3", "spread": "8.7"},
                        ]}]}],
                    }
                ],
            },
            "outcomeMeasuresModule": {"outcomeMeasures": [_latency(), _quality()]},
            "adverseEventsModule": {
                "frequencyThreshold": "5",
                "timeFrame": "4 weeks",
                "eventGroups": [
                    {"id": "G0", "title": "Melatonin", "deathsNumAffected": 0, "deathsNumAtRisk": 60, "seriousNumAffected": 1, "seriousNumAtRisk": 60, "otherNumAffected": 9, "otherNumAtRisk": 60},
                ],
                "seriousEvents": [{"term": "Fall", "stats": [{"groupId": "G0", "numAffected": 1, "numAtRisk": 60}]}],
                "otherEvents": [
                    {"term": f"Event {place}", "stats": [{"groupId": "G0", "numAffected": place, "numAtRisk": 60}]}
                    for place in range(50)
                ],
            },
            "moreInfoModule": {"limitationsAndCaveats": {"description": "Stopped early."}},
        },
        "documentSection": {
            "largeDocumentModule": {"largeDocs": [
                {"label": "Study Protocol", "date": "2024-01-02", "filename": "Prot_000.pdf"},
                {"label": "Odd", "filename": "../../x.pdf"},
            ]}
        },
        "hasResults": True,
    }  # fmt: skip


def _latency() -> dict[str, Any]:
    """A measure with one value for each group, and its analysis."""
    return {
        "type": "PRIMARY",
        "title": "Sleep latency",
        "description": "By diary.",
        "reportingStatus": "POSTED",
        "paramType": "MEAN",
        "dispersionType": "95% Confidence Interval",
        "unitOfMeasure": "minutes",
        "timeFrame": "4 weeks",
        "groups": groups("Melatonin", "Placebo"),
        "denoms": [{"units": "Participants", "counts": values("58", "59")}],
        "classes": [{"categories": [{"measurements": [
            {"groupId": "G0", "value": "21.5", "lowerLimit": "19.0", "upperLimit": "24.0"},
            {"groupId": "G1", "value": "NA", "comment": "Not calculated"},
        ]}]}],
        "analyses": [
            {
                "groupIds": ["G0", "G1"],
                "pValue": "<0.001",
                "statisticalMethod": "ANCOVA",
                "paramType": "Mean Difference (Final Values)",
                "paramValue": "-7.5",
                "ciPctValue": "95",
                "ciLowerLimit": "-10.2",
                "ciUpperLimit": "-4.8",
            },
            {"groupIds": ["G0"], "pValue": "0.04", "nonInferiorityType": "NON_INFERIORITY"},
        ],
    }  # fmt: skip


def _quality() -> dict[str, Any]:
    """A measure with categories."""
    return {
        "type": "SECONDARY",
        "title": "Quality of sleep | self-rated",
        "paramType": "COUNT_OF_PARTICIPANTS",
        "unitOfMeasure": "Participants",
        "groups": groups("Melatonin", "Placebo"),
        "classes": [{"categories": [
            {"title": "Good", "measurements": values("40", "25")},
            {"title": "Bad", "measurements": values("18")},
        ]}],
    }  # fmt: skip


def clinicaltrials() -> dict[str, Any]:
    return {f"clinicaltrials.gov/api/v2/studies/{NUMBER}": study()}
