"""Runs an agent's program: confined, with limits, and ended together with everything it started."""
