"""The library, which holds the user's own documents: import, search, export."""
