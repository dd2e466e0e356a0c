"""Reviewer memory: patterns learned from the ledger, stored in a database and in files that people edit."""
