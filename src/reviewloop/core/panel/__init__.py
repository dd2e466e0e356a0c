"""Several reviewers in two stages: their decision and how sure it is."""
