"""The grading queue: a cohort's work one after another, with scores by hand, flags, shares and who reads what."""
