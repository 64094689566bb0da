"""The bank of a rubric: comments that staff use again, the most used first."""
