"""Emails and webhooks through one outbox.

A row is written in the transaction that it tells of, and a job sends it after the commit. It is
claimed before it is sent and marked afterwards, so a crash repeats at most that one.
"""
