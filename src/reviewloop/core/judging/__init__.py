"""From one iteration's answers to a verdict."""
