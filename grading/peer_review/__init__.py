"""Peer review: rounds, pairings, reports between students, answers, communication.

A round pairs students by a seed (`rounds/pairing.py`): everyone audits k others and is audited by
k, never a member of their group. A peer's audit changes no grade and uses no attempt. Whatever a
reader sees of a report passes through redaction in a blind round (docs/privacy.md).
"""
