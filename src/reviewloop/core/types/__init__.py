"""The types of the domain."""
