"""Judging of the audited project: its judges, their prompts, its rules, the origin of scores."""
