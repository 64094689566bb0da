"""Judging again, one or many: by new rules, by the judges, or from the start."""
