"""Anything that can be asked and answers. The kinds are in `registry`."""
