"""Rounds: pairing, changes to a running round, reminders."""
