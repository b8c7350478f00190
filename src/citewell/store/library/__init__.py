"""The user's own documents and their full-text index."""
