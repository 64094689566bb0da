"""Untrusted git repositories: the address check, the confined clone, and reads from it."""
