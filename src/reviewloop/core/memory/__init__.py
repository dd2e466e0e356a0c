"""The reviewers' memory: what it learns, and what reviewers are told."""
