"""Panels: several reviewers in two stages, their decision and its confidence."""
