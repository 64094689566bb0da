"""Rows and works that tests make."""

from factory.builder import DeclarationSet

# A trait that nobody asks for is looked up in vain, ten times for an audit, and each time all values
# are written into an error that nobody reads: the report among them is 60 kB.
DeclarationSet.__repr__ = object.__repr__
