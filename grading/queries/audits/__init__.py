"""Audits, attempts, turns, times and costs."""
