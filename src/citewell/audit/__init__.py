"""The audit log: rows that wait, sealed segments, the chain that connects them, and its verification."""

# What other rooms may import.
API = (
    "audit_files",
    "audit_recorder",
    "audit_segments",
    "audit_store",
    "audit_verification",
    "settings",
)
