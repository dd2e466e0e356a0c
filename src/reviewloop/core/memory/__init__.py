"""What reviewers learn from people."""
