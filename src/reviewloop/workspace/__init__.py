"""The user's files: read them, copy them for agents, and bring an author's changes back."""
