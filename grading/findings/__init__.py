"""Findings: identity from audit to audit, state, and the owner's answers.

A finding is a criterion, a check and a place (courtroom/findings.py). Its state follows from its sightings
in the order of attempts, whatever the order in which audits end: open, fixed by an attempt,
regressed. A fix that an answer names is looked up in a clone by a job (`fix_verification.py`).
"""
