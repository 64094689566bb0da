"""Accesses to private repositories: given, confirmed, tried and revoked by the people they belong to."""
