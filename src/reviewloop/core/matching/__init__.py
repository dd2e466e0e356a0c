"""Matching of findings, and merging of several reviewers' findings."""
