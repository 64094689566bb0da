"""Rubrics of an organization: their list, and new ones."""
