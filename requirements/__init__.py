"""Locked packages, and the check of them against known weaknesses."""
