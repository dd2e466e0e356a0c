"""The words of the domain as types: what everything else is made of."""
