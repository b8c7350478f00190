"""What belongs to single users: their consents, memories, workspaces and usage."""
