"""The loop: the next step of a session, and its endings."""
