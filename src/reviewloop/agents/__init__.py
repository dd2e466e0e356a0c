"""Agents: reviewers and authors that Reviewloop calls. `registry` lists their kinds."""
