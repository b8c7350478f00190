"""Whether a cited work exists, stands, and says what it is cited for: verification, audits, retractions."""

# What other rooms may import.
API = (
    "audit_findings",
    "bibliography_audit",
    "claim_sources",
    "commands.reference_files",
    "finding_advice",
    "paper_statuses",
    "reference_lookup",
    "retraction_checks",
    "retraction_import",
    "retraction_table",
    "settings",
    "work_identity",
    "work_lookup",
)
