"""Courses made at once: from a kind of assignment, or as a copy of another cohort."""
