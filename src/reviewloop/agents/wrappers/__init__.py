"""What stands around an agent: retries, rate limits, egress, fallback."""
