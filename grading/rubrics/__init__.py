"""Rubrics and their versions: editing, import and export, previews, trials of single checks.

A published version never changes. A preview is computed in the request; publishing from it carries
the digest of what was shown, and the re-synthesis gives exactly that.
"""
