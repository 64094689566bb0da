"""Complaints about abusive reports, and their decision."""
