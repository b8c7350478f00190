"""The user's own documents: what is added, how it is read, and how it is found again."""
