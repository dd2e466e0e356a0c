"""Wrappers around an agent: retries, rate limits, egress policy, fallback."""
