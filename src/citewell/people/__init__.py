"""What belongs to single users: consents, memories, workspaces, usage, and the export and erasure of all of it."""

# What other rooms may import.
API = (
    "consent_service",
    "erasure_store",
    "memory_service",
    "memory_store",
    "settings",
    "subject_archive",
    "subject_erasure",
    "token_store",
    "usage_analytics",
    "workspace_service",
    "workspace_store",
)
