"""What reviewers have learned: learned from the ledger, kept in a database and in files that people edit."""
