"""What is kept about people: consents, memories, shared findings and usage."""
