"""Reviewloop: the review gate for what AI agents write."""

__version__ = "0.1.0"
