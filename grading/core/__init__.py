"""Shared base of all subjects: errors, permissions, row-level security, the audit queue.

Imports no subject. An object of another organization and a missing one are the same 404
(`permissions.py`). The tenant's scope is entered in one middleware and one job decorator.
"""
