"""The library, which holds the user's own documents: import, search, export."""

# What other rooms may import.
API = (
    "library_access",
    "library_documents",
    "library_rows",
    "library_store",
    "local_files",
    "settings",
)
