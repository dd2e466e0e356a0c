"""The prompts, one module for each role."""
