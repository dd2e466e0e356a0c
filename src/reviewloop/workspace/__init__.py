"""The user's files: reads them, copies them for agents, and brings an author's changes back."""
