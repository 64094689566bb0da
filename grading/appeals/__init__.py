"""Appeals about one criterion of a released grade.

An appeal belongs to the submission and the criterion and carries the released row, so recomputing
never touches it. A changed score is an override, released by the same decision.
"""
