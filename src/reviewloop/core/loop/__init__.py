"""What happens next, given everything that happened."""
