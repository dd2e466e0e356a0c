"""What one iteration's answers come to."""
