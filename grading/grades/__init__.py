"""Grades: what counts for a student, overrides, releases, statistics, agreement, exports.

Three records are kept apart. A verdict is never edited. A grade follows the latest attempt with a
verdict, or a pinned one, with overrides in place of single scores. The released grade is what the
student was told, and stays so until the next release. What was not released is empty, never 0.
"""
