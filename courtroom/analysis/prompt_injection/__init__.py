"""Prompt injection in a repository or a report, however it is obfuscated."""
