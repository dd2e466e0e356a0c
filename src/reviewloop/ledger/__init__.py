"""The append-only record of events: in one SQLite file, or in memory."""
