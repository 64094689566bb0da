"""Audits: rows, leases and states, the progress page and the report page.

A state moves by conditional UPDATE only. A worker claims an audit with a lease and a fencing token,
and every later write carries the token. Opinions are stored as they arrive. A refused input (a
private repository, an encrypted PDF) ends the audit with the reason and uses no attempt.
"""
